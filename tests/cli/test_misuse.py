"""A wrong word on the command line: what is wrong in one line, what to type in the next, and never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import PYTHON, Assay

from assay.cli.start import start

Printed = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    assay = Assay(tmp_path_factory.mktemp("misuse"))
    for lr in ("0.1", "0.2"):
        done = assay("run", "-q", "--", PYTHON, "-c", "print('loss: 0.5')", "--lr", lr)
        assert done.returncode == 0, done.stderr
    return assay


@pytest.fixture
def said(made: Assay, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Printed:
    """The exit code, and what is written to stderr."""
    monkeypatch.chdir(made.folder)
    monkeypatch.setenv("ASSAY_RUNS", str(made.runs))

    def run(*words: str) -> tuple[int, str]:
        return start(list(words)), capsys.readouterr().err

    return run


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (["rum"], "no command called `rum`", "did you mean `run`?"),
        (["write", "."], "`.` is a folder, not a draft", "name a Markdown file: assay write draft.md"),
        (["write", "no.md"], "there is no draft `no.md`", "name a Markdown file: assay write draft.md"),
        (["export"], "missing option `--to`. Choose from: tensorboard, mlflow, csv, json", "see `assay export --help`"),
        (["compare", "--sort", "los"], "no run reports `los`", "did you mean `loss`?"),
        (["compare", "--columns", "losss"], "no run reports `losss`", "did you mean `loss`?"),
        (["compare", "--only", "table"], "--only needs --markdown", "add --markdown"),
        (["compare", "--where", "loss>9"], "no runs match", "list the runs: assay ls"),
        (["report", "--where", "loss>9"], "no runs match", "list the runs: assay ls"),
        (["export", "--to", "csv", "--where", "loss>9"], "no runs match", "list the runs: assay ls"),
        (["run", "--speed", "2", "--", "true"], "--speed needs --replay", "assay run --replay LOG --speed 2"),
        (["run", "--trust", "--", "true"], "--trust needs --again",
         "name the run to repeat: assay run --again RUN --trust"),
        (["run", "--replay", "."], "`.` is a folder, not a log", "name a saved log: assay run --replay train.log"),
        (["run", "--until", "5", "--", "true"], "`until: 5` does not give the width of an interval",
         "write --until 1%, or name a metric: --until 'samples_per_s_avg 1%'"),
        (["run", "--repeat", "x", "--", "true"], "invalid value for `--repeat`: `x` is not a whole number",
         "see `assay run --help`"),
        (["run", "--repeat", "0", "--", "true"], "invalid value for `--repeat`: it must be 1 to 10000, not 0",
         "see `assay run --help`"),
        (["ls", "-n", "0"], "invalid value for `--last` / `-n`: it must be 1 or more, not 0", "see `assay ls --help`"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_what_to_type(said: Printed, words: list[str], error: str, hint: str) -> None:
    code, text = said(*words)
    assert code in (1, 2, 125)
    assert text == f"error: {error}\nhint: {hint}\n"


def test_a_short_flag_asks_for_help(said: Printed, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["show", "-h"]) == 0
    assert capsys.readouterr().out.startswith("Usage: assay show ")


def test_a_metric_that_no_run_reports_may_be_asked_for_by_its_own_name(said: Printed) -> None:
    assert said("compare", "--columns", "loss,accuracy")[0] == 0


def test_a_file_without_a_draft_folder_is_left_alone(said: Printed, made: Assay) -> None:
    assert said("write", ".")[0] == 2
    assert not list(Path(made.folder).glob("*.page.html"))


def test_limits_are_written_in_words_in_every_help(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for name in ("run", "ls", "study", "serve", "psrecord"):
        start([name, "--help"])
        shown.append(" ".join(capsys.readouterr().out.split()))
    assert not any(sign in text for text in shown for sign in ("<=", ">=x", "[x>", "RANGE"))
    assert "[1 to 10000]" in shown[0] and "[1 or more]" in shown[1] and "[more than 0]" in shown[4]
