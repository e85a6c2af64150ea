"""Slurm's `sacct`: a table with a line to a job and to each of its steps, in columns or parted by bars.

    JobID                     JobName      State    Elapsed     MaxRSS  AllocCPUS    CPUTime ExitCode
    ------------ -------------------- ---------- ---------- ---------- ---------- ---------- --------
    8250375_0            fastqc_array  COMPLETED   00:00:10                     2   00:00:20      0:0
    8250375_0.b+                batch  COMPLETED   00:00:10    310024K          2   00:00:20      0:0
    JobID|JobName|State|Elapsed|MaxRSS|ReqMem|TotalCPU|ExitCode

The trap: a step is no job: its memory is the job's, its state is not. MaxRSS is of the largest task, so a step's is
estimated as MaxRSS × NTasks, and the job's is that of the largest step. (`seff` takes the step with the largest task
instead, and `reportseff` the same as we: they differ where a script holds more than each of many tasks.) CPUTime is
cores × elapsed; TotalCPU is what was used. A narrow column cuts what it holds.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.accounting.account import Account, Format
from assay.readers.accounting.amounts import clock, seconds, size_bytes
from assay.readers.accounting.states import State, slurm_state
from assay.reading.reader import NEW, Answer, figure, fraction

_NAMES = {
    "jobid", "jobidraw", "jobname", "state", "elapsed", "maxrss", "alloccpus", "ncpus", "cputime", "exitcode",
    "partition",
    "account", "reqmem", "totalcpu", "timelimit", "nnodes", "allocnodes", "alloctres", "reqtres", "submit", "start",
    "end",
    "user", "nodelist", "averss", "maxvmsize", "elapsedraw", "reqcpus", "qos", "cputimeraw", "usercpu", "systemcpu",
    "allocgres", "reqgres", "ntasks", "maxdiskread", "maxdiskwrite", "avecpu", "consumedenergyraw", "consumedenergy",
    "derivedexitcode", "reason", "cluster", "group", "priority", "eligible", "planned", "reserved", "reqnodes",
    "workdir",
    "avevmsize", "mincpu", "timelimitraw", "comment", "tresusageinmax", "timeeff", "cpueff", "memeff",
}  # fmt: skip
_FEWEST = 2
_COLUMN = re.compile(r"-+")
_JOB = re.compile(r"\d+(?:_(?:\d+|\[[\d,%-]+\]))?(?:\+\d+)?")
_EXIT = re.compile(r"(?P<code>\d+):(?P<signal>\d+)")
_TRES = re.compile(r"(?P<name>cpu|mem|node|gres/gpu)(?::[\w.-]+)?=(?P<value>[\w.]+)")


class Sacct(Format):
    """The rows of one table."""

    anchors = ("jobid", "jobidraw")

    def __init__(self) -> None:
        self._names: list[str] = []
        self._spans: list[tuple[int, int]] = []
        self._bars = False

    def read(self, account: Account, line: Line, text: str) -> Answer:
        raw = line.text.rstrip()
        names = _head(raw)
        if names:
            self._names, self._spans, self._bars = names, [], "|" in raw
            account.in_table = True
            return []
        if not self._names:
            return None
        if not raw.strip():
            return []
        if set(raw.strip()) <= {"-", " "}:
            self._spans = [found.span() for found in _COLUMN.finditer(raw)]
            return []
        row = self._row(raw)
        if row is None or not _JOB.match(row.get("jobid", "")):
            self._names, account.in_table = [], False
            return None
        return self._job(account, line, row)

    def _row(self, raw: str) -> dict[str, str] | None:
        if self._bars:
            cells = [cell.strip() for cell in raw.strip().split("|")]
        elif len(self._spans) == len(self._names):
            ends = [begin for begin, _ in self._spans[1:]] + [len(raw) + 1]
            cells = [raw[begin:end].strip() for (begin, _), end in zip(self._spans, ends, strict=True)]
        else:
            cells = raw.split()
            if len(cells) != len(self._names):
                return None
        row = dict(zip(self._names, cells, strict=False))
        if "jobid" not in row and "jobidraw" in row:
            row["jobid"] = row["jobidraw"]
        return row

    def _job(self, account: Account, line: Line, row: dict[str, str]) -> Answer:
        name, _, step = row["jobid"].partition(".")
        if step or (row["jobid"].endswith("+") and account.job and account.job.startswith(row["jobid"][:-1])):
            return self._step(account, line, row, name)
        if account.job and account.job != name:
            return NEW
        if account.facts and not account.job:
            return NEW
        state = slurm_state(row.get("state", ""))
        found = _EXIT.fullmatch(row.get("exitcode", ""))
        code = None
        if found and state is not None and state.status not in ("running", "queued"):
            code = int(found["code"]) or (128 + int(found["signal"]) if int(found["signal"]) else 0)
        account.end(line, _settled(state, code), code)
        return account.tell(line, _facts(row), job=name)

    def _step(self, account: Account, line: Line, row: dict[str, str], name: str) -> Answer:
        """What a step used, its job used."""
        if account.job and name.rstrip("+") != account.job and not account.job.startswith(name.rstrip("+")):
            return NEW
        largest, tasks = size_bytes(row.get("maxrss", ""), bare="k"), int(figure(row.get("ntasks", "")) or 1)
        found: dict[str, float] = {}
        if largest and largest * max(1, tasks) > account.facts.get("rss_bytes_max", 0):
            found["rss_bytes_max"] = largest * max(1, tasks)
        if tasks > account.facts.get("requested_tasks", 1):
            found["requested_tasks"] = tasks
        account.facts.update(found)
        return [account.fact("result", line, None, found)] if found else []


def _head(raw: str) -> list[str]:
    """The names of the columns, in lower case; nothing where the line is no head."""
    cells = raw.strip().strip("|").split("|") if "|" in raw else raw.split()
    names = [cell.strip().lower() for cell in cells]
    if not {"jobid", "jobidraw"} & set(names[:3]) or len(names) < _FEWEST:
        return []
    return names if sum(name in _NAMES for name in names) >= max(_FEWEST, len(names) // 2 + 1) else []


def _settled(state: State | None, code: int | None) -> State | None:
    """Only the state of a job shows that it ran out of memory; nothing is guessed from a signal."""
    return state if state is not None or code is None else State("completed" if code == 0 else "failed")


def _facts(row: dict[str, str]) -> dict[str, float | None]:
    tres = {
        found["name"]: found["value"] for found in _TRES.finditer(row.get("alloctres", "") or row.get("reqtres", ""))
    }
    granted = _count(row, "alloccpus", "ncpus") or _count(row, "reqcpus")
    cpus = granted or (figure(tres["cpu"]) if "cpu" in tres else None)
    nodes = _count(row, "reqnodes", "nnodes", "allocnodes") or (figure(tres["node"]) if "node" in tres else None)
    asked = row.get("reqmem", "") or tres.get("mem", "")
    memory = size_bytes(asked, cpus=int(cpus or 1), nodes=int(nodes or 1), bare="m") if asked else None
    wall_s = seconds(row.get("elapsed", "")) if row.get("elapsed") else figure(row.get("elapsedraw", ""))
    submitted, started = clock(row.get("submit", "")), clock(row.get("start", ""))
    waited_s = started - submitted if submitted is not None and started is not None and started >= submitted else None
    return {
        "requested_cpus": cpus,
        "requested_nodes": nodes,
        "requested_gpus": figure(tres.get("gres/gpu", "")),
        "requested_mem_bytes": memory or None,
        "requested_time_s": seconds(row.get("timelimit", "")),
        "wall_s": wall_s,
        "cpu_s": seconds(row.get("totalcpu", "")) if row.get("totalcpu") else None,
        "rss_bytes_max": size_bytes(row.get("maxrss", ""), bare="k") or None,
        "queue_s": waited_s,
        "cpu_eff": _share(row.get("cpueff", "")),
        "mem_eff": _share(row.get("memeff", "")),
        "time_eff": _share(row.get("timeeff", "")),
        "energy_j": size_of_energy(row.get("consumedenergyraw", "") or row.get("consumedenergy", "")),
    }


def _share(text: str) -> float | None:
    """`98.3%`, as reportseff prints it."""
    return fraction(figure(text.rstrip("%"))) if text.endswith("%") else None


def _count(row: dict[str, str], *names: str) -> float | None:
    return next((value for name in names if (value := figure(row.get(name, ""))) is not None), None)


def size_of_energy(text: str) -> float | None:
    """`1.45M` joules."""
    found = re.fullmatch(r"(?P<value>\d+(?:\.\d+)?)(?P<unit>[KMG]?)", text.strip())
    return float(found["value"]) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[found["unit"]] or None if found else None
