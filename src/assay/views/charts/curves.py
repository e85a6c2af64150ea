"""Curves: a figure while it was made, run by run or as the mean of repeats with its interval."""

from __future__ import annotations

from collections.abc import Sequence

from assay.quantities import RATE, named
from assay.summary.splits import PARTS
from assay.views.charts.base import AXES, Chart, chart, colour, dashes, quantity
from assay.views.charts.limits import Limits


def label(name: str) -> str:
    """Of a curve: a rate by its unit, everything else by its noun."""
    known = named(name)
    if known is None:
        part, _, rest = name.partition("_")
        return f"{PARTS.get(part, part)} {rest.replace('_', ' ')}".strip()
    return known.heading if known.kind == RATE and not known.points else known.noun


def progress(
    name: str, axis: str = "steps", alone: str = "", settings: Sequence[str] = (), limits: Limits | None = None
) -> Chart:
    """One figure while it was made, a line for each run; `curves` has run, group, the axes, and the figures.

    A run on a page `alone` needs no legend, and its figure is called what the program calls it.
    """
    figure = {"field": name, "format": ".5~g", **({"title": alone} if alone else {})}
    return chart(
        "curves",
        transform=[{"filter": f"isValid(datum['{name}']) && isValid(datum['{axis}'])"}],
        mark={"type": "line", "strokeWidth": 1.5, "interpolate": "linear"},
        encoding={
            "x": quantity(axis, AXES[axis]),
            "y": quantity(name, label(alone or name), limits=limits),
            "color": colour(settings, legend=not alone),
            **dashes(settings),
            "detail": {"field": "run"},
            "tooltip": [{"field": "run"}, {"field": axis, "format": ",.4~g"}, figure],
        },
        usermeta={"axes": AXES, "figure": name},
    )


def course(name: str, axis: str, settings: Sequence[str], limits: Limits | None, banded: Sequence[str] = ()) -> Chart:
    """The mean of repeats with its interval, and the single runs of settings that have too few for one.

    `bands` has group, figure, x, mean, low, high; `single` run, group, figure, x, value.
    """
    shared = {"color": colour(settings), **dashes(settings)}
    of_figure = [{"filter": f"datum.figure == '{name}'"}]
    x, y = {**quantity("x", AXES[axis]), "scale": {"nice": False}}, quantity("mean", label(name), limits=limits)
    band = {
        "transform": of_figure,
        "mark": {"type": "area", "opacity": 0.2, "clip": True},
        "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour(settings)},
    }
    line = {
        "transform": of_figure,
        "mark": {"type": "line", "strokeWidth": 2, "clip": True},
        "encoding": {"x": x, "y": y, **shared},
    }
    single = {
        "data": {"name": "single"},
        "transform": of_figure,
        "mark": {"type": "line", "strokeWidth": 1.5, "clip": True},
        "encoding": {"x": x, "y": {**y, "field": "value"}, **shared, "detail": {"field": "run"}},
    }
    return chart("bands", layer=[band, line, single])
