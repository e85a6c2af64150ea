"""One fault: a folder of its own, its chance, the processes it starts, and what was found wrong with them."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

#: what can be wrong after a fault, in the order of the table
COLUMNS = ("lost", "wrong status", "wrong exit", "tracebacks", "hangs", "harmed", "left behind")
#: a process that takes longer than this hangs; generous, since two faults run at once on any machine
WATCHDOG_S = 120.0
#: a command that reads a run of a few hundred events and needs more than this hangs
READING_CPU_S = 30
HERE = Path(__file__).parent
Process: TypeAlias = "subprocess.Popen[bytes]"


@dataclass
class Case:
    """What a kind of fault is given. Its chance depends on kind and seed alone, so that it can be repeated."""

    kind: str
    seed: int
    folder: Path
    env: dict[str, str] = field(default_factory=dict)
    wrongs: list[tuple[str, str]] = field(default_factory=list)
    started: list[Process] = field(default_factory=list)
    #: what our own processes said, and what the measured program may have said among it
    said: list[Path] = field(default_factory=list)
    #: text that a fault puts into a reader or probe itself, which the record then quotes
    injected: str = ""
    #: when the first of them had ended
    ended_s: float = 0.0
    #: what the processes of this fault print goes nowhere
    discards: bool = False

    def __post_init__(self) -> None:
        self.chance = random.Random(f"{self.kind}:{self.seed}")
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger"

    def wrong(self, column: str, what: str) -> None:
        assert column in COLUMNS, column
        self.wrongs.append((column, what))

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("ASSAY_", "SLURM_", "PBS_", "PYTEST_"))}
        return {**kept, "ASSAY_RUNS": str(self.runs), "LEDGER": str(self.ledger), **self.env}

    def start(
        self,
        *words: object,
        sick: str = "",
        before: tuple[str, ...] = (),
        out: int | None = None,
        err: int | None = None,
    ) -> Process:
        """`assay WORDS`, its output in files unless descriptors are given. `sick` names a fault of sick.py that is put
        into this process alone."""
        inner = [str(HERE / "sick.py"), sick] if sick else ["-m", "assay"]
        return self.start_words(*before, sys.executable, *inner, *words, out=out, err=err)

    def start_words(self, *words: object, out: int | None = None, err: int | None = None) -> Process:
        """Any program, its output in files unless descriptors are given."""
        path = self.folder / f"said-{len(self.said)}"
        self.said.append(path)
        out_path = os.devnull if self.discards else path.with_suffix(".out")
        with open(out_path, "wb") as out_file, open(path.with_suffix(".err"), "wb") as err_file:
            process = subprocess.Popen(
                [*map(str, words)],
                cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
                stdout=out_file if out is None else out, stderr=err_file if err is None else err,
                start_new_session=True,
            )  # fmt: skip
        self.started.append(process)
        return process

    def run(self, *words: object, sick: str = "", quiet: bool = True) -> Process:
        """`assay run -- python WORDS`: a program of this folder under measurement."""
        options = ["--interval", self.chance.choice(("0.02", "0.1", "1")), *(["-q"] if quiet else [])]
        return self.start("run", *options, "--", sys.executable, *words, sick=sick)

    def measured(
        self, *, steps: int = 60, pause_s: float = 0.004, code: int = 0, on_term: str = "die", **how: Any
    ) -> Process:
        """The usual program, which counts, reports, prints and keeps its ledger."""
        return self.run(HERE / "measured.py", steps, pause_s, code, on_term, **how)

    def wait(self, process: Process, what: str = "assay run") -> int:
        """Its exit code. One that does not end is a hang, and is ended."""
        try:
            code, self.ended_s = process.wait(WATCHDOG_S), self.ended_s or time.time()
            return code
        except subprocess.TimeoutExpired:
            self.wrong("hangs", f"{what} had not ended after {WATCHDOG_S:.0f} s")
            process.kill()
            return process.wait()

    def ask(self, *words: object, codes: tuple[int, ...] = (0, 1, 2)) -> bytes:
        """What a command that only reads answers; it may refuse, in plain words, and nothing else."""
        process = self.start(*words)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (READING_CPU_S, READING_CPU_S + 5))
        asked = "assay " + " ".join(map(str, words))
        code = self.wait(process, asked)
        if code in (-24, -9) and not self.wrongs:
            self.wrong("hangs", f"{asked} needed more than {READING_CPU_S} s of CPU time")
        elif code not in codes:
            self.wrong("wrong exit", f"{asked} left with {code}")
        return self.said[-1].with_suffix(".out").read_bytes()

    def stderr_of(self, process: Process) -> bytes:
        return self.said[self.started.index(process)].with_suffix(".err").read_bytes()

    def until(self, condition: Callable[[], Any], what: str, process: Process | None = None) -> bool:
        """Whether it came true; False where the process ended before that."""
        ends_s = time.monotonic() + WATCHDOG_S
        while time.monotonic() < ends_s:
            if condition():
                return True
            if process is not None and process.poll() is not None:
                return bool(condition())
            time.sleep(0.002)
        self.wrong("hangs", f"waited {WATCHDOG_S:.0f} s for {what}")
        return False

    def moment(self, process: Process) -> None:
        """Any moment of a run: while Assay starts, while the program works, or about when it ends."""
        kind = self.chance.random()
        if kind < 0.3:
            time.sleep(self.chance.uniform(0.0, 0.3))
        else:
            lines = self.chance.randint(1, 130)
            self.until(lambda: self.ledger_lines() >= lines, "the program to work", process)
            time.sleep(self.chance.choice((0.0, self.chance.uniform(0.0, 0.02))))

    def ledger_lines(self) -> int:
        try:
            return self.ledger.read_bytes().count(b"\n")
        except OSError:
            return 0

    def begun(self, process: Process) -> bool:
        """Waits until the program itself works; False where it never will."""
        return self.until(lambda: self.ledger_lines() >= 1, "the program to begin", process)
