"""A run's curves as every other tool has them: a name, a step, a moment, a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from assay.model.event import Event, Metric, Sample
from assay.model.request import Request
from assay.model.summary import Summary
from assay.model.values import Setting, number
from assay.quantities import spellings
from assay.store.layout import RunDir
from assay.store.reading import read_events
from assay.summary.build import load_summary

_STEP = spellings("steps")
#: what a sample says of itself, not of the machine
_NOT_FIGURES = {"gpu", "late_s", "epoch_s"}


class Point(NamedTuple):
    name: str
    step: int
    t: float
    value: float


@dataclass(frozen=True, kw_only=True)
class Exported:
    """One run. `points` are read again each time."""

    run: RunDir
    asked: Request
    summary: Summary

    @property
    def name(self) -> str:
        return self.summary.name or self.run.path.name

    def points(self) -> Iterator[Point]:
        return points_of(read_events(self.run), start_t=self.asked.asked_t or 0.0)

    def settings(self) -> dict[str, Setting]:
        """In effect where the evidence shows it, else as claimed."""
        return self.summary.settings

    def results(self) -> dict[str, float]:
        """The figures of the summary: one number each."""
        fields = self.summary.figures(name for name in self.summary.names if name != "v")
        phases = {f"phase_s/{name}": value for name, value in self.summary.phases.items()}
        return {**dict(sorted(fields.items())), **phases, **self.summary.metrics}


def load(run: RunDir) -> Exported:
    return Exported(run=run, asked=run.asked(), summary=load_summary(run))


def points_of(events: Iterable[Event], start_t: float) -> Iterator[Point]:
    """Figures of the program by their step; those of the machine under `machine/`, a step for each look.

    Where the program itself speaks, what was read in its output is left out: it is the same said twice.
    """
    listed: list[Metric | Sample] = []
    own = False
    for event in events:
        if isinstance(event, Metric) and not event.rank:
            listed.append(event)
            own = own or event.source == "self"
        elif isinstance(event, Sample):
            listed.append(event)
    counts: dict[str, int] = {}
    step = 0
    for one in listed:
        t = one.t or start_t + (one.at_s or 0.0)
        if isinstance(one, Sample):
            yield from _machine(one, t, counts)
        elif one.source == "self" or not own:
            said = next((at for name in _STEP if (at := one.figure(name)) is not None), None)
            if said is None and isinstance(epoch := one.values.get("epoch"), int):
                said = epoch  # a script that counts epochs alone
            step = int(said) if said is not None else step + 1
            for name, value in one.values.items():
                figure = number(value)
                if figure is not None and name not in _STEP:
                    yield Point(name, step, t, float(figure))


def _machine(event: Sample, t: float, counts: dict[str, int]) -> Iterator[Point]:
    suffix = "" if event.gpu is None else f"/gpu{event.gpu}"
    for name, value in event.facts():
        figure = number(value)
        if figure is None or name in _NOT_FIGURES:
            continue
        label = f"machine/{name}{suffix}"
        counts[label] = counts.get(label, -1) + 1
        yield Point(label, counts[label], t, float(figure))
