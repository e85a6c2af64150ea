"""A summary's figures in words: one line a subject, used wherever a run is shown as text."""

from __future__ import annotations

from typing import Any

from assay.units import show_bytes, show_joules, show_number, show_seconds

_LATENCIES = ("latency_ms", "latency_p50_ms", "latency_p90_ms", "latency_p99_ms")


def cpu_words(summary: dict[str, Any]) -> str | None:
    if "cpu_s" not in summary:
        return None
    parts = [f"{summary['cpu_pct_mean']:.0f} % of a core on average" if "cpu_pct_mean" in summary else ""]
    if "cpu_pct_max" in summary:
        parts.append(f"{summary['cpu_pct_max']:.0f} % at most")
    parts.append(f"{show_seconds(summary['cpu_s'])} of CPU time")
    return ", ".join(filter(None, parts))


def memory_words(summary: dict[str, Any]) -> str | None:
    """PSS where it was seen: adding up resident sizes counts shared pages once for every process."""
    pss, rss = summary.get("pss_bytes_max"), summary.get("rss_bytes_max")
    if pss is None:
        return None if rss is None else f"{show_bytes(rss)} at most (RSS)"
    words = f"{show_bytes(pss)} highest seen, {show_bytes(summary['pss_bytes_mean'])} on average (PSS)"
    peak = summary.get("rss_bytes_peak")
    # the kernel knows the peak of each process, also between two looks
    return f"{words}; one process reached {show_bytes(peak)}" if peak and peak > 1.2 * pss else words


def disk_words(summary: dict[str, Any]) -> str | None:
    read, written = summary.get("read_bytes", 0), summary.get("write_bytes", 0)
    return f"{show_bytes(read)} read, {show_bytes(written)} written" if read + written >= 1 << 20 else None


def gpu_words(summary: dict[str, Any]) -> str | None:
    parts = []
    if "gpu_util_pct_mean" in summary:
        parts.append(f"a kernel ran {summary['gpu_util_pct_mean']:.0f} % of the time")
    if "gpu_mem_bytes_max" in summary:
        parts.append(f"{show_bytes(summary['gpu_mem_bytes_max'])} at most")
    if summary.get("gpus_used", 1) > 1:
        parts.append(f"{summary['gpus_used']} devices")
    if summary.get("throttled"):
        parts.append("throttled: " + ", ".join(summary["throttled"]))
    return ", ".join(parts) or None


def energy_words(summary: dict[str, Any]) -> str | None:
    source = summary.get("energy_source")
    if "energy_j" in summary:
        return f"{show_joules(summary['energy_j'])} ({source})"
    return source if "cpu_s" in summary else None


def phase_words(summary: dict[str, Any]) -> str | None:
    shares = summary.get("phase_shares", {})
    parts = []
    for name, value in summary.get("phases", {}).items():
        share = f" ({100 * shares[name]:.0f} %)" if name in shares else ""
        parts.append(f"{name} {show_seconds(value)}{share}")
    return " · ".join(parts) or None


def result_words(summary: dict[str, Any]) -> str | None:
    """Loss, accuracy, rate and latency, as far as they are known."""
    parts = []
    if "steps" in summary:
        parts.append(f"step {summary['steps']:,}")
    if "loss" in summary:
        parts.append(f"loss {show_number(summary['loss'])}")
    if "accuracy" in summary:
        parts.append(f"accuracy {100 * summary['accuracy']:.4g} %")
    rate = summary.get("samples_per_s_own", summary.get("samples_per_s_avg", summary.get("samples_per_s")))
    if rate is not None:
        parts.append(f"{show_number(rate)} samples/s")
    if "tokens_per_s" in summary:
        parts.append(f"{show_number(summary['tokens_per_s'])} tokens/s")
    for name in _LATENCIES:
        if name in summary:
            parts.append(f"{name.removesuffix('_ms').replace('_', ' ')} {show_number(summary[name])} ms")
    if "inferences_per_s" in summary:
        parts.append(f"{show_number(summary['inferences_per_s'])} inferences/s")
    return " · ".join(parts) or None


def engine_words(row: dict[str, Any]) -> str:
    """`onnxruntime, padded`: a way in which a program measured itself."""
    return ", ".join(str(word) for word in (row.get("engine"), padding_words(row)) if word)


def padding_words(row: dict[str, Any]) -> str:
    return ("padded" if row["padded"] else "unpadded") if "padded" in row else ""


def cost_words(summary: dict[str, Any]) -> str | None:
    """What measuring itself took."""
    own_s, wall_s = summary.get("own_cpu_s"), summary.get("wall_s")
    if own_s is None or not wall_s:
        return None
    share = f" ({100 * own_s / wall_s:.2g} % of a core)" if wall_s >= 2 else ""
    return f"assay itself used {show_seconds(own_s)} of CPU time{share}"


def status_words(summary: dict[str, Any]) -> str:
    status, wall = summary.get("status", "told of"), summary.get("wall_s")
    if summary.get("how") in ("simulated", "validated"):
        status = f"{summary['how']}, {status}"
    text = status if wall is None else f"{status} {'for' if status == 'running' else 'after'} {show_seconds(wall)}"
    code = summary.get("exit_code")
    return f"{text}, exit code {code}" if code else text
