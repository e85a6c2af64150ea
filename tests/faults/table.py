"""Every kind of fault: a line each. A kind is a function that takes a `Case`, does its worst and says what is wrong."""

from __future__ import annotations

import signal
from collections.abc import Callable

from faults.case import Case
from faults.kinds import afterwards, child, disk, inside, lines, page, readers, recorder, study, terminal, writers

KINDS: dict[str, Callable[[Case], None]] = {
    "recorder: kill -9": recorder.killed,
    "recorder: kill -9, command listens": recorder.killed_listening,
    "recorder: TERM": recorder.told(signal.SIGTERM),
    "recorder: INT": recorder.told(signal.SIGINT),
    "recorder: INT twice": recorder.interrupted_twice,
    "recorder: HUP": recorder.told(signal.SIGHUP),
    "recorder: STOP and CONT": recorder.stopped,
    "recorder: kill -9 above a daemon": recorder.killed_with_a_daemon,
    "guard or reader: kill -9": recorder.helper_killed,
    "helpers: STOP": recorder.helpers_stopped,
    "guard and command: kill -9": recorder.helpers_and_child_killed,
    "guard and recorder: kill -9": recorder.helpers_and_recorder_killed,
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
    "command: its environment": child.environment,
    "reader pauses: pipe": readers.pauses("pipe"),
    "reader pauses: FIFO": readers.pauses("FIFO"),
    "reader pauses: pseudo-terminal": readers.pauses("pseudo-terminal"),
    "reader pauses: socket": readers.pauses("socket"),
    "lines: hostile": lines.hostile,
    "lines: TERM amid a flood": lines.told_while_reading,
    "lines: logs that are spoilt": lines.spoilt_logs,
    "inside: readers raise": inside.sick("readers"),
    "inside: probes raise": inside.sick("probes"),
    "inside: no facts of the host": inside.sick("facts"),
    "inside: the clock jumps": inside.clock_jumps,
    "inside: no summary": inside.summary_fails,
    "disk: full": disk.full,
    "disk: files may not grow": disk.limited,
    "disk: read-only": disk.read_only,
    "disk: removed": disk.removed,
    "disk: no folder": disk.not_writable,
    "events: many writers": writers.many,
    "events: torn lines": writers.torn,
    "events: writers killed": writers.killed,
    "events: killed amid a flood": writers.between_write_and_flush,
    "study: driver kill -9": study.driver_killed,
    "study: driver INT or TERM": study.driver_told,
    "study: recorder kill -9": study.recorder_killed,
    "page: bad questions": page.bad_questions,
    "page: server kill -9": page.killed,
    "afterwards: damaged run": afterwards.damaged,
}
