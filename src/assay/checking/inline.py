"""Claims that carry their own figures: `46 µs vs 70 µs, 1.5x`, `41.7K→42.5K (+2 %)`, `7216 / 10000 (72.16)`, sums.

Nothing has to be bound: both sides stand in the sentence. A relation that several pairs could mean holds if one fits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.checking.evidence import Value
from assay.checking.relations import Relation, fits, relations
from assay.core.numbers import Number, Token, tokens

_LINKS = frozenset(("→", "->", "⇒", "=>", "-->", "➜"))


@dataclass(frozen=True, kw_only=True)
class Slip:
    """What is said at a place in a text, and what its own figures give."""

    start: int
    said: str
    a: str
    b: str
    certain: bool = True


@dataclass(frozen=True, kw_only=True)
class Pair:
    a: Value
    b: Value
    start: int
    end: int
    strong: bool  # an arrow, `from … to`, `vs`


def pairs(pieces: Sequence[Token]) -> Iterator[Pair]:
    """Figures of one kind that a text sets against each other."""
    for at, one in enumerate(pieces):
        if one.number is None:
            continue
        for step in (2, 3):
            if at + step >= len(pieces) or (other := pieces[at + step].number) is None:
                continue
            between = [piece.text.lower() for piece in pieces[at + 1 : at + step]]
            arrow = _is_arrow(between)
            spoken = (
                between[0] in ("vs", "vs.", "versus", "against")
                or (between == ["to"] and at > 0 and pieces[at - 1].text.lower() == "from")
                or between == ["compared", "to"]
            )
            if not (arrow or spoken):
                continue
            pair = _pair(one.number, other)
            if pair:
                yield Pair(a=pair[0], b=pair[1], start=one.start, end=pieces[at + step].end, strong=True)
            break


def _is_arrow(between: Sequence[str]) -> bool:
    return "".join(between) in _LINKS


def _pair(a: Number, b: Number) -> tuple[Value, Value] | None:
    if a.unit.base != b.unit.base:
        if a.unit.base and b.unit.base:
            return None
        unit = a.unit if a.unit.base else b.unit
        a, b = (a if a.unit.base else a.with_unit(unit)), (b if b.unit.base else b.with_unit(unit))
        if unit.base in ("x", "%") and (abs(a.value) > 100 or abs(b.value) > 100):
            return None
    if a.unit.base == "x" or not (math.isfinite(a.value) and math.isfinite(b.value)) or not a.value or not b.value:
        return None
    return _value(a), _value(b)


def _value(number: Number) -> Value:
    slack = number.slack if number.mark not in ("~", "≈") else max(number.slack, 0.01 * abs(number.base))
    return Value(number.base, slack, number.unit.base, 0, number.text)


def slips(text: str) -> Iterator[Slip]:
    """Relations, differences, shares and products that do not follow from the figures beside them."""
    if not any(sign.isdigit() for sign in text):
        return
    pieces = [one for one in tokens(text) if one.kind != "bar" or _is_arrow([one.text])]
    pieces = _arrows(pieces)
    linked = list(pairs(pieces))
    found = relations(text) if linked else []
    for relation in found:
        if not relation.high:
            continue
        slip = _against(text, relation, [one for one in linked if not one.start <= relation.start < one.end], found)
        if slip:
            yield slip
    for pair in linked:
        yield from _difference(text, pieces, pair)
    yield from _shares(text, pieces)
    yield from _equations(text, pieces)


def _arrows(pieces: Sequence[Token]) -> list[Token]:
    """`-` and `>` beside each other as one arrow."""
    out: list[Token] = []
    for one in pieces:
        if (
            one.number is not None
            and one.text.startswith(">")
            and out
            and out[-1].text in ("-", "=")
            and out[-1].end == one.start
        ):
            out[-1] = Token("->", "->", out[-1].start, one.start + 1)
            out.append(
                Token("number", one.text[1:], one.start + 1, one.end, replace(one.number, mark="", text=one.text[1:]))
            )
        elif one.text == ">" and out and out[-1].text in ("-", "=", "--") and out[-1].end == one.start:
            out[-1] = Token("->", "->", out[-1].start, one.end)
        else:
            out.append(one)
    return out


def _against(text: str, relation: Relation, linked: Sequence[Pair], others: Sequence[Relation]) -> Slip | None:
    """A relation held against the pair beside it; nothing where another pair of the sentence bears it out."""
    if not linked or any(fits(relation, one.a, one.b) for one in linked):
        return None
    near = [one for one in linked if _gap(text, one, relation) is not None]
    if len(near) != 1 or any(other is not relation and _gap(text, near[0], other) is not None for other in others):
        return None
    one = near[0]
    if re.search(
        r"(?i)\b(?:target|theoretical|ideal|expected|linear|max|limit)\b",
        text[max(0, relation.start - 30) : relation.end + 20],
    ):
        return None
    return Slip(start=relation.start, said=relation.text, a=one.a.text, b=one.b.text)


def _gap(text: str, pair: Pair, relation: Relation) -> str | None:
    """What stands between them, if it is little and ends no clause; None where they are apart."""
    between = text[pair.end : relation.start] if pair.end <= relation.start else text[relation.end : pair.start]
    after = pair.end <= relation.start
    most = 18 if after else 60
    if len(between) > most or re.search(r"[.;]\s|\d", between):
        return None
    if after and not _BESIDE.fullmatch(between):
        return None
    if not after and not relation.word:
        return None
    return between


_BESIDE = re.compile(
    r"(?i)[\s(\[,:;=~≈–—*_-]*"
    r"(?:(?:i\.?e\.?|or|a|an|by|about|roughly|approximately|nearly|is|only|just|that is|which is)\b[\s~≈*_,]*){0,2}"
)


def _difference(text: str, pieces: Sequence[Token], pair: Pair) -> Iterator[Slip]:
    """`1.262→1.233 (0.028 improvement)`"""
    at = next((n for n, one in enumerate(pieces) if one.start >= pair.end), len(pieces))
    window = pieces[at : at + 6]
    for place, one in enumerate(window[:-1]):
        if one.number is None or one.number.unit.base not in ("", pair.a.unit):
            continue
        told = {two.text.lower() for two in (*window[:place], *window[place + 1 : place + 3])}
        if not told & {"improvement", "delta", "difference", "gain", "increase", "decrease", "reduction", "drop", "δ"}:
            return
        if any(two.text in (",", ";", ".", "and") for two in window[:place]):
            return
        low, high = sorted((abs(pair.a.mid), abs(pair.b.mid)))
        gap, room = high - low, pair.a.slack + pair.b.slack + 2 * one.number.slack
        if abs(gap - abs(one.number.base)) > room + 1e-12:
            yield Slip(start=one.start, said=one.text, a=pair.a.text, b=pair.b.text)
        return


_SIGNS = {"+": "+", "-": "-", "−": "-", "–": "-", "×": "*", "*": "*", "x": "*", "·": "*", "÷": "/", "/": "/"}


def _equations(text: str, pieces: Sequence[Token]) -> Iterator[Slip]:
    """`175.2 + 210.9 + 304.5 = 690.6 s`, `1000 steps x 1024 samples = 1,024,000`, and the like."""
    for at, one in enumerate(pieces):
        if one.text not in ("=", "≈") or at + 1 >= len(pieces) or (said := pieces[at + 1].number) is None:
            continue
        following = pieces[at + 2].text if at + 2 < len(pieces) else ""
        if at and pieces[at - 1].kind == "word" and pieces[at - 1].end == one.start:
            continue  # a name and its value
        if following in _SIGNS or following == "^":
            continue
        terms: list[Number] = []
        signs: list[str] = []
        place = at - 1
        while place >= 0:
            skipped = 0
            while place >= 0 and pieces[place].kind == "word" and pieces[place].text not in _SIGNS and skipped < 2:
                place, skipped = place - 1, skipped + 1
            if place < 0 or (number := pieces[place].number) is None:
                break
            glued = number.text[:1] in "+-−" and place > 0 and pieces[place - 1].number is not None
            terms.insert(0, number)
            if place > 0 and pieces[place - 1].text in _SIGNS:
                signs.insert(0, _SIGNS[pieces[place - 1].text])
                place -= 2
            else:
                place = -1 if not glued else -2
        if (
            place == -2
            or len(terms) < 2
            or len(signs) != len(terms) - 1
            or len(set(signs)) != 1
            or any(t.mark for t in terms)
        ):
            continue
        if signs[0] in "+-" and len({t.unit.base for t in (*terms, said) if t.unit.base}) > 1:
            continue
        units = [t.unit for t in (*terms, said) if t.unit.base]
        same = [t if t.unit.base or signs[0] in "*/" or not units else t.with_unit(units[0]) for t in (*terms, said)]
        yield from _unequal(same[:-1], signs[0], same[-1], pieces[at + 1], bool(one.text == "≈" or said.mark))


def _unequal(terms: Sequence[Number], sign: str, said: Number, token: Token, about: bool) -> Iterator[Slip]:
    total, low, high = terms[0].base, terms[0].base - terms[0].slack, terms[0].base + terms[0].slack
    for one in terms[1:]:
        a, b = one.base - one.slack, one.base + one.slack
        if one.value == int(one.value) and sign in "*/":
            a = b = one.base
        if sign == "/" and not (a and b and one.base):
            return
        if sign == "+":
            total, low, high = total + one.base, low + a, high + b
        elif sign == "-":
            total, low, high = total - one.base, low - b, high - a
        elif sign == "*":
            total, low, high = total * one.base, low * a, high * b
        else:
            total, low, high = total / one.base, low / b, high / a
    room = 2 * said.slack + (0.11 * abs(total) if about else 0.0) + 1e-9 * abs(total)
    scales = (
        (1.0,)
        if sign in "+-"
        else (
            1.0,
            100.0,
            1e-3,
            1e3,
            1e6,
            1e-6,
            1e9,
            1e-9,
            60.0,
            1 / 60,
            3600.0,
            1 / 3600,
            1024.0,
            1 / 1024,
            2.0**20,
            2.0**-20,
            2.0**30,
            2.0**-30,
        )
    )
    if not any(min(low * k, high * k) - room <= said.base <= max(low * k, high * k) + room for k in scales):
        yield Slip(start=token.start, said=token.text, a=terms[0].text, b=terms[-1].text)


def _shares(text: str, pieces: Sequence[Token]) -> Iterator[Slip]:
    """`7216 / 10000 correct (72.16)`, `5,400/6,041 = 89 %`, `2 × 3 = 6`."""
    for at, one in enumerate(pieces):
        if one.number is None or at + 3 >= len(pieces):
            continue
        sign = pieces[at + 1].text
        if sign not in ("/", "÷", "×", "*", "x") or (other := pieces[at + 2].number) is None or not other.value:
            continue
        if sign == "/" and at and pieces[at - 1].text in ("/", "÷", "×", "*", "-", "+", ")"):
            continue
        tail = pieces[at + 3 : at + 8]
        if sign in ("/", "÷"):
            yield from _share(text, one, other, tail)


def _share(text: str, one: Token, other: Number, tail: Sequence[Token]) -> Iterator[Slip]:
    a, b = one.number, other
    assert a is not None
    if a.unit.base not in ("", b.unit.base) or (a.unit.base == "" and b.unit.base not in ("",)):
        return
    equal = next((n for n, piece in enumerate(tail[:4]) if piece.text in ("=", "≈", "(")), None)
    if equal is None or equal + 1 >= len(tail) or (said := tail[equal + 1].number) is None:
        return
    if any(
        piece.number is not None or piece.text in ("×", "*", "+", "-", "/", ")", ",", ";") for piece in tail[:equal]
    ):
        return
    following = tail[equal + 2].text if equal + 2 < len(tail) else ""
    if following in ("/", "×", "*", "+", "-"):
        return
    if tail[equal].text in ("=", "≈") and equal > 0:
        return
    share = said.unit.base == "%" or (
        tail[equal].text == "(" and following == ")" and a.value < b.value and said.value > 1
    )
    if tail[equal].text == "(" and not share:
        return
    if said.unit.base not in ("", "%", "x") or (a.mark or b.mark):
        return
    expected = a.base / b.base * (100 if share else 1)
    room = 2 * said.slack + expected * (a.slack / abs(a.base or 1) + b.slack / abs(b.base or 1)) * (
        0 if a.value == int(a.value) and b.value == int(b.value) else 1
    )
    room = max(room, 0.11 * abs(expected)) if said.mark else room
    if (
        share
        and tail[equal].text == "("
        and a.value == int(a.value)
        and abs(said.value - (a.value + 1) / b.value * 100) <= 2 * said.slack
    ):
        return  # counted from zero
    if abs(said.value - expected) > room + 1e-9 and (share or said.unit.base == "x" or tail[equal].text == "="):
        if not share and abs(said.value - 100 * expected) <= 100 * room + 2 * said.slack:
            return
        yield Slip(start=tail[equal + 1].start, said=tail[equal + 1].text, a=one.text, b=b.text)
