"""What is reported of one job: by a scheduler, by `time`, by a GPU's own tool; and jobs that a scheduler gives as JSON.

    8250375_0            fastqc_array  COMPLETED   00:00:10                     2   00:00:20      0:0       sacct
    {"Jobs": {"4732778.pbs": {"resources_used": {"cput": "420:16:02"}, "job_state": "F", …}}}       qstat -F json
    {"jobs": [{"job_id": 554433, "time": {"elapsed": 3605, "limit": {"set": true, "number": 120}}, …}]}     sacct --json

The traps: a step of a job is no job: its memory is the job's (MaxRSS × NTasks of the largest step), its state is not;
CPUTime is cores × elapsed, TotalCPU is what was used; limits of Slurm's JSON are minutes, memory asked for is MiB.
"""

from __future__ import annotations

import calendar
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from assay.core.dates import moment
from assay.lines import Line
from assay.model.event import Event
from assay.model.values import number
from assay.reading.formats import ACCOUNT, Json, Said, Talk, binary_bytes, span, vocabulary
from assay.reading.reader import NEW, Answer, Reader, figure

Job = Mapping[str, Json]
_RANK = re.compile(
    r"\[(?:default|1,) ?\d+\](?:<std(?:out|err)>)?:\s*|\[(?i:rank|gpu)[ :=]?\d+\][:, ]?\s*|(?i:rank) \d+ ?[:|]\s*"
)


class State(NamedTuple):
    """What a scheduler calls the end of a job."""

    status: str
    code: str = ""
    hint: str = ""
    message: str = ""


def slurm_state(text: str) -> State | None:
    """`CANCELLED by 1000`, `OUT_OF_ME+`: a narrow column cuts them."""
    word = text.strip().upper().replace("+", "")
    found = (
        one
        for name, one in vocabulary()["states"].items()
        if word.startswith(name) or (len(word) > 4 and name.startswith(word))
    )
    return next((State(**one) for one in found), None)


def exit_state(status: int) -> State:
    """Of PBS, whose negative statuses say that it ended a job itself."""
    word = vocabulary()["pbs_statuses"].get(str(status), "FAILED")
    return State("completed") if status == 0 else State(**vocabulary()["states"][word])


def pbs_state(letter: str, status: int | None) -> State | None:
    if letter in "RESBTU" and letter:
        return State("running")
    if letter in "QHWM" and letter:
        return State("queued")
    if status is None:
        return State("completed") if letter in ("F", "C", "X") else None
    return exit_state(status)


