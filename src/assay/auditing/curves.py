"""What a run printed on its way: one figure from epoch to epoch, or from step to step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.auditing.case import Case, Run
from assay.model.event import Metric
from assay.model.values import number

EPOCH, STEP = "epoch", "step"
#: (the metric, the part of the data it is of), by the name that an event gives it
_NAMES = {
    "loss": ("loss", ""),
    "train_loss": ("loss", "train"),
    "val_loss": ("loss", "val"),
    "eval_loss": ("loss", "val"),
    "test_loss": ("loss", "test"),
    "accuracy": ("accuracy", ""),
    "train_accuracy": ("accuracy", "train"),
    "val_accuracy": ("accuracy", "val"),
    "eval_accuracy": ("accuracy", "val"),
    "test_accuracy": ("accuracy", "test"),
    "epoch_s": ("time", ""),
}
_FEWEST, _MOST = 2, 2000


@dataclass(frozen=True, kw_only=True)
class Point:
    """A figure and the line that shows it; `at` is its epoch or step."""

    at: float
    value: float
    line: int


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One figure of one run in the order in which it was printed; an accuracy in per cent."""

    run: Run
    metric: str
    split: str
    unit: str
    points: tuple[Point, ...]

    @property
    def range(self) -> float:
        values = [point.value for point in self.points]
        return max(values) - min(values)

    def at(self, moment: float) -> Point | None:
        """The point of an epoch or step; -1 is the last one. Programs count epochs from 0 or from 1."""
        if moment < 0:
            return self.points[-1]
        wanted = moment - 1 if self.unit == EPOCH and self.points[0].at == 0 else moment
        return next((point for point in self.points if abs(point.at - wanted) < 1e-6), None)


def curves_of(case: Case, run_id: str) -> list[Curve]:
    """Those of a run by epoch, and where it prints none by epoch, by step."""
    run = next((one for one in case.runs if one.id == run_id), None)
    if run is None or run.is_prose:
        return []
    found: dict[tuple[str, str, str], dict[float, Point]] = {}
    for name, unit, point in _points(run):
        metric, split = _NAMES[name]
        found.setdefault((metric, split, unit), {})[point.at] = point  # the last one of an epoch counts
    made = [
        Curve(run=run, metric=metric, split=split, unit=unit, points=_scaled(metric, points))
        for (metric, split, unit), points in found.items()
        if _FEWEST <= len(points) <= _MOST and list(points) == sorted(points)
    ]
    return [one for one in made if one.unit == EPOCH or not _has_epochs(made, one)]


def _points(run: Run) -> Iterator[tuple[str, str, Point]]:
    for event in run.events:
        if not isinstance(event, Metric) or event.rank:
            continue
        for unit in (EPOCH, STEP):
            at = number(event.value(unit))
            for name in _NAMES if at is not None else ():
                value = number(event.value(name))
                if value is not None and at is not None and value == value:
                    yield name, unit, Point(at=at, value=value, line=event.line or 0)


def _has_epochs(made: list[Curve], one: Curve) -> bool:
    return any(other.unit == EPOCH and (other.metric, other.split) == (one.metric, one.split) for other in made)


def _scaled(metric: str, points: dict[float, Point]) -> tuple[Point, ...]:
    share = metric == "accuracy" and all(point.value <= 1 for point in points.values())
    factor = 100.0 if share else 1.0
    return tuple(Point(at=one.at, value=one.value * factor, line=one.line) for one in points.values())
