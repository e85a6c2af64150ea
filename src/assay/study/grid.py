"""The points of a study: every combination of its grid, ranges and lists spelled out, exclusions taken out.

grid:
  batch_size: [512, 1024, 2048]             # a list
  lr: {from: 0.001, to: 0.1, times: 10}     # a range: `by` adds, `times` multiplies, `count` divides evenly
  shape:                                    # settings that go together: a list of dictionaries
    - {layers: 2, hidden: 128}
    - {layers: 4, hidden: 256}
exclude:
  - {batch_size: 2048, lr: 0.1}
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from assay.spec import Value
from assay.strictyaml import Document, Where

#: more than this many runs is a mistake, not a study
MOST_RUNS = 10_000
Point = dict[str, Value]


def points(document: Document) -> list[Point]:
    """All combinations in the order of the file, the last setting varying fastest; one empty point without a grid."""
    given = document.value.get("grid")
    if given is None:
        if "grid" in document.value:
            raise document.error(("grid",), "the grid is empty", "name a setting and its values, or leave `grid` out")
        return [{}]
    parts = given if isinstance(given, list) else [given]
    found: list[Point] = []
    for index, part in enumerate(parts):
        where: Where = ("grid", index) if isinstance(given, list) else ("grid",)
        found += _product(document, part, where, room=MOST_RUNS - len(found))
    if not found:
        raise document.error(("grid",), "the grid is empty", "name a setting and its values, or leave `grid` out")
    kept = _without(document, found)
    if not kept:
        raise document.error(("exclude",), "every combination is excluded", "remove one of the exclusions")
    same = next((point for index, point in enumerate(kept) if point in kept[:index]), None) if len(kept) < 500 else None
    if same is not None:
        raise document.error(("grid",), f"`{label(same)}` is in the grid twice", "use `repeat` to run it several times")
    return kept


def label(point: Mapping[str, Value]) -> str:
    return " ".join(f"{name}={value}" for name, value in point.items()) or "(no settings)"


def _product(document: Document, part: Any, where: Where, room: int) -> list[Point]:
    if not isinstance(part, dict):
        raise document.error(where, "a grid must be lines of `setting: [values]`")
    if not part:
        raise document.error(where, "the grid is empty", "name a setting and its values, or leave `grid` out")
    choices = [list(_choices(document, name, value, (*where, name))) for name, value in part.items()]
    count = math.prod(len(choice) for choice in choices)
    if count > room:
        message = f"{count:,} combinations are more than the limit of {MOST_RUNS:,} runs"
        raise document.error(where, message, "use fewer values, or split the study")
    found = []
    for combination in itertools.product(*choices):
        point: Point = {}
        for settings in combination:
            twice = point.keys() & settings.keys()
            if twice:
                raise document.error(where, f"`{min(twice)}` is set twice in one combination")
            point.update(settings)
        found.append(point)
    return found


def _choices(document: Document, name: str, value: Any, where: Where) -> Iterator[Point]:
    """What one line of the grid can be: each choice sets one setting, or several that go together."""
    if isinstance(value, dict):
        for one in _range(document, value, where):
            yield {name: one}
        return
    values = value if isinstance(value, list) else [value]
    if not values:
        raise document.error(where, f"`{name}` has no values", "list at least one")
    if len(values) > MOST_RUNS:
        raise document.error(where, f"`{name}` has {len(values):,} values, more than the limit of {MOST_RUNS:,}")
    for index, one in enumerate(values):
        if isinstance(one, dict):
            if not one or any(isinstance(inner, (dict, list)) or inner is None for inner in one.values()):
                raise document.error((*where, index), "settings that vary together must be `{name: value, …}`")
            yield dict(one)
        elif isinstance(one, list) or one is None:
            raise document.error((*where, index), f"a value of `{name}` must be a number or a word")
        else:
            yield {name: one}


def _range(document: Document, given: dict[str, Any], where: Where) -> list[Value]:
    document.check_keys(where, given, ("from", "to", "by", "times", "count"))
    first, last = _figure(document, given, "from", where), _figure(document, given, "to", where)
    steps = [name for name in ("by", "times", "count") if name in given]
    if len(steps) > 1:
        raise document.error(where, f"a range needs `{steps[0]}` or `{steps[1]}`, not both")
    step = _figure(document, given, steps[0], where) if steps else Decimal(1)
    kind = steps[0] if steps else "by"
    if kind == "count":
        found = _evenly(document, first, last, step, where)
    else:
        found = _stepping(document, first, last, step, kind, where)
    return [_plain(value) for value in found]


def _stepping(
    document: Document, first: Decimal, last: Decimal, step: Decimal, kind: str, where: Where
) -> list[Decimal]:
    grows = step > 0 if kind == "by" else step > 1 and first > 0
    if not grows or last < first:
        rule = "`by` above 0" if kind == "by" else "`times` above 1, from above 0"
        raise document.error(
            where, f"the range never reaches its end: it needs {rule}, and `to` must not be below `from`"
        )
    found, value = [], first
    while value <= last:
        found.append(value)
        value = value + step if kind == "by" else value * step
        if len(found) > MOST_RUNS:
            raise document.error(where, f"a range may have at most {MOST_RUNS:,} values")
    return found


def _evenly(document: Document, first: Decimal, last: Decimal, count: Decimal, where: Where) -> list[Decimal]:
    if count != int(count) or not 2 <= count <= MOST_RUNS:
        raise document.error((*where, "count"), f"`count` must be a whole number from 2 to {MOST_RUNS:,}")
    return [first + (last - first) * index / (int(count) - 1) for index in range(int(count))]


def _figure(document: Document, given: dict[str, Any], name: str, where: Where) -> Decimal:
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise document.error((*where, name) if name in given else where, f"`{name}` of a range must be a number")
    return Decimal(str(value))


def _plain(value: Decimal) -> Value:
    return int(value) if value == int(value) else float(value)


def _without(document: Document, found: list[Point]) -> list[Point]:
    """Points that match no exclusion: one that names settings no point has is a typo."""
    exclusions = document.value.get("exclude") or []
    if not isinstance(exclusions, list):
        raise document.error(("exclude",), "`exclude` must be a list of `{setting: value}`")
    kept = found
    names = {name for point in found for name in point}
    for index, given in enumerate(exclusions):
        where: Where = ("exclude", index)
        if not isinstance(given, dict) or not given:
            raise document.error(where, "an exclusion must be `{setting: value, …}`")
        document.check_keys(where, given, names)
        if not any(_matches(point, given) for point in found):
            raise document.error(where, f"no combination matches `{label(given)}`, so there is nothing to exclude")
        kept = [point for point in kept if not _matches(point, given)]
    return kept


def _matches(point: Point, given: Mapping[str, Any]) -> bool:
    return all(
        name in point and point[name] in (value if isinstance(value, list) else [value])
        for name, value in given.items()
    )
