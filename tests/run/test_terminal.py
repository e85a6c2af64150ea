"""A terminal stays a terminal, with its size, its Ctrl-C and its modes; a pipe stays a pipe."""

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from fcntl import ioctl
from pathlib import Path

import pytest
from conftest import PYTHON, Assay, wait_for

WHAT = "import os, shutil; print([os.isatty(fd) for fd in (0, 1, 2)], tuple(shutil.get_terminal_size()), flush=True)"


class Seat:
    """A person at a terminal of 100 × 30, with assay in its foreground."""

    def __init__(self, assay: Assay, *words: object, redirect: str = "") -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(assay.folder)
            command = subprocess.list2cmdline(map(str, assay.words(*words)))  # type: ignore[arg-type]
            line = f"exec {command} {redirect}" if redirect else None
            environment = {**assay.environment(), "COLUMNS": "", "LINES": ""}
            for name in ("COLUMNS", "LINES"):
                del environment[name]
            argv = ["bash", "-c", line] if line else list(map(str, assay.words(*words)))
            os.execvpe(argv[0] if line else sys.executable, argv, environment)
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.seen = b""
        self.code: int | None = None

    def read(self) -> bool:
        """False at the end."""
        if not select.select([self.fd], [], [], 30)[0]:
            raise AssertionError(f"nothing more on the terminal after: {self.seen!r}")
        try:
            content = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += content
        return bool(content)

    def until(self, text: bytes) -> None:
        while text not in self.seen:
            assert self.read(), self.seen

    def type(self, keys: bytes) -> None:
        os.write(self.fd, keys)

    def leave(self) -> int:
        while self.read():
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def test_a_terminal_stays_a_terminal_of_its_size(assay: Assay) -> None:
    seat = Seat(assay, "run", "-q", "--", "sh", "-c", f"read go; exec {PYTHON} -c '{WHAT}'")
    seat.type(b"\n")
    assert seat.leave() == 0
    assert b"[True, True, True] (100, 30)" in seat.seen


@pytest.mark.parametrize(
    ("redirect", "expected"),
    [
        ("> out", b"[True, False, True]"),
        ("2> err", b"[True, True, False]"),
        ("< /dev/null", b"[False, True, True]"),
        ("> out 2> err", b"[True, False, False]"),
        ("< /dev/null > out", b"[False, False, True]"),
    ],
)
def test_each_stream_is_what_it_was(assay: Assay, redirect: str, expected: bytes) -> None:
    seat = Seat(assay, "run", "-q", "--", PYTHON, assay.script(WHAT), redirect=redirect)
    assert seat.leave() == 0
    out = assay.folder / "out"
    assert expected in seat.seen + (out.read_bytes() if out.exists() else b"")
    assert expected in (assay.run_dir() / "output.log").read_bytes()


def test_a_pipe_stays_a_pipe(assay: Assay) -> None:
    done = assay("run", "-q", "--", PYTHON, "-c", WHAT, stdin=subprocess.DEVNULL)
    assert done.stdout.startswith(b"[False, False, False]")


def test_a_progress_bar_arrives_as_it_was_drawn(assay: Assay) -> None:
    script = "import sys\nfor i in range(3): sys.stdout.write(f'\\r{i}/3'); sys.stdout.flush()\nprint()"
    seat = Seat(assay, "run", "-q", "--", PYTHON, assay.script(script))
    seat.leave()
    assert b"\r0/3\r1/3\r2/3\r\n" in seat.seen


def test_keys_reach_the_command(assay: Assay) -> None:
    seat = Seat(assay, "run", "-q", "--", PYTHON, assay.script("print('got', input('name? '))"))
    seat.until(b"name? ")
    seat.type(b"Ada\n")
    assert seat.leave() == 0
    assert b"got Ada" in seat.seen


def test_ctrl_d_ends_the_input(assay: Assay) -> None:
    seat = Seat(assay, "run", "-q", "--", "sh", "-c", "echo ready; cat")
    seat.until(b"ready")
    seat.type(b"text\n\x04")
    assert seat.leave() == 0


def test_ctrl_c_interrupts_the_command_and_comes_back_as_130(assay: Assay) -> None:
    seat = Seat(assay, "run", "--", "sh", "-c", "echo ready; sleep 100")
    seat.until(b"ready")
    seat.type(b"\x03")
    assert seat.leave() == 130
    assert b"interrupted" in seat.seen
    assert assay.summary()["status"] == "interrupted"


def test_ctrl_c_reaches_each_process_once(assay: Assay) -> None:
    from test_signals import NAMES, TREE, noted

    seat = Seat(assay, "run", "-q", "--", PYTHON, assay.script(TREE), "parent", "session", "middle")
    wait_for(lambda: all((assay.folder / f"ready-{name}").exists() for name in NAMES), "the tree to stand")
    seat.type(b"\x03")
    seat.leave()
    assert noted(assay) == {name: ["SIGINT"] for name in NAMES}


