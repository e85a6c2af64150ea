"""A server as a separate run: started, waited for, and stopped when its clients have finished."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from assay.errors import RunError
from assay.launchers.places import HERE, Place
from assay.model.event import Phase, now
from assay.model.job import Verdict, cancelled, stopped, unanswered
from assay.model.request import Request
from assay.spec import RunSpec
from assay.store.files import open_file
from assay.store.layout import RunDir
from assay.store.writer import EventWriter
from assay.study.follow import GRACE_S, Follower
from assay.study.single import Single
from assay.summary.build import load_summary

_LOOK_S = 0.1
_LONGEST = 300  # of what it printed
_END_BYTES = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server that answers. `has_ended` is asked while it should still run."""

    run: RunDir
    has_ended: Callable[[], bool]

    @property
    def last_words(self) -> str:
        """What it printed last, else why it could not be started."""
        return _last_words(self.run)


@contextmanager
def serving(
    spec: RunSpec, is_ready: Callable[[], bool], ready_s: float, tell: Callable[[str], None]
) -> Iterator[Server]:
    """The run of a server that answers; it is stopped at the end, and its record is complete then."""
    single = Single(spec, Place(name=HERE, launcher=HERE), Request())
    follower = Follower(single, first_poll_s=_LOOK_S)
    follower.submit([single.job])
    events = EventWriter(single.run.events, tell)
    verdict = stopped()
    try:
        _wait(single.run, follower, is_ready, ready_s, events)
        events.write(_edge("serve", "begin"))
        yield Server(run=single.run, has_ended=lambda: follower.poll() > 0 or not follower.jobs)
        events.write(_edge("serve", "end"))
    except RunError as problem:
        verdict = unanswered(problem.message)
        raise
    except KeyboardInterrupt:
        verdict = cancelled("interrupted before its work was done")
        raise
    finally:
        _stop(single.run, follower, verdict, tell)
        events.close()


def _stop(run: RunDir, follower: Follower, verdict: Verdict, tell: Callable[[str], None]) -> None:
    """SIGTERM, and SIGKILL for one that does not listen. One that ended before its time keeps its own end."""
    if follower.poll() or not follower.jobs:
        return
    said = f"the server ({run.path.name}) did not end within {GRACE_S:g} s of SIGTERM, so it was killed"
    follower.interrupt(lambda text: tell(said), verdict)


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
    with suppress(OSError), open_file(run.path, run.output_log.name) as log:
        log.seek(max(0, log.seek(0, os.SEEK_END) - _END_BYTES))  # servers print a line a request
        lines = log.read().decode("utf-8", "replace").strip().splitlines()
        if lines:
            return f": {lines[-1].strip()[:_LONGEST]}"
    error = load_summary(run).error
    return f": {error.message[:_LONGEST]}" if error is not None and error.message else ""
