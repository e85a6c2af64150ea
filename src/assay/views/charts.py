"""Charts as Vega-Lite descriptions: one each, for pages, figures and files alike. vl-convert draws them offline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.errors import UsageError

Chart = dict[str, Any]

#: Okabe and Ito's palette: told apart by nearly everyone
BLUE, ORANGE = "#0072B2", "#D55E00"


def cpu_and_memory(rows: list[dict[str, float]]) -> Chart:
    """Rows of `s`, `cpu` (per cent of a core) and `memory` (MiB): two lines over one time axis."""

    def line(field: str, title: str, colour: str) -> Chart:
        axis = {"title": title, "titleColor": colour, "labelColor": colour}
        y = {"field": field, "type": "quantitative", "axis": axis, "scale": {"zero": True}}
        return {"mark": {"type": "line", "color": colour, "strokeWidth": 1.5}, "encoding": {"y": y}}

    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 640,
        "height": 320,
        "data": {"values": rows},
        "encoding": {"x": {"field": "s", "type": "quantitative", "title": "time (s)"}},
        "layer": [line("cpu", "CPU (% of a core)", ORANGE), line("memory", "memory (MiB)", BLUE)],
        "resolve": {"scale": {"y": "independent"}},
    }


def save(chart: Chart, target: Path) -> None:
    """By the ending of the name: .png, .svg, .pdf or .html."""
    import vl_convert

    check_ending(target)
    draw: dict[str, Callable[[], bytes]] = {
        ".png": lambda: vl_convert.vegalite_to_png(chart, scale=2),
        ".svg": lambda: vl_convert.vegalite_to_svg(chart).encode(),
        ".pdf": lambda: vl_convert.vegalite_to_pdf(chart),
        ".html": lambda: vl_convert.vegalite_to_html(chart, bundle=True).encode(),
    }
    target.write_bytes(draw[target.suffix.lower()]())


def check_ending(target: Path) -> None:
    if target.suffix.lower() not in (".png", ".svg", ".pdf", ".html"):
        raise UsageError(f"cannot draw `{target}`: unknown ending", "use .png, .svg, .pdf or .html")