def test_a_second_ctrl_c_kills(assay: Assay) -> None:
    script = """
import signal
signal.signal(signal.SIGINT, lambda *_: print('heard', flush=True))
print('up', flush=True)
while True: signal.pause()
"""
    seat = Seat(assay, "run", "-q", "--", PYTHON, assay.script(script))
    seat.until(b"up")
    seat.type(b"\x03")
    seat.until(b"heard")
    seat.type(b"\x03")
    assert seat.leave() == 137


def test_ctrl_c_typed_to_a_program_that_reads_keys_raw_is_only_a_key(assay: Assay) -> None:
    script = """
import os, tty
tty.setraw(0)
os.write(1, b'raw')
keys = b''
while len(keys) < 3: keys += os.read(0, 3)
print(keys)
"""
    seat = Seat(assay, "run", "-q", "--", PYTHON, assay.script(script))
    seat.until(b"raw")
    seat.type(b"\x03\x03\x03")
    assert seat.leave() == 0
    assert rb"b'\x03\x03\x03'" in seat.seen


def test_a_change_of_size_is_passed_on(assay: Assay) -> None:
    script = """
import os, signal
signal.signal(signal.SIGWINCH, lambda *_: print(tuple(os.get_terminal_size()), flush=True))
print('up', flush=True)
input()
"""
    seat = Seat(assay, "run", "-q", "--", PYTHON, assay.script(script))
    seat.until(b"up")
    ioctl(seat.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 132, 0, 0))
    seat.until(b"(132, 40)")
    seat.type(b"\n")
    assert seat.leave() == 0


def test_the_terminal_gets_its_modes_back(assay: Assay) -> None:
    ours = subprocess.list2cmdline(map(str, assay.words("run", "-q", "--", "true")))
    command = f"stty -a > before; {ours}; stty -a > after"
    (assay.folder / "both.sh").write_text(command)
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(assay.folder)
        os.execvpe("bash", ["bash", "both.sh"], assay.environment())
    while True:
        try:
            if not os.read(fd, 4096):
                break
        except OSError:
            break
    os.waitpid(pid, 0)
    os.close(fd)
    assert (assay.folder / "before").read_text() == (assay.folder / "after").read_text() != ""


def test_the_terminal_gets_its_modes_back_when_assay_is_killed(assay: Assay) -> None:
    seat = Seat(assay, "run", "-q", "--", "sh", "-c", "echo ready; sleep 100")
    seat.until(b"ready")
    raw = termios.tcgetattr(seat.fd)[3] & termios.ICANON
    os.kill(seat.pid, signal.SIGKILL)
    os.waitpid(seat.pid, 0)
    assert not raw
    wait_for(lambda: termios.tcgetattr(seat.fd)[3] & termios.ICANON, "the terminal to be cooked again")
    os.close(seat.fd)


def test_a_job_in_the_background_does_not_touch_the_terminal(assay: Assay) -> None:
    words = subprocess.list2cmdline(
        map(str, assay.words("run", "-q", "--", "sh", "-c", "echo from behind; touch done"))
    )
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(assay.folder)
        os.execvpe("bash", ["bash", "--norc", "-i"], {**assay.environment(), "PS1": "$ "})
    os.write(fd, f"{words} &\n".encode())
    seen = b""
    deadline = time.monotonic() + 30
    while not (assay.folder / "done").exists() or b"from behind" not in seen.split(b"&\r\n", 1)[-1]:
        assert time.monotonic() < deadline, seen
        if select.select([fd], [], [], 0.05)[0]:
            seen += os.read(fd, 65536)
    os.write(fd, b"wait; exit\n")
    while True:
        try:
            if not os.read(fd, 4096):
                break
        except OSError:
            break
    os.waitpid(pid, 0)
    os.close(fd)
    assert assay.summary()["status"] == "completed"


def test_ctrl_z_stops_the_command_and_fg_continues_it(assay: Assay) -> None:
    script = "i=0; while [ ! -e go ]; do i=$((i+1)); sleep 0.05; done; echo went on"
    words = subprocess.list2cmdline(map(str, assay.words("run", "-q", "--", "sh", "-c", "echo begun; " + script)))
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(assay.folder)
        os.execvpe("bash", ["bash", "--norc", "-i"], {**assay.environment(), "PS1": "PROMPT "})

    seen = b""

    def until(pattern: bytes) -> None:
        nonlocal seen
        while not re.search(pattern, seen):
            assert select.select([fd], [], [], 30)[0], seen
            seen += os.read(fd, 65536)
        seen = re.split(pattern, seen, maxsplit=1)[-1]

    until(b"PROMPT ")
    os.write(fd, f"{words}\n".encode())
    until(rb"begun\r+\n")
    os.write(fd, b"\x1a")
    until(b"Stopped")
    until(b"PROMPT ")
    pids = [event["pid"] for event in assay.events() if "pid" in event]
    wait_for(lambda: Path(f"/proc/{pids[0]}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T", "the stop")
    (assay.folder / "go").touch()
    os.write(fd, b"fg\n")
    until(b"went on")
    until(b"PROMPT ")
    os.write(fd, b"exit\n")
    os.waitpid(pid, 0)
    os.close(fd)
    assert assay.summary()["status"] == "completed"
