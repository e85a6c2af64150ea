"""Who watches what: one reader a run and one look at the folder, however many clients there are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

from assay.store.layout import RunDir
from assay.web.folder import RunsFolder
from assay.web.live import LiveRun

#: batches come at most this far apart
PAUSE_S = 0.25
_LIST_PAUSE_S = 0.5
#: a reader outlives its last client so long, since a page that is reloaded comes back
_LINGER_S = 20.0
_ALIVE_S = 10.0


async def _comes(news: asyncio.Future[None]) -> bool:
    """Whether it comes within the time after which a connection has to be shown to be alive."""
    return bool((await asyncio.wait({news}, timeout=_ALIVE_S))[0])


class Watch:
    """Calls `look` in a thread again and again while someone is interested, and wakes those who wait."""

    def __init__(self, look: Callable[[], bool], pause_s: float) -> None:
        self._look, self._pause_s = look, pause_s
        self._news: asyncio.Future[None] | None = None
        self._clients = 0
        self._last_s = time.monotonic()
        self._task: asyncio.Task[None] | None = None

    def touch(self) -> None:
        """Someone is interested: look, and go on looking for a while."""
        self._last_s = time.monotonic()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while self._clients or time.monotonic() - self._last_s < _LINGER_S:
            begin_s = time.monotonic()
            if await asyncio.to_thread(self._look_safely):
                waiting, self._news = self._news, None
                if waiting is not None:
                    waiting.set_result(None)
            await asyncio.sleep(max(0.01, self._pause_s - (time.monotonic() - begin_s)))

    def _look_safely(self) -> bool:
        """A run whose files fail in whatever way costs its own page its news, not the watch."""
        try:
            return self._look()
        except Exception:
            return False

    async def __aenter__(self) -> Watch:
        self._clients += 1
        self.touch()
        return self

    async def __aexit__(self, *problem: object) -> None:
        self._clients -= 1
        self._last_s = time.monotonic()

    @property
    def news(self) -> asyncio.Future[None]:
        """Done when there is something that was not there when it was asked for."""
        if self._news is None:
            self._news = asyncio.get_running_loop().create_future()
        return self._news

    @property
    def idle(self) -> bool:
        return self._task is None or self._task.done()


def _news_of(live: LiveRun) -> Callable[[], bool]:
    """Others may have read the run since we did: what counts is whether there is a new batch."""
    seen = live.seq

    def look() -> bool:
        nonlocal seen
        live.poll()
        before, seen = seen, live.seq
        return seen != before

    return look


class Watches:
    def __init__(self, folder: RunsFolder) -> None:
        self._folder = folder
        self._runs: dict[str, tuple[LiveRun, Watch]] = {}
        self._seen = -1
        self.list = Watch(self._look_at_list, _LIST_PAUSE_S)

    def _look_at_list(self) -> bool:
        self._folder.refresh(_LIST_PAUSE_S * 0.9)
        changed = self._folder.version != self._seen
        self._seen = self._folder.version
        return changed

    def run(self, run: RunDir) -> tuple[LiveRun, Watch]:
        for name in [name for name, (_, watch) in self._runs.items() if watch.idle and name != run.path.name]:
            del self._runs[name]
        live = self._folder.live(run)
        known = self._runs.get(run.path.name)
        if known is None or known[0] is not live:
            known = self._runs[run.path.name] = (live, Watch(_news_of(live), PAUSE_S))
        known[1].touch()
        return known

    async def run_stream(self, run: RunDir, seq: int) -> AsyncIterator[bytes]:
        """Every batch after `seq`, in order; `again` where the whole view has to be asked for anew."""
        live, watch = self.run(run)
        async with watch:
            yield b"retry: 1000\n\n"
            while True:
                news, batches = watch.news, live.after(seq)
                if batches is None:
                    yield b'data: {"again":true,"lost":true}\n\n'
                    return
                for number, content in batches:
                    yield content
                    seq = number
                if not batches and not await _comes(news):
                    yield b": still here\n\n"

    async def list_stream(self, version: int) -> AsyncIterator[bytes]:
        async with self.list:
            yield b"retry: 1000\n\n"
            while True:
                news, now = self.list.news, self._folder.version
                if now != version:
                    version = now
                    yield f"id: {version}\ndata: {version}\n\n".encode()
                elif not await _comes(news):
                    yield b": still here\n\n"
