"""What the audit found, as a report shows it: the first of a kind with their evidence, the others in a line each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from assay.model.finding import Evidence, Finding

#: of one code and severity, with their evidence and remedy
_FIRST = 3
#: lines of evidence; `assay audit` has them all
_MOST_LINES = 4
_MOST_CHARACTERS = 300


@dataclass(frozen=True, kw_only=True)
class Kind:
    first: list[Finding]
    more: list[str]


def kinds_of(findings: Iterable[Finding]) -> list[Kind]:
    """By severity and code, in the order in which the first of each comes."""
    listed = list(findings)
    order = {kind: at for at, kind in enumerate(dict.fromkeys((one.severity, one.code) for one in listed))}
    listed.sort(key=lambda one: order[one.severity, one.code])
    kinds = [list(members) for _, members in groupby(listed, key=lambda one: (one.severity, one.code))]
    return [Kind(first=all_of[:_FIRST], more=[_line(one) for one in all_of[_FIRST:]]) for all_of in kinds]


def proofs(one: Finding) -> Iterator[str]:
    """The first lines that show it, and how many there are besides."""
    for proof in one.evidence[:_MOST_LINES]:
        text = f"{_place(proof)}: {proof.text}"
        yield text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
    if len(one.evidence) > _MOST_LINES:
        yield f"… and {len(one.evidence) - _MOST_LINES} more lines"


def _line(one: Finding) -> str:
    return f"{_place(one.evidence[0])}: {one.message}" if one.evidence else one.message


def _place(proof: Evidence) -> str:
    """What is shown by no single line has the number 0."""
    return f"{proof.source}:{proof.line}" if proof.line else proof.source
