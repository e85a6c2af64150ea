"""The library: what a notebook or a script of someone's own can do with runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError

PAGE = Path(__file__).parent / "seeds" / "page_000.md"
TRAIN = "import sys; print(f'step 1 loss {sys.argv[1]}')"


@pytest.fixture(scope="module")
def runs_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library") / "runs"
    for batch, losses in ((8, ("0.5", "0.52")), (16, ("0.4", "0.42"))):
        for loss in losses:
            assay.run([sys.executable, "-c", TRAIN, loss], params={"batch_size": batch}, runs_dir=folder)
    return folder


def test_a_command_is_run_as_often_as_asked_and_its_runs_come_back(tmp_path: Path) -> None:
    runs = assay.run([sys.executable, "-c", TRAIN, "0.25"], repeat=2, name="two", runs_dir=tmp_path)
    assert [(run.name, run.summary.loss, run.summary.repeat) for run in runs] == [
        ("two-r1", 0.25, 0),
        ("two-r2", 0.25, 1),
    ]
    assert runs[0].output() == "step 1 loss 0.25\n"


def test_a_grid_runs_every_value_and_leaves_warm_ups_out(tmp_path: Path) -> None:
    words = [sys.executable, "-c", "import sys; print('step 1 loss', sys.argv[1])", "{loss}"]
    runs = assay.run(words, grid={"loss": [0.5, 0.25]}, repeat=2, warmup=1, runs_dir=tmp_path)
    assert sorted(run.summary.loss for run in runs) == [0.25, 0.25, 0.5, 0.5]
    assert len(assay.load(runs_dir=tmp_path)) == 5


def test_braces_of_a_program_are_its_own_where_there_is_no_grid(tmp_path: Path) -> None:
    words = [sys.executable, "-c", "loss = 0.5\nprint(f'step 1 loss {loss}', '{{x}}')"]
    runs = assay.run(words, repeat=2, runs_dir=tmp_path)
    assert [run.output() for run in runs] == ["step 1 loss 0.5 {{x}}\n"] * 2


def test_a_command_that_fails_is_a_failed_run_and_no_exception(tmp_path: Path) -> None:
    (run,) = assay.run([sys.executable, "-c", "raise SystemExit(3)"], runs_dir=tmp_path)
    assert (run.summary.status, run.summary.exit_code) == ("failed", 3)


def test_what_cannot_be_run_is_an_error_that_says_why(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="no command"):
        assay.run([], runs_dir=tmp_path)
    with pytest.raises(AssayError, match="0 times"):
        assay.run(["true"], repeat=0, runs_dir=tmp_path)


def test_children_of_the_calling_program_stay_its_own(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assay.run(["true"], runs_dir=tmp_path)
    assert child.poll() is None
    child.communicate(b"\n")
    assert child.returncode == 0


def test_runs_are_loaded_and_chosen_by_conditions(runs_dir: Path) -> None:
    runs = assay.load(runs_dir=runs_dir)
    assert len(runs) == len(assay.load(runs_dir)) == 4
    assert {run.summary.loss for run in runs.where("batch_size>=16")} == {0.4, 0.42}
    assert [type(run) for run in runs[:2]] == [assay.Run] * 2
    assert "batch_size" in runs._repr_html_() and "0.52" in runs._repr_html_()


def test_the_runs_of_a_page_are_loaded_like_recorded_ones() -> None:
    runs = assay.load(PAGE)
    assert {run.summary.system for run in runs} == {"cerebras", "graphcore"}
    assert any(event.kind == "metric" for run in runs for event in run.events())


def test_runs_are_compared_by_what_varies(runs_dir: Path) -> None:
    found = assay.compare(assay.load(runs_dir), by="batch_size")
    assert [group.label for group in found.groups] == ["8", "16"]
    assert any(verdict.figure.name == "loss" for verdict in found.verdicts)
    assert "<td>16</td>" in found._repr_html_()


def test_a_page_is_audited_and_its_findings_are_typed() -> None:
    found = assay.audit(PAGE)
    assert [one.code for one in found.wrong] == ["setting-not-in-effect"]
    assert found.wrong[0].evidence[0].line > 0
    assert "setting-not-in-effect" in found._repr_html_()


def test_a_page_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AssayError):
        assay.audit("no-such-page.md")


def test_a_table_escapes_what_a_log_printed(tmp_path: Path) -> None:
    runs = assay.run(["true"], name="<script>alert(1)</script>", runs_dir=tmp_path)
    assert "<script>" not in runs._repr_html_()


def test_a_measured_program_loads_none_of_the_library() -> None:
    loaded = "import sys, assay; assay.log(loss=1); print([m for m in sys.modules if m.startswith('assay.')])"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_name_that_is_not_there_is_said_like_any_module_says_it() -> None:
    with pytest.raises(AttributeError, match="lode"):
        assay.lode  # noqa: B018
