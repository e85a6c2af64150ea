"""This machine: the recorder is started at once, and continues if the process that started it dies.

Several nodes here are several recorders on one machine, each with its own torchrun: what a script does on three nodes
can be tried on one.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress

from assay.launchers.base import Job, Seen, Traits
from assay.launchers.script import prepared, recorder_words
from assay.model.job import Verdict


class Local:
    """Children of this process, in separate sessions: we pass a Ctrl-C on to them, once."""

    name = "local"
    traits = Traits()

    def __init__(self) -> None:
        self._started: dict[str, list[subprocess.Popen[bytes]]] = {}

    def submit(self, job: Job) -> str:
        master = f"127.0.0.1:{free_port()}" if job.place.nodes > 1 else ""
        (job.folder / "setup-failed").unlink(missing_ok=True)  # of a try before this one
        self._started[job.name] = [self._start(job, rank, master) for rank in range(job.place.nodes)]
        return str(self._started[job.name][0].pid)

    def _start(self, job: Job, rank: int, master: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, **job.place.env, **job.env}
        if job.place.nodes > 1:
            environment.update(
                ASSAY_NODE=f"{socket.gethostname()}.{rank}", ASSAY_NODE_RANK=str(rank), ASSAY_MASTER=master
            )
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        with open(os.open(job.folder / "output", flags, 0o644), "ab") as output:
            return subprocess.Popen(
                prepared(job, [*recorder_words(job.place), str(job.run.path), "--", *job.command]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # the record has it
                stderr=output,
                cwd=job.folder,  # not where the command runs: what lies there must not be taken for ours
                env=environment,
                start_new_session=True,
            )

    def poll(self, jobs: Mapping[str, str]) -> dict[str, Seen]:
        found = {}
        for name, processes in self._started.items():
            codes = [process.poll() for process in processes]
            phase = "running" if None in codes else "gone"
            found[name] = Seen(job_id=str(processes[0].pid), phase=phase, state=phase)
        return found

    def cancel(self, jobs: Mapping[str, str]) -> None:
        self._signal(jobs, signal.SIGTERM)

    def kill(self, jobs: Mapping[str, str]) -> None:
        """A recorder that gets a second SIGINT soon after the first kills all that it started, and ends its record."""
        self._signal(jobs, signal.SIGINT)

    def _signal(self, jobs: Mapping[str, str], number: int) -> None:
        """Ours by their handles; those of an earlier process by their ids, which the caller has seen alive."""
        for name, job_id in jobs.items():
            if name in self._started:
                for process in self._started[name]:
                    if process.poll() is None:
                        process.send_signal(number)
            elif job_id.isdigit():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(int(job_id), number)

    def remedy(self, seen: Seen) -> str | None:
        return None

    def verdict(self, seen: Seen, output: str) -> Verdict | None:
        return None


class Torchrun(Local):
    """The same with several processes: see launchers/torchrun.py."""

    name = "torchrun"
    traits = Traits(spreads=True)


def free_port() -> int:
    """A port that is free now; the caller takes it a moment later."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
