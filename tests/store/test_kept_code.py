"""The texts of the code: once for all runs, with each run wherever it goes, and gone with the last."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import PYTHON, Assay

from assay.store.code import text_of, with_code
from assay.store.layout import RunDir

TRAIN = "import net\nprint('loss:', net.LOSS)\n"


@pytest.fixture
def twice(assay: Assay) -> Assay:
    assay.script(TRAIN, "train.py")
    assay.script("LOSS = 1\n", "net.py")
    for _ in range(2):
        assert assay("run", "-q", "--", PYTHON, "train.py").returncode == 0
    return assay


def _stored(assay: Assay) -> list[Path]:
    return sorted((assay.runs / ".code").glob("*.py"))


def test_two_runs_of_one_script_share_its_text(twice: Assay) -> None:
    one, two = twice.run_dirs()
    assert (one / "code" / "train.py").read_text() == TRAIN
    assert (one / "code" / "net.py").stat().st_ino == (two / "code" / "net.py").stat().st_ino
    assert len(_stored(twice)) == 2
    assert (one / "code.json").stat().st_ino == (two / "code.json").stat().st_ino


def test_a_run_that_is_moved_by_itself_takes_its_code_along(twice: Assay, tmp_path: Path) -> None:
    away = RunDir(Path(shutil.move(twice.run_dirs()[0], tmp_path / "away")))
    shutil.rmtree(twice.runs)
    asked = with_code(away, away.asked())
    assert asked.script is not None and asked.script.text == TRAIN
    assert asked.code is not None and text_of(away, asked.code.files[1]) == "LOSS = 1\n"


def test_texts_are_removed_with_the_last_run_that_holds_them(twice: Assay) -> None:
    twice.script("LOSS = 2\n", "net.py")
    assert twice("run", "-q", "--", PYTHON, "train.py").returncode == 0
    assert len(_stored(twice)) == 3
    assert twice("rm", "--yes", "last").returncode == 0
    assert len(_stored(twice)) == 2
    assert twice("rm", "--yes", *(run.name for run in twice.run_dirs())).returncode == 0
    assert list((twice.runs / ".code").iterdir()) == []


def test_a_runs_folder_that_takes_no_store_still_keeps_the_code(assay: Assay) -> None:
    assay.runs.mkdir()
    (assay.runs / ".code").write_text("something else")
    assay.script("print(1)\n", "train.py")
    assert assay("run", "-q", "--", PYTHON, "train.py").returncode == 0
    assert (assay.run_dir() / "code" / "train.py").read_text() == "print(1)\n"


def test_what_lies_beside_the_folder_of_the_script_is_kept_inside_the_run(assay: Assay) -> None:
    (assay.folder / "tools").mkdir()
    assay.script("import net\n", "tools/train.py")
    assay.script("LOSS = 1\n", "net.py")
    assert (
        assay("run", "-q", "--", PYTHON, "tools/train.py", env={**assay.environment(), "PYTHONPATH": "."}).returncode
        == 0
    )
    assert (assay.run_dir() / "code" / "_up" / "net.py").read_text() == "LOSS = 1\n"
