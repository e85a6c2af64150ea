"""Steps are counted through all epochs, and the figures of an epoch's end belong to its last step."""

from __future__ import annotations

import pytest

from assay.reading.series import Position


@pytest.mark.parametrize("printed", [[10, 100, 110, 200, 210, 300], [10, 100, 10, 100, 10, 100]])
def test_a_line_that_closes_an_epoch_has_its_last_step(printed: list[int]) -> None:
    """`step 110 loss …`, `step 200 loss …`, `epoch 2: val_loss …`, whether or not the count begins anew."""
    position, steps, closed = Position(), [], []
    for at, raw in enumerate(printed):
        line: dict[str, object] = {"step": raw, "loss": 1.0}
        position.take(line)
        steps.append(line["step"])
        assert "epoch" not in line  # the next epoch has begun, and no line has named it yet
        if at % 2:
            closing: dict[str, object] = {"epoch": at // 2 + 1, "val_loss": 0.9}
            position.take(closing)
            closed.append(closing["step"])
    assert steps == [10, 100, 110, 200, 210, 300]
    assert closed == [100, 200, 300]


def test_a_line_after_the_last_epoch_belongs_to_it() -> None:
    position, test = Position(), {"test_accuracy": 0.9}
    for line in ({"step": 100, "loss": 1.0}, {"epoch": 1, "val_loss": 0.9}, test):
        position.take(line)  # type: ignore[arg-type]
    assert test == {"test_accuracy": 0.9, "epoch": 1, "step": 100}
