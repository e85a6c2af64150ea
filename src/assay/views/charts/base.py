"""What all charts share: colours, names of data, columns instead of rows."""

from __future__ import annotations

from typing import Any, TypeAlias

Chart: TypeAlias = dict[str, Any]
#: equally long lists by name: smaller than rows, and quick to write
Columns: TypeAlias = dict[str, list[Any]]

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
    "seconds": "seconds of training",
    "energy": "joules",
}


def chart(data: str, width: int | str = "container", height: int = 260, **parts: Any) -> Chart:
    """A description on named data. Its width is the page's; a figure in a file says how wide it is."""
    return {"$schema": SCHEMA, "width": width, "height": height, "data": {"name": data}, **parts}


def rows_of(columns: Columns) -> list[dict[str, Any]]:
    names = list(columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def packed(columns: Columns) -> dict[str, Any]:
    """For a page: a column of words is the words once and their numbers, since a name stands in thousands of rows."""
    found: dict[str, Any] = {}
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
