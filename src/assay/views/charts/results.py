"""What runs came to: throughput against batch size, spreads of results, scaling, latency."""

from __future__ import annotations

from collections.abc import Sequence

from assay.views.charts.base import BLUE, GREY, Chart, chart, colour, quantity
from assay.views.charts.curves import label, progress
from assay.views.charts.limits import Limits

__all__ = ["label", "latency", "progress", "scaling", "spread", "throughput_by_batch"]

_MOST_TICKS = 12


def throughput_by_batch(settings: Sequence[str] = (), sizes: Sequence[float] = (), *, legend: bool = False) -> Chart:
    """Every run a point; the model as a line, and what lies beyond the tried `sizes` as a band that says so."""
    ends = {"domain": [min(sizes) / 1.3, max(sizes) * 1.3], "nice": False} if sizes else {}
    named = colour(settings, legend=legend, symbol="circle")
    ticks = {"values": list(sizes)} if 0 < len(sizes) <= _MOST_TICKS else {}
    points = {
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
        "encoding": {
            "x": {
                **quantity("batch_size", "batch size (samples)"),
                "scale": {"type": "log", **ends},
                "axis": {"format": ",", **ticks},
            },
            "y": quantity("samples_per_s", label("samples_per_s"), zero=True),
            "color": named,
            "tooltip": [{"field": "run"}, {"field": "batch_size"}, {"field": "samples_per_s", "format": ",.1f"}],
        },
    }
    line = {
        "data": {"name": "batch_model"},
        "transform": [{"filter": "isValid(datum.samples_per_s)"}],
        "mark": {"type": "line", "color": GREY, "strokeDash": [5, 3]},
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


def spread(name: str, title: str, settings: Sequence[str] = (), limits: Limits | None = None) -> Chart:
    """Every run a ring, the mean with its interval beneath; `results` has group, run, and the figures."""
    base = {**_by_group(), "color": colour(settings, legend=False)}
    rings = {
        "mark": {"type": "point", "size": 50, "strokeWidth": 1.5, "opacity": 1, "yOffset": -5},
        "encoding": {
            **base,
            "x": quantity(name, title, limits=limits),
            "tooltip": [{"field": "run"}, {"field": name, "format": ".6~g"}],
        },
    }
    ends = {
        "data": {"name": "means"},
        "transform": [{"filter": f"datum.figure == '{name}' && isValid(datum.low)"}],
        "mark": {"type": "rule", "strokeWidth": 2, "yOffset": 5},
        "encoding": {
            **base,
            "x": {"field": "low", "type": "quantitative"},
            "x2": {"field": "high"},
            "tooltip": [{"field": "group"}, {"field": "mean", "format": ".6~g"}, {"field": "low"}, {"field": "high"}],
        },
    }
    means = {
        "data": {"name": "means"},
        "transform": [{"filter": f"datum.figure == '{name}'"}],
        "mark": {"type": "point", "filled": True, "shape": "diamond", "size": 70, "opacity": 1, "yOffset": 5},
        "encoding": {**base, "x": {"field": "mean", "type": "quantitative"}},
    }
    found = chart("results", transform=[{"filter": f"isValid(datum['{name}'])"}], layer=[rings, ends, means])
    return found | {"height": {"step": 36}}


def _by_group() -> Chart:
    return {"y": {"field": "group", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 220}}}


def scaling() -> Chart:
    """Speed-up over workers beside the ideal; `scaling` has workers, speedup, ideal, efficiency."""
    shared = {"x": quantity("workers", "workers")}
    return chart(
        "scaling",
        layer=[
            {
                "mark": {"type": "line", "color": GREY, "strokeDash": [4, 4]},
                "encoding": {**shared, "y": quantity("ideal", "speed-up (×)", zero=True)},
            },
            {
                "mark": {"type": "line", "color": BLUE, "point": True},
                "encoding": {
                    **shared,
                    "y": quantity("speedup", "speed-up (×)", zero=True),
                    "tooltip": [
                        {"field": "workers"},
                        {"field": "speedup", "format": ".2f"},
                        {"field": "efficiency", "format": ".0%"},
                    ],
                },
            },
        ],
    )


def latency(settings: Sequence[str] = ()) -> Chart:
    """From the median to the 99th percentile of each engine: `latency` has group, run, p50, p90, p99, mean."""
    tip = [{"field": "group"}, *({"field": name, "format": ".4~g"} for name in ("p50", "p90", "p99", "mean"))]
    base = {**_by_group(), "color": colour(settings, legend=False), "tooltip": tip}

    def mark(field: str, shape: str) -> Chart:
        drawn = {"type": "point", "filled": True, "shape": shape, "size": 80, "opacity": 1}
        return {"mark": drawn, "encoding": {**base, "x": {"field": field, "type": "quantitative"}}}

    span = {
        "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": {**base, "x": quantity("p50", "latency (ms)", zero=True), "x2": {"field": "p99"}},
    }
    layers = [span, mark("p50", "circle"), mark("p90", "diamond"), mark("p99", "triangle-right"), mark("mean", "cross")]
    return chart("latency", layer=layers) | {"height": {"step": 30}}
