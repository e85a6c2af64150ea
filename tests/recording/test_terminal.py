"""A terminal stays a terminal, with its size, its Ctrl-C and its modes; a pipe stays a pipe."""

import os
import pty
import re
import select
import shlex
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

    def read_to_the_end(self) -> None:
        while self.read():
            pass

    def leave(self) -> int:
        self.read_to_the_end()
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
    seat = Seat(assay, "run", "--", "sh", "-c", "echo ready; exec sleep 100")
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


def is_pending(pid: int, number: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(status.split("ShdPnd:")[1].split()[0], 16) >> number - 1 & 1)


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
    wait_for(lambda: not is_pending(seat.pid, signal.SIGINT), "us to have taken the first")  # two that wait are one
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


RAW = """
import os, sys, termios, tty
tty.setraw(1)                     # as a program does that draws on its standard output
os.write(1, b'raw')
sys.stdin.buffer.raw.read(1)
"""


def canonical(seat: Seat) -> bool:
    return bool(termios.tcgetattr(seat.fd)[3] & termios.ICANON)


def test_modes_that_the_command_sets_on_its_output_hold_for_the_real_terminal_and_are_taken_back(assay: Assay) -> None:
    seat = Seat(assay, "run", "-q", "--", PYTHON, assay.script(RAW))
    seat.until(b"raw")
    wait_for(lambda: not canonical(seat), "keys one by one")
    seat.type(b"x")
    seat.read_to_the_end()
    assert canonical(seat)
    assert seat.leave() == 0


def test_the_terminal_gets_its_modes_back_when_assay_is_killed(assay: Assay) -> None:
    seat = Seat(assay, "run", "-q", "--", PYTHON, assay.script(RAW))
    seat.until(b"raw")
    wait_for(lambda: not canonical(seat), "keys one by one")
    os.kill(seat.pid, signal.SIGKILL)
    os.waitpid(seat.pid, 0)
    wait_for(lambda: canonical(seat), "the terminal to be as it was")
    os.close(seat.fd)


def test_a_terminal_that_goes_away_ends_the_command(assay: Assay) -> None:
    seat = Seat(assay, "run", "-q", "--", PYTHON, "-c", "import signal; print('ready', flush=True); signal.pause()")
    seat.until(b"ready")
    os.close(seat.fd)
    wait_for(lambda: os.waitpid(seat.pid, os.WNOHANG)[0], "the run to end")
    summary = assay.summary()
    assert (summary["status"], summary["exit_code"]) == ("interrupted", 129)


#: as less does it: keys from the terminal that its error output is called after, output processed
PAGER = """
import os, sys, termios
keys = os.open(os.ttyname(2), os.O_RDONLY)
before = termios.tcgetattr(keys)
modes = termios.tcgetattr(keys)
modes[1] |= termios.OPOST | termios.ONLCR
modes[3] &= ~(termios.ICANON | termios.ECHO)
termios.tcsetattr(keys, termios.TCSADRAIN, modes)
os.write(1, b'page\\n')
key = os.read(keys, 1)
termios.tcsetattr(keys, termios.TCSADRAIN, before)
os.write(1, b'key ' + key + b'\\n')
os.close(keys)
os.write(1, b'line ' + sys.stdin.buffer.readline())
"""


def left_pager(assay: Assay) -> Seat:
    """A pager that was given the key to leave it, and heard it."""
    seat = Seat(assay, "run", "-q", "--", PYTHON, assay.script(PAGER))
    seat.until(b"page")
    wait_for(lambda: not canonical(seat), "keys one by one")
    seat.type(b"q")
    seat.until(b"key q")
    wait_for(lambda: canonical(seat), "the pager to be done")
    return seat


def test_a_pager_that_opens_its_terminal_by_name_gets_its_keys(assay: Assay) -> None:
    seat = left_pager(assay)
    seat.type(b"typed later\n")
    assert seat.leave() == 0
    assert seat.seen.endswith(b"line typed later\r\n")  # from standard input again


def test_a_pager_leaves_the_processing_of_output_as_it_was(assay: Assay) -> None:
    seat = left_pager(assay)
    assert termios.tcgetattr(seat.fd)[1] & termios.OPOST
    seat.type(b"\n")
    assert seat.leave() == 0
    assert b"line \r\n" in seat.seen


def shell(assay: Assay, *words: object) -> str:
    return shlex.join(map(str, assay.words(*words)))


class Shell(Seat):
    """A person at an interactive shell."""

    def __init__(self, assay: Assay) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(assay.folder)
            os.execvpe("bash", ["bash", "--norc", "-i"], {**assay.environment(), "PS1": "PROMPT "})
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 200, 0, 0))
        self.seen = b""
        self.until(b"PROMPT ")

    def until(self, text: bytes) -> None:
        super().until(text)
        self.seen = self.seen.split(text, 1)[1]

    def leave(self) -> int:
        self.type(b"exit\n")
        return super().leave()


