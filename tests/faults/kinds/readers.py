"""Faults of whoever reads the output: it pauses, for a while or for ever, and the run can be ended all the same."""

from __future__ import annotations

import os
import pty
import signal
import socket
import subprocess
import sys
import threading
import time
import tty

from faults.case import Case
from faults.checks import begun, ended, exit_is, ledger, run_dirs, status_is, work_is_done

#: what an end may take that was asked for: a second for the reader, 5 s for what is left behind, and a slow machine
_PATIENCE_S = 15.0
#: prints blocks of a kilobyte that all differ
_PROGRAM = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
ledger = os.open(os.environ['LEDGER'], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
os.write(ledger, b'begin\\n')
for block in range(int(sys.argv[1])):
    os.write(1, b'%1023d\\n' % block)
    os.write(ledger, b'printed %d\\n' % block)
os.write(ledger, b'end\\n')
time.sleep(float(sys.argv[2]))
os._exit(int(sys.argv[3]))
"""


def pair(kind: str, folder: os.PathLike[str]) -> tuple[int, int]:
    """(to read, to write)"""
    if kind == "socket":
        ours, theirs = socket.socketpair()
        return ours.detach(), theirs.detach()
    if kind == "pseudo-terminal":
        ours, theirs = pty.openpty()
        tty.setraw(theirs)
        return ours, theirs
    if kind == "FIFO":
        path = os.path.join(folder, "fifo")
        os.mkfifo(path)
        ours = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(ours, True)
        return ours, os.open(path, os.O_WRONLY)
    return os.pipe()


def read_all(fd: int) -> bytes:
    found = b""
    try:
        while content := os.read(fd, 1 << 16):
            found += content
    except OSError:  # a pseudo-terminal ends so
        pass
    return found


def pauses(kind: str):
    def fault(case: Case) -> None:
        ours, theirs = pair(kind, case.folder)
        fate = case.chance.choice(("reads on", "signal", "two signals", "--timeout"))
        code, blocks = case.chance.choice((0, 3)), case.chance.choice((1, 30, 90, 300, 900, 1500))
        limit = ("--timeout", "1") if fate == "--timeout" else ()
        quiet = ("-q",) if case.chance.random() < 0.5 else ()
        words = ("-S", "-c", _PROGRAM, blocks, case.chance.choice((0, 0, 0.3)), code)
        process = case.start(
            "run", *quiet, *limit, "--", sys.executable, *words, out=theirs, err=theirs if not quiet else None
        )
        os.close(theirs)
        case.begun(process)
        time.sleep(case.chance.uniform(0.0, 0.6))
        number = case.chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT))
        got = b""
        if fate == "reads on":
            got = _read_on(ours, process)
        elif fate != "--timeout":
            for _ in fate.split()[:2]:
                process.send_signal(number)
                time.sleep(case.chance.uniform(0.0, 0.2))
        _ends(case, process, fate)
        own = (code,) if ended(case) else ()
        asked = {"reads on": (), "--timeout": (124,)}.get(fate, (128 + number, 137))
        exit_is(case, process, *own, *asked)
        statuses = ("completed" if code == 0 else "failed",) if ended(case) else ()
        status_is(case, *statuses, *(() if fate == "reads on" else ("failed" if limit else "interrupted",)))
        if fate == "reads on":
            work_is_done(case)
        os.close(ours)
        _is_kept(case, got if fate == "reads on" else None)

    return fault


def _read_on(ours: int, process: subprocess.Popen[bytes]) -> bytes:
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(read_all(ours)), daemon=True)
    reader.start()
    reader.join(60)
    return b"".join(found)


def _ends(case: Case, process: subprocess.Popen[bytes], fate: str) -> None:
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        case.wrong("hangs", f"it had not ended {_PATIENCE_S:.0f} s after this: {fate}")
        process.kill()


def _is_kept(case: Case, got: bytes | None) -> None:
    """What was printed is in the record, and the same has come to the reader, among words of our own."""
    if not begun(case):
        return
    log = (run_dirs(case)[-1] / "output.log").read_bytes()
    printed = sum(line.startswith("printed ") for line in ledger(case))
    whole = b"".join(b"%1023d\n" % block for block in range(printed + 1))
    if not whole.startswith(log) or len(log) < 1024 * printed:
        case.wrong("lost", f"printed {printed} blocks, output.log has {len(log) / 1024:.1f}")
    if got is not None and log not in got:
        case.wrong("lost", f"output.log has {len(log)} bytes, the reader got {len(got)}")
