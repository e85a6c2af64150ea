"""Of servers: how long requests took, throughput against latency, every request on a line of time, and failures."""

from __future__ import annotations

from collections.abc import Sequence

from assay.views.charts.base import BLUE, GREY, ORANGE, PALETTE, Chart, chart, colour, dashes, quantity

_WAITING = "#8FC3E8"


def distribution(figure: str, title: str, settings: Sequence[str], *, log: bool) -> Chart:
    """The share of requests within so many ms, a line a group; p50, p90 and p99 with their intervals upon it.

    `latencies` has group, figure, ms, share; `percentiles` also low and high.
    """
    chosen = {"filter": f"datum.figure == '{figure}' && datum.ms > 0" if log else f"datum.figure == '{figure}'"}
    across = quantity("ms", title, log=log)
    up = {**quantity("share", "share", zero=True), "axis": {"format": ".0%", "tickCount": 5}}
    groups = colour(settings)
    line: Chart = {
        "transform": [chosen],
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.5},
        "encoding": {"x": across, "y": up, "color": groups, "order": {"field": "share"}, **dashes(settings)},
    }
    tip: list[Chart] = [
        {"field": "group"},
        {"field": "share", "format": ".0%"},
        {"field": "ms", "format": ".4~g"},
        {"field": "low", "format": ".4~g", "title": "95 % from"},
        {"field": "high", "format": ".4~g", "title": "to"},
    ]
    interval: Chart = {
        "data": {"name": "percentiles"},
        "transform": [chosen, {"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "strokeWidth": 4, "opacity": 0.45},
        "encoding": {
            "x": {"field": "low", "type": "quantitative"},
            "x2": {"field": "high"},
            "y": up,
            "color": groups,
            "tooltip": tip,
        },
    }
    point: Chart = {
        "data": {"name": "percentiles"},
        "transform": [chosen],
        "mark": {"type": "point", "filled": True, "size": 40},
        "encoding": {"x": across, "y": up, "color": groups, "tooltip": tip},
    }
    return chart("latencies", layer=[line, interval, point])


def load_curve(unit: str, *, legend: bool = True) -> Chart:
    """Throughput against latency, a line a server, its loads in order and its knee marked.

    `loads` has server, load, said, rate, latency_ms, knee; `load_runs` the single runs.
    """
    across, up = quantity("rate", unit, zero=True), quantity("latency_ms", "latency of a request (ms)", zero=True)
    servers = {**colour((), legend=legend), "field": "server", "title": "server"}
    tip: list[Chart] = [
        {"field": "server"},
        {"field": "said", "title": "load"},
        {"field": "rate", "format": ",.4~g", "title": unit},
        {"field": "latency_ms", "format": ",.4~g", "title": "ms"},
    ]
    runs: Chart = {
        "data": {"name": "load_runs"},
        "mark": {"type": "point", "size": 18, "opacity": 0.5},
        "encoding": {"x": across, "y": up, "color": servers},
    }
    line: Chart = {
        "mark": {"type": "line", "point": {"filled": True, "size": 50}, "strokeWidth": 1.5},
        "encoding": {"x": across, "y": up, "color": servers, "order": {"field": "load"}, "tooltip": tip},
    }
    names: Chart = {
        "mark": {"type": "text", "dx": -12, "dy": -6, "align": "right", "fontSize": 10},
        "encoding": {"x": across, "y": up, "text": {"field": "load", "format": "~g"}, "color": servers},
    }
    knee: Chart = {
        "transform": [{"filter": "datum.knee"}],
        "mark": {"type": "point", "size": 260, "strokeWidth": 2, "color": ORANGE},
        "encoding": {"x": across, "y": up, "tooltip": tip},
    }
    return chart("loads", layer=[runs, line, names, knee])


def timeline() -> Chart:
    """Every request a bar: light until its first token, then dark until its end; failures in their own colours.

    `requests` has run, request, sent_s, first_s, end_s, outcome.
    """
    down = {"field": "request", "type": "quantitative", "title": "request, in order of sending", "sort": "descending"}
    tip: list[Chart] = [
        {"field": "request"},
        {"field": "outcome"},
        {"field": "sent_s", "format": ".3~f", "title": "sent (s)"},
        {"field": "ttft_ms", "format": ".4~g", "title": "TTFT (ms)"},
        {"field": "e2e_ms", "format": ".4~g", "title": "E2E (ms)"},
    ]

    def bars(begin: str, end: str, shade: str, where: str) -> Chart:
        across = {"field": begin, "type": "quantitative", "title": "seconds since the first request"}
        return {
            "transform": [{"filter": where}],
            "mark": {"type": "rule", "color": shade, "strokeWidth": 2},
            "encoding": {"x": across, "x2": {"field": end}, "y": {**down, "scale": {"zero": False}}, "tooltip": tip},
        }

    good = "datum.outcome == 'answered'"
    layers = [
        bars("sent_s", "first_s", _WAITING, good),
        bars("first_s", "end_s", BLUE, good),
        bars("sent_s", "end_s", ORANGE, f"!({good})"),
    ]
    return chart("requests", height=320, layer=layers)


def failures() -> Chart:
    """How many requests of each run failed, by kind; `failures` has run, kind, count, of."""
    kinds = {**colour(()), "field": "kind", "title": "what went wrong"}
    return chart(
        "failures",
        mark={"type": "bar"},
        encoding={
            "y": {"field": "run", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 220}},
            "x": {**quantity("count", "failed requests", zero=True), "axis": {"tickMinStep": 1}},
            "color": {**kinds, "scale": {"range": [ORANGE, *PALETTE[2:], GREY]}},
            "tooltip": [{"field": "run"}, {"field": "kind"}, {"field": "count"}, {"field": "of", "title": "requests"}],
        },
    ) | {"height": {"step": 26}}
