"""Faults under a terminal, where the output goes through a pseudo-terminal of the recorder's."""

from __future__ import annotations

import os
import pty
import signal
import sys
import threading

from faults.case import HERE, Case
from faults.checks import begun, ended, exit_is, nothing_lost, processes_of, status_is


def killed(case: Case) -> None:
    """kill -9 of the recorder: what was printed is saved, and nothing beside it."""
    process, close = _seated(case)
    case.moment(process)
    process.kill()
    case.wait(process)
    case.until(lambda: not processes_of(case), "the command to end with its recorder")
    close()
    status_is(case, *(("completed", "interrupted") if ended(case) else ("interrupted", "none")))
    nothing_lost(case)


def hung_up(case: Case) -> None:
    """The terminal goes away: the kernel says HUP to its session, and the command is told once."""
    process, close = _seated(case)
    case.moment(process)
    close()
    done = (0,) if ended(case) or not begun(case) else ()
    exit_is(case, process, 128 + signal.SIGHUP, -signal.SIGHUP, *done, *((0,) if ended(case) else ()))
    status_is(case, "interrupted", *(("completed",) if ended(case) else ("none",)))
    nothing_lost(case, output=False)  # what no terminal took was never printed


def _seated(case: Case):
    """`assay run` in the foreground of a terminal of its own, whose other side is read by a thread."""
    ours, theirs = pty.openpty()
    name = os.ttyname(theirs)
    os.close(theirs)
    words = ("run", "-q", "--interval", "0.05", "--", sys.executable, HERE / "measured.py", 60, 0.004, 0, "die")
    process = case.start(*words, before=(sys.executable, str(HERE / "seat.py"), name))
    reader = threading.Thread(target=_read, args=(ours,), daemon=True)
    reader.start()
    closed: list[int] = []

    def close() -> None:
        if not closed:
            closed.append(ours)
            os.close(ours)

    return process, close


def _read(fd: int) -> None:
    try:
        while os.read(fd, 1 << 16):
            pass
    except OSError:
        return
