"""Runs of two versions of a program: a note where nobody claims anything, a doubt where they are compared."""

from __future__ import annotations

import json

from conftest import PYTHON, Assay


def _found(assay: Assay, *words: str) -> list[tuple[str, str]]:
    found = json.loads(assay("audit", "--json", *words).stdout)
    listed = found["findings"] if isinstance(found, dict) else found
    return [(one["severity"], one["message"]) for one in listed if one["code"] == "mixed-code"]


def _ran(assay: Assay, rate: float, *words: str) -> None:
    assay.script(f"import assay\nassay.params(batch_size=32)\nassay.result(samples_per_s={rate})\n", "train.py")
    assert assay("run", "-q", *words, "--", PYTHON, "train.py").returncode == 0


def test_runs_of_equal_settings_and_different_code_get_a_note(assay: Assay) -> None:
    for rate in (100.0, 100.0, 120.0):
        _ran(assay, rate)
    said = "3 runs with the same settings are of 2 versions of `train.py`: they are no repeats of each other"
    assert _found(assay, str(assay.runs)) == [("note", said)]


def test_runs_of_one_version_get_none(assay: Assay) -> None:
    for _ in range(2):
        _ran(assay, 100.0)
    assert _found(assay, str(assay.runs)) == []
