"""Recorders that end with the process that started them: a server must not outlive its measurement.

`assay run --serve` stops its server when it ends, but nobody can act on SIGKILL. So the kernel sends its recorders a
SIGTERM then, and they stop what they record and keep what they have measured. What ignores that is killed a moment
later, since no one is left who could do it.
"""

from __future__ import annotations

import os
import signal
import sys

from assay.errors import RunError

_STARTED_BY = "ASSAY_ENDS_WITH"
_PR_SET_PDEATHSIG = 1
_starter: int | None = None  # whom this recorder must not outlive


def tie_to_us() -> None:
    """All recorders that this process starts from now on."""
    os.environ[_STARTED_BY] = str(os.getpid())


def end_with_our_starter() -> None:
    """Called by a recorder, before its command starts. The variable is not for the command."""
    starter = os.environ.pop(_STARTED_BY, "")
    if not starter or sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    global _starter
    _starter = int(starter)
    if starter_has_died():  # before we could ask
        raise RunError("the process that started this run was killed")


def starter_has_died() -> bool:
    """Whether the process that started us is gone: the kernel gives us another parent before it sends the signal."""
    return _starter is not None and os.getppid() != _starter
