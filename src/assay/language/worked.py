"""Sums, products, quotients and differences that a sentence writes out: `175.2 + 210.9 = 386.1`, `4 × 256 = 1,024`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from assay.language.lex import Token, lex
from assay.language.numbers import NONE, PERCENT, Number

_EQUALS = frozenset("=≈")
_SIGNS = frozenset("+-−–/÷*x×·")


@dataclass(frozen=True, kw_only=True)
class Worked:
    """What is said to come out, and what does."""

    shown: str
    said: Number
    right: float


def worked_out(text: str) -> Iterator[Worked]:
    """Every one that is understood whole: a bracket or a second operation makes none of it."""
    tokens = lex(text)
    for at, token in enumerate(tokens):
        if token.text not in _EQUALS or at == 0 or at + 1 >= len(tokens):
            continue
        total = tokens[at + 1].number
        if total is None or _goes_on(tokens, at + 2):
            continue
        begin, terms, signs = _left(tokens, at)
        right = _result(terms, signs, total)
        if right is not None:
            yield Worked(shown=text[tokens[begin].start : tokens[at + 1].end], said=total, right=right)
    yield from _listed(text, tokens)


def _goes_on(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and (tokens[at].text in _SIGNS or (tokens[at].text == "(" and False))


def _left(tokens: Sequence[Token], equals: int) -> tuple[int, list[Number], list[str]]:
    """From the equals sign back: numbers with signs between them, units as they come."""
    terms: list[Number] = []
    signs: list[str] = []
    at = equals - 1
    wants_number = True
    begin = equals
    while at >= 0:
        token = tokens[at]
        if wants_number and token.text == ")":
            inner = _bracket(tokens, at)
            if inner is None:
                break
            begin, value = inner
            terms.insert(0, value)
            at, wants_number = begin, False
        elif wants_number and token.number is not None and token.number.upper is None:
            terms.insert(0, token.number)
            begin, wants_number = at, False
        elif not wants_number and token.text in _SIGNS:
            signs.insert(0, token.text)
            wants_number = True
        elif wants_number and (token.term or token.text.isalpha()) and len(token.text) < 9:
            pass  # `1000 steps x 1024 samples = …`
        else:
            break
        at -= 1
    stops_badly = wants_number or (at >= 0 and tokens[at].text in ("(", ")", "^"))
    return (begin, [], []) if stops_badly else (begin, terms, signs)


def _bracket(tokens: Sequence[Token], at: int) -> tuple[int, Number] | None:
    """`(4848.6 - 2928.5)`: two numbers and a sign."""
    inner = tokens[at - 4 : at + 1] if at >= 4 else ()
    if len(inner) != 5 or inner[0].text != "(" or inner[2].text not in "-−–+":
        return None
    a, b = inner[1].number, inner[3].number
    if a is None or b is None:
        return None
    return at - 4, replace(a, value=a.value + b.value if inner[2].text == "+" else a.value - b.value)


def _result(terms: Sequence[Number], signs: Sequence[str], total: Number) -> float | None:
    if len(terms) == 1 and len(terms[0].factors) > 1:
        return terms[0].value
    if len(terms) < 2 or len(set(signs)) != 1 or any(one.factors for one in terms):
        return None
    sign, values = signs[0], [one.value for one in terms]
    units = {one.unit for one in terms}
    if sign == "+":
        return sum(values) if len(units) == 1 and total.unit in (*units, NONE) else None
    if sign in "-−–" and len(terms) == 2:
        return values[0] - values[1] if values[0] > values[1] and len(units) == 1 and not terms[0].whole else None
    if sign in "/÷" and len(terms) == 2 and values[1] and len(units) == 1:
        return _quotient(values[0] / values[1], total)
    if sign in "x×*·" and len(terms) == 2:
        return values[0] * values[1]
    return None


def _quotient(ratio: float, total: Number) -> float | None:
    """One that is given in per cent may be a share or a change, or the mean of figures in per cent."""
    if total.unit == PERCENT:
        return min((ratio, 100 * ratio, abs(100 * (ratio - 1))), key=lambda one: abs(one - total.value))
    return ratio if total.unit in (NONE, "x") else None


def _listed(text: str, tokens: Sequence[Token]) -> Iterator[Worked]:
    """`175.2 s, 210.9 s and 304.5 s, 690.6 s in total`."""
    at = next((n for n, token in enumerate(tokens) if token.roles.get("average") == "total" and n), None)
    if at is None:
        return
    numbers = [
        (n, token.number) for n, token in enumerate(tokens[:at]) if token.number is not None and token.number.unit
    ]
    if len(numbers) < 3 or len({one.unit for _, one in numbers}) != 1 or at - numbers[-1][0] > 2:
        return
    places = [n for n, _ in numbers[:-1]]
    if any(b - a > 3 for a, b in pairwise(places)):
        return
    *terms, (last, total) = numbers
    yield Worked(
        shown=text[tokens[terms[0][0]].start : tokens[last].end], said=total, right=sum(one.value for _, one in terms)
    )
