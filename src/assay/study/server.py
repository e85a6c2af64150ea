"""A server as a measured run of its own: started, waited for, and stopped when whoever asks it has finished."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from assay.errors import RunError
from assay.launchers.places import HERE, Place
from assay.model.event import Phase, now
from assay.model.job import stopped
from assay.model.request import Request
from assay.spec import RunSpec
from assay.store import job as jobs
from assay.store.layout import RunDir
from assay.store.writer import EventWriter
from assay.study.follow import Follower
from assay.study.single import Single

_LOOK_S = 0.1
_LAST_LINES = 5


def free_port() -> int:
    """One that no one uses now; the server will take it a moment later."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serving(
    spec: RunSpec, is_ready: Callable[[], bool], ready_s: float, tell: Callable[[str], None]
) -> Iterator[RunDir]:
    """The run of a server that answers; it is stopped at the end, and its record is complete then."""
    single = Single(spec, Place(name=HERE, launcher=HERE), Request())
    follower = Follower(single, first_poll_s=_LOOK_S)
    follower.submit(single.job)
    events = EventWriter(single.run.events, tell)
    try:
        _wait(single.run, follower, is_ready, ready_s, events)
        events.write(_edge("serve", "begin"))
        yield single.run
        events.write(_edge("serve", "end"))
    finally:
        if follower.poll() == 0 and follower.jobs:  # one that ended before its time keeps its own end
            jobs.note_verdict(single.run, stopped())
            follower.interrupt()
        events.close()


def _wait(run: RunDir, follower: Follower, is_ready: Callable[[], bool], ready_s: float, events: EventWriter) -> None:
    """The phase `start`; refused where the server ends, or does not answer in time."""
    begin_s, begun = time.monotonic(), False
    while not is_ready():
        if not begun and _has_begun(run, events):  # the record begins with its recorder's first word
            begun = events.write(_edge("start", "begin"))
        follower.poll()
        if not follower.jobs:
            raise RunError(f"the server ended before it was ready{_last_words(run)}", f"assay show {run.path.name}")
        if time.monotonic() - begin_s > ready_s:
            message = f"the server did not answer within {ready_s:g} s{_last_words(run)}"
            raise RunError(message, "give it more time: ready_s=1200")
        time.sleep(_LOOK_S)
    events.write(_edge("start", "end"))


def _has_begun(run: RunDir, own: EventWriter) -> bool:
    return any(path != own.path and path.stat().st_size for path in run.events.iterdir())


def _edge(name: str, edge: str) -> Phase:
    return now(Phase(source="launcher", name=name, edge=edge))


def _last_words(run: RunDir) -> str:
    """What it printed last."""
    with suppress(OSError):
        lines = run.output_log.read_text("utf-8", "replace").strip().splitlines()[-_LAST_LINES:]
        return f": {lines[-1].strip()[:300]}" if lines else ""
    return ""