class Account(Reader):
    """Gathers what is reported of one job, by the formats that are data."""

    name = "accounting"
    system = "generic"
    of_job = True
    hears_commands = True

    def __init__(self, talk: Talk | None = None) -> None:
        super().__init__()
        self.facts: dict[str, float] = {}
        self.job, self.state, self.exit_code = "", State(""), None
        self.snapshot = False  # a look at the machine: no account of a run that it stands with
        self._talk = talk or Talk(ACCOUNT)
        self._state_line, self._message, self._device = 0, "", False
        self._words: dict[str, str] = {}
        self._shares: list[float] = []

    @property
    def wants_all(self) -> bool:
        return self._talk.in_table

    def heir(self) -> Reader:
        """The next job of the same table."""
        return Account(self._talk)

    def read(self, line: Line) -> Answer:
        text = line.text.rstrip()
        if "[" in text[:1] or text[:1] in "rR":
            found = _RANK.match(text)
            text = text[found.end() :] if found else text
        text = text.lstrip("> ") if text[:1] == ">" else text
        said = self._talk.read(line.number, text, self.facts)
        if said is None:
            return None
        answer = self.take(line, said)
        if answer is NEW:
            self._talk.undo()
        return answer

    def take(self, line: Line, said: Said) -> Answer:
        """The events of a line; NEW where it reports another job."""
        rule, facts, words = said.rule, dict(said.figures), dict(said.words)
        kind = rule.kind if rule is not None else ""
        if rule is not None and rule.begins and (self.facts or (self.job and self.job != words.get("job", self.job))):
            return NEW
        job = words.pop("job", "")
        if job and self.job and job != self.job:
            return NEW
        known = {name: value for name, value in self._worked_out(facts, words).items() if value is not None}
        if kind in ("metric", "average", "largest"):
            return self._loosely(line, known, kind)
        rises = rule is None and "rss_bytes_max" in known and not job  # a step of the job
        if not rises and any(name in self.facts and self.facts[name] != value for name, value in known.items()):
            return NEW
        self._end(line, words, facts)
        self.facts.update(known)
        self.job = self.job or job
        weak = rule is not None and rule.weak
        self.strong = self.strong or (not weak and (bool(job) or bool(known))) or (rule is not None and rule.sure)
        self.ended = self.ended or (rule is not None and rule.closes)
        self.snapshot = self.snapshot or said.status == "snapshot"
        events = [self.fact("how", line, job=job)] if job else []
        if words:
            events.append(self.fact("how", line, None, words))
        for one in said.samples:
            self.strong = True
            events.append(self._sample(line, one))
        return [*events, *([self.fact("result", line, None, known)] if known else [])]

    def _sample(self, line: Line, one: dict[str, Json]) -> Event:
        elapsed = one.pop("elapsed_s", None)
        event = self.fact("sample", line, moment(line.text), {k: v for k, v in one.items() if v is not None}).replace(
            source="probe:nvidia-smi"
        )
        return event.replace(elapsed_s=elapsed) if elapsed is not None and event.t is None else event

    def _loosely(self, line: Line, known: dict[str, Json], kind: str) -> list[Event]:
        """Figures that are rounded, or of one GPU of several."""
        if kind == "metric":
            return [self.fact("metric", line, None, known)]
        self.strong = True
        for name, value in known.items():
            if kind == "average":
                self._shares.append(value)
                self.facts[name] = round(sum(self._shares) / len(self._shares), 3)
            else:
                self.facts[name] = max(value, self.facts.get(name, 0))
        return [self.fact("result", line, None, {name: self.facts[name] for name in known})]

    def _worked_out(self, facts: dict[str, Json], words: dict[str, str]) -> dict[str, Json]:
        """What follows from a line and those before it: totals of all nodes, the time in the queue."""
        known = {name: one for name, one in facts.items() if name not in ("exit_code", "signal", "pbs_status")}
        if (each := known.pop("cores_per_node", None)) is not None:
            known["requested_cpus"] = each * int(self.facts.get("requested_nodes", 1))
        if (of := known.pop("allocated_mem_bytes", None)) and "rss_bytes_max" in known:
            known["mem_eff"] = round(known["rss_bytes_max"] / of, 6)
        for name, read in (("pbs_used", used_facts), ("pbs_asked", asked_facts)):
            if name in words:
                known |= read(dict(re.findall(r"(?<![a-z_.])([a-z_.]{1,40}) ?= ?([^,\s]+)", words.pop(name))))
        moments: dict[str, str] = {name: words.pop(name) for name in ("submitted", "started") if name in words}
        self._words |= moments
        waited = queued_s(self._words.get("submitted", ""), self._words.get("started", "")) if moments else None
        return known | ({"queue_s": waited} if waited is not None else {})

    def _end(self, line: Line, words: dict[str, str], facts: dict[str, Json]) -> None:
        """How the job ended, as far as a line says it."""
        state = slurm_state(words.pop("state")) if "state" in words else None
        message = words.pop("message", "")
        if not self._message:  # `Command terminated by signal 9` knows better than what follows it
            self.exit_code = facts.get("exit_code", self.exit_code)
        if (signal := facts.get("signal")) is not None:
            word = {9: "KILLED_9", 2: "KILLED_2"}.get(signal, "KILLED")
            state, self.exit_code, message = slurm_state(word), 128 + signal, line.text.strip()
        elif state is not None and "exit_code" in facts and line.text.lstrip().startswith("Command"):
            message = line.text.strip()
        if "pbs_status" in facts or "pbs_state" in words:
            self._words |= {"letter": words.pop("pbs_state", self._words.get("letter", "F"))}
            self.exit_code = facts.get("pbs_status", self.exit_code)
            state = pbs_state(self._words["letter"], self.exit_code)
        if state is not None:
            self.state, self._state_line, self._message = state, line.number, message

    def finish(self) -> list[Event]:
        over = self.state.status not in ("running", "queued")
        derived = _derived(self.facts) if over else {}  # of a job that goes on, little is accounted for yet
        events = [self.fact("result", 0, None, derived)] if derived else []
        if not self.state.status and self.exit_code is None:
            return events
        state = self.state
        if not state.status:
            state = State("failed", "unknown") if self.exit_code else State("completed")
        if state.code:
            how = "" if self.exit_code is None else f" with exit code {self.exit_code}"
            message = self._message or state.message or f"the job failed{how}"
            events.append(self.fact("error", self._state_line, code=state.code, message=message, hint=state.hint))
        end: dict[str, object] = {"status": state.status}
        end.update({"exit_code": self.exit_code} if self.exit_code is not None and over else {})
        return [*events, self.fact("end", self._state_line, None, end)]


