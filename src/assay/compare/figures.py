"""The figures that runs are compared by: what is better, what a difference is called, and how a value is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, log10

from assay.units import show_bytes, show_joules, show_number, show_seconds

#: a rate does not depend on how long a run was; an outcome and a total do
RATE, OUTCOME, TOTAL, MACHINE = "rate", "outcome", "total", "machine"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """`better` is 1 where more is better, -1 where less is, 0 where it is neither."""

    name: str
    heading: str
    noun: str
    kind: str
    better: int = 0
    points: bool = False  # a share of 1, whose differences are told in points of a per cent
    show: Callable[[float], str] | None = None  # for units that change with the size

    @property
    def scale(self) -> float:
        return 100.0 if self.points else 1.0


#: in the order of the table; the first figures that runs know are its columns
FIGURES = (
    Figure(name="samples_per_s", heading="samples/s", noun="throughput", kind=RATE, better=1),
    Figure(name="tokens_per_s", heading="tokens/s", noun="token rate", kind=RATE, better=1),
    Figure(name="inferences_per_s", heading="inferences/s", noun="inference rate", kind=RATE, better=1),
    Figure(
        name="on_chip_inferences_per_s", heading="on-chip inf/s", noun="on-chip inference rate", kind=RATE, better=1
    ),
    Figure(name="step_ms", heading="step ms", noun="step time", kind=RATE),
    Figure(name="latency_ms", heading="latency ms", noun="latency", kind=RATE, better=-1),
    Figure(name="latency_p50_ms", heading="p50 ms", noun="median latency", kind=RATE, better=-1),
    Figure(name="latency_p90_ms", heading="p90 ms", noun="90 % latency", kind=RATE, better=-1),
    Figure(name="latency_p99_ms", heading="p99 ms", noun="99 % latency", kind=RATE, better=-1),
    Figure(name="utilisation", heading="utilisation %", noun="utilisation", kind=RATE, better=1, points=True),
    Figure(name="loss", heading="loss", noun="loss", kind=OUTCOME, better=-1),
    Figure(name="accuracy", heading="accuracy %", noun="accuracy", kind=OUTCOME, better=1, points=True),
    Figure(name="train_s", heading="train", noun="training time", kind=TOTAL, better=-1, show=show_seconds),
    Figure(name="wall_s", heading="time", noun="time", kind=TOTAL, better=-1, show=show_seconds),
    Figure(name="energy_j", heading="energy", noun="energy", kind=TOTAL, better=-1, show=show_joules),
    Figure(name="j_per_sample", heading="J/sample", noun="energy per sample", kind=RATE, better=-1),
    Figure(name="pss_bytes_max", heading="memory", noun="memory", kind=MACHINE, better=-1, show=show_bytes),
    Figure(name="rss_bytes_max", heading="memory (RSS)", noun="memory", kind=MACHINE, better=-1, show=show_bytes),
    Figure(name="gpu_mem_bytes_max", heading="GPU memory", noun="GPU memory", kind=MACHINE, better=-1, show=show_bytes),
    Figure(name="cpu_pct_mean", heading="cpu %", noun="CPU use", kind=MACHINE),
    Figure(name="gpu_util_pct_mean", heading="gpu %", noun="GPU use", kind=MACHINE),
    Figure(name="cpu_pct_max", heading="cpu % at most", noun="highest CPU use", kind=MACHINE),
    Figure(name="cpu_s", heading="CPU time", noun="CPU time", kind=TOTAL, better=-1, show=show_seconds),
    Figure(name="pss_bytes_mean", heading="mean memory", noun="mean memory", kind=MACHINE, better=-1, show=show_bytes),
    Figure(
        name="rss_bytes_mean", heading="mean memory (RSS)", noun="mean memory", kind=MACHINE, better=-1, show=show_bytes
    ),
    Figure(name="write_bytes", heading="written", noun="bytes written", kind=MACHINE, show=show_bytes),
)
BY_NAME = {figure.name: figure for figure in FIGURES}


def figure(name: str) -> Figure:
    """One of ours, or any other name that a run reports: shown as it is, and called neither better nor worse."""
    return BY_NAME.get(name) or Figure(name=name, heading=name, noun=name, kind=OUTCOME)


def show_value(one: Figure, value: float, spread: float | None = None) -> str:
    """With two digits of its spread, where that is known: more would be noise, fewer would hide it."""
    if one.show is not None:
        return one.show(value)
    value, spread = value * one.scale, None if spread is None else spread * one.scale
    if spread:
        return _rounded(value, spread)
    return f"{value:,.5g}" if 1 <= abs(value) < 10_000 else show_number(value)


def show_plus_minus(one: Figure, mean: float, sd: float | None) -> str:
    """`2,924 ± 11`"""
    if sd is None:
        return show_value(one, mean)
    if one.show is not None and mean:
        return f"{one.show(mean)} ± {100 * sd / abs(mean):.2g} %"
    return f"{show_value(one, mean, sd)} ± {show_spread(one, sd)}"


def show_interval(one: Figure, low: float, high: float, sd: float) -> str:
    """What cannot be below zero or above 100 % is not shown there, wherever few runs let the interval reach."""
    low = max(0.0, low) if one.kind != OUTCOME or one.points else low
    high = min(1.0, high) if one.points else high
    return f"{show_value(one, low, sd)}–{show_value(one, high, sd)}".replace("–-", " to -")


def show_spread(one: Figure, sd: float) -> str:
    if one.show is not None:
        return one.show(sd)
    return _rounded(sd * one.scale, sd * one.scale) if sd else "0"


def _rounded(value: float, spread: float) -> str:
    digits = min(9, 1 - floor(log10(abs(spread))))
    return f"{round(value, digits):,.{max(0, digits)}f}"
