"""Schedulers: what Slurm and PBS print around a program.

    srun: job 20702 queued and waiting for resources
    srun: job 20702 has been allocated resources
    slurmstepd: error: *** JOB 4711 ON n1 CANCELLED AT 2024-04-08T09:12:00 DUE TO TIME LIMIT ***

The trap: `srun: error: … tasks 2-3: Killed` and `STEP … CANCELLED` follow whatever went wrong first; they are not it.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.model.event import Event, Phase
from assay.readers.base import NEW, Answer, Reader
from assay.readers.failures import Failures
from assay.readers.moments import moment

_QUEUED = re.compile(r"(?:srun|salloc): (?:job|Pending job allocation|job allocation) (?P<job>\d+) queued and waiting")
_ALLOCATED = re.compile(
    r"(?:srun|salloc): (?:job|Granted job allocation|job allocation) (?P<job>\d+)(?: has been allocated)?"
)
_PENDING = re.compile(r"salloc: Pending job allocation (?P<job>\d+)")
_ERROR = re.compile(
    r"(?:srun|sbatch|salloc|slurmstepd(?:-[\w.-]{1,80})?): (?:fatal|error): (?P<message>.*)"
    r"|=>> (?P<pbs>PBS: job killed: .*)"
)
_EXITED = re.compile(r"tasks? [\d,-]+: (?:Exited with exit code (?P<code>\d+)|Killed|Terminated|Aborted|Segmentation)")
_CONSEQUENCE = re.compile(r"\*\*\* STEP |Terminating job step|Force Terminated|tasks? [\d,-]+: (?:Killed|Terminated)")


class Slurm(Reader):
    """Queue, allocation and failure. Neutral: it belongs to the program it starts."""

    name = "slurm"
    anchors = ("srun", "sbatch", "salloc", "slurmstepd", "pbs: job killed")

    def __init__(self, failures: Failures) -> None:
        super().__init__()
        self._failures = failures
        self._job: str | None = None
        self._queued = self._running = False
        self._told = False

    def read(self, line: Line) -> Answer:
        text = line.text
        found = _QUEUED.search(text) or _PENDING.search(text)
        if found:
            if self._job is not None and found["job"] != self._job:
                return NEW
            self._job, self._queued = found["job"], True
            return [
                self.fact("how", line, job=found["job"]),
                self.fact("phase", line, moment(text), name="queue", edge="begin"),
            ]
        found = _ALLOCATED.search(text)
        if found and ("allocated" in text or "Granted" in text):
            if self._job is not None and found["job"] != self._job:
                return NEW
            first = [] if self._job else [self.fact("how", line, job=found["job"])]
            self._job, self._running = found["job"], True
            ended = [self.fact("phase", line, moment(text), name="queue", edge="end")] if self._queued else []
            self._queued = False
            return first + ended
        found = _ERROR.search(text)
        if found:
            return self._error(line, found["message"] or found["pbs"])
        return [] if re.match(r"\s*srun: ", text) else None

    @property
    def waiting(self) -> bool:
        """A job that was queued and never began."""
        return self._queued and not self._running

    def _error(self, line: Line, message: str) -> Answer:
        known = self._failures.diagnose(message)
        exited = _EXITED.search(message)
        if _CONSEQUENCE.search(message) or (exited and (exited["code"] is None or self._told)):
            return []
        if exited:
            return [self._tell(line, "unknown", f"exit code {exited['code']}", "see the end of its output")]
        if known is None:
            return []
        return [self._tell(line, known.code, message, known.hint)]

    def _tell(self, line: Line, code: str, message: str, hint: str) -> Event:
        self._told = True
        return self.fact("error", line, moment(line.text), code=code, message=message.strip()[:300], hint=hint)


def starts_job(answer: Answer) -> bool:
    """Whether a line says that a job begins."""
    return isinstance(answer, list) and any(isinstance(one, Phase) and one.edge == "begin" for one in answer)