def _derived(facts: Mapping[str, float]) -> dict[str, float]:
    """Efficiencies, if used and allocated amounts are known and the report does not give them."""
    found: dict[str, float] = {}
    allocated_s = facts.get("requested_cpus", 0) * facts.get("wall_s", 0)
    if "cpu_eff" not in facts and allocated_s and "cpu_s" in facts:
        found["cpu_eff"] = round(facts["cpu_s"] / allocated_s, 6)
    if "mem_eff" not in facts and facts.get("requested_mem_bytes") and "rss_bytes_max" in facts:
        found["mem_eff"] = round(facts["rss_bytes_max"] / facts["requested_mem_bytes"], 6)
    if facts.get("requested_time_s") and "wall_s" in facts:
        found["time_eff"] = round(facts["wall_s"] / facts["requested_time_s"], 6)
    return found


# --- amounts ---

_WORDED = re.compile(r"[A-Z][a-z]{2} (?P<rest>[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \d{4})")


def seconds(text: str) -> float | None:
    """`1-21:41:20`, `18:41:56`; `UNLIMITED` is None."""
    return span(text.strip()) if not re.fullmatch(r"\d+(?:\.\d+)?", text.strip()) else float(text)


def size_bytes(text: str, *, cpus: int = 1, nodes: int = 1, bare: str = "") -> int | None:
    """As `binary_bytes`; `4Gc` is asked of every core, `4Gn` of every node."""
    bare_text = text.strip().rstrip("cn")
    found = binary_bytes(bare_text, bare)
    return None if found is None else found * {"": 1, "c": cpus, "n": nodes}[text.strip()[len(bare_text) :][:1]]


def queued_s(submitted: str, started: str) -> float | None:
    first, second = _clock(submitted), _clock(started)
    return second - first if first is not None and second is not None and second >= first else None


def _clock(text: str) -> float | None:
    """`Tue Mar 12 10:27:52 2024`, `2024-03-12T10:27:52`: seconds since 1970, as if it were UTC."""
    found = _WORDED.fullmatch(text.strip())
    for written, form in ((found["rest"] if found else "", "%b %d %H:%M:%S %Y"), (text.strip(), "%Y-%m-%dT%H:%M:%S")):
        try:
            return float(calendar.timegm(time.strptime(written, form)))
        except (ValueError, OverflowError):
            continue
    return None


# --- PBS ---


def used_facts(values: Mapping[str, str]) -> dict[str, float | None]:
    """`resources_used`."""
    found = {
        "cpu_s": seconds(values.get("cput", "")), "wall_s": seconds(values.get("walltime", "")),
        "rss_bytes_max": size_bytes(values.get("mem", "")) or None,
        "used_vmem_bytes": size_bytes(values.get("vmem", "")) or None,
        "cpu_pct_mean": figure(values.get("cpupercent", "")),
    }  # fmt: skip
    return {name: one for name, one in found.items() if one is not None}


