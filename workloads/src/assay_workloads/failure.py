"""How a workload fails: two plain lines for people, one event for the recorder, an exit code for scripts.

Failure         what happened, with a hint; exit 1
└── BadSetting  the words of the command line are off; exit 2
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

import assay


class Failure(Exception):
    """Something a user can understand and act on: never shown as a traceback."""

    exit_code = 1

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


class BadSetting(Failure, ValueError):
    """Refused before anything starts. The code is `bad-flag` unless the request itself is impossible."""

    exit_code = 2

    def __init__(self, message: str, hint: str | None = None, code: str = "bad-flag") -> None:
        super().__init__(code, message, hint)


def start(main: Callable[[Sequence[str]], int | None]) -> NoReturn:
    """Run a workload's `main` on the words of the command line, and leave with its exit code."""
    try:
        code = main(sys.argv[1:]) or 0
        sys.stdout.flush()
    except Failure as failure:
        code = tell(failure)
    except KeyboardInterrupt:
        code = tell(Failure("interrupted", "stopped"), 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 141
    except ModuleNotFoundError as problem:
        code = tell(_missing(problem))
    except (MemoryError, RuntimeError, OSError) as problem:
        known = _known(problem)
        if known is None:
            raise
        code = tell(known)
    _leave(code)


def _leave(code: int) -> NoReturn:
    """One of several processes leaves at once, when all has been said and written: as libtorch 2.13 is taken down,
    about one in eight that met over gloo is ended by `terminate called without an active exception`."""
    from assay_workloads.parallel import is_announced

    if is_announced():
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


def tell(failure: Failure, exit_code: int | None = None) -> int:
    """To people and to the recorder; the exit code to leave with."""
    assay.error(failure.code, failure.message, failure.hint)
    say(f"error: {failure.message}")
    if failure.hint:
        say(f"hint: {failure.hint}")
    return failure.exit_code if exit_code is None else exit_code


def warn(text: str) -> None:
    say(f"warning: {text}")


def say(text: str) -> None:
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        pass


def is_out_of_memory(problem: BaseException) -> bool:
    """Torch has one class for a GPU and a sentence for a CPU."""
    if isinstance(problem, MemoryError) or type(problem).__name__ == "OutOfMemoryError":
        return True
    return isinstance(problem, RuntimeError) and "allocate memory" in str(problem)


def _known(problem: BaseException) -> Failure | None:
    if is_out_of_memory(problem):
        return Failure("out-of-memory", "not enough memory for this batch", "choose a smaller batch_size")
    if isinstance(problem, OSError) and problem.filename:
        return Failure("missing-file", f"`{problem.filename}`: {problem.strerror}")
    return None


def _missing(problem: ModuleNotFoundError) -> Failure:
    name = problem.name or str(problem)
    hint = "pip install 'assay-ml[workloads]'" if name.split(".")[0] in ("torch", "numpy") else f"pip install {name}"
    return Failure("missing-module", f"the Python at `{sys.executable}` has no `{name}`", hint)
