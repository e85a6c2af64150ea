"""Faults of a study on this machine: whoever drives it dies and comes back, and every cell is done once."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from contextlib import suppress

from assay.launchers.base import Job
from assay.launchers.places import Place
from assay.launchers.script import script_text
from assay.store.layout import create, write_json
from faults.case import HERE, Case
from faults.checks import end, exit_is, ledger, listed, processes_of, status_is

_CELLS = 4
_PROGRAM = """
import os, sys, time
import assay
def note(text):
    with open(os.environ['LEDGER'], 'a') as file: file.write(text + chr(10))
note('began ' + sys.argv[1])
for step in range(10):
    assay.log(step=step, loss=1.0); time.sleep(0.01)
note('ended ' + sys.argv[1])
"""
_STUBBORN = """
import signal, time
for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(one, signal.SIG_IGN)
time.sleep(600)
"""


def driver_killed(case: Case) -> None:
    """kill -9 at any moment, a few times: runs that go on are taken up, none is begun twice."""
    _make(case)
    for _ in range(case.chance.randint(1, 3)):
        process = case.start("study", "study.yaml")
        case.until(lambda: False, "nothing", process) if case.chance.random() < 0.05 else _a_while(case)
        process.kill()
        case.wait(process)
    _drive_to_the_end(case)
    _done_once(case, "began")


def driver_told(case: Case) -> None:
    """INT or TERM ends what runs here; the next one does it again, and no cell has two results."""
    _make(case)
    process = case.start("study", "study.yaml", "--jobs", case.chance.choice((1, 2)))
    _a_while(case)
    number = case.chance.choice((signal.SIGINT, signal.SIGTERM))
    process.send_signal(number)
    code = case.wait(process, "the study")
    if code not in (0, 130, 143, -number):
        case.wrong("wrong exit", f"{code} after {number.name}")
    _drive_to_the_end(case)
    _one_result_each(case)


def recorder_killed(case: Case) -> None:
    """kill -9 of the recorder of one run: that run has failed, the study goes on, and does it again when asked."""
    _make(case)
    process = case.start("study", "study.yaml")
    _a_while(case)
    victim = _recorder(case)
    if victim is not None:
        end(victim)
    code = case.wait(process, "the study")
    if code not in (0, 1):
        case.wrong("wrong exit", f"the study left with {code}")
    _drive_to_the_end(case)
    _one_result_each(case)


def stubborn(case: Case) -> None:
    """A cell that ignores INT and TERM: it is killed after the grace, or at once when asked twice."""
    _make(case, _STUBBORN)
    process = case.start("study", "study.yaml", "--grace", "1s")
    _a_while(case)
    way = case.chance.choice(("INT", "TERM", "INT twice", "cancel", "cancel of a killed driver"))
    if "cancel" in way:
        if way != "cancel":
            process.kill()
        case.wait(case.start("study", "study.yaml", "--cancel", "--grace", "1s"), "assay study --cancel")
    else:
        for _ in range(2 if "twice" in way else 1):
            process.send_signal(getattr(signal, f"SIG{way.split()[0]}"))
            time.sleep(case.chance.uniform(0.0, 0.3))
    code = case.wait(process, f"a study of stubborn cells after {way}")
    if code not in (130, -2, -9, -15):
        case.wrong("wrong exit", f"{code} after {way}")
    wrong = {summary.get("status") for summary in listed(case)} - {"interrupted"}
    if wrong:
        case.wrong("wrong status", f"{wrong} after {way}")


def suspended(case: Case) -> None:
    """A job that is suspended in its first second, as a scheduler does: it ends with its recorder and its code."""
    code = case.chance.choice((0, 3))
    run = create(case.runs, "x-1")
    (run.path / "job").mkdir()
    place = Place(name="there", launcher="slurm")
    write_json(run.run_json, {"v": 1, "id": "x", "name": "x", "place": place.facts()})
    words = [sys.executable, str(HERE / "measured.py"), "20", "0.01", str(code), "die"]
    (run.path / "job" / "script").write_text(
        script_text(Job(run=run, place=place, command=words), "me=1\nnode=here", [], "")
    )
    process = case.start_words("bash", run.path / "job" / "script")
    time.sleep(case.chance.uniform(0.0, 1.0))
    for number in (signal.SIGTSTP, signal.SIGSTOP, signal.SIGCONT):
        found = list(processes_of(case))
        case.chance.shuffle(found)
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        time.sleep(case.chance.uniform(0.0, 0.3))
    exit_is(case, process, code)
    lines = ledger(case)
    if lines.count("begin") != 1 or lines.count("end") != 1:
        case.wrong("lost", f"its command began {lines.count('begin')} and ended {lines.count('end')} times")
    status_is(case, "failed" if code else "completed")


def _make(case: Case, program: str = _PROGRAM) -> None:
    (case.folder / "work.py").write_text(program)
    grid = list(range(_CELLS))
    text = f"command: [{json.dumps(sys.executable)}, work.py, '{{x}}']\ngrid: {{x: {grid}}}\n"
    (case.folder / "study.yaml").write_text(text)


def _a_while(case: Case) -> None:
    time.sleep(case.chance.uniform(0.05, 2.0))


def _drive_to_the_end(case: Case) -> None:
    process = case.start("study", "study.yaml")
    code = case.wait(process, "the study")
    if code != 0:
        said = case.stderr_of(process).decode(errors="replace")[-300:]
        case.wrong("wrong exit", f"{code} of the last study: {said!r}")
    wrong = {summary.get("status") for summary in listed(case)} - {"completed", "interrupted", "failed"}
    if wrong:
        case.wrong("wrong status", f"{wrong} when all was over")


def _done_once(case: Case, word: str) -> None:
    lines = case.ledger.read_text().splitlines() if case.ledger.exists() else []
    found = Counter(int(line.split()[1]) for line in lines if line.startswith(word))
    if found != Counter(range(_CELLS)):
        case.wrong("lost", f"cells that {word}: {dict(found)}")


def _one_result_each(case: Case) -> None:
    """A run that was told to end in the moment it was done is interrupted, and its cell is done again."""
    found = Counter(_cell(summary) for summary in listed(case) if summary.get("status") == "completed")
    if sorted(found) != list(range(_CELLS)) or set(found.values()) != {1}:
        case.wrong("lost", f"completed runs of the cells: {dict(found)}")


def _cell(summary: dict) -> object:
    claims = summary.get("claims")
    return claims.get("x") if isinstance(claims, dict) else None


def _recorder(case: Case) -> int | None:
    """The process that records one run of the study: of those that know a run, the one that is a recorder's."""
    for pid, words in sorted(processes_of(case).items()):
        if " node " in words and "assay" in words and os.path.exists(f"/proc/{pid}"):
            return pid
    return None
