"""The figure that a person would compare first."""

from __future__ import annotations

import pytest

from assay.core.objective import matching, objective_of, parsed

SERIES = {"loss": 10, "accuracy": 10, "val_loss": 5}


@pytest.mark.parametrize(
    ("figures", "printed", "beside_loss", "name", "better"),
    [
        ({"loss": 1.0, "val_bpb": 0.9}, {"loss": 10}, {"loss"}, "val_bpb", "lower"),
        ({"loss": 1.0, "val_loss": 0.9, "test_accuracy": 0.5}, SERIES, {"loss"}, "test_accuracy", "higher"),
        ({"loss": 1.0, "val_loss": 0.9}, SERIES, {"loss"}, "val_loss", "lower"),
        ({"test_acc_1": 60.0, "test_acc_5": 90.0, "test_loss": 1.0}, {}, set(), "test_acc_1", "higher"),
        ({"loss": 1.0, "train_accuracy": 0.9}, SERIES, {"loss", "train_accuracy"}, "loss", "lower"),
        ({"loss": 1.0, "acc": 0.9}, {"loss": 10, "acc": 3}, {"loss"}, "acc", "higher"),
        ({"loss": 1.0, "acc": 0.9}, {"loss": 10, "acc": 10}, {"loss", "acc"}, "loss", "lower"),
        ({"aic": 2620.0, "bic": 2642.0, "wall_s": 3.0}, {}, set(), "aic", "lower"),
        ({"latency_ms": 3.0, "latency_max_ms": 9.0, "events_per_s": 500.0}, {}, set(), "events_per_s", "higher"),
        ({"time_mean_s": 2.0, "time_stddev_s": 0.1}, {}, set(), "time_mean_s", "lower"),
        ({"atoms": 4000.0, "temp": 1.0, "wall_s": 3.0}, {}, set(), "wall_s", "lower"),
    ],
)
def test_the_objective_is_chosen_by_what_was_printed(
    figures: dict[str, float], printed: dict[str, int], beside_loss: set[str], name: str, better: str
) -> None:
    found = objective_of(figures, printed, beside_loss)
    assert found is not None and (found.name, found.better) == (name, better) and found.why


def test_a_lost_loss_stays_the_objective_without_a_value_and_nothing_is_none() -> None:
    found = objective_of({}, {}, lost=["loss"])
    assert found is not None and found.as_json() == {"name": "loss", "better": "lower", "why": "the training loss"}
    assert objective_of({}, {}) is None


def test_a_metric_is_found_by_its_words() -> None:
    assert matching("iter dt", ["iter_dt_ms", "loss"]) == "iter_dt_ms"
    assert matching("dt", ["dt_ms", "dt_s"]) is None
    assert parsed("a:b:max") == ("a:b", 1) and parsed("loss") == ("loss", 0)
