"""How a workload fails: two plain lines for people, one event for the recorder, an exit code for scripts.

Failure         what happened, with a hint; exit 1
└── BadSetting  the words of the command line are off; exit 2
"""

from __future__ import annotations

import sys

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
