"""What all charts share: colours, names of data, columns instead of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypedDict

from assay.views.charts.limits import Limits

#: a Vega-Lite description, or a part of one
Chart: TypeAlias = dict[str, object]
#: equally long lists by name: smaller than rows, and quick to write
Columns: TypeAlias = dict[str, list[object]]


class Table(TypedDict):
    """Cells as a page shows them."""

    heads: list[str]
    rows: list[list[str]]


class _Seen(TypedDict, total=False):
    """`alt` is for those who cannot see the chart: what it shows, with its main figures."""

    alt: str


class Figure(_Seen):
    """A chart in its place: its id, the words beneath it, and the run it shows, where it shows one."""

    id: str
    caption: str
    follows_axis: bool
    run: str


class Section(TypedDict):
    """A heading with its charts, the axes and runs to choose from, sentences and a table."""

    id: str
    title: str
    axes: list[tuple[str, str]]
    runs: list[str]
    says: list[str]
    charts: list[Figure]
    latency: Table | None


SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
#: of settings: each stands out 3:1 from a white and from a dark page, so that one colour serves both
BLUE, ORANGE, GREEN, PINK, PURPLE, OLIVE, TEAL, BROWN = PALETTE = (
    "#0072B2", "#D55E00", "#009E73", "#C4699A", "#7A63C4", "#8A8A00", "#1F8FA6", "#9A6A3A",
)  # fmt: skip
GREY = "#7A828C"
#: of a curve that belongs to no setting
LINE = "#5F7288"
#: a ninth setting has the first colour again, and other dashes
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
#: one colour for a phase everywhere; muted, so that a phase is not mistaken for a setting
PHASE_COLOURS = {
    "queue": "#868C94",
    "compile": "#A07C3C",
    "load": "#5E8FA8",
    "program": "#A87890",
    "input": "#65958F",
    "warmup": "#8C8C50",
    "train": "#5A76A0",
    "eval": "#5F9478",
    "checkpoint": "#B07058",
    "teardown": "#8070A0",
    "probe": "#7E9A5E",
    "measure": "#4F7FB0",
    "other": "#8F949B",
}
#: of phases that a program names itself
_MORE_PHASES = ("#B08A4C", "#4C8C8C", "#A0688A", "#6E7FC0", "#7A9A3C", "#C07A5A")
#: what progress can be read against
AXES = {
    "steps": "steps",
    "samples": "samples",
    "epochs": "epochs",
    "tokens": "tokens",
    "seconds": "training time (s)",
    "energy": "energy (J)",
}


def section(name: str, title: str, axes: list[tuple[str, str]] | None = None, runs: list[str] | None = None) -> Section:
    """One with nothing in it yet."""
    return Section(id=name, title=title, axes=axes or [], runs=runs or [], says=[], charts=[], latency=None)


def words_of(columns: Columns, name: str) -> list[str]:
    """What stands in a column, each word once."""
    return list(dict.fromkeys(map(str, columns.get(name, []))))


def phase_colours(names: Sequence[str]) -> dict[str, str]:
    """Each in its own colour, in the order given: those that we know in the one they have everywhere."""
    unknown = [name for name in dict.fromkeys(names) if name not in PHASE_COLOURS]
    own = {name: _MORE_PHASES[at % len(_MORE_PHASES)] for at, name in enumerate(unknown)}
    return {name: PHASE_COLOURS.get(name) or own[name] for name in dict.fromkeys(names)}


def chart(data: str, width: int | str = "container", height: int = 220, **parts: object) -> Chart:
    """A description on named data. Its width is the page's; a figure in a file says how wide it is."""
    return {"$schema": SCHEMA, "width": width, "height": height, "data": {"name": data}, **parts}


def rows_of(columns: Columns) -> list[dict[str, object]]:
    names = list(columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def packed(columns: Columns) -> dict[str, object]:
    """For a page: a column of words is the words once and their numbers, since a name stands in thousands of rows."""
    found: dict[str, object] = {}
    for name, values in columns.items():
        words = list(dict.fromkeys(values)) if values and all(isinstance(one, str) for one in values) else []
        if words and len(words) < len(values) / 2:
            places = {word: place for place, word in enumerate(words)}
            found[name] = {"of": words, "at": [places[one] for one in values]}
        else:
            found[name] = values
    return found


_LEGEND: Chart = {"orient": "bottom", "columns": 4, "labelLimit": 260, "offset": 8, "titleOrient": "left"}


def colour(settings: Sequence[str], title: str = "setting", *, legend: bool = True, symbol: str = "stroke") -> Chart:
    """By `group`: a setting has the same colour in every chart that is given the same settings."""
    shown = (
        {**_LEGEND, "symbolType": symbol, "symbolStrokeWidth": 3, "symbolOpacity": 1}
        if legend and len(settings) != 1
        else None
    )
    scale = colours(settings)
    return {"field": "group", "type": "nominal", "title": title, "sort": None, "scale": scale, "legend": shown}


def colours(settings: Sequence[str]) -> Chart:
    """The scale of a chart's colours."""
    if not settings:
        return {"range": list(PALETTE)}
    return {"domain": list(settings), "range": [PALETTE[at % len(PALETTE)] for at in range(len(settings))]}


def dashes(settings: Sequence[str]) -> Chart:
    """The dashes that distinguish settings of one colour; none if there are enough colours."""
    if len(settings) <= len(PALETTE):
        return {}
    styles = [DASHES[at // len(PALETTE) % len(DASHES)] for at in range(len(settings))]
    scale = {"domain": list(settings), "range": styles}
    return {"strokeDash": {"field": "group", "type": "nominal", "sort": None, "scale": scale, "title": "setting"}}


def quantity(field: str, title: str, *, zero: bool = False, log: bool = False, limits: Limits | None = None) -> Chart:
    """An axis; its `limits` are those of the data, within what is possible."""
    scale: Chart = {"type": "log"} if log else {"zero": zero}
    axis: Chart = {"tickCount": 7}
    if limits is not None:
        scale |= {"domain": [limits.low, limits.high], "nice": False, "zero": False}
        axis |= {"format": limits.format} if limits.format else {}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}
