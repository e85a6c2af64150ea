"""How a run ended: status, exit code and error, and what is missing from its record."""

from __future__ import annotations

import signal
from collections.abc import Callable

from assay.model.event import End, How, now
from assay.model.failure import Failure
from assay.recording.child import exit_code, killed_by
from assay.recording.loop import Ended
from assay.recording.reading import Report
from assay.recording.stopping import Stopper
from assay.store.layout import RunDir
from assay.store.writer import EventWriter
from assay.units import show_bytes

_TIMED_OUT = 124  # as timeout(1) has it
#: signals that kill a program that does not handle them, whatever sent them
_ASKING = ("SIGINT", "SIGTERM", "SIGHUP")
#: a program that ends this soon after it was asked to has ended because of it
_SOON_S = 10.0
#: the kernel does this, too, and does not say so where we can read it
_KILLED = "if nobody did that, the machine may have run out of memory: dmesg | tail"
#: what reading the rest of the output may cost: of the time that the command took, and at least this
_READING_SHARE, _READING_S = 0.25, 2.0


class Finish:
    """Adds to `end` what is known at the end. Nothing that breaks in here may cost the exit code."""

    def __init__(self, end: End, begin_s: float, warn: Callable[[str], None]) -> None:
        self.end, self._begin_s, self._warn = end, begin_s, warn
        self.reading_s = _READING_S

    def note(self, ended: Ended, floor_bytes: int) -> None:
        wall_s = round(ended.mono_s - self._begin_s, 6)
        self.reading_s = max(_READING_S, _READING_SHARE * wall_s)
        self.add(wall_s=wall_s)
        if ended.left_behind:
            self.add(left_behind=ended.left_behind, watched_s=round(ended.watched_until_s - self._begin_s, 6))
        if ended.left_alive:
            self._warn(f"{ended.left_alive} processes that the command left behind could not be ended")
        if ended.max_rss_bytes > floor_bytes:
            self.add(rss_bytes_peak=ended.max_rss_bytes)

    def add(self, **fields: float) -> None:
        self.end = self.end.replace(**fields)

    def do(self, step: Callable[[], object]) -> None:
        try:
            step()
        except Exception as problem:
            self._warn(f"the record of this run may lack its end: {problem!r}")

    def told(self, report: Report, run: RunDir, events: EventWriter) -> None:
        """What reading the output came to: on record, and said in a sentence each."""
        said = _said(report, run)
        for event in said:
            events.write(now(event))
        for sentence in [*report.get("problems", ()), *(event.problem for event in said)]:
            self._warn(sentence)


def _said(report: Report, run: RunDir) -> list[How]:
    said: list[How] = []
    left_out = report.get("events_left_out", 0) + report.get("repeated_lines", 0)
    if left_out:
        kept = report.get("events_kept", 0)
        text = f"the output repeats itself: {kept:,} of {kept + left_out:,} readings were kept"
        text += ", among them the first, the last, the extremes and an even sample"
        said.append(How(source="launcher", problem=text, readings_kept=kept, readings_left_out=left_out))
    unread = report.get("unread_bytes", 0)
    if unread or "failed" in report:
        lines = f" ({report['unread_lines']:,} lines)" if report.get("unread_lines") else ""
        why = "reading was stopped" if report.get("stopped") else "reading it took too long"
        why = "what reads it failed" if "failed" in report else why
        text = f"{show_bytes(unread)} of the output{lines} were not read, because {why}"
        text += f"; to read all of it: assay ingest {run.output_log}"
        trace, unread_lines = report.get("failed"), report.get("unread_lines")
        how = How(source="launcher", problem=text, traceback=trace, unread_bytes=unread, unread_lines=unread_lines)
        said.append(how)
    return said


def _stopped_by(name: str | None) -> str:
    return f"stopped by {name}" + (" (Ctrl-C)" if name == "SIGINT" else "")


def how_it_ended(ended: Ended, stopper: Stopper, *, out_of_memory: bool) -> End:
    """Status, exit code and error from how the main process ended and what it was asked."""
    code, name = exit_code(ended.status), killed_by(ended.status)
    end = End(source="launcher", status="completed" if code == 0 else "failed", exit_code=code, signal=name or None)
    asked = stopper.asked_before(ended.mono_s, _SOON_S)
    if asked is not None and ended.status == 0 and stopper.would_have_died(asked):
        asked = None  # it was done by then
    if stopper.timed_out:
        error = Failure(code="time-limit", message="stopped at its --timeout", hint="give it more time")
        return end.replace(status="failed", exit_code=_TIMED_OUT, error=error)
    if asked is not None or stopper.was_killing(ended.mono_s) or name in _ASKING:
        by = signal.Signals(asked).name if asked else name
        return end.replace(status="interrupted", error=Failure(code="interrupted", message=_stopped_by(by)))
    if name == "SIGKILL" and out_of_memory:
        message, hint = "the kernel killed it for lack of memory", "a smaller batch, or more memory for the job"
        return end.replace(error=Failure(code="out-of-memory", message=message, hint=hint))
    if name:
        return end.replace(
            error=Failure(code="crashed", message=f"killed by {name}", hint=_KILLED if name == "SIGKILL" else None)
        )
    if code:
        error = Failure(code="unknown", message=f"exit code {code}", hint="see the end of its output")
        return end.replace(error=error)
    return end
