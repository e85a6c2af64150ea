"""What goes wrong: known failures with their remedies, tracebacks, and what schedulers print around a program."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.core.dates import moment
from assay.lines import Line
from assay.model.event import Event, Phase
from assay.model.known import KnownFailure
from assay.reading.reader import NEW, Answer, Reader

# Known failures: what a log says, what it means, what to do. One line per failure; the first match is reported.
#
# Failures of one system are kept with it; these can happen anywhere.


def _failure(pattern: str, code: str, hint: str) -> KnownFailure:
    return KnownFailure(pattern=pattern, code=code, hint=hint)


#: the order matters: the more particular first
GENERAL = (
    _failure(
        r"No module named ['\"]transformers\.modeling_layers['\"]",
        "missing-module",
        "peft is newer than transformers: pip install peft==0.17.1",
    ),
    _failure(
        r"ModuleNotFoundError|No module named|ImportError",
        "missing-module",
        "install the package in the environment that runs the program",
    ),
    _failure(
        r"execve\(\): \w+=",
        "env-after-srun",
        "an assignment after srun is taken for the program: put it before srun, or write srun env NAME=VALUE …",
    ),
    _failure(
        r"Requested node configuration is not available",
        "impossible-request",
        "more tasks than the nodes asked for can hold: raise --nodes, or lower --ntasks",
    ),
    _failure(r"Invalid generic resource|Invalid account|invalid partition|Invalid qos", "impossible-request",
             "ask for what this cluster has: sinfo -o '%P %G'"),
    _failure(r"error: (?:ambiguous option|unrecognized arguments|argument \S+: |the following arguments are required)",
             "bad-flag", "see the program's --help"),
    _failure(r"CUDA out of memory|OOM when allocating|"
             r"OutOfMemoryError|MemoryError|oom[-_]kill|[Oo]ut [Oo]f [Mm]emory|[Ee]xceeded (?:\w{1,20} )?memory limit",
             "out-of-memory", "a smaller batch, or more memory for the job"),
    _failure(r"DUE TO TIME LIMIT|PBS: job killed: walltime", "time-limit", "ask for more time, or do less in one job"),
    _failure(r"PBS: job killed: (?:v?mem|pmem)", "out-of-memory", "a smaller batch, or more memory for the job"),
    _failure(r"CANCELLED AT", "cancelled", "the job was cancelled; start it again if that was not meant"),
    _failure(r"CondaError", "unknown", "set up the environment as the message says"),
    _failure(r"Permission denied|PermissionError", "permission", "install into an environment of your own"),
    _failure(r"FileNotFoundError|No such file or directory|can't open file", "missing-file", "check the path"),
    _failure(r"KeyboardInterrupt", "interrupted", "stopped by hand"),
)  # fmt: skip


class Failures:
    """All that are known: those of systems first, which are the more particular."""

    def __init__(self, own: Iterable[KnownFailure] = ()) -> None:
        every = (*own, *GENERAL)
        self._known = [(re.compile(one.pattern), one) for one in every]
        alone = [one.alone for one in every if one.alone]
        self._alone = re.compile("|".join(f"(?:{pattern})" for pattern in alone or ["(?!)"]))
        self.anchors = tuple(dict.fromkeys(anchor for one in every for anchor in one.anchors))

    def diagnose(self, text: str) -> KnownFailure | None:
        """The known failure that a text describes."""
        return next((failure for pattern, failure in self._known if pattern.search(text)), None)

    def may_tell(self, text: str) -> bool:
        """Whether a line holds a word of those that end a run by themselves."""
        lower = text.lower()
        return any(anchor in lower for anchor in self.anchors)

    def ends_a_run(self, text: str) -> bool:
        """Whether a line says by itself that this was the end, in the words of one system."""
        return self._alone.search(text) is not None


#: without what single systems bring
_GENERAL = Failures()


def diagnose(text: str) -> KnownFailure | None:
    """The failure that anyone may meet, of which a text tells."""
    return _GENERAL.diagnose(text)


# Why a run failed: Python tracebacks, whole or in part, and the messages of programs that give up.
#
#     Traceback (most recent call last):
#       File "train.py", line 279, in <module>
#     torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB
#
# The trap: the word "error" is everywhere, and most of it did not end anything. Only what ends a program counts.

_TRACEBACK = re.compile(r"Traceback \(most recent call last\)")
_FRAME = re.compile(r"^[\s>#*\d:.,-]*(?:(?:INFO:|ERROR:)\s*)?File \"[^\"]+\", line \d+")
_EXCEPTION = re.compile(
    r"^[\s>#*`\"'-]*(?P<name>(?:[A-Za-z_]\w*\.)*(?:[A-Za-z_]*(?:Error|Exception|Fault|Failure)|KeyboardInterrupt|SystemExit))"
    r"(?::\s*(?P<message>.*))?$"
)
#: how an exception of any name ends a traceback: `mylib.StopTraining: patience is over`
_RAISED = re.compile(
    r"(?:[A-Za-z_]\w*\.)+[A-Z]\w*(?::\s.*)?$|[A-Z]\w*[a-z](?:Exit|Iteration|Warning|Interrupt|Expired|Timeout)(?::\s.*)?$"
)
_FATAL = re.compile(
    r"(?i:^[\s>#*`\"'-]{0,40}(?:\S{1,200}: )?error: (?:ambiguous option|unrecognized arguments|"
    r"argument |the following arguments))"
    r"|(?i:^[\s>#*`\"'-]*ERROR: Could not install packages)|CondaError: |can't open file '"
    r"|PBS: job killed: |Segmentation fault \(core|CUDA out of memory"
    r"|OOM when allocating tensor"
)
#: without one of these there is nothing to see
_HINT = re.compile(
    r"[Ee]rror|ERROR|[Ee]xception|Fault|Failure|File \"|Interrupt|SystemExit|PBS: job|Traceback|Failed to|"
    r"\^C|out of memory|OOM when|can't open|Segmentation|FATAL|CRITICAL"
)
#: the line of a program that raises, where no more of a traceback was kept
_RAISE = re.compile(r"\s+raise (?P<what>[A-Za-z_][\w.]{0,200})")
_STOPPED = re.compile(r"\s*\^C\s*$")
_LAST_LINES = 400


class Trouble(Reader):
    """Whatever ended a run before its time. Neutral: it belongs to the run it follows, on whatever system."""

    name = "trouble"
    anchors = (
        "traceback", "error", "exception", "fault", "failure", "file \"", "interrupt", "systemexit", "pbs: job killed",
        "out of memory", "oom when", "can't open", "^c",
    )  # fmt: skip

    def __init__(self, failures: Failures) -> None:
        super().__init__()
        self._failures = failures
        self.inside = 0  # lines since a traceback began; 0 outside of one
        self.framed = False
        self._text: list[str] = []
        self._begin: Line | None = None

    def read(self, line: Line) -> Answer:
        text = line.text
        if not (self.inside or self.framed or _HINT.search(text) or self._failures.may_tell(text)):
            return None
        if _STOPPED.match(text):
            return [self.fact("error", line, code="interrupted", message="^C", hint="stopped by hand")]
        if _TRACEBACK.search(text):
            self.inside, self._begin, self._text = 1, line, []
            return []
        found = _EXCEPTION.match(text)
        if found and (self.inside or self.framed or (found["message"] and self._failures.diagnose(text))):
            return [self._tell(line, found["name"], found["message"] or "")]
        if self.inside:
            return self._go_on(line)
        if _FRAME.match(text):
            self.framed, self._begin = True, self._begin or line
            return []
        if self.framed and text.startswith((" ", "\t")):
            return []  # the source line under a frame
        if _FATAL.search(text) or self._failures.ends_a_run(text):
            return [self._tell(line, "", text.strip())]
        if text.strip():
            self.framed = False
        return None

    @staticmethod
    def is_key(text: str) -> bool:
        """Whether a line is only the key that stops a program, as a terminal shows it."""
        return _STOPPED.match(text) is not None

    @staticmethod
    def begins(text: str) -> bool:
        """Whether a line is the first of a failure's own words."""
        return _TRACEBACK.search(text) is not None or _FATAL.search(text) is not None

    def cut_off(self) -> Event | None:
        """A traceback whose last line, the exception, is not there: it was raised all the same."""
        frames = [text for text in self._text if _FRAME.match(text)]
        if not self.inside or not frames or self._begin is None:
            return None
        raised = next((found for text in reversed(self._text) if (found := _RAISE.match(text))), None)
        message = raised["what"] if raised else "a traceback without its last line"
        return self._tell(self._begin, "", message)

    def _go_on(self, line: Line) -> Answer:
        """Frames and source lines; a traceback that never comes to its exception is given up."""
        self.inside += 1
        self._text.append(line.text)
        if self.inside > _LAST_LINES:
            self.inside = 0
            return None
        if line.text.startswith((" ", "\t")) or _FRAME.match(line.text) or not line.text.strip():
            return []
        raised = _RAISED.match(line.text) if self.inside > 2 else None
        if raised:
            return [self._tell(line, "", line.text.strip())]
        known = self._failures.diagnose(line.text)
        if known and known.code not in ("missing-file", "permission"):
            return [self._tell(line, "", line.text.strip())]
        return [] if self.inside < 3 or moment(line.text) is None else self._give_up()

    def _give_up(self) -> Answer:
        self.inside = 0
        return None

    def _tell(self, line: Line, name: str, message: str) -> Event:
        self.inside, self.framed = 0, False
        self.strong = True
        whole = (f"{name}: {message}" if name and message else name or message).strip()
        known = self._failures.diagnose(whole)
        code = known.code if known else "crashed"
        if name.endswith("SystemExit"):
            code = "unknown"
        facts = {"code": code, "message": _short(whole)}
        if known:
            facts["hint"] = known.hint
        return self.fact("error", line, moment(line.text), facts)


def _short(text: str) -> str:
    return text if len(text) <= 300 else text[:297] + "..."


# Schedulers: what Slurm and PBS print around a program.
#
#     srun: job 20702 queued and waiting for resources
#     srun: job 20702 has been allocated resources
#     slurmstepd: error: *** JOB 4711 ON n1 CANCELLED AT 2024-04-08T09:12:00 DUE TO TIME LIMIT ***
#
# The trap: `srun: error: … tasks 2-3: Killed` and `STEP … CANCELLED` follow whatever went wrong first; they are not it.

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
