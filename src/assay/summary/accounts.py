"""Figures of a scheduler's accounting on their way into a summary."""

from __future__ import annotations

_GROUPS = ("requested", "used")


def grouped(best: dict[str, float]) -> dict[str, dict[str, float]]:
    """`requested_cpus`, `used_vmem_bytes` out of the figures, each under its group."""
    found: dict[str, dict[str, float]] = {}
    for group in _GROUPS:
        names = [name for name in best if name.startswith(f"{group}_")]
        if names:
            found[group] = {name.removeprefix(f"{group}_"): _as_int(best.pop(name)) for name in names}
    return found


def _as_int(value: float) -> float:
    return int(value) if float(value).is_integer() else value
