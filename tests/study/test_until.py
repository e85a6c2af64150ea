"""`--until 1%`: repeats are added where an interval is too wide, and the looks in between are paid for."""

from __future__ import annotations

import math
import random

import pytest
from conftest import PYTHON, Assay

from assay.comparing.margins import wanted
from assay.errors import UsageError
from assay.launchers.places import Place
from assay.model.summary import Summary
from assay.stats import LOG
from assay.stats.enough import FIRST_LOOK, half_width
from assay.study.board import Board
from assay.study.board import Row as BoardRow
from assay.study.file import study_of
from assay.study.line import CommandLine
from assay.study.plan import Unit
from assay.study.until import cells_to_repeat, known_so_far, spare

#: the first setting agrees at once, the second never
TRAIN = """
import sys
scatter, repeat = float(sys.argv[1]), int(sys.argv[2])
print(f"{100 + scatter * (-1) ** repeat * (1 + repeat / 10)} samples/s")
"""


@pytest.mark.slow
def test_repeats_are_added_only_where_they_are_needed(assay: Assay) -> None:
    assay.script(TRAIN, "train.py")
    grid = ("--grid", "scatter=0.1,9", "--repeat", "5", "--until", "samples_per_s 1%")
    done = assay("run", *grid, "--", PYTHON, "train.py", "{scatter}", "{repeat}")
    assert done.returncode == 0, done.stderr
    counts = [sum(one["claims"]["scatter"] == value for one in assay.ls()) for value in (0.1, 9)]
    assert counts == [FIRST_LOOK, 5]
    said = done.stderr.decode()
    assert "assay: at most 10 runs of train until samples_per_s is known to ± 1 %" in said
    assert "scatter 0.1: throughput is known to ± 0." in said
    assert f"after {FIRST_LOOK} runs" in said
    assert "scatter 9: throughput is known to ± " in said
    assert "after 5 runs, which is not as narrow as requested" in said
    assert "judged after every run from the fourth on" in said


def board_of(samples: dict[int, list[float]], most: int) -> Board:
    """Runs of several widths that are done, and those that may follow."""
    place = Place(name="local", launcher="local")
    rows = []
    for number, (width, values) in enumerate(samples.items()):
        for repeat in range(most):
            unit = Unit(
                cell=str(width),
                settings={},
                varied={"width": width},
                repeat=repeat,
                seed=None,
                place=place,
                number=number,
            )
            row = BoardRow(unit=unit)
            if repeat < len(values):
                fields = {
                    "id": f"{width}-{repeat}",
                    "name": "a",
                    "status": "completed",
                    "samples_per_s": values[repeat],
                }
                row.show("done", None, Summary.of({**fields, "params": {"width": width}}))
            rows.append(row)
    board = Board([], (), ())
    board.rows = rows
    return board


def test_of_a_difference_the_side_that_scatters_more_gets_the_next_repeat() -> None:
    board = board_of({1: [100, 100.1, 99.9, 100.05], 2: [150, 158, 143, 152]}, most=9)
    asked = wanted("difference samples_per_s 1%")
    (known,) = known_so_far(asked, board)
    assert (known.settings, known.n, known.enough) == ("width 2", (4, 4), False)
    assert cells_to_repeat(asked, board, {"1", "2"}) == {"2"}
    assert cells_to_repeat(asked, board, {"1"}) == {"1"}  # the other may have no more
    spare(asked, board)
    assert len(board.rows) == 18


def test_of_a_difference_that_is_known_well_enough_no_side_is_repeated() -> None:
    board = board_of({1: [100, 100.1, 99.9, 100.05], 2: [150, 150.1, 149.9, 150.05]}, most=9)
    asked = wanted("difference 1%")
    assert [one.enough for one in known_so_far(asked, board)] == [True]
    spare(asked, board)
    assert len(board.rows) == 8


@pytest.mark.slow
def test_a_figure_that_no_run_reports_ends_it_after_the_first(assay: Assay) -> None:
    assay.script(TRAIN, "train.py")
    done = assay("run", "--until", "sample_per_s 1%", "--", PYTHON, "train.py", "1", "1")
    assert (done.returncode, len(assay.ls())) == (1, 1)
    assert "no run reports `sample_per_s` (did you mean `samples_per_s`?)" in done.stderr.decode()


def study(**keys: object) -> object:
    from pathlib import Path

    return study_of(CommandLine(path=Path.cwd() / "line", value={"command": "true", **keys}, lines={}))


def test_a_study_file_says_how_well_a_figure_is_to_be_known() -> None:
    found = study(until="samples_per_s_avg 1%")
    assert (found.until.figure, found.until.amount.value, found.repeat) == ("samples_per_s_avg", 0.01, 30)
    assert study(until="difference accuracy 0.5%").until.difference
    assert study(until="0.5%", repeat=12).repeat == 12
    with pytest.raises(UsageError, match="does not give the width of an interval"):
        study(until="enough")


@pytest.mark.parametrize("ratio", [1.5, 2.5])
def test_what_is_stopped_when_it_is_narrow_still_holds_the_truth(ratio: float) -> None:
    """At scatters where stopping at the first narrow 95 % interval holds it in 91 of 100."""
    draw, held, wanted = random.Random(f"{ratio}"), 0, 0.02
    for _ in range(400):
        values = [100 * math.exp(draw.gauss(0, wanted * ratio)) for _ in range(FIRST_LOOK)]
        while (half := half_width(LOG, values, relative=True)) > wanted and len(values) < 200:
            values.append(100 * math.exp(draw.gauss(0, wanted * ratio)))
        assert half <= wanted
        middle = math.fsum(map(math.log, values)) / len(values)
        held += abs(middle - math.log(100)) <= math.log1p(half)
    assert held / 400 >= 0.93
