"""Every error that a user can see.

AssayError          what happened and where, with a hint; exit 1
├── UsageError      the command line, or a file a user wrote, is wrong; exit 2
├── UndecidedError  a check that the data can neither pass nor fail; exit 3
└── RunError        `assay run` itself failed, not the command it was given; exit 125
"""

from __future__ import annotations

from collections.abc import Iterable


class AssayError(Exception):
    """Something a user can understand and act on: never shown as a traceback."""

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(AssayError):
    """The words of the command line, or of a file written by hand, are off."""

    exit_code = 2


class UndecidedError(AssayError):
    """Nothing is wrong, and nothing is shown to be right: more runs, or other ones, are needed."""

    exit_code = 3


class RunError(AssayError):
    """Assay could not do its own part; 125 keeps a child's 1 and 2 the child's."""

    exit_code = 125


def did_you_mean(word: str, choices: Iterable[str], otherwise: str | None = None) -> str | None:
    """A hint that names the closest choice; where none is close, `otherwise`, else a list of them all."""
    import difflib

    known = sorted(choices)
    close = difflib.get_close_matches(word, known, n=1)
    if close:
        return f"did you mean `{close[0]}`?"
    if otherwise is not None:
        return otherwise
    return "choose one of: " + ", ".join(known) if known else None
