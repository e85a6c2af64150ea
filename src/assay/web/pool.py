"""Work that may take long: done in a few separate threads, and nobody waits for it without end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from assay.errors import AssayError

T = TypeVar("T")
P = ParamSpec("P")
#: requests that may wait for a thread; one more is told to come back
_MOST_WAITING = 200
_PATIENCE_S = 60.0


class Busy(AssayError):
    """The server cannot answer now; the question was fine."""


class Pool:
    """Used from the server's loop alone."""

    def __init__(self, name: str, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._waiting = 0

    async def run(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        if self._waiting >= _MOST_WAITING:
            raise Busy("the server is busy with other requests", "try again in a moment")
        self._waiting += 1
        try:
            asked = asyncio.get_running_loop().run_in_executor(self._threads, partial(work, *given, **named))
            return await asyncio.wait_for(asked, _PATIENCE_S)
        except asyncio.TimeoutError:
            raise Busy(f"the answer took longer than {_PATIENCE_S:.0f} s", "ask for less at a time") from None
        finally:
            self._waiting -= 1
