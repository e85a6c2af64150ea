"""`assay run --on PLACE …`: the same run, somewhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from assay.cli.start import say
from assay.cli.watching import stopping
from assay.launchers.places import load_places, parse_place
from assay.model.request import Request
from assay.recording.record import Outcome
from assay.spec import RunSpec
from assay.store.notices import heard_by
from assay.study.single import Single
from assay.summary.build import load_summary


def run_on(spec: RunSpec, place_words: str, *, quiet: bool) -> Outcome | int:
    """The outcome once it has ended, or an exit code if the run continues without us."""
    return finish(Single(spec, parse_place(place_words, load_places()), Request()), quiet=quiet)


def finish(single: Single, *, quiet: bool) -> Outcome | int:
    """Submit a run that is ready, and follow it to its end."""
    tell: Callable[[str], None] = (lambda text: None) if quiet else (lambda text: say(f"assay: {text}"))
    follow = _Follow(single.run.output_log)
    with stopping(), heard_by(tell):
        ended = single.see_through(follow.more, tell)
    if not ended:
        return 130
    follow.more()
    summary = load_summary(single.run)
    code = summary.exit_code
    failed = summary.status != "completed"
    return Outcome(exit_code=code or 1 if failed else 0, run=single.run, summary=summary)


class _Follow:
    """What the command printed since we last looked, to our own standard output."""

    def __init__(self, log: Path) -> None:
        self._log, self._read = log, 0

    def more(self) -> None:
        try:
            with open(self._log, "rb") as file:
                if os.fstat(file.fileno()).st_size < self._read:
                    self._read = 0  # it began again
                file.seek(self._read)
                content = file.read()
        except OSError:
            return
        if content and sys.stdout is not None:
            self._read += len(content)
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
