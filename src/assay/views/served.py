"""Figures of serving and of a job's accounting in words, one line a subject."""

from __future__ import annotations

from assay.model.summary import Summary
from assay.units import show_bytes, show_number, show_seconds

_RATES = (
    ("requests_per_s", "requests/s"),
    ("prompt_tokens_per_s", "prompt tokens/s"),
    ("output_tokens_per_s", "output tokens/s"),
    ("total_tokens_per_s", "tokens/s in total"),
)
_STATISTICS = (("mean", "mean"), ("p50", "median"), ("p90", "p90"), ("p99", "p99"))


def serving_words(summary: Summary) -> str | None:
    """`100 requests · 1.22 requests/s · 307 output tokens/s`"""
    parts = []
    if summary.requests is not None:
        failed = f", {summary.requests_failed:,} failed" if summary.requests_failed else ""
        parts.append(f"{summary.requests:,} requests{failed}")
    for name, unit in _RATES:
        value = summary.figures((name,)).get(name)
        if value is not None:
            parts.append(f"{show_number(value)} {unit}")
    return " · ".join(parts) or None


def latency_words(summary: Summary, name: str) -> str | None:
    """`271 ms mean, 246 ms median, 566 ms p99`"""
    figures = summary.figures(tuple(f"{name}_{key}_ms" for key, _ in _STATISTICS))
    parts = [
        f"{show_number(figures[f'{name}_{key}_ms'])} ms {word}"
        for key, word in _STATISTICS
        if f"{name}_{key}_ms" in figures
    ]
    return ", ".join(parts) or None


def job_words(summary: Summary) -> str | None:
    """`4711 · waited 2m 30s · asked for 32 cpus, 2 nodes, 64.0 GiB, 1h 00m · CPU 50 %, memory 20 % of that`"""
    parts = [summary.job_id] if summary.job_id else []
    if summary.queue_s is not None:
        parts.append(f"waited {show_seconds(summary.queue_s)}")
    asked = _asked(summary)
    parts += [f"asked for {asked}"] if asked else []
    used = [
        f"{word} {100 * share:.0f} %"
        for word, share in (("CPU", summary.cpu_eff), ("memory", summary.mem_eff))
        if share is not None
    ]
    parts += [f"used {', '.join(used)} of it"] if used else []
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
