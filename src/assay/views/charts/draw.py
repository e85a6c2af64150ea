"""Charts as files: the same descriptions that pages show, drawn offline by vl-convert."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import cast

from assay.errors import UsageError
from assay.text import visible
from assay.views.charts.base import Chart, Columns, rows_of

_WIDTH = 640
_PATH = ' d="'
_ROLES = re.compile(r' (?:role="graphics-(?:symbol|object)"|aria-roledescription="[a-z ]{1,40}")')
_FINER = re.compile(r"(\.\d)\d+")
#: as drawn; a page that can be light or dark puts its own colours in their place
_INK, _GRID = "#1c2430", "#d9dee5"
_FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
_STYLE: Chart = {
    "aria": False,  # the whole figure has one text for those who cannot see it
    "background": "white",
    "font": _FONT,
    "axis": {
        "labelColor": _INK,
        "titleColor": _INK,
        "gridColor": _GRID,
        "domainColor": _GRID,
        "tickColor": _GRID,
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelOverlap": True,
    },
    "legend": {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 11, "titleFontSize": 11},
    "view": {"stroke": None},
}


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
    return cast("Chart", _clean({**inline(chart, data), "width": _WIDTH, "config": _STYLE}))


def _clean(value: object) -> object:
    """The drawer aborts the process at a control character, and refuses half of a character."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {_clean(name): _clean(one) for name, one in value.items()}
    return [_clean(one) for one in value] if isinstance(value, (list, tuple)) else value


def svg(chart: Chart, data: Mapping[str, Columns], run: str = "", *, name: str, alt: str) -> str:
    """For inside a page: in the page's own ink, light or dark, and with ids that no other figure there has."""
    import vl_convert

    drawn = vl_convert.vegalite_to_svg({**still(chart, data, run), "background": "transparent"})
    for colour, own in ((_INK, "currentColor"), (_GRID, "var(--line)")):
        drawn = drawn.replace(f'"{colour}"', f'"{own}"')
    drawn = drawn.replace(' id="', f' id="{name}-').replace("url(#", f"url(#{name}-")
    drawn = _coarser(_ROLES.sub("", drawn))  # the figure is one picture, and its parts are none
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(alt)}" ', 1)


def _coarser(drawn: str) -> str:
    """Round lines to a tenth of a pixel, which is invisible and a third of the size."""
    first, *lines = drawn.split(_PATH)
    ended = [line.partition('"') for line in lines]
    return _PATH.join([first, *("".join((_FINER.sub(r"\1", path), quote, rest)) for path, quote, rest in ended)])


def _only(columns: Columns, run: str) -> Columns:
    keep = [index for index, name in enumerate(columns["run"]) if name == run]
    return {name: [values[index] for index in keep] for name, values in columns.items()}


def png(chart: Chart) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_png(chart, scale=2)


def save(chart: Chart, target: Path) -> None:
    """By the ending of the name: .png, .svg, .pdf or .html."""
    import vl_convert

    check_ending(target)
    draw: dict[str, Callable[[], bytes]] = {
        ".png": lambda: png(chart),
        ".svg": lambda: vl_convert.vegalite_to_svg(chart).encode(),
        ".pdf": lambda: vl_convert.vegalite_to_pdf(chart),
        ".html": lambda: vl_convert.vegalite_to_html(chart, bundle=True).encode(),
    }
    target.write_bytes(draw[target.suffix.lower()]())


def check_ending(target: Path) -> None:
    if target.suffix.lower() not in (".png", ".svg", ".pdf", ".html"):
        raise UsageError(f"cannot draw `{target}`: unknown ending", "use .png, .svg, .pdf or .html")
