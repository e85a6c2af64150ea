"""What is said while a study waits: a line for each reason, with a command that can be copied."""

from __future__ import annotations

import pytest

from assay.cli.watching import _first_seen
from assay.launchers.base import Seen
from assay.launchers.places import Place
from assay.launchers.slurm import Slurm
from assay.study.board import Board, Row
from assay.study.plan import Unit
from assay.views.waiting import note_lines

UNIT = Unit(cell="x", settings={}, varied={}, repeat=0, seed=None, place=Place(name="slurm", launcher="slurm"))


def board(*waiting: tuple[str, str]) -> Board:
    """Of queued runs: job id and reason."""
    found = Board([], [], [])
    for job_id, reason in waiting:
        row = Row(unit=UNIT, state="queued")
        seen = Seen(job_id=job_id, phase="queued", state="PENDING", reason=reason)
        row.heard(seen, Slurm().remedy(seen))
        found.rows.append(row)
    return found


@pytest.mark.parametrize(
    ("ids", "command"),
    [
        (["27_0"], "scontrol release 27_0"),
        (["27_0", "27_1", "27_2", "27_7"], "scontrol release '27_[0-2,7]'"),
        (["12", "13"], "scontrol release 12,13"),
        ([f"{number}" for number in range(10, 20)], "scontrol release 10,11,12,13,14,15 and 4 more"),
    ],
)
def test_jobs_that_wait_for_the_same_are_one_line_with_one_command(ids: list[str], command: str) -> None:
    (line,) = note_lines(board(*((one, "JobHeldUser") for one in ids)))
    assert line == f"  {len(ids)} queued: JobHeldUser: held by you or in your name: {command}"


def test_scancel_takes_its_jobs_one_by_one() -> None:
    (line,) = note_lines(board(("12", "PartitionTimeLimit"), ("13", "PartitionTimeLimit")))
    assert line.endswith("scancel 12 13")


def test_what_time_alone_will_not_mend_is_said_at_once_and_once() -> None:
    said = _first_seen()
    waiting = board(("12", "Priority"))
    assert said(waiting) == []
    waiting.word = "the queue takes no more jobs of yours now (AssocMaxSubmitJobLimit)"
    assert said(waiting) == [waiting.word]
    held = board(("12", "JobHeldUser"))
    held.word = waiting.word
    assert said(held) == ["  1 queued: JobHeldUser: held by you or in your name: scontrol release 12"]
    assert said(board(("12", "JobHeldUser"), ("13", "JobHeldUser"))) == []
