"""What all charts share: colours, names of data, columns instead of rows."""

from __future__ import annotations

from typing import TypeAlias, TypedDict

#: a Vega-Lite description, or a part of one
Chart: TypeAlias = dict[str, object]
#: equally long lists by name: smaller than rows, and quick to write
Columns: TypeAlias = dict[str, list[object]]


class Table(TypedDict):
    """Cells as a page shows them."""

    heads: list[str]
    rows: list[list[str]]


class Figure(TypedDict):
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
#: Okabe and Ito's palette: told apart by nearly everyone
BLUE, ORANGE, GREEN, PINK, SKY, AMBER, YELLOW, GREY = PALETTE = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#F0E442", "#999999",
)  # fmt: skip
#: one colour for a phase everywhere
PHASE_COLOURS = {
    "queue": GREY,
    "compile": AMBER,
    "load": SKY,
    "program": PINK,
    "warmup": YELLOW,
    "train": BLUE,
    "eval": GREEN,
    "checkpoint": ORANGE,
    "teardown": "#6b5b95",
    "other": "#d0d0d0",
}
#: what progress can be read against
AXES = {
    "steps": "steps",
    "samples": "samples",
    "epochs": "epochs",
    "tokens": "tokens",
    "seconds": "seconds of training",
    "energy": "joules",
}


def section(name: str, title: str, axes: list[tuple[str, str]] | None = None, runs: list[str] | None = None) -> Section:
    """One with nothing in it yet."""
    return Section(id=name, title=title, axes=axes or [], runs=runs or [], says=[], charts=[], latency=None)


def words_of(columns: Columns, name: str) -> list[str]:
    """What stands in a column, each word once."""
    return list(dict.fromkeys(map(str, columns.get(name, []))))


def chart(data: str, width: int | str = "container", height: int = 260, **parts: object) -> Chart:
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


def colour(field: str, title: str | None = None) -> Chart:
    return {
        "field": field,
        "type": "nominal",
        "title": title or field,
        "sort": None,
        "scale": {"range": list(PALETTE)},
        "legend": {"orient": "bottom", "columns": 3, "labelLimit": 260},
    }


def quantity(field: str, title: str, *, zero: bool = False, log: bool = False) -> Chart:
    scale: Chart = {"type": "log"} if log else {"zero": zero}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": {"tickCount": 8}}
