"""A study whose script is edited half way says which runs are old, and does them again when asked."""

from __future__ import annotations

import json

import pytest
from conftest import PYTHON, Assay

TRAIN = "import sys, net\nprint('loss:', net.X * float(sys.argv[1]))\n"


@pytest.fixture
def edited(assay: Assay) -> Assay:
    """Two cells of the first version, and a third that is still to be done."""
    assay.script(TRAIN, "train.py")
    assay.script("X = 1\n", "net.py")
    _file(assay, [1, 2])
    assert assay("study", "s.yaml").returncode == 0
    assay.script("X = 3\n", "net.py")
    _file(assay, [1, 2, 4])
    return assay


def _file(assay: Assay, values: list[int]) -> None:
    text = f"study: demo\ncommand: ['{PYTHON}', train.py, '{{lr}}']\ngrid: {{lr: {values}}}\norder: listed\n"
    (assay.folder / "s.yaml").write_text(text)


def _losses(stdout: bytes) -> list[float]:
    return [run["loss"] for run in json.loads(stdout)]


def test_the_runs_of_the_older_version_are_named_with_the_command_that_does_them_again(edited: Assay) -> None:
    done = edited("study", "s.yaml", "--json")
    said = done.stderr.decode()
    assert "2 of 2 runs that are done ran an older version of `train.py`: lr1-r1, lr2-r1" in said
    assert "do them again with: assay study s.yaml --redo" in said
    assert _losses(done.stdout) == [1, 2, 12]
    later = edited("study", "s.yaml", "--status")
    old, new = edited.ls()[0]["id"][-6:], edited.ls()[2]["id"][-6:]
    assert f"see what changed with: assay diff {old} {new}" in later.stderr.decode()
    audit = edited("audit", "--json").stdout.decode()
    assert "mixes 2 versions of `train.py` in the settings it compares" in audit


def test_redo_does_them_again_and_the_old_runs_count_no_more(edited: Assay) -> None:
    again = edited("study", "s.yaml", "--redo", "--json")
    assert "they are done again: lr1-r1, lr2-r1" in again.stderr.decode()
    assert _losses(again.stdout) == [3, 6, 12]
    after = edited("study", "s.yaml")
    assert b"older version" not in after.stderr and b"code" not in after.stdout
    assert len(edited.run_dirs()) == 5
    assert "mixed-code" not in edited("audit", "--json").stdout.decode()


def test_a_study_whose_code_did_not_change_does_not_mention_it(edited: Assay) -> None:
    edited.script("X = 1\n", "net.py")
    done = edited("study", "s.yaml", "--redo", "--json")
    assert (b"older version" in done.stderr, _losses(done.stdout)) == (False, [1, 2, 4])
