"""Numbers that stand in one list: `8, 16 and 32`, `from 0.003 to 0.001`, `77 % against 69 %`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from assay.language.kinds import fits
from assay.language.lex import Token
from assay.language.vocabulary import words

JOINS = words("JOINS") | {",", "/", "&", "、"}


_ARROWS = frozenset("→-=")


def share_terms(clause: Sequence[Token], found: dict[int, str]) -> None:
    """`8, 16 and 32`: what stands in one list with a number that has a term has the same one."""
    numbers = [at for at, token in enumerate(clause) if token.number is not None]
    for a, b in (*pairwise(numbers), *zip(numbers[:0:-1], numbers[-2::-1], strict=False)):
        if a not in found or not _joined(clause, a, b):
            continue
        inherits = b not in found and (clause[a].rate or (fits(found[a], clause[b].number) and not clause[b].rate))
        if inherits or (found.get(b) == "rate" and clause[a].rate):
            found[b] = found[a]


def in_one_list(clause: Sequence[Token], at: int, found: dict[int, str]) -> int | None:
    """The number before it, where both belong together: `from 0.003 to 0.001`."""
    before = next((n for n in range(at - 1, max(-1, at - 5), -1) if clause[n].number is not None), None)
    if before is None or before not in found or not _joined(clause, before, at):
        return None
    return before if fits(found[before], clause[at].number) else None


def _joined(clause: Sequence[Token], a: int, b: int) -> bool:
    first, second = sorted((a, b))
    between = clause[first + 1 : second]
    return bool(between) and all(_joins(token) for token in between) and alike(clause, a, b)


def _joins(token: Token) -> bool:
    return token.text in JOINS or token.text in _ARROWS or bool(token.roles.keys() & {"about", "compared"})


def alike(clause: Sequence[Token], a: int, b: int) -> bool:
    one, other = clause[a].number, clause[b].number
    rates = {clause[a].rate, clause[b].rate} - {""}
    return one is not None and other is not None and one.unit == other.unit and len(rates) < 2
