"""Is a run without an end still going on?"""

from __future__ import annotations

import socket
import time

from assay.events import Event
from assay.facts.host import boot_id
from assay.model.request import Host, Request
from assay.probes.tree import birth
from assay.store.files import event_files
from assay.store.layout import RunDir

#: a recorder writes every five seconds; three missed beats on another host mean that it is gone
_SILENCE_S = 15.0


def is_running(run: RunDir, started: Event | None, asked: Request) -> bool:
    """On this host and boot the process itself is asked; from elsewhere, the age of the last thing it wrote."""
    facts = started or {}
    pid = facts.get("recorder_pid", asked.recorder_pid)
    host = asked.host or Host()
    host_name, boot = facts.get("host", host.name), facts.get("boot", host.boot)
    if isinstance(pid, int) and host_name == socket.gethostname() and boot == boot_id():
        born = birth(pid)
        return born is not None and facts.get("recorder_birth", born) == born
    newest_ns = max((file.changed_ns for file in event_files(run.path)), default=0)
    return time.time() - newest_ns / 1e9 < _SILENCE_S
