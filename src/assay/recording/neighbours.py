"""Other measured runs on this host, because runs side by side disturb each other.

Each recorder holds an abstract socket whose name the kernel lists for every user and forgets when the process dies:
no files, nothing stale after a kill. Systems without such sockets see no neighbours.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress

from assay.probes.tree import ancestors

_PREFIX = "assay-run:"
#: the same for a client and the server that was started for it, which are measured together on purpose
TOGETHER = "ASSAY_TOGETHER"
_MOST_BYTES = 100


class Flag:
    """Shows that a run is being measured here, for as long as this process lives."""

    def __init__(self, run_name: str) -> None:
        mark = os.environ.pop(TOGETHER, "")  # the command has no use for it
        self._mark = f"@{mark}" if mark else ""
        self.name = f"{_PREFIX}{os.getpid()}:{run_name}"[: _MOST_BYTES - len(self._mark)] + self._mark
        self._socket: socket.socket | None = None
        self._around: set[int] = set()  # those that we run inside of, looked up once
        if sys.platform == "linux":
            with suppress(OSError):
                self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                self._socket.bind(b"\0" + os.fsencode(self.name))

    def others(self) -> list[str]:
        """`<pid> <run>` of each other measured run, except those that we run inside of, or that run inside of us."""
        if self._socket is None:
            return []
        us, flags = os.getpid(), [name for name in _flags() if name != self.name]
        if self._mark:
            flags = [name for name in flags if not name.endswith(self._mark)]
        if flags and not self._around:
            self._around = {*ancestors(us), us}
        found = []
        for name in flags:
            pid, _, run_name = name.removeprefix(_PREFIX).partition("@")[0].partition(":")
            if self.name.partition("@")[0].partition(":")[2].partition(":")[2] == run_name:
                continue  # another node of the same run, tried on this host
            if pid.isdigit() and int(pid) not in self._around and us not in ancestors(int(pid)):
                found.append(f"{pid} {run_name}")
        return sorted(found)

    def warn_of_others(self, warn: Callable[[str], None]) -> None:
        """One line, however many there are."""
        others = self.others()
        if len(others) == 1:
            pid, _, name = others[0].partition(" ")
            warn(f"another Assay run is active on this machine (`{name}`, process {pid}); both timings may suffer")
        elif others:
            warn(f"{len(others)} other Assay runs are active on this machine; all timings may suffer")

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()


def _flags() -> list[str]:
    try:
        with open("/proc/net/unix", errors="surrogateescape") as file:
            lines = [line for line in file if _PREFIX in line]
    except OSError:
        return []
    return [line[line.index("@" + _PREFIX) + 1 :].rstrip("\n") for line in lines if "@" + _PREFIX in line]
