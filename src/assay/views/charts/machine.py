"""The machine over time: CPU, memory, GPU, power, with the phases behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from assay.views.charts.base import BLUE, LINE, ORANGE, PHASE_COLOURS, SCHEMA, Chart, Columns, chart, phase_colours

#: names in samples, and how a panel is called; the scale brings them to the unit
PANELS = {
    "cpu_pct": ("CPU (% of a core)", 1.0),
    "memory_bytes": ("memory (MiB)", 1 / 1024**2),
    "pss_bytes": ("proportional memory (MiB)", 1 / 1024**2),
    "rss_bytes": ("resident memory (MiB)", 1 / 1024**2),
    "gpu_util_pct": ("GPU busy (% of time)", 1.0),
    "gpu_sm_pct": ("GPU SMs busy (%)", 1.0),
    "gpu_tensor_pct": ("GPU tensor cores (%)", 1.0),
    "gpu_dram_pct": ("GPU memory bandwidth (%)", 1.0),
    "gpu_mem_bytes": ("GPU memory (MiB)", 1 / 1024**2),
    "power_w": ("GPU power (W)", 1.0),
}


def panels(known: Collection[object]) -> dict[str, str]:
    """Those that a record has something for, with their titles; memory once, the best way it was looked at."""
    ways = [name for name in ("memory_bytes", "pss_bytes", "rss_bytes") if name in known]
    return {name: title for name, (title, _) in PANELS.items() if name in known and name not in ways[1:]}


def watched(columns: Columns) -> list[tuple[object, object]]:
    """(run, panel) of what was looked at more than once in a run: a single sample is no curve."""
    pairs = Counter(zip(columns.get("run", []), columns.get("panel", []), strict=True))
    return [pair for pair, count in pairs.items() if count > 1]


def cpu_and_memory(rows: list[dict[str, float]]) -> Chart:
    """Rows of `s`, `cpu` (per cent of a core) and `memory` (MiB): two lines over one time axis."""

    def line(field: str, title: str, colour: str) -> Chart:
        axis = {"title": title, "titleColor": colour, "labelColor": colour}
        y = {"field": field, "type": "quantitative", "axis": axis, "scale": {"zero": True}}
        return {"mark": {"type": "line", "color": colour, "strokeWidth": 1.5}, "encoding": {"y": y}}

    return {
        "$schema": SCHEMA,
        "width": 640,
        "height": 320,
        "data": {"values": rows},
        "encoding": {"x": {"field": "s", "type": "quantitative", "title": "time (s)"}},
        "layer": [line("cpu", "CPU (% of a core)", ORANGE), line("memory", "memory (MiB)", BLUE)],
        "resolve": {"scale": {"y": "independent"}},
    }


def resources(panel: str, phases: Sequence[str] = ()) -> Chart:
    """One panel of one run; `machine` has run, panel, s, value, and `spans` the phases behind it."""
    title, _ = PANELS[panel]
    chosen = f"datum.panel == '{panel}'"
    behind: dict[str, object] = {
        "data": {"name": "spans"},
        "mark": {"type": "rect", "opacity": 0.2},
        "encoding": {
            "x": {"field": "begin_s", "type": "quantitative"},
            "x2": {"field": "end_s"},
            "color": phase_colour(phases, legend=False),
            "tooltip": [{"field": "phase"}, {"field": "begin_s", "format": ".2f"}, {"field": "end_s", "format": ".2f"}],
        },
    }
    line = {
        "transform": [{"filter": chosen}],
        "mark": {"type": "line", "color": LINE, "strokeWidth": 1.5, "clip": True},
        "encoding": {
            "x": {"field": "s", "type": "quantitative", "title": "time since the start (s)"},
            "y": {"field": "value", "type": "quantitative", "title": title, "scale": {"zero": True}},
            "tooltip": [{"field": "s", "format": ".2f"}, {"field": "value", "format": ".4~g"}],
        },
    }
    return chart("machine", height=140, layer=[behind, line])


def phase_colour(phases: Sequence[str] = (), *, legend: bool = True) -> Chart:
    """Those that occur, each in its own colour everywhere."""
    shown = [name for name in PHASE_COLOURS if name in phases] + [name for name in phases if name not in PHASE_COLOURS]
    return {
        "field": "phase",
        "type": "nominal",
        "title": "phase",
        "scale": {"domain": shown, "range": list(phase_colours(shown).values())},
        "legend": {"orient": "bottom", "columns": 5, "offset": 8, "titleOrient": "left"} if legend else None,
    }


def time_shares(phases: Sequence[str], rows: str = "shares") -> Chart:
    """Where the time of each run went, as shares: `rows` have run, phase, share, seconds."""
    return chart(
        rows,
        height=28,
        mark={"type": "bar"},
        encoding={
            "y": {"field": "run", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 220}},
            "x": {
                "field": "share",
                "type": "quantitative",
                "title": "share of the time (%)",
                "axis": {"format": "%"},
                "scale": {"domain": [0, 1]},
                "stack": True,
            },
            "color": phase_colour(phases),
            "order": {"field": "order", "type": "quantitative"},
            "tooltip": [
                {"field": "run"},
                {"field": "phase"},
                {"field": "share", "format": ".1%"},
                {"field": "seconds", "format": ",.2f"},
            ],
        },
    ) | {"height": {"step": 22}}


def timeline(phases: Sequence[str]) -> Chart:
    """Each run's phases against its own clock: `spans` has run, phase, begin_s, end_s."""
    return chart(
        "spans",
        mark={"type": "bar", "height": {"band": 0.7}},
        encoding={
            "y": {"field": "run", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 220}},
            "x": {"field": "begin_s", "type": "quantitative", "title": "time since the start (s)"},
            "x2": {"field": "end_s"},
            "color": phase_colour(phases),
            "order": {"field": "depth", "type": "quantitative"},
            "tooltip": [
                {"field": "run"},
                {"field": "phase"},
                {"field": "begin_s", "format": ",.2f"},
                {"field": "end_s", "format": ",.2f"},
            ],
        },
    ) | {"height": {"step": 22}}
