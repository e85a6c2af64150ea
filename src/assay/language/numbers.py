"""The one grammar of numbers: every form in which people write one, or none at all.

    1,024   1 024   1'024   0,912   1k   2^10   10**-3   1.5e-3   3 × 10⁻³   ½   4 × 256   3m20s   1:05:12   2 GiB

Half a number does not count: `v1.2`, `1.2.3`, `2024-03-01`, `3/10`, `0x1f`, `2nd` and `7th` contain none. A number
knows how far it may be rounded (`slack`), and every value that it may stand for (`2 GB` is 10⁹ or 2³⁰ times two).
"""

from __future__ import annotations

import re
from dataclasses import replace

from assay.language.digits import CORE, Number, clock, joined, part, plain
from assay.language.measures import with_rest, with_unit
from assay.language.units import BYTES, NONE, PERCENT, POINTS, SECONDS, TIMES, UNSPACED

__all__ = [
    "BYTES",
    "NONE",
    "PERCENT",
    "POINTS",
    "SECONDS",
    "TIMES",
    "Number",
    "number_at",
    "number_of",
    "numbers_in",
    "uses_decimal_commas",
]

_DIGIT = re.compile(r"[\d½¼¾⅓⅔⅕⅛]|\.\d")
_BEFORE = re.compile(rf"(?![{UNSPACED}])[\w.,:/#$^]")


def number_at(text: str, at: int, *, decimal_comma: bool = False) -> Number | int:
    """The number that begins here; or, where digits stand here that are none, the place after them."""
    core = CORE.match(text, at)
    if core is None:
        return at + 1
    if core["date"]:
        return core.end()
    if core["clock"]:
        return clock(core)
    made = part(core) if core["part"] else plain(text, core, decimal_comma)
    if isinstance(made, int):
        return made
    if at and _BEFORE.match(text, at - 1) and not _may_follow(text, at):
        return made.end
    made = joined(text, made, decimal_comma)
    if isinstance(made, int):
        return made
    whole = with_unit(text, made)
    return whole if isinstance(whole, int) or whole.unit != SECONDS else with_rest(text, whole)


def _may_follow(text: str, at: int) -> bool:
    """`bs:512`, `lr,0.1`, `$5`: a mark that ends something else before the number."""
    return text[at - 1] in ",:" and (at < 2 or not text[at - 2].isdigit() or text[at - 1] == ",")


def number_of(text: str, *, decimal_comma: bool = False) -> Number | None:
    """The number that a whole cell holds, with nothing else but marks around it."""
    stripped = text.strip(" \t~≈*_`()[]<>=")
    at = 1 if stripped[:1] in "+-−" else 0
    found = number_at(stripped, at, decimal_comma=decimal_comma) if stripped[at : at + 1] else 0
    if not isinstance(found, Number) or found.end != len(stripped):
        return None
    return replace(found, value=-found.value) if stripped[:1] in "-−" else found


def numbers_in(text: str, *, decimal_comma: bool = False) -> list[Number]:
    """Every number written in digits, in order."""
    found, at = [], 0
    while (next_one := _DIGIT.search(text, at)) is not None:
        made = number_at(text, next_one.start(), decimal_comma=decimal_comma)
        if isinstance(made, Number):
            found.append(made)
            at = made.end
        else:
            at = max(made, next_one.start() + 1)
    return found


_COMMAS, _POINTS_USED = re.compile(r"(?<![\d,.])(?:0|\d{1,3}),(?:\d{1,2}|\d{4,9})(?![\d,])"), re.compile(r"\d\.\d")


def uses_decimal_commas(text: str) -> bool:
    """Whether a page writes 0,912 where others write 0.912."""
    return len(_COMMAS.findall(text)) > len(_POINTS_USED.findall(text))
