"""A run's curves as every other tool has them: a name, a step, a moment, a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from assay.events import ENVELOPE, Event, number
from assay.model.request import Request
from assay.model.summary import Summary
from assay.model.values import Setting
from assay.store.layout import RunDir
from assay.store.reading import read_events
from assay.summary.build import load_summary

_STEP = ("step", "steps", "global_step")
#: what a sample says of itself, not of the machine
_NOT_FIGURES = {"gpu", "late_s", "epoch_s"}


class Point(NamedTuple):
    name: str
    step: int
    t: float
    value: float


@dataclass(frozen=True, kw_only=True)
class Exported:
    """One run. `points` are read anew each time."""

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
    listed, own = [], False
    for event in events:
        if event["kind"] == "metric" and not event.get("rank"):
            listed.append(event)
            own = own or event.get("from", "self") == "self"
        elif event["kind"] == "sample":
            listed.append(event)
    counts: dict[str, int] = {}
    step = 0
    for event in listed:
        t = number(event.get("t")) or start_t + (number(event.get("at_s")) or 0.0)
        if event["kind"] == "sample":
            yield from _machine(event, t, counts)
        elif event.get("from", "self") == "self" or not own:
            said = next((value for name in _STEP if (value := number(event.get(name))) is not None), None)
            step = int(said) if said is not None else step + 1
            for name, value in event.items():
                figure = number(value)
                if figure is not None and name not in ENVELOPE and name not in _STEP:
                    yield Point(name, step, t, float(figure))


def _machine(event: Event, t: float, counts: dict[str, int]) -> Iterator[Point]:
    suffix = f"/gpu{event['gpu']}" if isinstance(event.get("gpu"), int) else ""
    for name, value in event.items():
        figure = number(value)
        if figure is None or name in ENVELOPE or name in _NOT_FIGURES:
            continue
        label = f"machine/{name}{suffix}"
        counts[label] = counts.get(label, -1) + 1
        yield Point(label, counts[label], t, float(figure))
