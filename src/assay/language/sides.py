"""The two sides of a comparison: `16 tasks … than 8 tasks`, `compared to 4, 16 …`, `from 512 to 2048`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.language.binding import MOMENT
from assay.language.kinds import SETTINGS
from assay.language.lex import Token
from assay.language.numbers import NONE, Number
from assay.language.said import Subject
from assay.language.vocabulary import MOVES, words

_RUNS, _BREAKS = words("RUNS"), words("BREAKS")
_FIRST_WORDS = 6
Sides = tuple[tuple[Subject, ...], tuple[Subject, ...]]


def subjects(clause: Sequence[Token], bound: Mapping[int, str], begin: int, end: int) -> tuple[Subject, ...]:
    """Those that stand between two places of a clause."""
    found: list[Subject] = []
    for at in range(max(0, begin), min(end, len(clause))):
        token = clause[at]
        if token.number is not None and not token.rate and token.number.upper is None:
            name = bound.get(at, "")
            if name in SETTINGS or (not name and _may_name(token.number)):
                found.append(Subject(name=name, readings=token.number.readings))
        elif token.roles.get("best") in ("+", "-"):
            following = next((one.term for one in clause[at + 1 : at + 2]), "")
            if following in SETTINGS or (not following and token.text in ("largest", "smallest", "biggest")):
                found.append(Subject(name=following, extreme=1 if token.roles["best"] == "+" else -1))
        elif (relative := _relative(clause, at, bound)) is not None:
            found.append(relative)
        elif "order" in token.roles and any(one.text in _RUNS for one in clause[at + 1 : at + 3]):
            found.append(Subject(order=int(str(token.roles["order"]))))
    named = tuple(one for one in found if one.name or one.order or one.extreme)
    return named or tuple(found)


def _may_name(number: Number) -> bool:
    """`2048 was the fastest`, `1e-4 is better`: a bare number may be the value of a setting; not `the other one`."""
    return number.unit == NONE and not number.sign and not (number.in_words and number.value == 1)


#: `the small batch`, of two: which one it is
_SIZES = {"small": -1, "little": -1, "low": -1, "short": -1, "large": 1, "big": 1, "high": 1, "long": 1}
#: what people call longer or shorter, and mean a setting
_LENGTHS = {"training": "epochs", "sequence": "seq_len", "sequences": "seq_len"}


def _relative(clause: Sequence[Token], at: int, bound: Mapping[int, str]) -> Subject | None:
    """`the larger batch`, `the shorter training`: one of two."""
    roles = clause[at].roles
    larger = 1 if "up" in roles else -1 if "down" in roles else _SIZES.get(clause[at].text, 0)
    if not larger or not at or clause[at - 1].text != "the" or at + 1 >= len(clause):
        return None
    name = clause[at + 1].term
    if name not in SETTINGS:
        name = _LENGTHS.get(clause[at + 1].text, "") if clause[at].text in ("longer", "shorter") else ""
    has_value = any(bound.get(place) == name for place in range(at + 2, at + 5))
    return Subject(name=name, extreme=larger, relative=True) if name and not has_value else None


def relatives(clause: Sequence[Token], bound: Mapping[int, str]) -> list[tuple[int, Subject]]:
    """Every `larger batch` of a clause, with its place in the sentence."""
    found = [(token.start, _relative(clause, at, bound)) for at, token in enumerate(clause)]
    return [(start, one) for start, one in found if one is not None]


def numbered(clause: Sequence[Token], bound: Mapping[int, str]) -> list[tuple[int, Subject]]:
    """Every `the 1024 run` of a clause: a run by the bare value of its setting."""
    found = []
    for at in range(1, len(clause) - 1):
        one = clause[at].number
        if one is None or bound.get(at, MOMENT) != MOMENT or one.unit != NONE or not one.whole or one.in_words:
            continue
        if clause[at - 1].text in _THE and clause[at + 1].text in _RUNS:
            found.append((clause[at].start, Subject(readings=one.readings)))
    return found


_THE, _RUNS = frozenset({"the", "our", "my"}), frozenset({"run", "job"})


def sides(clause: Sequence[Token], at: int, bound: Mapping[int, str]) -> Sides:
    """What is said of, and what it is set against, where the difference or the comparing word stands at `at`."""
    begin, end = _part(clause, at)
    if (begin, end) != (0, len(clause)):
        own = {n - begin: name for n, name in bound.items() if begin <= n < end}
        inside = sides(clause[begin:end], at - begin, own)
        if all(inside):
            return inside
    moved = _from_to(clause, bound)
    if moved is not None:
        return moved
    opened = opening(clause)
    if opened is not None and opened < at:
        return subjects(clause, bound, opened, len(clause)), subjects(clause, bound, 0, opened)
    set_against = next((n for n in range(1, at) if "compared" in clause[n].roles), None)
    if set_against is not None:
        both = subjects(clause, bound, 0, set_against), subjects(clause, bound, set_against, at)
        if all(both):
            return both
    return subjects(clause, bound, 0, at), subjects(clause, bound, at + 1, len(clause))


def _part(clause: Sequence[Token], at: int) -> tuple[int, int]:
    """`64 is 37 % faster than 32, and from 128 to 256 …`: between a comma with a conjunction and the next."""
    breaks = [n for n in range(1, len(clause)) if clause[n].text in _BREAKS and clause[n - 1].text == ","]
    begin = max((n for n in breaks if n <= at), default=0)
    return begin, min((n for n in breaks if n > at), default=len(clause))


def opening(clause: Sequence[Token]) -> int | None:
    """Where `Compared to ntasks=4, …`, `However, compared to 4, …` ends."""
    begin = next((at for at in range(min(_FIRST_WORDS, len(clause))) if _begins(clause, at)), None)
    if begin is None:
        return None
    return next((at for at in range(begin, len(clause)) if clause[at].text == ","), None)


def _begins(clause: Sequence[Token], at: int) -> bool:
    return "compared" in clause[at].roles and (at == 0 or clause[at - 1].text in (",", ":", "that", "but"))


def _from_to(clause: Sequence[Token], bound: Mapping[int, str]) -> Sides | None:
    """`from 16 to 64 tasks`: the first is what it was before."""
    for begin, token in enumerate(clause):
        seconds = MOVES.get(token.text, frozenset())
        to = next((at for at in range(begin + 1, len(clause)) if clause[at].text in seconds), None)
        if to is None:
            continue
        old, new = subjects(clause, bound, begin, to), subjects(clause, bound, to, len(clause))
        if old and new and old[-1].name == new[0].name:
            return new[:1], old[-1:]
    return None
