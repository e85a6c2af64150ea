"""The load: so many requests always in flight (closed), or arriving at a rate, whatever the server can do (open).

The client also measures itself: how late its loop is, how late an open loop sends, and its CPU use.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.serving.exchange import Exchange

#: makes and sends the request of this index, planned for this moment, and waits for its end
Send = Callable[[int, float | None], Awaitable[Exchange]]
_LOOK_S = 0.05


@dataclass(frozen=True, kw_only=True)
class Driven:
    """What a load came to. Lateness is that of the client's own loop, looked at twenty times a second."""

    exchanges: list[Exchange]
    began_s: float
    ended_s: float
    cpu_s: float
    late_ms: list[float]
    stopped: bool = False  # by Ctrl-C, before all requests were sent and answered

    @property
    def seconds(self) -> float:
        """From the first request sent to the last one ended."""
        return self.ended_s - self.began_s


async def drive(load: Awaitable[None], finished: list[Exchange]) -> Driven:
    """The load, watched. What had `finished` when it was stopped is not lost."""
    late_ms: list[float] = []
    watching, stopped = asyncio.ensure_future(_watch(late_ms)), False
    cpu_s, began_s = time.process_time(), time.monotonic()
    try:
        await load
    except asyncio.CancelledError:
        stopped = True
    finally:
        watching.cancel()
    cpu_s = time.process_time() - cpu_s
    first_s = min((one.sent_s for one in finished), default=began_s)
    last_s = max((one.ended_s for one in finished), default=first_s)
    return Driven(
        exchanges=list(finished), began_s=first_s, ended_s=last_s, cpu_s=cpu_s, late_ms=late_ms, stopped=stopped
    )


async def closed(send: Send, count: int, concurrency: int) -> None:
    """`concurrency` requests at a time: each is followed by the next as soon as it has ended."""
    numbers = iter(range(count))

    async def work() -> None:
        for index in numbers:
            await send(index, None)

    await _together([asyncio.ensure_future(work()) for _ in range(min(concurrency, count))])


async def opened(send: Send, count: int, rate: float, *, poisson: bool, seed: int) -> None:
    """A request at each moment of the plan."""
    begin_s, tasks = time.monotonic() + 0.01, list[asyncio.Future[Exchange]]()
    for index, offset_s in enumerate(moments(count, rate, poisson=poisson, seed=seed)):
        planned_s = begin_s + offset_s
        wait_s = planned_s - time.monotonic()
        if wait_s > 0:
            await asyncio.sleep(wait_s)
        tasks.append(asyncio.ensure_future(send(index, planned_s)))
    await _together(tasks)


def moments(count: int, rate: float, *, poisson: bool, seed: int) -> Iterator[float]:
    """Seconds after the begin: evenly spaced, or as independent users arrive."""
    source, at_s = random.Random(seed), 0.0
    for _ in range(count):
        yield at_s
        at_s += source.expovariate(rate) if poisson else 1 / rate


async def _together(tasks: Sequence[asyncio.Future[Any]]) -> None:
    """All of them; where one fails (a mistake of ours) the others do not go on unseen."""
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def _watch(late_ms: list[float]) -> None:
    while True:
        due_s = time.monotonic() + _LOOK_S
        await asyncio.sleep(_LOOK_S)
        late_ms.append(1e3 * max(0.0, time.monotonic() - due_s))