def test_a_pipeline_at_a_terminal_is_left_alone(assay: Assay) -> None:
    person = Shell(assay)
    person.type(f"{shell(assay, 'run', '-q', '--', 'sh', '-c', 'echo a; echo b')} | cat\n".encode())
    person.until(b"a\r\nb\r\n")  # no staircase: the terminal still turns \n into \r\n
    person.until(b"PROMPT ")
    reads = shell(assay, "run", "-q", "--", "sh", assay.script("echo ready >&2; exec sleep 100", "wait.sh"))
    person.type(f"{reads} | {PYTHON} -c \"print(open('/dev/tty').readline())\"\n".encode())
    person.until(b"ready")
    person.type(b"typed\n")
    person.until(b"typed\r\n")
    person.until(b"typed\r\n")  # once echoed, once printed by the other end of the pipeline, to which the key went
    person.type(b"\x03")
    person.until(b"PROMPT ")
    person.leave()


def test_streams_that_go_to_one_file_keep_their_order_at_a_terminal_too(assay: Assay) -> None:
    loop = "i=0; while [ $i -lt 300 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done"
    script = assay.script(loop, "loop.sh")
    person = Shell(assay)
    person.type(f"{shell(assay, 'run', '-q', '--', 'sh', script)} > log 2>&1\n".encode())
    person.until(b"PROMPT ")
    person.leave()
    assert (assay.folder / "log").read_bytes() == b"".join(b"out %d\nerr %d\n" % (i, i) for i in range(300))


def test_a_question_on_the_terminal_itself_is_answered(assay: Assay) -> None:
    asks = "import getpass\nprint('got', getpass.getpass('secret? '), flush=True)"
    person = Shell(assay)
    person.type(f"{shell(assay, 'run', '-q', '--', PYTHON, assay.script(asks))} < /dev/null > log 2>&1\n".encode())
    person.until(b"secret? ")
    person.type(b"hush\n")
    person.until(b"PROMPT ")
    assert b"hush" not in person.seen
    person.leave()
    assert (assay.folder / "log").read_bytes() == b"got hush\n"


def test_a_job_brought_to_the_foreground_gets_its_keys(assay: Assay) -> None:
    person = Shell(assay)
    person.type(f"{shell(assay, 'run', '-q', '--', 'sh', '-c', 'read x; echo got $x')} &\n".encode())
    person.until(b"PROMPT ")
    person.type(b"fg\n")
    person.type(b"hello\n")
    person.until(b"got hello")
    person.leave()
    assert assay.summary()["status"] == "completed"


def test_an_interactive_program_survives_interrupts_far_apart(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.recording import stopping

    heard: list[int] = []
    moment_s = [100.0]
    monkeypatch.setattr(stopping.time, "monotonic", lambda: moment_s[0])
    monkeypatch.setattr(stopping, "send", lambda pids, number: heard.append(number))
    stopper = stopping.Stopper(lambda: [1], shared_group=False)
    stopper.forward(signal.SIGINT)
    moment_s[0] += 60
    stopper.forward(signal.SIGINT)
    assert signal.SIGKILL not in heard
    moment_s[0] += 1
    stopper.forward(signal.SIGINT)
    assert heard[-1] == signal.SIGKILL


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
    # no shell: one whose child is stopped between its vfork and its exec waits for it in the kernel, and is not stopped
    script = assay.script(
        "import os, time\nprint('begun', flush=True)\n"
        "while not os.path.exists('go'): time.sleep(0.02)\n"
        "print('went on')"
    )
    words = subprocess.list2cmdline(map(str, assay.words("run", "-q", "--", PYTHON, script)))
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


def test_after_a_kill_of_assay_only_what_was_printed_is_in_the_record(assay: Assay) -> None:
    script = """
import itertools, os, signal, sys, time
told = []
signal.signal(signal.SIGTERM, lambda *_: told.append(1))
signal.signal(signal.SIGHUP, signal.SIG_IGN)  # of the terminal, whose session assay led
for number in itertools.count():
    os.write(1, b"%d\\n" % number)
    time.sleep(0.001)
    if told: break
os.write(1, b"told\\n")
"""
    seat = Seat(assay, "run", "-q", "--", PYTHON, assay.script(script))
    seat.until(b"500")
    os.kill(seat.pid, signal.SIGKILL)
    kept = wait_for(lambda: (text := _output(assay)).endswith(b"told\n") and text, "its last words")
    assert kept.splitlines() == [*(b"%d" % number for number in range(len(kept.splitlines()) - 1)), b"told"]
    os.waitpid(seat.pid, 0)
    os.close(seat.fd)


def _output(assay: Assay) -> bytes:
    return (assay.run_dir() / "output.log").read_bytes().replace(b"\r\n", b"\n")
