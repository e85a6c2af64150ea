"""Every kind of fault: a line each. A kind is a function that takes a `Case`, does its worst and says what is wrong."""

from __future__ import annotations

import signal
from collections.abc import Callable

from faults.case import Case
from faults.kinds import child, lines, recorder, terminal

KINDS: dict[str, Callable[[Case], None]] = {
    "recorder: kill -9": recorder.killed,
    "recorder: kill -9, command listens": recorder.killed_listening,
    "recorder: TERM": recorder.told(signal.SIGTERM),
    "recorder: INT": recorder.told(signal.SIGINT),
    "recorder: INT twice": recorder.interrupted_twice,
    "recorder: HUP": recorder.told(signal.SIGHUP),
    "recorder: STOP and CONT": recorder.stopped,
    "recorder: kill -9 above a daemon": recorder.killed_with_a_daemon,
    "guard: kill -9": recorder.guard_killed,
    "guard and command: kill -9": recorder.guard_and_child_killed,
    "guard and recorder: kill -9": recorder.guard_and_recorder_killed,
    "terminal: recorder kill -9": terminal.killed,
    "terminal: goes away": terminal.hung_up,
    "command: any exit code": child.exits_with_any_code,
    "command: any signal": child.dies_by_any_signal,
    "command: kill -9": child.killed,
    "command: STOP and CONT": child.stopped,
    "command: forks": child.forks,
    "command: daemonises": child.daemonises,
    "command: closes its output": child.closes_its_output,
    "command: cannot start": child.cannot_start,
    "command: its output is refused": child.output_refused,
    "lines: hostile": lines.hostile,
    "lines: TERM amid a flood": lines.told_while_reading,
}
