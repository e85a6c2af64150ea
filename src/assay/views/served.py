"""Figures of serving and of a job's accounting in words, one line a subject."""

from __future__ import annotations

from collections.abc import Callable

from assay.model.summary import Summary
from assay.text import listing
from assay.units import show_bytes, show_number, show_seconds
from assay.views.words import SERVER, Parts

_RATES = (
    ("requests_per_s", "requests/s"),
    ("prompt_tokens_per_s", "prompt tokens/s"),
    ("output_tokens_per_s", "output tokens/s"),
    ("total_tokens_per_s", "tokens/s in total"),
)
_STATISTICS = (("mean", "mean"), ("p50", "median"), ("p90", "p90"), ("p99", "p99"))


def serving_words(summary: Summary) -> str | None:
    """`100 requests · 1.22 requests/s · 307 output tokens/s`"""
    return " · ".join(text for text, _ in serving_parts(summary)) or None


def serving_parts(summary: Summary) -> Parts:
    parts: Parts = []
    if summary.requests is not None:
        failed = f", {summary.requests_failed:,} failed" if summary.requests_failed else ""
        parts.append((f"{summary.requests:,} requests{failed}", ("requests",)))
    for name, unit in _RATES:
        value = summary.figures((name,)).get(name)
        if value is not None:
            parts.append((f"{show_number(value)} {unit}", (name,)))
    return parts


def latency_words(summary: Summary, name: str) -> str | None:
    """`271 ms mean, 246 ms median, 566 ms p99`"""
    return ", ".join(text for text, _ in latency_parts(summary, name)) or None


def latency_parts(summary: Summary, name: str) -> Parts:
    figures = summary.figures(tuple(f"{name}_{key}_ms" for key, _ in _STATISTICS))
    return [
        (f"{show_number(figures[field])} ms {word}", (field,))
        for key, word in _STATISTICS
        if (field := f"{name}_{key}_ms") in figures
    ]


def server_words(summary: Summary) -> str | None:
    """`ready after 12 s · peak 3.1 GiB, 41 s of CPU time and 980 J during the measurement`"""
    figures = {name.removeprefix(SERVER): value for name, value in summary.metrics.items() if name.startswith(SERVER)}
    shown = {name: word(figures[name]) for name, word in _OF_A_SERVER.items() if name in figures}
    started = shown.pop("start_s", None)
    used = f"{listing(list(shown.values()))} during the measurement" if shown else None
    return " · ".join(text for text in (started, used) if text) or None


#: what is measured of a server, and how it is put
_OF_A_SERVER: dict[str, Callable[[float], str]] = {
    "start_s": lambda value: f"ready after {show_seconds(value)}",
    "memory_bytes_max": lambda value: f"peak {show_bytes(value)}",
    "cpu_s": lambda value: f"{show_seconds(value)} of CPU time",
    "energy_j": lambda value: f"{show_number(value)} J",
    "j_per_output_token": lambda value: f"{show_number(value)} J per output token",
}


def job_words(summary: Summary) -> str | None:
    """`4711 · waited 2m 30s · asked for 32 CPUs, 64.0 GiB · used 50 % of the CPU time and 20 % of the memory`"""
    parts = [summary.job_id] if summary.job_id else []
    if summary.queue_s:
        parts.append(f"waited {show_seconds(summary.queue_s)}")
    asked = _asked(summary)
    parts += [f"asked for {asked}"] if asked else []
    shares = (("CPU time", summary.cpu_eff), ("memory", summary.mem_eff), ("time", summary.time_eff))
    used = [f"{100 * share:.0f} % of the {word}" for word, share in shares if share is not None]
    gpus = summary.requested.get("gpus")
    used += [f"{summary.gpus_used:g} of the {gpus:g} GPUs"] if gpus and summary.gpus_used is not None else []
    parts += [f"used {listing(used)}"] if used else []
    return " · ".join(parts) or None


def _asked(summary: Summary) -> str:
    wanted = summary.requested
    parts = [f"{wanted[name]:g} {_noun(name, wanted[name])}" for name in ("cpus", "nodes", "gpus") if name in wanted]
    parts += [show_bytes(wanted["mem_bytes"])] if "mem_bytes" in wanted else []
    parts += [show_seconds(wanted["time_s"])] if "time_s" in wanted else []
    return ", ".join(parts)


def _noun(name: str, count: float) -> str:
    word = {"cpus": "CPUs", "nodes": "nodes", "gpus": "GPUs"}[name]
    return word[:-1] if count == 1 else word
