"""Every kind of fault once, with a seed that stays the same; `make faults` does a thousand with one that does not."""

import os
import signal
import sys
from pathlib import Path

import pytest
from conftest import wait_for

from faults import checks
from faults.case import Case
from faults.one import do, report
from faults.table import KINDS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="faults are injected and watched through /proc"),
]
SEED = 12


@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_harms_no_command_and_loses_nothing(kind: str, tmp_path: Path) -> None:
    case = do(kind, SEED, tmp_path)
    assert not case.wrongs, report(case)


def columns(case: Case) -> set[str]:
    return {column for column, _ in case.wrongs}


def test_the_harness_notices_a_lost_event_and_a_lost_line(tmp_path: Path) -> None:
    case = Case(kind="control", seed=1, folder=tmp_path)
    checks.exit_is(case, case.measured(steps=5), 0)
    (run,) = checks.run_dirs(case)
    for path in [*run.glob("events/*.jsonl"), run / "output.log"]:
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(line for line in lines if b'"step":3' not in line and b"step 3 " not in line))
    checks.nothing_lost(case)
    assert [column for column, _ in case.wrongs] == ["lost", "lost"]


def test_the_harness_notices_a_command_that_was_harmed(tmp_path: Path) -> None:
    case = Case(kind="control", seed=1, folder=tmp_path)
    process = case.measured(steps=3000)
    case.begun(process)
    os.kill(checks.child_of(process.pid), signal.SIGKILL)
    checks.went_well(case, process)
    assert columns(case) == {"wrong exit", "wrong status", "harmed"}


def test_the_harness_notices_what_is_left_running_and_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_PATIENCE_S", 0.2)
    case = Case(kind="control", seed=1, folder=tmp_path)
    case.start("run", "-q", "--keep-daemons", "--", "sh", "-c", "sleep 300 &")
    checks.finish(case)
    assert columns(case) == {"left behind"}
    wait_for(lambda: not checks.processes_of(case), "what was killed to be gone")


def test_the_harness_notices_a_traceback(tmp_path: Path) -> None:
    case = Case(kind="control", seed=1, folder=tmp_path)
    case.wait(case.start("run", "-q", "--", "sh", "-c", "echo 'Traceback (most recent call last):' >&2"))
    checks.finish(case)
    assert columns(case) == {"tracebacks"}


def test_the_harness_notices_a_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faults.case.WATCHDOG_S", 0.5)
    case = Case(kind="control", seed=1, folder=tmp_path)
    case.wait(case.start("run", "-q", "--", "sleep", "300"))
    assert columns(case) == {"hangs"}
    checks.finish(case)
