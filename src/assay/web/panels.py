"""Which charts a page shows: the metric of each, its unit, and the limits of its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from assay.quantities import BY_NAME, PERCENT, RATE, SHARE, Quantity, named
from assay.summary.splits import PARTS
from assay.views.charts.base import AXES, Columns, phase_colours, words_of
from assay.views.charts.machine import PANELS, panels, watched
from assay.views.columns import FIGURES

#: of a device that is busy all the time
_FULL = {"gpu_util_pct": 100.0}


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One chart; `key` names its column, whose values are multiplied with `scale` to be in its unit."""

    id: str
    key: str
    title: str
    unit: str = ""
    scale: float = 1.0
    low: float | None = None
    high: float | None = None
    zero: bool = False  # drawn from the lowest that is possible


def described(data: Mapping[str, Columns], titles: Mapping[str, str]) -> dict[str, object]:
    """Everything that a page needs to draw these columns; what has no curve has no chart."""
    curves = data.get("curves", {})
    axes = [(name, text) for name, text in AXES.items() if _knows(curves, name)]
    keys = [key for key in FIGURES if key in titles] + [key for key in titles if key not in FIGURES]
    drawn = [_curve(key, titles[key]) for key in keys if axes and _is_curve(curves, key)]
    machine = panels({panel for _, panel in watched(data.get("machine", {}))})
    phases = dict.fromkeys(words_of(data.get("spans", {}), "phase") + words_of(data.get("shares", {}), "phase"))
    return {
        "axes": axes,
        "curves": [asdict(one) for one in drawn],
        "machine": [asdict(_machine(name)) for name in machine],
        "phases": phase_colours(sorted(phases, key=lambda name: name == "other")),
    }


def _knows(columns: Columns, name: str) -> bool:
    return any(value is not None for value in columns.get(name, []))


def _is_curve(columns: Columns, key: str) -> bool:
    """One value a run is a result, not a curve."""
    known = [run for run, value in zip(columns.get("run", []), columns.get(key, []), strict=False) if value is not None]
    return len(known) > len(set(known))


def _curve(key: str, name: str) -> Panel:
    known = named(name)
    part, _, rest = name.partition("_")
    if known is None and part in PARTS and rest in BY_NAME:
        inner = BY_NAME[rest]
        return _of(key, f"{PARTS[part]} {inner.noun}", inner)
    if known is None:
        return Panel(id=f"progress-{key}", key=key, title=name)
    return _of(key, known.noun, known)


def _of(key: str, noun: str, one: Quantity) -> Panel:
    share = one.unit == SHARE
    return Panel(
        id=f"progress-{key}",
        key=key,
        title=f"{noun[:1].upper()}{noun[1:]}",
        unit=_unit(one),
        scale=one.scale,
        low=0.0 if share or one.kind == RATE else None,
        high=100.0 if share or one.unit == PERCENT else None,
    )


def _unit(one: Quantity) -> str:
    if one.unit == SHARE:
        return "%"
    if one.name.endswith("_ms"):
        return "ms"
    return one.heading.partition(" (")[0] if one.kind == RATE and "/s" in one.heading else one.unit


def _machine(name: str) -> Panel:
    title, _, unit = PANELS[name][0].partition(" (")
    return Panel(
        id=f"machine-{name}",
        key=name,
        title=f"{title[:1].upper()}{title[1:]}",
        unit=unit.rstrip(")"),
        low=0.0,
        high=_FULL.get(name),
        zero=True,
    )
