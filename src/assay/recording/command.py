"""See a command through to its end, whatever fails on our side."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from assay.model.event import How, now
from assay.recording.loop import Ended, Loop
from assay.recording.pump import Pump
from assay.recording.signals import Signals
from assay.recording.stopping import Stopper
from assay.spec import RunSpec
from assay.store.writer import Appender, EventWriter


@dataclass(frozen=True)
class Command:
    """A command that runs, and what there is to carry it on with if our loop fails."""

    child: int
    loop: Loop
    pumps: list[Pump]
    log: Appender
    living: Callable[[], list[int]]
    stopper: Stopper
    events: EventWriter
    warn: Callable[[str], None]

    def see_through(self, spec: RunSpec, signals: Signals, begun: tuple[Callable[[], object], ...]) -> Ended:
        """`begun` is done first. A mistake of ours costs the record its best parts, and the command nothing."""
        began_s = time.monotonic()
        for step in begun:
            try:
                step()
            except Exception as problem:
                self._note(problem)
        try:
            return self.loop.run(self.child, signals, spec.timeout_s)
        except Exception as problem:
            self._note(problem)
        from assay.recording.plain import Plain

        plain = Plain(
            child=self.child,
            pipes=[pump.hand_over() for pump in self.pumps if pump.open],
            log=self.log.fd,
            living=self.living,
            times_out_at_s=None if spec.timeout_s is None else began_s + spec.timeout_s,
            ended=self.loop.ended,
        )
        status, mono_s, max_rss_bytes = plain.run(signals, keep_daemons=spec.keep_daemons)
        self.stopper.timed_out = self.stopper.timed_out or plain.timed_out
        left = plain.left_behind
        until_s = time.monotonic() if left else mono_s
        return Ended(
            status=status, mono_s=mono_s, watched_until_s=until_s, max_rss_bytes=max_rss_bytes, left_behind=left
        )

    def _note(self, problem: Exception) -> None:
        said = f"a part of assay failed ({type(problem).__name__}: {problem})"[:300]
        said += "; the command went on, and its record has gaps"
        import traceback

        trace = "".join(traceback.format_exception(problem))[-4000:]
        try:
            self.events.write(now(How(source="launcher", problem=said, traceback=trace)))
            self.warn(said)
        except Exception:  # nothing of ours is worth a command
            return
