"""What could not be read of a run is said once, to whoever listens; reading itself goes on with the rest."""

from __future__ import annotations

from collections.abc import Callable

#: a server that runs for weeks over a damaged folder must not remember every word it said
_MOST = 10_000
_said: set[str] = set()
_listener: Callable[[str], None] | None = None


def listen(listener: Callable[[str], None] | None) -> None:
    """From now on `listener` gets every notice; a command line prints them, a library hears nothing."""
    global _listener
    _listener = listener
    _said.clear()


def notice(about: str, text: str) -> None:
    """Say `text` of the file or folder `about`, unless something was said of it already."""
    if about in _said or _listener is None:
        return
    if len(_said) >= _MOST:
        _said.clear()
    _said.add(about)
    _listener(text)
