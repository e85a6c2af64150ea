"""The request for one run: its command, settings, options and name."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.core.commandline import read
from assay.core.distinguishing import most_telling_first, tells
from assay.errors import RunError, UsageError
from assay.quantities import short_name

Value = bool | int | float | str

#: more settings than this make no name
MOST_IN_A_NAME = 3
_LETTERS = "abcdefghijkmnopqrstuvwxyz2345678"  # 32 of them, none taken for another


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """The request for one run. Nothing here is evidence: `params` are claims about the command."""

    command: Sequence[str]
    runs_dir: Path
    name: str | None = None
    params: Mapping[str, Value] = field(default_factory=dict)
    tags: Sequence[str] = ()
    interval_s: float = 0.5
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    timeout_s: float | None = None
    keep_daemons: bool = False
    replay: Path | None = None  # the log that the command prints again
    workload: str | None = None  # the built-in one that the command starts
    into: Path | None = None  # a prepared run directory, of which this is one node
    node: str = ""
    node_rank: int = 0
    again_of: str | None = None  # the run that this one repeats
    ranks: int = 0  # of a parallel launch: how many processes there are, each with a recorder; `node_rank` is ours
    tasks_of_scheduler: bool = False  # its processes are started by a daemon of the scheduler
    is_whole_job: bool = False  # when its command has ended well, the work of a scheduler's job is done

    def check(self) -> None:
        """Refuse what cannot work, before anything is started."""
        if not self.command or not self.command[0]:
            raise RunError("no command given", "write it after `--`: assay run -- python train.py")
        if not 0.01 <= self.interval_s <= 3600:
            raise RunError(f"an interval of {self.interval_s:g} s is not possible", "choose 0.01 to 3600 seconds")
        if self.timeout_s is not None and not 0 < self.timeout_s < 1e9:
            raise RunError(f"a timeout of {self.timeout_s:g} s is not possible", "choose more than 0 seconds")
        if self.cwd is not None and not self.cwd.is_dir():
            raise RunError(f"`{self.cwd}` is not a folder", "name the folder to start the command in: --cwd DIR")


def runs_dir(chosen: str | Path | None = None) -> Path:
    """`--runs-dir`, else `$ASSAY_RUNS`, else `./assay-runs`."""
    return Path(chosen or os.environ.get("ASSAY_RUNS") or "assay-runs").absolute()


def given_runs_dir(chosen: str | Path | None = None) -> Path | None:
    """The folder that someone asked for, if anyone did."""
    return runs_dir(chosen) if chosen or os.environ.get("ASSAY_RUNS") else None


def parse_setting(text: str) -> tuple[str, Value]:
    """`batch_size=64`, typed: numbers and true/false are what they look like, the rest is text."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"`{text}` is not a setting", "write name=value, for example batch_size=64")
    return name.strip(), typed(value)


def check_variable(name: object) -> str:
    """The name of a variable as every shell takes it: anything else would be read as a command in a job's script."""
    if not isinstance(name, str) or re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name, re.ASCII) is None:
        raise UsageError(
            f"`{name}` cannot be the name of a variable", "use letters, digits and _, as in OMP_NUM_THREADS"
        )
    return name


def typed(text: str) -> Value:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return text
    return value if math.isfinite(value) else text


def new_id(now_s: float | None = None) -> str:
    """UTC time to the millisecond and six random characters: sorts by start, and no two runs meet."""
    now_s = time.time() if now_s is None else now_s
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now_s)) + f".{int(now_s * 1000) % 1000:03d}"
    return f"{stamp}-{''.join(_LETTERS[byte % 32] for byte in os.urandom(6))}"


def short_id(run_id: str) -> str:
    """Its six letters, by which a run can be named as well."""
    return run_id.rpartition("-")[2]


def run_name(spec: RunSpec) -> str:
    """What varies, else the program."""
    if spec.name:
        return spec.name
    if spec.replay is not None:
        return spec.replay.stem
    params = spec.params if spec.workload is None else _telling(spec.params)
    varies = [short_name(name) + _after_name(value) for name, value in params.items()]
    if spec.workload is not None:
        return "-".join([spec.workload, *varies])
    return "-".join(varies) or program_name(spec.command)


def _telling(params: Mapping[str, Value]) -> Mapping[str, Value]:
    """Without where its data lies or its files go; of many settings, those that best distinguish a run."""
    short = {name: value for name, value in params.items() if os.sep not in str(value)}
    if len(short) <= MOST_IN_A_NAME:
        return short
    names = most_telling_first(name for name, value in short.items() if tells(name, (value,)))
    return {name: short[name] for name in names[:MOST_IN_A_NAME]}


def _after_name(value: Value) -> str:
    return ("-on" if value else "-off") if isinstance(value, bool) else str(value)


def program_name(command: Sequence[str]) -> str:
    """`python -u train.py --lr 1` is `train`; `python -m pkg.train` is `pkg.train`; `./a.out` is `a`."""
    line = read(command)
    if not line.program:
        return Path(command[0]).name
    if line.before[-1:] in (("-m",), ("--module",)):
        return line.program
    return Path(line.program).stem or line.program


def folder_name(name: str, run_id: str) -> str:
    """A name every file system takes; the name itself is kept in run.json."""
    return f"{safe_name(name) or 'run'}-{run_id}"


def safe_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._=+,@-]+", "_", name).strip("._-")[:80]
