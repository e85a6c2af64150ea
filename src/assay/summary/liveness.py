"""Is a run without an end still going on?"""

from __future__ import annotations

import socket
import time

from assay.facts.host import boot_id
from assay.model.event import How
from assay.model.request import Host, Request
from assay.probes.tree import birth
from assay.store.files import event_files
from assay.store.layout import RunDir

#: a recorder writes every five seconds; three missed beats on another host mean that it is gone
_SILENCE_S = 15.0


def is_running(run: RunDir, started: How | None, asked: Request) -> bool:
    """On this host and boot the process itself is asked; from elsewhere, the age of the last thing it wrote."""
    facts, host = started or How(), asked.host or Host()
    pid = asked.recorder_pid if facts.recorder_pid is None else facts.recorder_pid
    host_name, boot = facts.host or host.name, facts.boot or host.boot
    if isinstance(pid, int) and host_name == socket.gethostname() and boot == boot_id():
        born = birth(pid)
        return born is not None and facts.recorder_birth in (None, born)
    newest_ns = max((file.changed_ns for file in event_files(run.path)), default=0)
    return time.time() - newest_ns / 1e9 < _SILENCE_S
