"""Figures of serving and of a scheduler's accounting on their way into a summary."""

from __future__ import annotations

_LATENCIES = tuple(f"{one}_{of}_ms" for one in ("ttft", "tpot", "itl", "e2e") for of in ("mean", "p50", "p90", "p99"))
_COUNTS = ("requests", "requests_failed", "input_tokens", "output_tokens")
#: what a benchmark of a server reports
SERVED = (*_COUNTS, "requests_per_s", "prompt_tokens_per_s", "output_tokens_per_s", "total_tokens_per_s", *_LATENCIES)
#: what a scheduler or a tool beside the program reports; what our own probes saw of a run comes before it
ACCOUNTED = ("queue_s", "cpu_eff", "mem_eff", "cpu_s", "cpu_pct_mean", "rss_bytes_max", "gpu_util_pct_mean",
             "gpu_mem_bytes_max", "gpus_used", "energy_j")  # fmt: skip
_GROUPS = ("requested", "used")
_WHOLE = (*_COUNTS, "rss_bytes_max", "gpu_mem_bytes_max", "gpus_used")


def grouped(best: dict[str, float]) -> dict[str, dict[str, float]]:
    """`requested_cpus`, `used_vmem_bytes` out of the figures, each under its group."""
    found: dict[str, dict[str, float]] = {}
    for group in _GROUPS:
        names = [name for name in best if name.startswith(f"{group}_")]
        if names:
            found[group] = {name.removeprefix(f"{group}_"): _as_int(best.pop(name)) for name in names}
    return found


def whole(figures: dict[str, float]) -> dict[str, float]:
    """Counts and bytes are whole numbers, however they were printed."""
    return {name: round(value) if name in _WHOLE else value for name, value in figures.items()}


def _as_int(value: float) -> float:
    return int(value) if float(value).is_integer() else value
