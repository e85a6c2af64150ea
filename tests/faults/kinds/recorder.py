"""Faults of the recorder and its guard: signals at any moment, kills, stops."""

from __future__ import annotations

import os
import signal
import time

from faults.case import Case
from faults.checks import (
    begun,
    child_of,
    end,
    ended,
    exit_is,
    helpers_of,
    nothing_lost,
    processes_of,
    status_is,
    went_well,
)

#: two seconds for a helper that was stopped, and as much for an end on a slow machine
_DELAY_S = 4.0


def killed(case: Case) -> None:
    """kill -9: the guard saves what was printed and ends the command."""
    process = case.measured()
    case.moment(process)
    process.kill()
    _is_interrupted(case, process)


def killed_listening(case: Case) -> None:
    """The same of a command that ends by itself when it is asked to."""
    process = case.measured(steps=400, on_term="listen")
    case.moment(process)
    process.kill()
    _is_interrupted(case, process)


def _is_interrupted(case: Case, process) -> None:
    case.wait(process)
    case.until(lambda: not processes_of(case), "the command to end with its recorder")
    status_is(case, *(("completed", "interrupted") if ended(case) else ("interrupted", "none")))
    nothing_lost(case)


def told(number: int):
    """TERM, INT or HUP to the recorder: the command gets it, and what it makes of it is what comes back."""

    def fault(case: Case) -> None:
        listens = case.chance.random() < 0.5
        process = case.measured(on_term="listen" if listens else "die")
        case.moment(process)
        process.send_signal(number)
        code = 7 if listens else 128 + number
        if begun(case):
            exit_is(case, process, code, 128 + number, *((0,) if ended(case) else ()))
        else:  # before there is a command, the signal is the recorder's own; or it came when all was over
            exit_is(case, process, code, 128 + number, -number, 0)
        status_is(case, "interrupted", *(("completed",) if ended(case) else ("none",)))
        nothing_lost(case)

    return fault


def interrupted_twice(case: Case) -> None:
    """A second Ctrl-C kills what ignored the first."""
    program = (
        "import os, signal, time\n"
        "signal.signal(2, signal.SIG_IGN)\n"
        "open(os.environ['LEDGER'], 'w').write('begin\\n')\n"
        "time.sleep(300)\n"
    )
    process = case.run("-c", program)
    if case.begun(process):
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(case.chance.uniform(0.02, 0.3))
    exit_is(case, process, 137, 130)
    status_is(case, "interrupted")


def stopped(case: Case) -> None:
    """STOP, a while of nothing, CONT: the command may have to wait, and loses nothing."""
    process = case.measured(steps=100)
    for _ in range(case.chance.randint(1, 3)):
        case.moment(process)
        if process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            time.sleep(case.chance.uniform(0.01, 0.3))
            process.send_signal(signal.SIGCONT)
    went_well(case, process)


def helper_killed(case: Case) -> None:
    """Without its guard, or who else helps it, a run goes on, and ends as it would."""
    code = case.chance.choice((0, 3))
    process = case.measured(steps=100, code=code)
    case.moment(process)
    helpers = helpers_of(process.pid)
    if helpers:
        end(case.chance.choice(helpers))
    went_well(case, process, code)


def helpers_stopped(case: Case) -> None:
    """STOP for those who help it, at any moment and for good: the run ends as it would, and hardly later."""
    code = case.chance.choice((0, 3))
    process = case.measured(steps=60, code=code)
    case.moment(process)
    for pid in helpers_of(process.pid):
        if case.chance.random() < 0.7:
            os.kill(pid, signal.SIGSTOP)
    went_well(case, process, code)
    if case.ledger.exists() and case.ended_s - case.ledger.stat().st_mtime > _DELAY_S:
        case.wrong("hangs", f"it ended {case.ended_s - case.ledger.stat().st_mtime:.1f} s after its command")


def helpers_and_child_killed(case: Case) -> None:
    process = case.measured(steps=400)
    if case.begun(process):
        time.sleep(case.chance.uniform(0.0, 0.5))
        for pid in (*helpers_of(process.pid), child_of(process.pid)):
            if pid is not None:
                end(pid)
    exit_is(case, process, 137)
    status_is(case, "failed")
    nothing_lost(case)


def helpers_and_recorder_killed(case: Case) -> None:
    """No one is left to end the command: it meets a closed pipe. What it has reported is on disk."""
    process = case.measured(steps=400)
    if case.begun(process):
        time.sleep(case.chance.uniform(0.0, 0.5))
    helpers = helpers_of(process.pid)
    for pid in helpers:
        os.kill(pid, signal.SIGSTOP)  # all, before any can tell the others
    process.kill()
    for pid in helpers:
        end(pid)
    case.wait(process)
    case.until(lambda: not processes_of(case), "the command to meet a closed pipe")
    status_is(case, "interrupted")
    nothing_lost(case, output=False)


def killed_with_a_daemon(case: Case) -> None:
    """What daemonised twice and dropped its environment ends with the recorder, too, once the recorder has seen it.

    It looks twice a second. Of what left everything behind since its last look nothing tells whose it was.
    """
    program = (
        "import os, sys, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        os.execve('/bin/sleep', ['sleep', '300'], {})\n"
        "    os._exit(0)\n"
        "os.wait(); time.sleep(0.1)\n"
        "open(os.environ['LEDGER'], 'w').write('begin\\n'); time.sleep(300)\n"
    )
    process = case.run("-c", program)
    if case.begun(process):
        time.sleep(case.chance.uniform(1.5, 2.5))
    process.kill()
    case.wait(process)
    status_is(case, "interrupted")
