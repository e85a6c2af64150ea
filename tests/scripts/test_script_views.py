"""What the views show of ordinary scripts: the part of the data beside every figure, and curves that have points."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Assay
from test_scripts import run_script

from assay.store.layout import RunDir
from assay.views.export.points import load


@pytest.fixture(scope="module")
def keras(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    assay = Assay(tmp_path_factory.mktemp("keras"))
    run_script(assay, "keras_fit")
    return assay


@pytest.fixture(scope="module")
def epochs(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    """A script that counts epochs alone."""
    assay = Assay(tmp_path_factory.mktemp("epochs"))
    run_script(assay, "fastai_table")
    return assay


def shown(assay: Assay, *words: str) -> str:
    done = assay(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_show_names_the_part_of_every_loss_and_accuracy(keras: Assay) -> None:
    text, summary = shown(keras, "show", "last"), keras.summary()
    for words, name in (("loss", "loss"), ("validation loss", "val_loss"), ("test loss", "test_loss")):
        assert f"{words} {summary[name]:.4g}" in text
    assert f"test accuracy {100 * summary['accuracy']:.4g} %" in text


def test_ls_names_the_part_of_an_accuracy(keras: Assay) -> None:
    assert re.search(r"\d+\.\d+ % test\b", shown(keras, "ls"))


def test_a_comparison_names_the_part_of_the_accuracy_and_keeps_the_losses_apart(keras: Assay) -> None:
    text = shown(keras, "compare", "--columns", "loss,val_loss,test_loss,accuracy")
    for heading in ("validation loss", "test loss", "test accuracy %"):
        assert heading in text


def test_every_figure_at_the_end_of_an_epoch_has_that_epochs_last_step(keras: Assay) -> None:
    points = [point for point in load(RunDir(keras.run_dir())).points() if point.name == "val_accuracy"]
    assert [point.step for point in points] == [40, 80, 120]


def test_a_script_that_counts_epochs_alone_has_its_curves_over_epochs(epochs: Assay, tmp_path: Path) -> None:
    points = [point for point in load(RunDir(epochs.run_dir())).points() if point.name == "val_accuracy"]
    assert [point.step for point in points] == [0, 1, 2]
    page = tmp_path / "report.html"
    shown(epochs, "report", "--output", str(page))
    for chart in ("progress-loss", "progress-val_loss", "progress-val_accuracy"):
        assert chart in page.read_text()


def test_a_slow_rank_and_the_wait_for_it_are_shown(assay: Assay) -> None:
    run_script(assay, "four_ranks")
    text = shown(assay, "show", "last")
    assert "4 ranks" in text
    assert "rank 3 is the slowest" in text
    assert "waited" in text
    assert "fastest" in text


def test_each_program_of_a_shell_script_is_shown_with_its_time_and_memory(assay: Assay) -> None:
    run_script(assay, "three_programs")
    parts = {
        part["command"].split()[-1]: part for part in json.loads(shown(assay, "show", "last", "--json"))[0]["parts"]
    }
    assert {"prepare", "train", "evaluate"} <= parts.keys()
    assert parts["train"]["cpu_s"] > 0.3
    assert parts["prepare"]["memory_bytes_max"] > 60_000_000 > parts["evaluate"]["memory_bytes_max"]
    text = shown(assay, "show", "last")
    assert all(f"three_parts.py {name}" in text for name in ("prepare", "train", "evaluate"))
