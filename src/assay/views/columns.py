"""One run as the columns that charts are drawn from: the machine, its phases, its shares of the time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.model.event import Event, Phase, Sample
from assay.model.summary import Summary
from assay.summary.phases import Mark, spans
from assay.views.charts.base import PHASE_COLOURS, Columns
from assay.views.charts.machine import PANELS

#: curves that every page shows first
FIGURES = (
    "loss", "val_loss", "accuracy", "test_accuracy", "val_accuracy", "train_accuracy", "samples_per_s", "tokens_per_s",
)  # fmt: skip
_DIGITS = 7


def short(value: float) -> float:
    """To the digits that can be seen in a chart."""
    return float(f"{value:.{_DIGITS}g}")


def joined(parts: Iterable[Columns]) -> Columns:
    """Several runs under one another."""
    columns: Columns = {}
    for part in parts:
        for name, values in part.items():
            columns.setdefault(name, []).extend(values)
    return columns


def machine_columns(events: Iterable[Event], run: str) -> Columns:
    columns: Columns = {"run": [], "panel": [], "s": [], "value": []}
    for event in events:
        if not isinstance(event, Sample) or event.at_s is None or event.gpu:
            continue
        for panel, (_, scale) in PANELS.items():
            value = event.figure(panel)
            if value is not None:
                for name, cell in zip(columns, (run, panel, short(event.at_s), short(value * scale)), strict=True):
                    columns[name].append(cell)
    return columns


def span_columns(events: Iterable[Event], run: str, most: int | None = None) -> Columns:
    """The spans of phases as columns; of very many, only the `most` longest."""
    found = phase_spans(events)
    if most is not None and len(found) > most:
        longest = sorted(found, key=lambda span: span[1] - span[2])[:most]
        found = sorted(longest, key=lambda span: span[1])
    return {
        "run": [run] * len(found),
        "phase": [name for name, _, _, _ in found],
        "begin_s": [short(begin_s) for _, begin_s, _, _ in found],
        "end_s": [short(end_s) for _, _, end_s, _ in found],
        "depth": [depth for _, _, _, depth in found],
    }


def phase_spans(events: Iterable[Event]) -> list[tuple[str, float, float, int]]:
    """(phase, begin, end, depth) as marked by the program, else by what was read in its output."""
    marks: dict[int, list[Mark]] = {}
    end_s = 0.0
    for event in events:
        if event.at_s is None:
            continue
        end_s = max(end_s, event.at_s)
        if isinstance(event, Phase) and event.name and event.seconds is None and not event.rank:
            mark = Mark(at_s=event.at_s, name=event.name, begin=event.edge == "begin")
            marks.setdefault(0 if event.source == "self" else 1, []).append(mark)
    if not marks:
        return []
    return [(span.name, span.begin_s, span.end_s, span.depth) for span in spans(marks[min(marks)], end_s=end_s)]


def share_columns(summary: Summary, run: str) -> Columns:
    return split_columns(summary.phase_shares, summary.wall_s or 0.0, run)


def split_columns(shares: Mapping[str, float], wall_s: float, run: str) -> Columns:
    """Shares of a time, in the order of phases."""
    order = {name: at for at, name in enumerate(PHASE_COLOURS)}
    names = sorted(shares, key=lambda name: order.get(name, len(order)))
    return {
        "run": [run] * len(names),
        "phase": [*names],
        "share": [short(shares[name]) for name in names],
        "seconds": [short(shares[name] * wall_s) for name in names],
        "order": [order.get(name, len(order)) for name in names],
    }
