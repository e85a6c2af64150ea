"""Pump every pattern of the project and print those that take more than their share, as a table with tabs.

    python pump_all.py CHARACTERS

The caller limits this process's CPU time; here each search has a limit of its own, so that one bad pattern is named and
the rest go on.
"""

from __future__ import annotations

import signal
import sys
import time
from types import FrameType

from found import Found, every_pattern
from pumps import pumps

#: CPU seconds a character; what is linear takes a hundredth of it
LIMIT_S = 5e-6
#: what is looked at again has this much longer: a busy machine makes a search slower, and only growth is the question
_PATIENCE = 10
#: the clock of CPU time may move in ticks of 4 ms
_MANY_TICKS_S = 0.1
#: what took less says nothing about growth
_NOTICED = 0.1
#: twice the text takes twice the time, and four times if the pattern is quadratic
_MOST_GROWTH = 3.0
_LOOKS = 8
#: of the text that is tried first
_PART = 5


class TooLong(Exception):
    """A pattern was stopped."""


def _stop(signum: int, frame: FrameType | None) -> None:
    raise TooLong


def seconds(found: Found, method: str, text: str | bytes, limit_s: float, at_least_s: float = 0.0) -> float | None:
    """CPU seconds of one search, or None where it took more than the limit: the engine looks for signals within it."""
    searches, took = 0, 0.0
    began = time.process_time()
    try:
        while not searches or took < at_least_s:
            signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
            found.run(method, text)
            searches += 1
            took = time.process_time() - began
        return took / searches
    except TooLong:
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def text_of(found: Found, pump: tuple[str, str, str], size: int) -> str | bytes:
    before, piece, after = pump
    text = before + piece * (size // len(piece)) + after
    return text.encode("latin-1", "replace") if isinstance(found.pattern, bytes) else text


def slow(found: Found, size: int) -> str | None:
    """The pump that shows it, if there is one."""
    limit_s = LIMIT_S * size
    for pump in pumps(found.pattern, found.flags):
        for method in sorted(found.methods):
            if _is_quick(found, method, text_of(found, pump, size // _PART), limit_s):
                continue
            took = seconds(found, method, text_of(found, pump, size), limit_s)
            if took is not None and took < _NOTICED * limit_s:
                continue
            if not _is_linear(found, method, pump, size, limit_s):
                return f"{method} of {pump[0]!r} + {pump[1]!r} * {size // len(pump[1])} + {pump[2]!r}"
    return None


def _is_quick(found: Found, method: str, text: str | bytes, limit_s: float) -> bool:
    """A part of the text takes so little that all of it could not be noticed, were the pattern quadratic."""
    began = time.perf_counter()
    seconds(found, method, text, limit_s)
    return time.perf_counter() - began < _NOTICED * limit_s / _PART**2


def _is_linear(found: Found, method: str, pump: tuple[str, str, str], size: int, limit_s: float) -> bool:
    """Looked at again and again: others may have kept this machine busy, and a quadratic one never looks linear."""
    whole: list[float] = []
    half: list[float] = []
    for _ in range(_LOOKS):
        for times, length in ((whole, size), (half, size // 2)):
            took = seconds(found, method, text_of(found, pump, length), _PATIENCE * limit_s, _MANY_TICKS_S)
            times += [] if took is None else [took]
        if whole and half and (min(whole) < _NOTICED * limit_s or min(whole) < _MOST_GROWTH * min(half)):
            return True
    return False


def main(size: int) -> None:
    signal.signal(signal.SIGVTALRM, _stop)
    search = every_pattern()
    for line in search.unknown:
        print(f"unknown\t{line}")
    for name in search.not_imported:
        print(f"read\t{name}")
    for found in search.found:
        shown = slow(found, size)
        if shown:
            print(f"slow\t{found.where}\t{shown}\t{found.pattern!r}", flush=True)
    print(f"pumped\t{len(search.found)}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
