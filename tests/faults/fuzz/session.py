"""A worker under watch, and what became of the inputs it was fed."""

from __future__ import annotations

import hashlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from faults.case import HERE

FOUND = HERE / "found"
#: one that waits and computes nothing hangs after this
_WATCHDOG_S = 90.0
#: of each target, kept in the project
_SUFFIX = ".input"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """An input that should have been survived."""

    target: str
    path: Path
    wrong: str

    def __str__(self) -> str:
        last = self.wrong.strip().splitlines()[-1][:300]
        return f"{self.target}: {last}\n  input kept in {self.path}"


class Session:
    """Feeds inputs to a worker, and starts another where one died of it."""

    def __init__(self, keep_in: Path = FOUND) -> None:
        self._keep_in = keep_in
        self.folder = Path(tempfile.mkdtemp(prefix="assay-fuzz-session-"))
        self._worker: subprocess.Popen[bytes] | None = None
        self.fed = 0
        self.most_cpu_s, self.most_bytes = 0.0, 0
        self.template = _template(self.folder)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *problem: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def feed(self, target: str, content: bytes, cpu_s: int = 5) -> Fault | None:
        path = self.folder / "input"
        path.write_bytes(content)
        answer = self._ask({"target": target, "path": str(path), "cpu_s": cpu_s})
        self.fed += 1
        self.most_cpu_s = max(self.most_cpu_s, answer.get("cpu_s", 0.0))
        self.most_bytes = max(self.most_bytes, answer.get("peak_bytes", 0))
        if not answer["wrong"]:
            return None
        return Fault(target=target, path=self._kept(target, content), wrong=answer["wrong"])

    def _kept(self, target: str, content: bytes) -> Path:
        name = f"{target.replace(' ', '-')}-{hashlib.sha256(content).hexdigest()[:10]}{_SUFFIX}"
        self._keep_in.mkdir(parents=True, exist_ok=True)
        path = self._keep_in / name
        path.write_bytes(content)
        return path

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        worker = self._worker if self._worker is not None and self._worker.poll() is None else self._start()
        assert worker.stdin and worker.stdout
        worker.stdin.write(json.dumps(question).encode() + b"\n")
        worker.stdin.flush()
        if not select.select([worker.stdout], [], [], _WATCHDOG_S)[0]:
            self._stop()
            return {"wrong": f"no answer after {_WATCHDOG_S:.0f} s: {self._last_words()}"}
        line = worker.stdout.readline()
        if not line:
            code = worker.wait()
            return {"wrong": f"the worker died with {code} (-24: too much CPU time): {self._last_words()}"}
        return json.loads(line)

    def _start(self) -> subprocess.Popen[bytes]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
        with open(self.folder / "stderr", "wb") as err:
            self._worker = subprocess.Popen(
                [sys.executable, HERE / "fuzz" / "worker.py", self.template],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err, env=kept, cwd=self.folder,
            )  # fmt: skip
        return self._worker

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker.communicate()
            self._worker = None

    def _last_words(self) -> str:
        return (self.folder / "stderr").read_text(errors="replace")[-3000:]


def _template(folder: Path) -> Path:
    """A runs folder with one good run."""
    runs = folder / "template"
    words = [
        "run",
        "-q",
        "--name",
        "good",
        "--runs-dir",
        runs,
        "--",
        sys.executable,
        HERE / "measured.py",
        20,
        0,
        0,
        "die",
    ]
    plain = {
        "PATH": "/usr/bin:/bin",
        "LEDGER": str(folder / "ledger"),
    }  # what is found is kept: nothing of whose machine
    command = [sys.executable, "-m", "assay", *map(str, words)]
    subprocess.run(command, cwd=folder, env=plain, capture_output=True, check=True)
    return runs


def target_of(path: Path, targets: list[str]) -> str:
    """Of a kept input: its name begins with it."""
    return next(name for name in targets if path.name.rsplit("-", 1)[0] == name.replace(" ", "-"))
