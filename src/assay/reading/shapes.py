"""Lines that differ in their digits alone are read once."""

from __future__ import annotations

import math
import re
from typing import Literal, NamedTuple

from assay.core.dates import minute, stamp_span

_PATTERN = r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"
NUMBER = re.compile(_PATTERN)
_NUMBER_BYTES = re.compile(_PATTERN.encode())
ZEROS = bytes.maketrans(b"123456789", b"000000000")
_CONTROL = re.compile(rb"[\x00\x0d\x1b]")
#: a digit that makes a word another: `F1` is measured, `F2` is not
_WORD = re.compile(r"(?i)(?:f|top[-_ ]?)[-+]?\d")
_SHAPES_KEPT, _RECIPES_KEPT = 20_000, 2000
_LONGEST = 4000


def has_digit_word(text: str) -> bool:
    """Then its like may say something else."""
    return _WORD.search(text) is not None


class Recipe(NamedTuple):
    """Which number of a line is which figure."""

    figures: tuple[tuple[str, int, float], ...]  # name, place among the line's numbers, factor
    whole: tuple[tuple[str, int], ...]  # counts, such as step and epoch
    kind: str = "metric"

    @property
    def holds(self) -> bool:
        """Every figure has its place, and no name has a digit that may differ in the next line."""
        places = [place for _, place, _ in self.figures] + [place for _, place in self.whole]
        names = [name for name, _, _ in self.figures] + [name for name, _ in self.whole]
        return all(place >= 0 for place in places) and not any(c.isdigit() for c in "".join(names))


def scaled(value: float, factor: float) -> float:
    """98.05 % is 0.9805, and not a hair less."""
    return value if factor == 1.0 else round(value * factor, 12)


def whole_number(value: float) -> float:
    """A count as an integer; `1e999` stays the infinity that it is."""
    return int(value) if math.isfinite(value) else value


def follow(recipe: Recipe, text: str) -> dict[str, object] | None:
    """None where a count is infinite."""
    numbers = NUMBER.findall(text)
    if any(not math.isfinite(float(numbers[place])) for _, place in recipe.whole):
        return None
    facts: dict[str, object] = {name: scaled(float(numbers[place]), factor) for name, place, factor in recipe.figures}
    for name, place in recipe.whole:
        facts[name] = whole_number(float(numbers[place]))
    return facts


class Places(NamedTuple):
    """A recipe for one shape: where in the line each figure and the date stand."""

    figures: tuple[tuple[str, int, int, float], ...]  # name, begin, end, factor
    whole: tuple[tuple[str, int, int], ...]
    kind: str
    stamp: tuple[int, int] | None

    def facts(self, raw: bytes) -> dict[str, object]:
        found: dict[str, object] = {
            name: float(raw[begin:end]) if factor == 1.0 else scaled(float(raw[begin:end]), factor)
            for name, begin, end, factor in self.figures
        }
        for name, begin, end in self.whole:
            found[name] = whole_number(float(raw[begin:end]))
        return found

    def moment(self, raw: bytes) -> float | None:
        assert self.stamp is not None
        begin, end = self.stamp
        base = minute(raw[begin : begin + 16])
        return None if base is None else base + float(raw[begin + 17 : end].replace(b",", b"."))


_HEX = re.compile(rb"(?<![\w.])(?=[0a-f]{0,39}0)[0a-f]{6,40}(?![\w.])")


class Shapes:
    """What is known about lines by their shape: where their figures are, or that they are not needed."""

    def __init__(self) -> None:
        self.known: dict[bytes, Places | Literal[False]] = {}

    def look_up(self, shape: bytes) -> Places | Literal[False] | None:
        """Where the figures of such a line are; False if it is not needed; None if none like it was seen."""
        found = self.known.get(shape)
        if found is None and _HEX.search(shape):  # one word is another in every line: an address, a hash
            found = self.known.get(_HEX.sub(b"~", shape))
            return False if found is False else None
        return found

    def learn(self, raw: bytes, recipe: Recipe | None) -> None:
        """What such a line says; None: nothing to anyone."""
        if len(raw) > _LONGEST or not raw.isascii() or _CONTROL.search(raw) or has_digit_word(raw.decode("ascii")):
            return
        if len(self.known) >= _SHAPES_KEPT:
            self.known.clear()
        shape = raw.translate(ZEROS)
        if recipe is None and _HEX.search(shape):
            self.known[_HEX.sub(b"~", shape)] = False
        places: Places | Literal[False] = False if recipe is None else _placed(raw, recipe)
        if not places or not any(b"e" in raw[begin:end].lower() for _, begin, end in places.whole):
            self.known[shape] = places  # a count with an exponent may be endless in the next line


def _placed(raw: bytes, recipe: Recipe) -> Places:
    spans = [found.span() for found in _NUMBER_BYTES.finditer(raw)]
    figures = tuple((name, *spans[place], factor) for name, place, factor in recipe.figures)
    whole = tuple((name, *spans[place]) for name, place in recipe.whole)
    return Places(figures, whole, recipe.kind, stamp_span(raw.decode("ascii")))


class Recipes:
    """Lines of a log differ in their numbers alone: what was worked out for one of them serves all."""

    def __init__(self) -> None:
        self._held: dict[str, Recipe | None] = {}

    def __contains__(self, shape: str) -> bool:
        return shape in self._held

    def of(self, shape: str) -> Recipe | None:
        """How to read the lines of a shape; None where they say nothing."""
        return self._held[shape]

    def keep(self, shape: str, recipe: Recipe | None) -> None:
        if has_digit_word(shape.replace("#", "0")):
            return
        if len(self._held) >= _RECIPES_KEPT:
            self._held.clear()
        self._held[shape] = recipe
