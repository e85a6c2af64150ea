"""A loss that became NaN is reported everywhere, unless it recovered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from conftest import PYTHON, Assay

from assay.comparing.rows import rows_of
from assay.model.summary import Summary
from assay.store.layout import RunDir
from assay.summary.build import summarise
from assay.views.table import columns_for, table_text
from assay.views.words import not_finite_words, result_words

NAN = float("nan")


def of(path: Path, *reports: Mapping[str, float]) -> Summary:
    (path / "events").mkdir()
    (path / "run.json").write_text(json.dumps({"v": 1, "id": "20260101T000000-abcdef", "name": "one", "how": "parsed"}))
    lines = [{"v": 1, "kind": "metric", "from": "self", "mono_s": at, **one} for at, one in enumerate(reports)]
    (path / "events" / "a-1-1.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return summarise(RunDir(path))


@pytest.mark.parametrize(
    ("reports", "words"),
    [
        (
            [{"step": 1, "loss": 2.0}, {"step": 2, "loss": NAN}, {"step": 3, "loss": NAN}],
            "the loss became NaN at step 2",
        ),
        ([{"epoch": 3, "train_loss": float("inf")}], "the loss became infinite at epoch 3"),
        ([{"loss": 1.0, "val_loss": NAN}], "the validation loss became NaN"),
    ],
)
def test_a_loss_that_ends_as_nan_is_named_with_its_first_step(
    tmp_path: Path, reports: list[Mapping[str, float]], words: str
) -> None:
    assert (not_finite_words(of(tmp_path, *reports)) or "").startswith(f"{words} and did not recover")


def test_a_loss_that_recovered_is_an_ordinary_loss(tmp_path: Path) -> None:
    summary = of(tmp_path, {"step": 1, "loss": NAN}, {"step": 2, "loss": 0.5})
    assert summary.loss == 0.5 and not summary.not_finite and not_finite_words(summary) is None


def test_tables_and_comparisons_say_that_the_loss_is_nan(tmp_path: Path) -> None:
    summary = of(tmp_path, {"step": 1, "loss": 2.0}, {"step": 2, "loss": NAN})
    assert result_words(summary) == "loss NaN · step 2"
    assert "NaN" in table_text([summary], columns_for([summary]), colour=False)
    assert rows_of([summary]).notes == [
        "Training ended with a loss that is NaN or infinite in one (abcdef), so its loss cannot be compared"
    ]


def test_the_end_of_a_run_warns_of_a_nan_loss(assay: Assay) -> None:
    script = assay.script("for step in range(1, 6): print(f'step {step} loss', 1 / step if step < 3 else float('nan'))")
    ended = assay("run", "--", PYTHON, script)
    assert b"warning the loss became NaN at step 3 and did not recover" in ended.stderr
    assert assay.summary()["not_finite"] == {"loss": "NaN at step 3"}
