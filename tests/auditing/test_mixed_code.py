"""Runs of two versions of a program: a note where nobody claims anything, a doubt where they are compared."""

from __future__ import annotations

import json

from conftest import PYTHON, Assay


def _found(assay: Assay, *words: str) -> list[tuple[str, str]]:
    found = json.loads(assay("audit", "--json", *words).stdout)
    listed = found["findings"] if isinstance(found, dict) else found
    return [(one["severity"], one["message"]) for one in listed if one["code"] == "mixed-code"]


def _ran(assay: Assay, rate: float, batch_size: int = 32) -> None:
    code = f"import assay\nassay.params(batch_size={batch_size})\nassay.result(samples_per_s={rate})\n"
    assay.script(code, "train.py")
    assert assay("run", "-q", "--", PYTHON, "train.py").returncode == 0


def test_runs_of_equal_settings_and_different_code_get_a_note(assay: Assay) -> None:
    for rate in (100.0, 100.0, 120.0):
        _ran(assay, rate)
    said = "3 runs with the same settings used 2 versions of `train.py`, so they are not repeats of each other"
    assert _found(assay, str(assay.runs)) == [("note", said)]


def test_runs_of_one_version_get_none(assay: Assay) -> None:
    for _ in range(2):
        _ran(assay, 100.0)
    assert _found(assay, str(assay.runs)) == []


def test_a_sentence_that_compares_two_versions_is_doubted(assay: Assay) -> None:
    _ran(assay, 100.0, 32)
    _ran(assay, 300.0, 64)
    page = assay.folder / "page.md"
    page.write_text("# Batch sizes\n\nBatch size 64 is faster than batch size 32.\n")
    said = "the two sides of this comparison ran different versions of the program, which may explain the difference"
    assert _found(assay, str(page), str(assay.runs)) == [("doubtful", said)]
    page.write_text("# Batch sizes\n\nBatch size 64 may be faster than batch size 32.\n")
    assert _found(assay, str(page), str(assay.runs)) == []