def asked_facts(values: Mapping[str, str]) -> dict[str, float | None]:
    """`Resource_List`; `nodes=2:ppn=8` and `select=2:ncpus=8:ngpus=4` are asked of each of them."""
    chunk = values.get("select", "") or values.get("nodes", "")
    count, *each = chunk.split(":")
    times = int(count) if count.isdigit() else 1
    inner = dict(one.split("=", 1) for one in each if "=" in one and "+" not in chunk)
    of_each = {
        "requested_cpus": inner.get("ncpus", inner.get("ppn", "")),
        "requested_gpus": inner.get("ngpus", inner.get("gpus", "")),
    }
    nodes = values.get("nodect", count if "nodes" in values else "")
    found: dict[str, float | None] = {
        name: int(one) * times if one.isdigit() else None for name, one in of_each.items()
    }
    found |= {
        "requested_cpus": figure(values.get("ncpus", "")) or found["requested_cpus"],
        "requested_nodes": figure(nodes) if nodes.isdigit() else None,
        "requested_gpus": figure(values.get("ngpus", "")) or found["requested_gpus"],
        "requested_mem_bytes": size_bytes(values.get("mem", "")) or None,
        "requested_time_s": seconds(values.get("walltime", "")),
    }
    return {name: one for name, one in found.items() if one is not None}


# --- Slurm ---

_EXIT = re.compile(r"(?P<code>\d+):(?P<signal>\d+)")
_TRES = re.compile(r"(?P<name>cpu|mem|node|gres/gpu)(?::[\w.-]+)?=(?P<value>[\w.]+)")
_JOB = re.compile(r"\d+(?:_(?:\d+|\[[\d,%-]+\]))?(?:\+\d+)?")
_MANY = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}
_ENERGY = re.compile(r"(?P<value>\d+(?:\.\d+)?)(?P<unit>[KMG]?)")


