"""Few events of many: what may be lost on the way, and what may not."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.event import Beat, End, Metric, Phase
from assay.summary.phases import Mark, spans
from assay.views.thinner import Thinner


def metric(step: int, rank: int = 0, **figures: float) -> Metric:
    return Metric(rank=rank, at_s=float(step), values={"step": step, **figures})


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9000), st.integers(0, 2**32))
def test_the_first_the_last_and_the_peaks_stay_in_order(count: int, seed: int) -> None:
    chance = random.Random(seed)
    losses = [chance.random() for _ in range(count)]
    thinner = Thinner(stretches=20)
    for step, loss in enumerate(losses):
        thinner.add(metric(step, loss=loss, accuracy=1 - loss))
    kept = thinner.events()
    steps = [event.value("step") for event in kept]
    assert steps == sorted(steps)
    assert (steps[0], steps[-1]) == (0, count - 1)
    values = [event.figure("loss") for event in kept]
    assert (min(values), max(values)) == (min(losses), max(losses))
    assert thinner.total == count
    assert len(kept) <= 40 * 6 + 6


def test_a_short_run_is_kept_whole() -> None:
    thinner = Thinner()
    for step in range(500):
        thinner.add(metric(step, loss=1.0))
    assert len(thinner.events()) == 500


def test_figures_of_several_writers_are_thinned_apart() -> None:
    thinner = Thinner(stretches=5)
    for step in range(1000):
        thinner.add(metric(step, loss=9.0 if step == 500 else 1.0))
        thinner.add(metric(step, 1, loss=5.0 if step == 501 else 0.0))
    kept = thinner.events()
    assert max(event.figure("loss") for event in kept if event.rank == 1) == 5.0
    assert max(event.figure("loss") for event in kept if event.rank == 0) == 9.0


def test_of_very_many_phases_none_is_left_open() -> None:
    thinner = Thinner()
    for step in range(20_000):
        for edge in ("begin", "end"):
            at_s = step + (0.5 if edge == "end" else 0.0)
            thinner.add(Phase(name="step", edge=edge, at_s=at_s))
    kept = thinner.events()
    assert len(kept) < 5000
    marks = [Mark(at_s=event.at_s, name=event.name, begin=event.edge == "begin") for event in kept]
    assert all(span.end_s - span.begin_s == 0.5 for span in spans(marks, end_s=30_000.0))


def test_beats_are_not_kept() -> None:
    thinner = Thinner()
    thinner.add(Beat(source="launcher"))
    thinner.add(End(source="launcher", status="completed"))
    assert [event.kind for event in thinner.events()] == ["end"]
