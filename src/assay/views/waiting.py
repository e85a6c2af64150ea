"""Why runs of a study wait, what to do about it, and why others failed: a line for each reason, not for each run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.study.board import Board
from assay.text import printable

_FEW = 6
#: placeholder for the job's number until those of all runs with the same note are known
_JOB = "\0"
_ELEMENT = re.compile(r"(\d+)_(\d+)")


@dataclass(frozen=True, kw_only=True)
class Note:
    """The same word on one run or many. `needs_you`: time alone will not help."""

    state: str
    text: str
    jobs: Sequence[str]
    needs_you: bool

    @property
    def line(self) -> str:
        """`3 queued: JobHeldUser: held by you: scontrol release '27_[0-2]'`"""
        between = "," if f"scontrol release {_JOB}" in self.text else " "
        return printable(f"  {len(self.jobs)} {self.state}: {self.text.replace(_JOB, _listed(self.jobs, between))}")

    @property
    def key(self) -> tuple[str, str]:
        return self.state, self.text


def notes(board: Board) -> list[Note]:
    """Most frequent first."""
    found: dict[tuple[str, str, bool], list[str]] = {}
    for row in board.of("queued", "running"):
        if row.note:
            text = row.note.replace(row.job_id, _JOB) if row.job_id else row.note
            found.setdefault((row.state, text, row.needs_you), []).append(row.job_id)
    listed = [Note(state=state, text=text, needs_you=you, jobs=jobs) for (state, text, you), jobs in found.items()]
    return sorted(listed, key=lambda note: -len(note.jobs))[:_FEW]


def note_lines(board: Board) -> list[str]:
    """`3 queued: Priority, starts about 11-16 14:05`"""
    return [note.line for note in notes(board)]


def failure_lines(board: Board) -> list[str]:
    """`2 failed: time-limit: the scheduler ended it at its time limit`"""
    errors = [row.summary.error for row in board.of("failed")]
    why = Counter(f"{one.code}: {one.message}" if one.message else str(one.code) for one in errors if one is not None)
    return [printable(f"  {count} failed: {text}") for text, count in why.most_common(_FEW)]


def _listed(jobs: Sequence[str], between: str) -> str:
    """`27_4`, `'27_[0-2,5]'`, `12 13`: as the scheduler's commands take them, of a long list the first."""
    arrays: dict[str, list[int]] = {}
    words: list[str] = []
    for job in jobs:
        element = _ELEMENT.fullmatch(job)
        if element is None:
            words.append(job)
        else:
            arrays.setdefault(element[1], []).append(int(element[2]))
    words += [_element_words(array, sorted(numbers)) for array, numbers in arrays.items()]
    more = f" and {len(words) - _FEW} more" if len(words) > _FEW else ""
    return between.join(words[:_FEW]) + more


def _element_words(array: str, numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"{array}_{numbers[0]}"
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return f"'{array}_[{','.join(str(a) if a == b else f'{a}-{b}' for a, b in spans)}]'"
