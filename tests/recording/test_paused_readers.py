"""A reader that pauses, however the output reaches it: the run can be ended, and what was printed is in the record."""

import fcntl
import os
import signal
import socket
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Assay, wait_for
from faults.kinds.readers import pair, read_all
from recording.test_printed_lines import THE_LOOP, Broken

KINDS = ("pipe", "FIFO", "pseudo-terminal", "socket")
#: more than any of them holds, but for a terminal, which is stopped by Ctrl-S
_BYTES = {"pseudo-terminal": 3000}
#: a second for the reader, and a busy machine
SOON_S = 20.0


@pytest.fixture(params=KINDS)
def ends(request: pytest.FixtureRequest, assay: Assay) -> Iterator[tuple[str, int, int]]:
    ours, theirs = pair(request.param, assay.folder)
    if request.param == "pseudo-terminal":
        termios.tcflow(theirs, termios.TCOOFF)
    yield request.param, ours, theirs
    for fd in (ours, theirs):
        os.close(fd)


def printing(kind: str) -> list[str]:
    return ["head", "-c", str(_BYTES.get(kind, 900_000)), "/dev/zero"]


def until_it_waits(assay: Assay, kind: str) -> None:
    """The command has ended, and its output is in the record but for what a pipe of ours still holds."""

    def done() -> bool:
        runs = assay.run_dirs()
        pids = [event["pid"] for event in assay.events() if "pid" in event] if runs else []
        return bool(pids) and not Path(f"/proc/{pids[0]}").exists() and (runs[0] / "output.log").stat().st_size > 0

    wait_for(done, "the command to end")


def has_printed(runs: Path) -> bool:
    return any(log.stat().st_size for log in runs.glob("*/output.log"))


def is_whole(assay: Assay, kind: str) -> bool:
    return (assay.run_dir() / "output.log").read_bytes() == bytes(_BYTES.get(kind, 900_000))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_whose_command_has_ended_ends_when_it_is_asked_to(
    assay: Assay, ends: tuple[str, int, int], number: signal.Signals
) -> None:
    kind, _, theirs = ends
    process = assay.start("run", "--", *printing(kind), stdout=theirs, stderr=theirs)
    until_it_waits(assay, kind)
    process.send_signal(number)
    assert process.wait(SOON_S) == 0
    assert assay.summary()["status"] == "completed"
    assert is_whole(assay, kind)


def test_a_timeout_holds_while_the_reader_pauses(assay: Assay, ends: tuple[str, int, int]) -> None:
    kind, _, theirs = ends
    process = assay.start("run", "--timeout", "1", "--", *printing(kind), stdout=theirs, stderr=theirs)
    assert process.wait(SOON_S) == 0
    assert is_whole(assay, kind)


def test_a_signal_reaches_a_command_that_its_reader_holds_up(assay: Assay, ends: tuple[str, int, int]) -> None:
    _, _, theirs = ends
    process = assay.start("run", "-q", "--", "yes", stdout=theirs)
    wait_for(lambda: has_printed(assay.runs), "output")
    process.send_signal(signal.SIGTERM)
    assert process.wait(SOON_S) == 128 + signal.SIGTERM
    assert assay.summary()["status"] == "interrupted"


def test_a_reader_that_goes_on_gets_everything(assay: Assay, ends: tuple[str, int, int]) -> None:
    kind, ours, theirs = ends
    process = assay.start("run", "-q", "--", *printing(kind), stdout=os.dup(theirs))
    until_it_waits(assay, kind)
    if kind == "pseudo-terminal":
        termios.tcflow(theirs, termios.TCOON)
    got = b""
    while len(got) < _BYTES.get(kind, 900_000):
        got += os.read(ours, 1 << 16)
    assert process.wait(SOON_S) == 0
    assert got == bytes(len(got))


def test_a_failed_recorder_can_be_ended_while_the_reader_pauses(assay: Assay) -> None:
    broken = Broken(assay.folder, assay.env)
    broken.breaking = THE_LOOP
    ours, theirs = os.pipe()
    process = broken.start("run", "-q", "--", *printing("pipe"), stdout=theirs)
    os.close(theirs)
    until_it_waits(assay, "pipe")
    process.send_signal(signal.SIGTERM)
    assert process.wait(SOON_S) == 0
    os.close(ours)


@pytest.mark.skipif(os.getuid() != 0, reason="starts a run of another user")
def test_a_pipe_of_another_user_holds_up_no_signal_and_loses_nothing(assay: Assay) -> None:
    assay.folder.chmod(0o777)
    reads_all = ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]  # our Python may be root's
    user = ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups", *reads_all]
    for command, code in ((printing("pipe"), 0), (["yes"], 128 + signal.SIGTERM)):
        runs = assay.folder / command[0]
        ours, theirs = os.pipe()
        fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
        process = subprocess.Popen(
            [*user, *assay.words("run", "-q", "--runs-dir", runs, "--", *command)],
            stdout=theirs, env=assay.environment(), cwd=assay.folder,
        )  # fmt: skip
        os.close(theirs)
        wait_for(lambda runs=runs: has_printed(runs), "output")
        if code:
            process.send_signal(signal.SIGTERM)
        else:
            assert read_all(ours) == bytes(900_000)
        assert process.wait(SOON_S) == code
        os.close(ours)


def test_a_socket_that_someone_else_reads_stays_blocking(assay: Assay) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert assay("run", "-q", "--", "echo", "hi", stdout=theirs.fileno()).returncode == 0
        assert os.get_blocking(theirs.fileno())
        assert ours.recv(100) == b"hi\n"


def helpers(recorder: int) -> list[int]:
    children = map(int, Path(f"/proc/{recorder}/task/{recorder}/children").read_text().split())
    own = Path(f"/proc/{recorder}/cmdline").read_bytes()
    return [pid for pid in children if Path(f"/proc/{pid}/cmdline").read_bytes() == own]


def test_helpers_that_were_stopped_delay_no_end(assay: Assay) -> None:
    """The guard, the one that starts commands, and the one that reads the output."""
    script = "while [ ! -e go ]; do sleep 0.01; done; echo step 1 loss: 0.25; date +%s.%N >ended"
    process = assay.start("run", "-q", "--", "sh", "-c", script)
    wait_for(lambda: assay.run_dirs() and any("pid" in event for event in assay.events()), "the command")
    stopped = helpers(process.pid)
    assert len(stopped) == 3
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    (assay.folder / "go").touch()
    assert process.wait(60) == 0
    assert time.time() - float((assay.folder / "ended").read_text()) < 4  # two seconds, and a busy machine
    assert assay.summary()["loss"] == 0.25
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in stopped), "the helpers to end")


def test_a_stopped_helper_delays_no_start(assay: Assay) -> None:
    stops = "import os, signal\nfrom assay.recording import launch\nbefore = launch.prepare\n"
    stops += "def prepare():\n    before(); os.kill(launch.launcher().pid, signal.SIGSTOP)\nlaunch.prepare = prepare"
    broken = Broken(assay.folder, assay.env)
    broken.breaking = stops
    assert broken("run", "-q", "--", "sh", "-c", "exit 3", timeout=SOON_S).returncode == 3
