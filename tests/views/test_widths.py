"""Every command fits the terminal: no line is wider, and nothing is cut without a sign."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import PYTHON, Assay

from assay.cli.start import start
from assay.launchers.places import load_places
from assay.model.summary import Summary
from assay.store.layout import RunDir
from assay.study.board import Board
from assay.study.file import load_study
from assay.study.plan import plan
from assay.views import terminal
from assay.views.going import Going
from assay.views.live import Screen

LONG = "a-very-long-experiment-name-that-someone-chose-with-the-learning-rate-and-the-batch-size-in-it"
TRAIN = """
import assay
for step in range(1, 21):
    assay.log(step=step, loss=2 / step, samples_per_s=1000 + step, val_accuracy=0.9 - 1 / step / 2)
"""
STUDY = """
study: awkward
about: What does a setting with a very long name change, in a study with a sentence that is longer than any terminal is?
command: [{python}, -c, "print('loss: 0.5')", "{{optimizer_with_a_long_name}}"]
grid: {{optimizer_with_a_long_name: [adamw_torch_fused_with_options, {long}]}}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    assay = Assay(tmp_path_factory.mktemp("widths"))
    for at in (1, 2):
        settings = [f"optimizer_with_a_long_name=adamw_torch_fused_{at}", f"dataset_path=/scratch/{'deep/' * 14}{at}"]
        params = [word for setting in settings for word in ("-p", setting)]
        done = assay("run", "-q", "--name", f"{LONG}-{at}", *params, "--", PYTHON, "-c", TRAIN)
        assert done.returncode == 0, done.stderr
    assay("run", "-q", "--name", "fails", "--", PYTHON, "-c", f"raise SystemExit('no such thing: {'x' * 200}')")
    (assay.folder / "study.yaml").write_text(STUDY.format(python=PYTHON, long=LONG))
    return assay


@pytest.fixture
def printed(
    made: Assay, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., str]]:
    """What a command prints on a terminal that is so wide."""
    monkeypatch.chdir(made.folder)
    monkeypatch.setenv("ASSAY_RUNS", str(made.runs))

    def run(width: int, *words: str) -> str:
        monkeypatch.setattr(terminal, "columns", lambda otherwise=0: width)
        monkeypatch.setattr("assay.cli.show.columns", lambda: width)
        capsys.readouterr()
        start(list(words))
        return capsys.readouterr().out

    yield run


COMMANDS = {
    "ls": ["ls"],
    "show": ["show", f"{LONG}-1"],
    "show of a failure": ["show", "fails"],
    "compare": ["compare"],
    "audit": ["audit"],
    "audit --list": ["audit", "--list"],
    "diff": ["diff", f"{LONG}-1", f"{LONG}-2"],
    "doctor": ["doctor"],
    "study --status": ["study", "study.yaml", "--status"],
}


@pytest.mark.parametrize("width", [80, 120, 200])
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_no_line_is_wider_than_the_terminal(printed: Callable[..., str], words: list[str], width: int) -> None:
    lines = printed(width, *words).splitlines()
    assert len(lines) > 1
    # a path or a name that is wider by itself stays whole, so that it can be copied
    wide = [line for line in lines if terminal.width_of(line) > width and len(line.split()) > 1]
    assert not wide


def test_names_that_differ_at_their_end_look_different_in_a_narrow_list(printed: Callable[..., str]) -> None:
    names = [line.split()[0] for line in printed(80, "ls").splitlines() if line.startswith("a-very")]
    assert len(set(names)) == 2 and all("…" in name for name in names)


def test_what_a_narrow_terminal_shows_is_all_that_a_wide_one_shows(printed: Callable[..., str]) -> None:
    for words in (["show", f"{LONG}-1"], ["audit"]):
        narrow, wide = (" ".join(printed(width, *words).split()) for width in (80, 1000))
        assert [word for word in wide.split() if word not in narrow and "…" not in narrow] == []


def test_a_line_goes_on_beneath_its_text() -> None:
    line = "  doubtful  contended: another run was active on this machine while it ran"
    assert terminal.folded(line, 40) == [
        "  doubtful  contended: another run was",
        "            active on this machine while",
        "            it ran",
    ]
    assert terminal.folded(f"kept in /{'x' * 60}", 40) == ["kept in", f"  /{'x' * 60}"]
    assert terminal.middle_cut("learning-rate-0.1-repeat-2", 15) == "learnin…epeat-2"


def test_the_live_view_has_limits_and_a_time_axis(made: Assay) -> None:
    screen = Screen(RunDir(min(made.run_dirs(), key=_name)))
    screen.update()
    lines = screen.lines(80, 40)
    assert len(lines) == 40 and max(map(terminal.width_of, lines)) <= 80
    loss = next(at for at, line in enumerate(lines) if line.startswith("loss "))
    assert "2┤" in lines[loss]
    axis = next(at for at, line in enumerate(lines) if "┴──" in line)
    assert lines[axis + 1].split()[:2] == ["0", "s"] and "0.1┤" in "".join(lines[loss:axis])


def _name(path: Path) -> str:
    return str(json.loads((path / "run.json").read_text())["name"])


def test_a_running_study_shows_a_bar_and_each_run_its_step_rate_and_loss(made: Assay) -> None:
    (made.folder / "pair.yaml").write_text("study: pair\ncommand: [python, train.py]\nrepeat: 2\n")
    study = load_study(made.folder / "pair.yaml")
    board = Board(plan(study, load_places(None), None), [], ())
    first, second = (RunDir(path) for path in sorted(made.run_dirs(), key=_name)[:2])
    board.rows[0].show("done", first, Summary(steps=40, wall_s=2.0))
    board.rows[1].show("running", second)
    (line,) = Going().lines(board, 120)
    assert "████████░░░░░░░░ 50 %  step 20 of 40  1,020 samples/s  loss 0.1" in line
    (narrow,) = Going().lines(board, 40)
    assert len(narrow) == 40 and narrow.endswith("…")


def test_no_line_ends_between_a_number_and_its_sign() -> None:
    text = "Test loss is lower by 0.287, 95 % interval 0.220–0.354, which is 2.30 × the loss"
    for room in range(20, 80):
        for lines in (terminal.folded(text, room), terminal.paragraph(text, room, 2)):
            assert not any(line.lstrip().startswith(("%", "×")) for line in lines)
            assert "\u00a0" not in "".join(lines)
