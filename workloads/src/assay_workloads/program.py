"""How a workload starts and leaves: one line for what a user can act on, and the exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from assay_workloads.failure import Failure, is_out_of_memory, tell
from assay_workloads.parallel import is_announced


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
    if is_announced():
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


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
