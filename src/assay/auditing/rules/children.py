"""`children-not-measured`: 0 % CPU for an hour, because the shell was watched and not what it started."""

from __future__ import annotations

from collections.abc import Iterator

from assay.auditing.case import Case
from assay.model.event import Sample
from assay.model.finding import DOUBTFUL, Finding

CODE = "children-not-measured"
_IDLE_PCT = 1.0
_SAMPLES = 10
_WRAPPERS = frozenset({"sh", "bash", "zsh", "dash", "torchrun", "mpirun", "srun", "accelerate", "conda"})


def check(case: Case) -> Iterator[Finding]:
    for run in case.runs:
        if run.system != "psrecord" or run.is_prose:
            continue
        cpu = [one.cpu_pct for one in run.events if isinstance(one, Sample) and one.cpu_pct is not None]
        command = run.asked.said_command or ""
        if len(cpu) < _SAMPLES or max(cpu) > _IDLE_PCT or "--include-children" in command:
            continue
        yield Finding(
            code=CODE,
            severity=DOUBTFUL,
            message=f"{len(cpu)} samples and never more than {max(cpu):g} % CPU: {_why(command)}",
            hint="add --include-children, or: assay run -- COMMAND, which counts everything it starts",
            source=run.source,
            evidence=(run.proof("cpu_pct"),),
            run=run.id,
        )


def _why(command: str) -> str:
    words = command.replace('"', " ").replace("'", " ").split()
    started = words[words.index("psrecord") + 1 :][:1] if "psrecord" in words else []
    if any(word.rpartition("/")[2] in _WRAPPERS for word in started):
        return "the command is a wrapper, and what it started was not watched"
    return "the measured process did almost no work itself; its children, if any, were not counted"
