"""One bad file costs only itself: whatever goes wrong while it is read becomes a line that names it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from assay.errors import AssayError

T = TypeVar("T")
#: CPU seconds for a file that is read at once, some twenty times what the largest one takes
LONGEST_S = 120.0
_LOOKS = 256


@contextmanager
def guarded(name: str) -> Iterator[None]:
    """A bug in a reader is reported like a bad file, and the rest of an import continues."""
    try:
        yield
    except (AssayError, GeneratorExit):
        raise
    except MemoryError:
        raise AssayError(f"`{name}` needs more memory than there is", "read it on a machine with more memory") from None
    except Exception as problem:
        what = f"{type(problem).__name__}: {problem}".splitlines()[0][:200]
        raise AssayError(
            f"`{name}` cannot be read: {what}", "please report this, with the file if you can"
        ) from problem


def steps(name: str, work: Iterable[Callable[[], Iterable[T]]], problems: list[AssayError]) -> Iterator[T]:
    """What each of these gives; one that fails costs what it would have given, and becomes a problem."""
    for one in work:
        try:
            with guarded(name):
                yield from list(one())
        except AssayError as problem:
            problems.append(problem)


def in_time(items: Iterable[T], name: str, longest_s: float = LONGEST_S) -> Iterator[T]:
    """The same items, as long as working on them does not take too long."""
    ends_s = time.thread_time() + longest_s
    for at, item in enumerate(items):
        if at % _LOOKS == 0 and time.thread_time() > ends_s:
            raise AssayError(
                f"`{name}` takes more than {longest_s:.0f} s to read and was given up", "split it, and try again"
            )
        yield item
