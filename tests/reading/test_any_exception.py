"""Whatever fails while something is read or checked costs itself: the rest is read, and a line names what failed."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from assay.auditing import audit
from assay.auditing.rules import RULES
from assay.ingest import ingest as ingesting
from assay.ingest import told

LOG = "batch_size = 64\nstep 1 loss 0.9\nstep 2 loss 0.8\nFinal loss: 0.8\n"
TABLE = (
    "| Batch size | Total Time (seconds) | Accuracy |\n|---|---|---|\n| 16 | 12.5 | 91.2 % |\n| 32 | 9.5 | 90.2 % |\n"
)
PAGE = f"# Runs\n\nThe batch size was 128.\n\n```\n{LOG}```\n\n{TABLE}"
STEPS = [
    *((ingesting, name) for name in ("job_of", "is_store", "hold", "keep")),
    *((told, name) for name in ("_told_by_lines", "_told_by_sections", "_told_by_table")),
    *((audit, name) for name in ("case_of_file", "with_recorded", "case_of_runs", "across")),
]
CHECKS = [rule.code for rule in RULES]


def _exceptions() -> Iterator[type[Exception]]:
    for one in vars(builtins).values():
        if isinstance(one, type) and issubclass(one, Exception):
            try:
                one("boom")
            except TypeError:
                continue
            yield one


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "page.md").write_text(PAGE)
    (tmp_path / "run.log").write_text(LOG)
    return tmp_path


def _raising(kind: type[Exception]) -> object:
    def fail(*given: object, **named: object) -> NoReturn:
        raise kind("boom")

    return fail


@pytest.mark.parametrize(("module", "name"), STEPS, ids=[name for _, name in STEPS])
def test_no_step_of_reading_ends_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch, module: object, name: str
) -> None:
    for kind in _exceptions():
        monkeypatch.setattr(module, name, _raising(kind))
        if module is audit:
            cases, problems = audit.load([str(folder)], folder)
            audit.judge(cases, problems)
            assert problems or name == "case_of_runs"  # no run was recorded here
            continue
        report = ingesting.ingest([str(folder)], folder / "runs")
        said = [*report.problems, *(one.why for one in report.files)]
        assert any("cannot be read" in one or "memory" in one for one in said), (kind, said)
        if module is told:  # the log of the page is read all the same
            assert [one.loss for file in report.files for one in file.summaries].count(0.8) == 2


@pytest.mark.parametrize("code", CHECKS)
def test_no_check_ends_the_others(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    cases, _ = audit.load([str(folder)], folder)
    found = {one.code for one in audit.judge(cases)}
    for kind in _exceptions():
        rules = [replace(rule, check=_raising(kind)) if rule.code == code else rule for rule in RULES]
        monkeypatch.setattr(audit, "RULES", rules)
        problems: list = []
        assert found - {code} <= {one.code for one in audit.judge(cases, problems)} <= found
        assert problems


def test_a_head_with_two_words_of_time_is_read(folder: Path) -> None:
    report = ingesting.ingest([str(folder / "page.md")], folder / "runs")
    assert report.problems == [] and report.files[0].why == ""
    assert {one.accuracy for one in report.files[0].summaries} >= {0.912, 0.902}


def test_a_scheduler_whose_answer_cannot_be_read_costs_its_account(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingesting, "known_accounts", _raising(StopIteration))
    report = ingesting.ingest([str(folder / "run.log")], folder / "runs")
    assert "cannot be read" in report.problems[0] and report.files[0].summaries