class Sacct:
    """The rows of one table."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._spans: list[tuple[int, int]] = []
        self._bars, self._job, self._largest, self._tasks = False, "", 0, 1

    @property
    def in_table(self) -> bool:
        return bool(self._names)

    def read(self, line: int, text: str, known: Mapping[str, Json]) -> Said | None:
        cells = text.strip().strip("|").split("|") if "|" in text else text.split()
        names = [cell.strip().lower() for cell in cells]
        columns = frozenset(vocabulary()["sacct_columns"])
        if (
            {"jobid", "jobidraw"} & set(names[:3])
            and len(names) > 1
            and sum(one in columns for one in names) >= max(2, len(names) // 2 + 1)
        ):
            self._names, self._spans, self._bars = names, [], "|" in text
            return Said()
        if not self._names:
            return None
        if not text.strip():
            return Said()
        if set(text.strip()) <= {"-", " "}:
            self._spans = [found.span() for found in re.finditer(r"-+", text)]
            return Said()
        row = self._row(text)
        if row is None or not _JOB.match(row.get("jobid", "")):
            self._names = []
            return None
        return self._said(row)

    def _row(self, text: str) -> dict[str, str] | None:
        if self._bars:
            cells = [cell.strip() for cell in text.strip().split("|")]
        elif len(self._spans) == len(self._names):
            ends = [begin for begin, _ in self._spans[1:]] + [len(text) + 1]
            cells = [text[begin:end].strip() for (begin, _), end in zip(self._spans, ends, strict=True)]
        elif len(cells := text.split()) != len(self._names):
            return None
        row = dict(zip(self._names, cells, strict=False))
        return {"jobid": row["jobidraw"], **row} if "jobidraw" in row else row

    def _said(self, row: dict[str, str]) -> Said:
        name, _, step = row["jobid"].partition(".")
        said, cut_off = Said(), row["jobid"].endswith("+") and self._job.startswith(row["jobid"][:-1])
        if step or (cut_off and self._job):
            if self._job and not self._job.startswith(name.rstrip("+")):
                said.words["job"] = name
                return said
            largest, tasks = size_bytes(row.get("maxrss", ""), bare="k"), int(figure(row.get("ntasks", "")) or 1)
            if largest and largest * max(1, tasks) > self._largest:
                self._largest = said.figures["rss_bytes_max"] = largest * max(1, tasks)
            if tasks > self._tasks:
                self._tasks = said.figures["requested_tasks"] = tasks
            return said
        self._job, self._largest, self._tasks = name, 0, 1
        said.figures = {name: one for name, one in _sacct_facts(row).items() if one is not None}
        self._largest = int(said.figures.get("rss_bytes_max", 0))
        said.words["job"] = name
        state, found = slurm_state(row.get("state", "")), _EXIT.fullmatch(row.get("exitcode", ""))
        if state is not None:
            said.words["state"] = row["state"]
        if found and state is not None and state.status not in ("running", "queued"):
            said.figures["exit_code"] = int(found["code"]) or (
                128 + int(found["signal"]) if int(found["signal"]) else 0
            )
        return said


def _sacct_facts(row: dict[str, str]) -> dict[str, float | None]:
    tres = {one["name"]: one["value"] for one in _TRES.finditer(row.get("alloctres", "") or row.get("reqtres", ""))}

    def count(*names: str) -> float | None:
        return next((value for name in names if (value := figure(row.get(name, ""))) is not None), None)

    def share(text: str) -> float | None:
        return round((figure(text.rstrip("%")) or 0.0) / 100, 12) if text.endswith("%") else None

    cpus = count("alloccpus", "ncpus") or count("reqcpus") or figure(tres.get("cpu", ""))
    nodes = count("reqnodes", "nnodes", "allocnodes") or figure(tres.get("node", ""))
    asked = row.get("reqmem", "") or tres.get("mem", "")
    energy = _ENERGY.fullmatch(row.get("consumedenergyraw", "") or row.get("consumedenergy", ""))
    return {
        "requested_cpus": cpus, "requested_nodes": nodes, "requested_gpus": figure(tres.get("gres/gpu", "")),
        "requested_mem_bytes": size_bytes(asked, cpus=int(cpus or 1), nodes=int(nodes or 1), bare="m") or None,
        "requested_time_s": seconds(row.get("timelimit", "")),
        "wall_s": seconds(row.get("elapsed", "")) if row.get("elapsed") else figure(row.get("elapsedraw", "")),
        "cpu_s": seconds(row.get("totalcpu", "")) if row.get("totalcpu") else None,
        "rss_bytes_max": size_bytes(row.get("maxrss", ""), bare="k") or None,
        "queue_s": queued_s(row.get("submit", ""), row.get("start", "")),
        "cpu_eff": share(row.get("cpueff", "")), "mem_eff": share(row.get("memeff", "")),
        "time_eff": share(row.get("timeeff", "")),
        "energy_j": float(energy["value"]) * _MANY[energy["unit"]] or None if energy else None,
    }  # fmt: skip


# --- jobs as JSON, and several accounts in one text ---


def accounts_of(value: object) -> Iterator[list[Event]]:
    """The account of each job in what a scheduler printed as JSON: `qstat -F json`, `sacct --json`."""
    for name, job in _pbs_jobs(value):
        yield _pbs_events(name, job)
    jobs = value.get("jobs") if isinstance(value, Mapping) else None
    for job in jobs if isinstance(jobs, list) else ():
        if isinstance(job, Mapping) and "job_id" in job and "elapsed" in _inner(job, "time"):
            yield _slurm_events(job)


def _events(said: Said) -> list[Event]:
    account = Account()
    answer = account.take(Line(1, ""), said)
    return [*(answer if isinstance(answer, list) else []), *account.finish()]


def _pbs_jobs(value: object) -> Iterator[tuple[str, Job]]:
    if not isinstance(value, Mapping):
        return
    if isinstance(jobs := value.get("Jobs"), Mapping):
        yield from ((str(name), job) for name, job in jobs.items() if isinstance(job, Mapping))
    elif "resources_used" in value or ("Resource_List" in value and "job_state" in value):
        yield str(value.get("Job_Id", value.get("job_id", value.get("id", "")))), value


def _pbs_events(name: str, job: Job) -> list[Event]:
    flat = {str(key): str(one) for key, one in job.items() if not isinstance(one, (dict, list))}
    used, asked = (
        {str(k): str(v) for k, v in _inner(job, group).items()} for group in ("resources_used", "Resource_List")
    )
    used |= {k.partition(".")[2]: v for k, v in flat.items() if k.startswith("resources_used.")}
    asked |= {k.partition(".")[2]: v for k, v in flat.items() if k.startswith("Resource_List.")}
    said = Said(
        figures={**used_facts(used), **asked_facts(asked)}, words={"job": name, "pbs_state": flat.get("job_state", "F")}
    )
    said.words |= {
        ours: flat[theirs] for theirs, ours in (("qtime", "submitted"), ("stime", "started")) if theirs in flat
    }
    status = flat.get("Exit_status", flat.get("exit_status", ""))
    if status.lstrip("-").isdigit():
        said.figures["pbs_status"] = int(status)
    return _events(said)


def _slurm_events(job: Job) -> list[Event]:
    at, tres, array = _inner(job, "time"), _inner(job, "tres"), _inner(job, "array")
    granted = _counts(tres.get("allocated")) or _counts(tres.get("requested"))
    limit_min, memory_mib, total = _number(at.get("limit")), granted.get("mem"), _inner(at, "total")
    started, submitted = _number(at.get("start")), _number(at.get("submission"))
    steps = [one for one in job.get("steps") or () if isinstance(one, Mapping)]
    most = max((_held(one) for one in steps), default=0.0)
    facts = {
        "requested_cpus": granted.get("cpu") or _number(_inner(job, "required").get("CPUs")),
        "requested_nodes": granted.get("node") or _number(job.get("allocation_nodes")),
        "requested_gpus": granted.get("gres/gpu"),
        "requested_mem_bytes": None if memory_mib is None else memory_mib * 1024 * 1024,
        "requested_time_s": None if limit_min is None else limit_min * 60, "wall_s": _number(at.get("elapsed")),
        "cpu_s": ((_number(total.get("seconds")) or 0.0) + (_number(total.get("microseconds")) or 0.0) / 1e6) or None,
        "rss_bytes_max": most or None, "energy_j": _counts(tres.get("consumed")).get("energy"),
        "queue_s": started - submitted if started and submitted and started >= submitted else None,
    }  # fmt: skip
    of, task = _number(array.get("job_id")), _number(array.get("task_id"))
    current = _inner(job, "state").get("current", "")
    name = f"{int(of)}_{int(task)}" if of and task is not None else str(job["job_id"])
    said = Said(figures={key: one for key, one in facts.items() if one is not None}, words={"job": name})
    said.words["state"] = str(current[0] if isinstance(current, list) and current else current)
    state, code = slurm_state(said.words["state"]), _number(_inner(job, "exit_code").get("return_code"))
    if state is not None and state.status not in ("running", "queued") and code is not None:
        said.figures["exit_code"] = int(code)
    return _events(said)


def _held(step: Job) -> float:
    """The most that a task of a step held, which Slurm files under what was requested, times its tasks."""
    largest = _counts(_inner(_inner(step, "tres"), "requested").get("max")).get("mem", 0.0)
    return largest * max(1.0, _number(_inner(step, "tasks").get("count")) or 1.0)


def _counts(listed: object) -> dict[str, float]:
    """`[{"type": "cpu", "count": 64}, {"type": "gres", "name": "gpu", "count": 8}]` by name."""
    found: dict[str, float] = {}
    for one in listed if isinstance(listed, list) else ():
        count = _number(one.get("count")) if isinstance(one, Mapping) else None
        if count:
            kind, name = str(one.get("type", "")), str(one.get("name") or "").partition(":")[0]
            found.setdefault(f"{kind}/{name}" if kind == "gres" else kind, count)
    return found


def _inner(value: Job, name: str) -> Job:
    inner = value.get(name)
    return inner if isinstance(inner, Mapping) else {}


def _number(value: object) -> float | None:
    """A number, or one that stands in an object which says that it is set."""
    if isinstance(value, Mapping):
        return _number(value.get("number")) if value.get("set") and not value.get("infinite") else None
    return number(value)


def accounts(lines: Iterable[str]) -> dict[str, list[Event]]:
    """The events of each job that `sacct` or `qstat` printed without a log around it; of one listed twice, the last."""
    found: dict[str, list[Event]] = {}
    reader, events = Account(), list[Event]()
    for count, text in enumerate(lines, 1):
        answer = reader.read(line := Line(count, text))
        if answer is NEW:
            found |= {reader.job: [*events, *reader.finish()]} if reader.job else {}
            heir = reader.heir()
            assert isinstance(heir, Account)
            reader, events = heir, []
            answer = reader.read(line)
        events += answer if isinstance(answer, list) else []
    return found | ({reader.job: [*events, *reader.finish()]} if reader.job else {})
