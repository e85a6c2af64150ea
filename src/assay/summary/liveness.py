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

#: a recorder writes every five seconds. From elsewhere that may be seen late: a client of NFS writes after 30 s and
#: looks after 60, and clocks differ by a minute
_SILENCE_S = 180.0


def is_running(run: RunDir, started: How | None, asked: Request, last_t: float = 0.0) -> bool:
    """On this host and boot the process itself is asked; from elsewhere, the last thing it wrote. `last_t` is the date
    in it, by its own clock: a file's date may be an old one."""
    facts, host = started or How(), asked.host or Host()
    pid = asked.recorder_pid if facts.recorder_pid is None else facts.recorder_pid
    host_name, boot = facts.host or host.name, facts.boot or host.boot
    if isinstance(pid, int) and boot == boot_id():
        born = birth(pid)
        alive = born is not None and facts.recorder_birth in (None, born)
        if host_name == socket.gethostname():
            return alive
        if alive and facts.recorder_birth is not None:  # the host was given another name
            return True
    newest_t = max((file.changed_ns / 1e9 for file in event_files(run.path)), default=0.0)
    return time.time() - max(newest_t, last_t) < _SILENCE_S
