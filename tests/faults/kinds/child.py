"""Faults of the command itself: how it ends, what it starts, what it closes."""

from __future__ import annotations

import os
import signal
import time

from faults.case import Case
from faults.checks import child_of, end, exit_is, nothing_lost, status_is, went_well, work_is_done

#: what programs of this file begin with
_HEAD = """
import os, resource, signal, sys, time
import assay
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
def note(text):
    with open(os.environ['LEDGER'], 'a') as file:
        file.write(text + chr(10))
note('begin')
assay.log(step=0); note('logged 0')
"""
_ENDING = sorted(
    set(range(1, 32))
    - {signal.SIGSTOP, signal.SIGCONT, signal.SIGCHLD, signal.SIGURG, signal.SIGWINCH}
    - {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
)
_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def exits_with_any_code(case: Case) -> None:
    code = case.chance.randrange(256)
    process = case.run("-c", f"{_HEAD}\nnote('end'); os._exit({code})")
    went_well(case, process, code, output=False)


def dies_by_any_signal(case: Case) -> None:
    number = case.chance.choice(_ENDING)
    process = case.run(
        "-c", f"{_HEAD}\nsignal.signal({number}, 0) if {number} != 9 else 0\nos.kill(os.getpid(), {number})"
    )
    exit_is(case, process, 128 + number)
    status_is(case, "interrupted" if number in _ASKING else "failed")
    nothing_lost(case, output=False)


def killed(case: Case) -> None:
    """kill -9 of the command at any moment: whatever it reported before is on disk."""
    process = case.measured(steps=3000, pause_s=0.0)
    if case.begun(process):
        time.sleep(case.chance.uniform(0.0, 0.15))
    child = child_of(process.pid)
    if child is not None:
        end(child)
    exit_is(case, process, 137 if child is not None else 0, 137, 0)
    status_is(case, "failed" if process.returncode else "completed")
    nothing_lost(case)


def stopped(case: Case) -> None:
    process = case.measured()
    case.moment(process)
    child = child_of(process.pid)
    if child is not None:
        _signal(child, signal.SIGSTOP)
        time.sleep(case.chance.uniform(0.01, 0.3))
        _signal(child, signal.SIGCONT)
    went_well(case, process)


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def forks(case: Case) -> None:
    """Children that report, too, and end; one that would stay is ended with the command."""
    count = case.chance.randint(1, 8)
    process = case.run(
        "-c",
        f"""{_HEAD}
for rank in range({count}):
    if os.fork() == 0:
        for step in range(10):
            assay.log(step=1 + rank * 10 + step); note(f'logged {{1 + rank * 10 + step}}')
        if rank == 0:
            time.sleep(300)
        os._exit(rank)
for rank in range(1, {count}): os.wait()
while open(os.environ['LEDGER']).read().count('logged') < 1 + 10 * {count}: time.sleep(0.01)
note('end'); os._exit(0)""",
    )
    went_well(case, process, output=False)


def daemonises(case: Case) -> None:
    """Twice, in a session of its own, perhaps without the environment; it ends with the command."""
    bare = case.chance.random() < 0.5
    leave = "os.execve('/bin/sleep', ['sleep', '300'], {})" if bare else "os.execv('/bin/sleep', ['sleep', '300'])"
    process = case.run(
        "-c",
        f"""{_HEAD}
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {leave}
    os._exit(0)
os.wait()
note('end'); os._exit(3)""",
    )
    went_well(case, process, 3, output=False)


def closes_its_output(case: Case) -> None:
    closed = case.chance.sample((0, 1, 2), case.chance.randint(1, 3))
    process = case.run(
        "-c",
        f"""{_HEAD}
for fd in {closed}: os.close(fd)
for step in range(1, 40):
    assay.log(step=step); note(f'logged {{step}}'); time.sleep(0.005)
note('end'); os._exit(0)""",
    )
    went_well(case, process, output=False)


def environment(case: Case) -> None:
    """The command sees what Assay was started with, and what Assay documents: nothing that Python sets for itself."""
    possible = (
        "LANG=C", "LANG=en_US.UTF-8", "LC_CTYPE=C", "LC_CTYPE=POSIX", "LC_CTYPE=C.UTF-8", "LC_ALL=C", "LC_ALL=",
        "PATH=", "PATH=/usr/bin:/bin", "HOME=/nowhere", "ODD=\udcff", "EMPTY=", "TERM=dumb", "COLUMNS=7",
    )  # fmt: skip
    given = case.chance.sample(possible, case.chance.randint(0, 6))
    given = [*{one.partition("=")[0]: one for one in given}.values(), f"ASSAY_RUNS={case.runs}"]
    process = case.start("run", "-q", "--", "/usr/bin/env", "-0", before=("/usr/bin/env", "-i", *given))
    exit_is(case, process, 0)
    seen = case.said[0].with_suffix(".out").read_bytes().split(b"\0")[:-1]
    added = {b"ASSAY_RUN", b"ASSAY_EVENTS", b"PYTHONPATH"}
    others = {one for one in seen if one.partition(b"=")[0] not in added}
    if others != set(map(os.fsencode, given)) or len(seen) != len(given) + len(added):
        case.wrong("harmed", f"given {sorted(given)}, seen {sorted(seen)}")
    status_is(case, "completed")


def cannot_start(case: Case) -> None:
    """No such program, no right to start it, no interpreter: a shell's codes, and a run that says so."""
    (case.folder / "plain").write_text("no program\n")
    (case.folder / "lost").write_text("#!/no/such/interpreter\n")
    (case.folder / "lost").chmod(0o755)
    word, code = case.chance.choice((("./nothing", 127), ("./plain", 126), (".", 126), ("./lost", 127)))
    process = case.start("run", "-q", "--", word)
    exit_is(case, process, code)
    status_is(case, "failed")


def output_refused(case: Case) -> None:
    """Whoever read our output has gone: the command meets that as it would without us, and its events are kept."""
    process = case.start(
        "run", "-q", "--", "sh", "-c", "echo begin >>\"$LEDGER\"; sleep 0.1; echo x; echo end >>\"$LEDGER\"; exit 4",
        before=("sh", "-c", '"$@" | true; exit 0', "sh"),
    )  # fmt: skip
    exit_is(case, process, 0)
    case.until(lambda: not _running(case), "the run to end")
    work_is_done(case)
    status_is(case, "failed")


def _running(case: Case) -> bool:
    from faults.checks import listed

    return any(summary.get("status") == "running" for summary in listed(case))
