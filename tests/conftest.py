"""What the tests share: the real command line, in a folder of its own, with real processes under it."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PATIENCE_S = 60.0
# a background job of a shell, or one under nohup, has children that ignore these: the tests are about what they do
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for ignored in (signal.SIGQUIT, signal.SIGHUP):
    signal.signal(ignored, signal.SIG_DFL)
# what the tests of each part share
_PARTS = ("facts", "ingest", "serving", "auditing", "comparing", "views", "launchers", "web", "store")
sys.path[:0] = [str(Path(__file__).parent / part) for part in _PARTS]
pytest_plugins = ["serving"]  # a server and a browser


def wait_for(condition: Callable[[], Any], what: str) -> Any:
    """The first true answer of `condition`; fails loudly when none comes."""
    ends_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_s:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.01)
    raise AssertionError(f"waited {PATIENCE_S:.0f} s for {what}")


@dataclass
class Assay:
    """`assay` as a user starts it, with its runs in a folder of this test."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("ASSAY_", "SLURM_", "PBS_", "PMI_", "OMPI_"))}
        return {**kept, "ASSAY_RUNS": str(self.runs), **self.env}

    def words(self, *words: str | bytes | Path) -> list[Any]:
        return [sys.executable, "-m", "assay", *words]

    def __call__(self, *words: str | bytes | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
        options = {"capture_output": True, "cwd": self.folder, "env": self.environment(), "timeout": 120, **options}
        if "stdout" in options or "stderr" in options:
            del options["capture_output"]
        return subprocess.run(self.words(*words), check=False, **options)

    def start(self, *words: str | bytes | Path, **options: Any) -> subprocess.Popen[bytes]:
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.folder, **options}
        return subprocess.Popen(self.words(*words), env=self.environment(), **options)

    def run_dirs(self) -> list[Path]:
        found = self.runs.glob("[!.]*/run.json") if self.runs.exists() else []
        return sorted(path.parent for path in found)

    def run_dir(self) -> Path:
        (only,) = self.run_dirs()
        return only

    def asked(self) -> dict[str, Any]:
        return json.loads((self.run_dir() / "run.json").read_bytes())

    def summary(self) -> dict[str, Any]:
        return json.loads((self.run_dir() / "summary.json").read_bytes())

    def events(self) -> list[dict[str, Any]]:
        found = []
        for path in sorted((self.run_dir() / "events").glob("*.jsonl")):
            found += [json.loads(line) for line in path.read_bytes().splitlines()]
        return found

    def ls(self) -> list[dict[str, Any]]:
        done = self("ls", "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def script(self, text: str, name: str = "script.py") -> Path:
        path = self.folder / name
        path.write_text(text)
        return path


def copied(made: Assay, assay: Assay) -> Assay:
    """The runs of `made`, which a fixture of the whole file recorded once, in the folder of this test."""
    shutil.copytree(made.folder, assay.folder, symlinks=True, dirs_exist_ok=True)
    return assay


@pytest.fixture
def assay(tmp_path: Path) -> Iterator[Assay]:
    yield Assay(tmp_path)
    _no_process_is_left(tmp_path)


def _no_process_is_left(folder: Path) -> None:
    """Nothing that a test started may outlive it."""
    mark = b"ASSAY_RUNS=" + os.fsencode(folder / "runs") + b"\0"

    def left() -> list[str]:
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes() and b"State:\tZ" not in (entry / "status").read_bytes():
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                continue
        return found

    ends_s = time.monotonic() + 10
    while left() and time.monotonic() < ends_s:
        time.sleep(0.01)
    assert not left()


def warnings(stderr: bytes) -> list[bytes]:
    """Ours, but for those about tests that run beside this one."""
    return [line for line in stderr.splitlines() if b"warning: " in line and b"active on this machine" not in line]


def skip_or_fail(what: str, why: str) -> None:
    """A test that cannot run here is skipped, unless `$ASSAY_REQUIRE` names what it lacks, as CI does."""
    if what in os.environ.get("ASSAY_REQUIRE", "").split(","):
        pytest.fail(f"{what} is required here: {why}")
    pytest.skip(why)


HAS_TORCH = importlib.util.find_spec("torch") is not None


def pytest_report_header() -> list[str]:
    if HAS_TORCH:
        return []
    if "torch" in os.environ.get("ASSAY_REQUIRE", "").split(","):
        pytest.exit("torch is required here: it is not installed", 1)
    return ["torch is not installed: what trains is left out"]


def need_torch() -> None:
    if not HAS_TORCH:
        skip_or_fail("torch", "torch is not installed")


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A real Slurm of three nodes, one for each process that runs tests."""
    from slurm_cluster import Cluster, free_slot, unavailable

    why = unavailable()
    if why:
        skip_or_fail("slurm", why)
    with free_slot() as slot:
        cluster = Cluster(tmp_path_factory.mktemp("slurm"), slot)
        cluster.start()
        yield cluster
        cluster.stop()


PYTHON = sys.executable
