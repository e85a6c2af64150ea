"""Parts of a run that cannot be read are reported once; reading continues with the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: a server that runs for weeks over a damaged folder must not remember every word it said
_MOST = 10_000
_said: set[str] = set()
_listener: Callable[[str], None] | None = None


def listen(listener: Callable[[str], None] | None) -> None:
    """From now on `listener` gets every notice; a command line prints them, a library hears nothing."""
    global _listener
    _listener = listener
    _said.clear()


@contextmanager
def heard_by(listener: Callable[[str], None]) -> Iterator[None]:
    """For as long as this lasts, `listener` gets every notice."""
    before = _listener
    listen(listener)
    try:
        yield
    finally:
        listen(before)


def notice(about: str, text: str) -> None:
    """Report `text` about a file or folder, unless something was reported about it before."""
    if about in _said or _listener is None:
        return
    if len(_said) >= _MOST:
        _said.clear()
    _said.add(about)
    _listener(text)
