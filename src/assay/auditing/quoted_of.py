"""Which runs a quoted figure is of: by their name, by the settings that the sentence names, or by a bare value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.auditing.case import Run
from assay.auditing.meant import has, is_called, is_said, runs_of
from assay.auditing.quotes import Quote
from assay.language.said import Subject


def called(runs: Sequence[Run], quote: Quote) -> list[Run]:
    """Recorded runs that the sentence calls by name; of several, the one called last before the figure."""
    by_name = [run for run in runs if run.is_fresh and is_called(run.summary, quote.sentence.text)]
    pieces = [[run for run in by_name if is_called(run.summary, piece)] for piece in quote.pieces]
    if not pieces or not pieces[0]:
        return by_name  # `91 % for this one and 93 % for that one`
    last = next(several for several in reversed(pieces) if several)
    return last if len({run.name for run in last}) == 1 else by_name


def named(runs: Sequence[Run], of: Sequence[Subject]) -> tuple[Subject, ...] | None:
    """`the 1024 run` by the setting that has this value; None where there is no such one, or more than one."""
    names = [one.name or (runs_of(runs, one)[0] if not one.extreme else "") for one in of]
    if not all(name or one.extreme for name, one in zip(names, of, strict=True)):
        return None
    return tuple(replace(one, name=name) for name, one in zip(names, of, strict=True))


def meant(runs: Sequence[Run], of: Sequence[Subject]) -> list[Run]:
    """Those with every setting that is named; a run that shows nothing of it may be meant too."""
    found = list(runs)
    for subject in of:
        if subject.extreme:
            found = [run for run in runs_of(runs, subject)[1] if run in found]
        elif any(subject.name in run.settings for run in runs):
            found = [one for one in found if _may_have(one, subject)]
    return found


def _may_have(run: Run, subject: Subject) -> bool:
    """It has the setting, is said to have it, or shows nothing of it."""
    known = has(run, subject.name, subject.readings) or is_said(run, subject.name, subject.readings)
    return known or subject.name not in run.settings
