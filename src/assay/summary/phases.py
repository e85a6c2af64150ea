"""Seconds and shares of the named spans of a run, from their begin and end marks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One edge of a span."""

    at_s: float
    name: str
    begin: bool


@dataclass(frozen=True, kw_only=True)
class Span:
    """A phase from when to when; `depth` 0 is not inside another."""

    name: str
    begin_s: float
    end_s: float
    depth: int


def spans(marks: Iterable[Mark], end_s: float | None = None) -> list[Span]:
    """Matched pairs, in order of their begin. What is open at the end of the run ends with it."""
    stack: list[tuple[Mark, int]] = []
    found: list[Span] = []
    last_s = 0.0
    for mark in sorted(marks, key=lambda mark: mark.at_s):
        last_s = mark.at_s
        if mark.begin:
            stack.append((mark, len(stack)))
            continue
        at = next((i for i in reversed(range(len(stack))) if stack[i][0].name == mark.name), None)
        if at is not None:
            begun, depth = stack.pop(at)
            found.append(Span(name=mark.name, begin_s=begun.at_s, end_s=mark.at_s, depth=depth))
    close_s = last_s if end_s is None else max(end_s, last_s)
    found += [Span(name=mark.name, begin_s=mark.at_s, end_s=close_s, depth=depth) for mark, depth in stack]
    return sorted(found, key=lambda span: (span.begin_s, span.depth))


def seconds(found: Iterable[Span]) -> dict[str, float]:
    """Each phase with all that happens inside it; spans of one name that overlap are not counted twice."""
    by_name: dict[str, list[Span]] = {}
    for span in found:
        by_name.setdefault(span.name, []).append(span)
    return {name: round(_union_s(group), 6) for name, group in by_name.items()}


def shares(found: Iterable[Span], whole_s: float) -> dict[str, float]:
    """Each moment goes to the innermost phase; with `other` they sum to 1."""
    if whole_s <= 0:
        return {}
    listed = list(found)
    edges = sorted({edge for span in listed for edge in (span.begin_s, span.end_s)})
    total: dict[str, float] = {}
    for begin_s, end_s in pairwise(edges):
        inside = [span for span in listed if span.begin_s <= begin_s and span.end_s >= end_s]
        if inside:
            # the innermost is the one that began last; among those, the deeper
            name = max(inside, key=lambda span: (span.begin_s, span.depth)).name
            total[name] = total.get(name, 0.0) + end_s - begin_s
    whole_s = max(whole_s, sum(total.values()))
    result = {name: round(value / whole_s, 6) for name, value in total.items()}
    if result:
        result["other"] = round(max(0.0, 1 - sum(result.values())), 6)
    return result


def _union_s(group: list[Span]) -> float:
    total, reached_s = 0.0, float("-inf")
    for span in sorted(group, key=lambda span: span.begin_s):
        begin_s = max(span.begin_s, reached_s)
        if span.end_s > begin_s:
            total += span.end_s - begin_s
            reached_s = span.end_s
    return total
