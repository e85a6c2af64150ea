"""Faults of where runs are kept: full, too small a limit, read-only, gone."""

from __future__ import annotations

import resource
import shutil

from faults.case import HERE, Case
from faults.checks import exit_is, listed, nothing_lost, work_is_done
from faults.mounts import failing_disk, small_disk

_CODE = 5


def full(case: Case) -> None:
    """A disk of a few hundred kilobytes, and a command that prints more than that."""
    case.runs.mkdir()
    with small_disk(case, case.chance.choice((64, 128, 256))):
        (case.folder / "content").write_bytes(b"step 1 loss 0.5 and more of it\n" * 20_000)
        process = case.run(HERE / "printing.py", "content", case.seed, 0.1)
        _goes_on(case, process)
        _is_not_running(case)


def limited(case: Case) -> None:
    """The recorder's files may grow no more from some moment on, and a while later may again."""
    case.discards = True  # the limit would hold for the file that takes our output, too
    process = case.measured(steps=150, code=_CODE)
    case.discards = False
    if case.begun(process):
        case.moment(process)
        limit = case.chance.choice((0, 100, 2000))
        try:
            hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)[1]
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit, hard))
            case.moment(process)
            if case.chance.random() < 0.5:
                resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        except ProcessLookupError:
            pass
    _goes_on(case, process)
    _is_not_running(case)
    nothing_lost(case, output=False)  # the command's own events are its own files


def read_only(case: Case) -> None:
    """A file system that turns read-only at an error, as ext4 does, while the command runs. It goes on."""
    case.runs.mkdir()
    with failing_disk(case) as fail:
        process = case.measured(steps=150, code=_CODE, quiet=False)
        if case.begun(process):
            case.moment(process)
            fail()
        _goes_on(case, process)
        _is_not_running(case)
        if b"running" in case.stderr_of(process):
            case.wrong("wrong status", "the closing words say that it is running")


def removed(case: Case) -> None:
    """The whole folder, or the run, or its events, while the command runs."""
    process = case.measured(steps=150, code=_CODE)
    case.moment(process)
    victims = [case.runs, *case.runs.glob("[!.]*"), *case.runs.glob("[!.]*/events")]
    victim = case.chance.choice(victims)
    shutil.rmtree(victim, ignore_errors=True)
    if process.poll() is None and not case.ledger.exists():
        exit_is(case, process, _CODE, 125)  # it was not there to be written in: nothing was started
    else:
        _goes_on(case, process)
    _is_not_running(case)


def not_writable(case: Case) -> None:
    """A file where the folder should be, or a folder below a file: refused before anything starts."""
    case.runs.write_text("a file\n")
    case.env["ASSAY_RUNS"] = str(case.runs / "below") if case.chance.random() < 0.5 else str(case.runs)
    process = case.measured()
    exit_is(case, process, 125)
    if case.ledger.exists():
        case.wrong("harmed", "it was started, and nothing of it can be kept")


def _goes_on(case: Case, process) -> None:
    exit_is(case, process, _CODE)
    work_is_done(case)


def _is_not_running(case: Case) -> None:
    """Where its end could not be written, `interrupted` is all that can be known of it; `running` is a lie."""
    for summary in listed(case):
        if summary.get("status") not in ("failed", "interrupted"):
            case.wrong("wrong status", f"{summary.get('status')}, expected failed or interrupted")
