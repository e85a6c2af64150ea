"""Charts as files: the same descriptions that pages show, drawn offline by vl-convert."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from assay.errors import UsageError
from assay.views.charts.base import Chart, Columns, rows_of

_WIDTH = 640


def inline(chart: Chart, data: Mapping[str, Columns]) -> Chart:
    """The chart with its rows inside, for a drawer that knows nothing of ours."""
    source = chart.get("data")
    name = source.get("name") if isinstance(source, dict) else None
    found: Chart = {**chart, "data": {"values": rows_of(data.get(name, {}))}} if name else dict(chart)
    layers = chart.get("layer")
    if isinstance(layers, list):
        found["layer"] = [inline(layer, data) if "data" in layer else layer for layer in layers]
    return found


def still(chart: Chart, data: Mapping[str, Columns], run: str = "") -> Chart:
    """Drawn at one width, with its rows inside; of one run where the page would let people choose."""
    if run:
        data = {name: _only(columns, run) for name, columns in data.items() if "run" in columns}
    return {**inline(chart, data), "width": _WIDTH}


def _only(columns: Columns, run: str) -> Columns:
    keep = [index for index, name in enumerate(columns["run"]) if name == run]
    return {name: [values[index] for index in keep] for name, values in columns.items()}


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
