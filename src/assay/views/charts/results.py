"""What runs came to: progress, throughput against batch size, spreads of results, scaling, latency."""

from __future__ import annotations

from assay.quantities import RATE, named
from assay.summary.splits import PARTS
from assay.views.charts.base import AXES, BLUE, GREY, ORANGE, Chart, chart, colour, quantity


def label(name: str) -> str:
    """Of a curve: a rate by its unit, everything else by its noun."""
    known = named(name)
    if known is None:
        part, _, rest = name.partition("_")
        return f"{PARTS.get(part, part)} {rest.replace('_', ' ')}".strip()
    return known.heading if known.kind == RATE and not known.points else known.noun


def progress(name: str, axis: str = "steps", alone: str = "") -> Chart:
    """One figure while it was made, a line for each run; `curves` has run, group, the axes, and the figures.

    A run on a page `alone` needs no legend, and its figure is called what the program calls it.
    """
    figure = {"field": name, "format": ".5~g", **({"title": alone} if alone else {})}
    lines = colour("group", "setting")
    return chart(
        "curves",
        transform=[{"filter": f"isValid(datum['{name}']) && isValid(datum['{axis}'])"}],
        mark={"type": "line", "strokeWidth": 1.5, "opacity": 0.85, "interpolate": "linear"},
        encoding={
            "x": quantity(axis, AXES[axis]),
            "y": quantity(name, label(alone or name)),
            "color": {**lines, "legend": None} if alone else lines,
            "detail": {"field": "run"},
            "tooltip": [
                {"field": "run"},
                {"field": axis, "format": ",.4~g"},
                {**figure, "title": alone} if alone else figure,
            ],
        },
        usermeta={"axes": AXES, "figure": name},
    )


def throughput_by_batch() -> Chart:
    """Every run a point; the model as a line, and what lies beyond the tried sizes as a band that says so."""
    points = {
        "mark": {"type": "point", "filled": True, "size": 60, "color": BLUE},
        "encoding": {
            "x": {**quantity("batch_size", "batch size", log=True)},
            "y": quantity("samples_per_s", label("samples_per_s"), zero=True),
            "tooltip": [{"field": "run"}, {"field": "batch_size"}, {"field": "samples_per_s", "format": ",.1f"}],
        },
    }
    line = {
        "data": {"name": "batch_model"},
        "transform": [{"filter": "isValid(datum.samples_per_s)"}],
        "mark": {"type": "line", "color": ORANGE, "strokeDash": [5, 3]},
        "encoding": {
            "x": {"field": "batch_size", "type": "quantitative"},
            "y": {"field": "samples_per_s", "type": "quantitative"},
        },
    }
    beyond = {
        "data": {"name": "batch_model"},
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "color": GREY, "strokeWidth": 6, "opacity": 0.6},
        "encoding": {
            "x": {"field": "batch_size", "type": "quantitative"},
            "y": {"field": "low", "type": "quantitative"},
            "y2": {"field": "high"},
            "tooltip": [{"field": "note"}, {"field": "low", "format": ",.0f"}, {"field": "high", "format": ",.0f"}],
        },
    }
    return chart("batch", layer=[line, beyond, points])


def spread(name: str, title: str) -> Chart:
    """Every run a dot, the mean with its interval beside them; `results` has group, run, and the figures."""
    base = {"y": {"field": "group", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 220}}}
    dots = {
        "mark": {"type": "point", "filled": True, "opacity": 0.55, "size": 45, "color": BLUE},
        "encoding": {
            **base,
            "x": quantity(name, title),
            "tooltip": [{"field": "run"}, {"field": name, "format": ".6~g"}],
        },
    }
    bars = {
        "data": {"name": "means"},
        "transform": [{"filter": f"datum.figure == '{name}' && isValid(datum.low)"}],
        "mark": {"type": "rule", "color": ORANGE, "strokeWidth": 3},
        "encoding": {
            **base,
            "x": {"field": "low", "type": "quantitative"},
            "x2": {"field": "high"},
            "tooltip": [{"field": "group"}, {"field": "mean", "format": ".6~g"}, {"field": "low"}, {"field": "high"}],
        },
    }
    ticks = {
        "data": {"name": "means"},
        "transform": [{"filter": f"datum.figure == '{name}'"}],
        "mark": {"type": "tick", "color": ORANGE, "thickness": 3, "size": 16},
        "encoding": {**base, "x": {"field": "mean", "type": "quantitative"}},
    }
    found = chart("results", transform=[{"filter": f"isValid(datum['{name}'])"}], layer=[dots, bars, ticks])
    return found | {"height": {"step": 30}}


def scaling() -> Chart:
    """Speed-up over workers beside the ideal; `scaling` has workers, speedup, ideal, efficiency."""
    shared = {"x": quantity("workers", "workers")}
    return chart(
        "scaling",
        layer=[
            {
                "mark": {"type": "line", "color": GREY, "strokeDash": [4, 4]},
                "encoding": {**shared, "y": quantity("ideal", "speed-up", zero=True)},
            },
            {
                "mark": {"type": "line", "color": BLUE, "point": True},
                "encoding": {
                    **shared,
                    "y": quantity("speedup", "speed-up", zero=True),
                    "tooltip": [
                        {"field": "workers"},
                        {"field": "speedup", "format": ".2f"},
                        {"field": "efficiency", "format": ".0%"},
                    ],
                },
            },
        ],
    )


def latency() -> Chart:
    """From the median to the 99th percentile of each engine: `latency` has group, run, p50, p90, p99, mean."""
    base = {"y": {"field": "group", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 220}}}
    tip = [{"field": "group"}, *({"field": name, "format": ".4~g"} for name in ("p50", "p90", "p99", "mean"))]

    def tick(field: str, shade: str) -> Chart:
        mark = {"type": "tick", "color": shade, "thickness": 3, "size": 18}
        return {"mark": mark, "encoding": {**base, "x": {"field": field, "type": "quantitative"}, "tooltip": tip}}

    span = {
        "mark": {"type": "rule", "color": GREY, "strokeWidth": 4},
        "encoding": {
            **base,
            "x": quantity("p50", "latency (ms): median, 90 % and 99 %"),
            "x2": {"field": "p99"},
            "tooltip": tip,
        },
    }
    layers = [span, tick("p50", BLUE), tick("p90", ORANGE), tick("p99", "#6b5b95"), tick("mean", "#333333")]
    return chart("latency", layer=layers) | {"height": {"step": 30}}
