"""What every kind of chart in a report is: a function that adds its charts and gives the section they stand in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from assay.text import listing
from assay.units import show_number
from assay.views.charts.base import Chart, Columns, Figure, Section, words_of

if TYPE_CHECKING:
    from assay.views.report.data import ReportData

#: (the data, all charts by id, whether nothing can be chosen) → its section, which is left out if it has no charts
Kind: TypeAlias = "Callable[[ReportData, dict[str, Chart], bool], Section]"
_MOST_NAMED = 8


def add(
    part: Section,
    charts: dict[str, Chart],
    name: str,
    chart: Chart,
    caption: str,
    *,
    alt: str = "",
    follows: bool = False,
    run: str = "",
) -> None:
    """`caption` is whole sentences that can be quoted; `alt` says what a chart shows to those who cannot see it."""
    charts[name] = chart
    part["charts"].append(Figure(id=name, caption=caption, alt=alt or caption, follows_axis=follows, run=run))


def settings_of(data: ReportData, columns: Columns | None = None) -> list[str]:
    """In one order, so that each has one colour in all charts; none if `columns` hold something else."""
    known = [group.label for group in data.comparison.groups] if data.comparison else []
    known = known or words_of(data.datasets.get("curves", {}) or data.datasets.get("results", {}), "group")
    return known if columns is None or set(words_of(columns, "group")) <= set(known) else []


def told(values: Iterable[tuple[str, str]]) -> str:
    """`32: 7,427; 64: 14,878`"""
    shown = [f"{name}: {text}" for name, text in values]
    more = [f"and {len(shown) - _MOST_NAMED} more"] if len(shown) > _MOST_NAMED else []
    return "; ".join([*shown[:_MOST_NAMED], *more])


def repeats(counts: Sequence[int]) -> str:
    """`3 repeats`, `3 to 5 repeats`"""
    low, high = min(counts), max(counts)
    return f"{low} repeats" if low == high else f"{low} to {high} repeats"


def number(value: object) -> str:
    return show_number(value) if isinstance(value, (int, float)) else "unknown"


def named(names: Sequence[str]) -> str:
    return listing([*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else names)
