"""Our own words on stderr beside those of a command: a reader that pauses holds up neither the command nor its signals.

What cannot be written now is written with the next word, and the rest at the end, when there is time to wait for it.
"""

from __future__ import annotations

import select
import signal
import sys
import threading
import time
from contextlib import suppress

from assay.recording.sink import Sink

_LOOK_AGAIN_S, _HURRIED_S = 0.1, 1.0
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)


class Words:
    """What is to be said, as far as it has not been taken yet."""

    def __init__(self) -> None:
        self._sink = Sink(sys.stderr.fileno())
        self._unsaid, self._lock = b"", threading.Lock()

    def say(self, text: str) -> None:
        content = f"{text}\n".encode(sys.stderr.encoding, sys.stderr.errors or "backslashreplace")
        with self._lock:
            self._unsaid += content
            self._pass_on()

    def finish(self, patience_s: float | None) -> None:
        """Wait for the reader until a signal comes, also one that no longer counts for the command."""
        until_s = None if patience_s is None else time.monotonic() + patience_s
        asked: list[int] = []
        while not self._is_through() and not asked and (until_s is None or time.monotonic() < until_s):
            for number in _ENDING:
                signal.signal(number, lambda number, _: asked.append(number))
            select.select([], [self._sink.fd] if self._unsaid else [], [], _LOOK_AGAIN_S)
            with self._lock:
                self._pass_on()
            for number in _ENDING:
                signal.signal(number, signal.SIG_IGN)

    def _is_through(self) -> bool:
        return not self._unsaid and self._sink.is_through()

    def _pass_on(self) -> None:
        try:
            while self._unsaid:
                self._unsaid = self._unsaid[self._sink.write(self._unsaid) :]
        except BlockingIOError:
            return
        except OSError:
            self._unsaid = b""


#: of a process that records; none before its first word
_words: list[Words] = []


def say_beside(text: str) -> None:
    if not _words:
        try:
            _words.append(Words())
        except OSError:  # no descriptor is left
            print(text, file=sys.stderr, flush=True)
            return
    _words[0].say(text)


def finish_words(*, hurried: bool = False) -> None:
    """A reader that pauses gets a moment if someone has asked us to leave, and else all the time that it takes."""
    while _words:
        with suppress(OSError, ValueError):
            _words.pop().finish(_HURRIED_S if hurried else None)
