"""The run that another is compared with if none is named: the nearest of its study, else of its program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path

from assay.errors import AssayError
from assay.model.request import Request
from assay.store.layout import RunDir

#: in a folder with very many runs, those further away are not considered
_MOST = 300


def nearest(of: RunDir, runs: Sequence[RunDir]) -> RunDir | None:
    """The last one before it, else the next one after it. `runs` are in order."""
    others = [run for run in runs if run.path != of.path]
    at = next((at for at, run in enumerate(runs) if run.path == of.path), len(others))
    asked = of.asked()
    found: RunDir | None = None
    for run, other in _read(chain(islice(reversed(others[:at]), _MOST), islice(others[at:], _MOST))):
        if asked.study is not None and other.study == asked.study:
            return run
        if found is None and program(other) == program(asked):
            found = run
            if asked.study is None:
                break
    return found


def _read(runs: Iterator[RunDir]) -> Iterator[tuple[RunDir, Request]]:
    """Skip warm-up runs of a study, and runs that cannot be read."""
    for run in runs:
        with suppress(AssayError, OSError):
            asked = run.asked()
            if not asked.warmup:
                yield run, asked


def program(asked: Request) -> tuple[str, str]:
    """What ran: a workload, a script, a module or an executable; of an imported run, the system it ran on."""
    if asked.workload:
        return "workload", asked.workload
    if asked.script is not None and asked.script.path:
        return "script", asked.script.path
    words = asked.command
    if words:
        at = next((at for at, word in enumerate(words[:-1]) if word in ("-m", "-c")), None)
        return ("command", Path(words[0]).name) if at is None else (words[at], words[at + 1])
    return "system", asked.system or ""
