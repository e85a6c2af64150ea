"""Curves of a run: every figure that changes, against seconds since its start."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.model.event import End, Event, Metric, Phase, Sample
from assay.model.values import number
from assay.store.layout import RunDir
from assay.store.reading import read_events
from assay.summary.phases import Mark, Span, spans

Curve = list[tuple[float, float]]
_NOT_CURVES = {"gpu", "late_s"}
#: probes of which each recorder has its own
_ADDED_UP = ("process", "memory")


@dataclass(kw_only=True)
class Series:
    """`machine` from probes, `program` from the command. Several GPUs are kept apart: `power_w`, `power_w.1`."""

    machine: dict[str, Curve] = field(default_factory=dict)
    program: dict[str, Curve] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    end_s: float = 0.0
    ended: bool = False
    _now: dict[str, dict[tuple[str, int], float]] = field(
        default_factory=dict
    )  # of each recorder, where there are several

    @property
    def phases(self) -> list[Span]:
        return spans(self.marks, end_s=self.end_s)

    def add(self, event: Event) -> None:
        at_s = event.at_s
        if at_s is None:
            return
        wall_s = event.wall_s if isinstance(event, End) else None
        self.end_s = max(self.end_s, at_s if wall_s is None else min(at_s, wall_s))  # what follows is our own work
        if isinstance(event, Phase):
            self.marks.append(Mark(at_s=at_s, name=event.name, begin=event.edge == "begin"))
        elif isinstance(event, (Metric, Sample)):
            if event.rank and isinstance(event, Metric):
                return  # the curves are those of rank 0
            book = self.machine if isinstance(event, Sample) else self.program
            gpu = event.value("gpu")
            suffix = f".{gpu}" if gpu else ""
            for name, value in event.facts():
                figure = number(value)
                if figure is not None and name not in _NOT_CURVES:
                    if event.node and event.speaker in _ADDED_UP:
                        figure = self._together(name, event, figure)
                    book.setdefault(name + suffix, []).append((at_s, figure))
        elif isinstance(event, End):
            self.ended = True
            for by_recorder in self._now.values():
                by_recorder.pop((event.node, event.rank), None)

    def _together(self, name: str, event: Event, figure: float) -> float:
        """With what the other recorders of the run last saw."""
        by_recorder = self._now.setdefault(name, {})
        by_recorder[event.node, event.rank] = figure
        return sum(by_recorder.values())


def load(run: RunDir) -> Series:
    """All curves of a run as far as it has come."""
    series = Series()
    for event in read_events(run):
        series.add(event)
    return series
