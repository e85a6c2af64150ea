"""A summary's figures in words: one line a subject, used wherever a run is shown as text."""

from __future__ import annotations

from assay.model.summary import Summary
from assay.units import show_bytes, show_joules, show_number, show_seconds

_LATENCIES = ("latency_ms", "latency_p50_ms", "latency_p90_ms", "latency_p99_ms")


def cpu_words(summary: Summary) -> str | None:
    if summary.cpu_s is None:
        return None
    parts = [f"{summary.cpu_pct_mean:.0f} % of a core on average" if summary.cpu_pct_mean is not None else ""]
    if summary.cpu_pct_max is not None:
        parts.append(f"{summary.cpu_pct_max:.0f} % at most")
    parts.append(f"{show_seconds(summary.cpu_s)} of CPU time")
    return ", ".join(filter(None, parts))


def memory_words(summary: Summary) -> str | None:
    """One figure; what another tool or a scheduler reports is the resident size, and is called so."""
    if summary.memory_bytes_max is not None:
        return f"peak {show_bytes(summary.memory_bytes_max)}"
    rss = summary.rss_bytes_max
    return None if rss is None else f"peak {show_bytes(rss)} (RSS)"


def disk_words(summary: Summary) -> str | None:
    read, written = summary.read_bytes or 0, summary.write_bytes or 0
    return f"{show_bytes(read)} read, {show_bytes(written)} written" if read + written >= 1 << 20 else None


def gpu_words(summary: Summary) -> str | None:
    parts = []
    if summary.gpu_util_pct_mean is not None:
        parts.append(f"a kernel ran {summary.gpu_util_pct_mean:.0f} % of the time")
    if summary.gpu_mem_bytes_max is not None:
        parts.append(f"{show_bytes(summary.gpu_mem_bytes_max)} at most")
    if summary.gpus_used is not None and summary.gpus_used > 1:
        parts.append(f"{summary.gpus_used} devices")
    if summary.throttled:
        parts.append("throttled: " + ", ".join(summary.throttled))
    return ", ".join(parts) or None


def energy_words(summary: Summary) -> str | None:
    source = summary.energy_source
    if summary.energy_j is not None:
        return f"{show_joules(summary.energy_j)} ({source})"
    return source if summary.cpu_s is not None else None


def phase_words(summary: Summary) -> str | None:
    shares = summary.phase_shares
    parts = []
    for name, value in summary.phases.items():
        share = f" ({100 * shares[name]:.0f} %)" if name in shares else ""
        parts.append(f"{name} {show_seconds(value)}{share}")
    return " · ".join(parts) or None


def result_words(summary: Summary) -> str | None:
    """Loss, accuracy, rate and latency, as far as they are known."""
    parts = []
    if summary.steps is not None:
        parts.append(f"step {summary.steps:,}")
    if summary.loss is not None:
        parts.append(f"loss {show_number(summary.loss)}")
    if summary.accuracy is not None:
        parts.append(f"accuracy {100 * summary.accuracy:.4g} %")
    rate = summary.throughput
    if rate is not None:
        parts.append(f"{show_number(rate)} samples/s")
    if summary.tokens_per_s is not None:
        parts.append(f"{show_number(summary.tokens_per_s)} tokens/s")
    for name, value in summary.figures(_LATENCIES).items():
        parts.append(f"{name.removesuffix('_ms').replace('_', ' ')} {show_number(value)} ms")
    if summary.inferences_per_s is not None:
        parts.append(f"{show_number(summary.inferences_per_s)} inferences/s")
    return " · ".join(parts) or None


def engine_words(measured: Summary) -> str:
    """`onnxruntime, padded`: a way in which a program measured itself."""
    return ", ".join(word for word in (measured.engine, padding_words(measured)) if word)


def padding_words(measured: Summary) -> str:
    padded = measured.value("padded")
    return "" if padded is None else "padded" if padded else "unpadded"


def cost_words(summary: Summary) -> str | None:
    """What measuring itself took."""
    own_s, wall_s = summary.own_cpu_s, summary.wall_s
    if own_s is None or not wall_s:
        return None
    share = f" ({100 * own_s / wall_s:.2g} % of a core)" if wall_s >= 2 else ""
    return f"assay itself used {show_seconds(own_s)} of CPU time{share}"


def status_words(summary: Summary) -> str:
    status, wall = summary.status or "told of", summary.wall_s
    if summary.how in ("simulated", "validated"):
        status = f"{summary.how}, {status}"
    text = status if wall is None else f"{status} {'for' if status == 'running' else 'after'} {show_seconds(wall)}"
    code = summary.exit_code
    return f"{text}, exit code {code}" if code else text
