"""What must be true after a fault: nothing lost, the right word about the run, no traceback, nothing left running."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

from faults.case import Case, Process

#: what a process that was asked to end may still take: Assay's own grace of 5 s, and a slow machine's
_PATIENCE_S = 20.0
#: what recording a few seconds of a program may cost; a reader that is not linear costs far more
_OWN_CPU_S = 10.0
_TRACEBACK = b"Traceback (most recent call last)"


def ledger(case: Case) -> list[str]:
    try:
        return case.ledger.read_text().splitlines()
    except OSError:
        return []


def begun(case: Case) -> bool:
    return "begin" in ledger(case)


def ended(case: Case) -> bool:
    return "end" in ledger(case)


def steps(case: Case, word: str) -> list[int]:
    return [int(line.split()[1]) for line in ledger(case) if line.startswith(word + " ")]


def run_dirs(case: Case) -> list[Path]:
    return sorted(path.parent for path in case.runs.glob("[!.]*/run.json"))


def events(run: Path) -> list[dict[str, Any]]:
    """Read as anyone might who has no Assay: the record is plain JSON lines."""
    found = []
    for path in sorted(path for path in (run / "events").glob("*.jsonl") if path.is_file()):
        for line in path.read_bytes().split(b"\n"):
            try:
                event = json.loads(line)
            except ValueError:
                continue
            found += [event] if isinstance(event, dict) else []
    return found


def nothing_lost(case: Case, *, output: bool = True) -> None:
    """Every event that was acknowledged, and every line that was printed, is in the record."""
    dirs = run_dirs(case)
    if not begun(case):
        return
    if not dirs:
        case.wrong("lost", "the program has worked, and there is no run")
        return
    kept = {event.get("step") for event in events(dirs[-1]) if event.get("from") == "self"}
    missing = [step for step in steps(case, "logged") if step not in kept]
    if missing:
        case.wrong("lost", f"{len(missing)} acknowledged events, the first of step {missing[0]}")
    if output:
        printed_is_kept(case, dirs[-1])


def printed_is_kept(case: Case, run: Path) -> None:
    try:
        log = (run / "output.log").read_bytes()
    except OSError:
        log = b""
    lines = log.replace(b"\r\n", b"\n").split(b"\n")
    seen = [int(line.split()[1]) for line in lines if line.startswith(b"step ") and len(line.split()) == 4]
    printed = steps(case, "printed")
    if printed and (not seen or seen != list(range(len(seen))) or len(seen) < len(printed)):
        case.wrong("lost", f"printed {len(printed)} lines, output.log has {len(seen)}")
    odd = set(log) - set(range(32, 127)) - set(b"\r\n")
    if odd:
        case.wrong("lost", f"output.log has bytes that no one printed: {sorted(odd)}")


def listed(case: Case) -> list[dict[str, Any]]:
    """As `assay ls --json` tells."""
    said = case.ask("ls", "--json", codes=(0,))
    try:
        found = json.loads(said)
    except ValueError:
        case.wrong("wrong status", f"ls --json is not JSON: {said[:80]!r}")
        return []
    return found if isinstance(found, list) else []


def status_is(case: Case, *expected: str) -> None:
    """Of the one run there is; a fault that came before the run was made may leave none."""
    found = [str(summary.get("status")) for summary in listed(case)]
    if not found and (begun(case) or "none" not in expected):
        case.wrong("wrong status", "the run is not listed")
    elif len(found) > 1:
        case.wrong("wrong status", f"{len(found)} runs are listed")
    elif found and found[0] not in expected:
        case.wrong("wrong status", f"{found[0]}, expected {' or '.join(expected)}")


def exit_is(case: Case, process: Process, *expected: int) -> None:
    code = case.wait(process)
    if code not in expected and not (code == 1 and _is_pythons_own(case.stderr_of(process))):
        said = case.stderr_of(process)[-200:].decode(errors="replace")
        case.wrong("wrong exit", f"{code}, expected {' or '.join(map(str, expected))}; it said: {said!r}")


def work_is_done(case: Case) -> None:
    if not ended(case):
        case.wrong("harmed", f"the program was not let finish: {len(ledger(case))} lines in its ledger")


def went_well(case: Case, process: Process, code: int = 0, *, output: bool = True) -> None:
    """The fault has changed nothing for the command, and nothing in its record."""
    exit_is(case, process, code)
    work_is_done(case)
    status_is(case, "completed" if code == 0 else "failed")
    nothing_lost(case, output=output)
    cost_little(case)


def cost_little(case: Case) -> None:
    for summary in listed(case):
        cpu_s = summary.get("own_cpu_s", 0.0)
        if isinstance(cpu_s, (int, float)) and cpu_s > _OWN_CPU_S:
            case.wrong("hangs", f"recording took {cpu_s:.1f} s of CPU time")


def finish(case: Case) -> None:
    """What holds after every fault."""
    for process in case.started:
        case.wait(process, "a process of this fault")
    nothing_is_left(case)
    for path in case.said:  # what a command printed may quote anyone's; ours go to stderr
        content = path.with_suffix(".err").read_bytes()
        if _TRACEBACK in content and not _is_pythons_own(content):
            case.wrong("tracebacks", f"{path.name}.err: {_last_line(content[content.index(_TRACEBACK) :])}")
    for run in run_dirs(case):
        for event in events(run):
            text = str(event.get("traceback", ""))
            if _TRACEBACK.decode() in text and not (case.injected and case.injected in text):
                case.wrong("tracebacks", f"kept in the record: {text[-300:]}")


def _is_pythons_own(said: bytes) -> bool:
    """An interrupt that came before any line of ours could run is the interpreter's to tell of."""
    return b"\nKeyboardInterrupt" in said and b"assay" not in said


def _last_line(content: bytes) -> str:
    """The exception: the first line after the frames."""
    lines = content.decode(errors="replace").splitlines()[1:]
    return next((line for line in lines if not line.startswith((" ", "\t"))), lines[-1] if lines else "?")[:300]


def nothing_is_left(case: Case) -> None:
    ends_s = time.monotonic() + _PATIENCE_S
    while (left := processes_of(case)) and time.monotonic() < ends_s:
        time.sleep(0.01)
    for pid, words in left.items():
        case.wrong("left behind", f"process {pid}: {words[:100]}")
        end(pid)


def processes_of(case: Case) -> dict[int, str]:
    """All that belong to this fault: by their environment, or by the folder they are in."""
    mark, folder = b"ASSAY_RUNS=" + os.fsencode(case.runs) + b"\0", str(case.folder.resolve())
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                here = os.readlink(f"/proc/{name}/cwd").removesuffix(" (deleted)")
                ours = mark in Path("/proc", name, "environ").read_bytes() or here == folder
                if ours and b"State:\tZ" not in Path("/proc", name, "status").read_bytes():
                    words = Path("/proc", name, "cmdline").read_bytes()
                    found[int(name)] = words.replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
    return found


def end(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def helpers_of(recorder: int) -> list[int]:
    """The recorder's children that are copies of it: its guard, and whoever else helps it."""
    own = _words(recorder)
    return [pid for pid in _children(recorder) if own and _words(pid) == own]


def child_of(recorder: int) -> int | None:
    """The recorder's child that is the command."""
    own = _words(recorder)
    return next((pid for pid in _children(recorder) if _words(pid) not in (own, b"")), None)


def _children(pid: int) -> list[int]:
    try:
        return list(map(int, Path("/proc", str(pid), "task", str(pid), "children").read_text().split()))
    except OSError:
        return []


def _words(pid: int) -> bytes:
    try:
        return Path("/proc", str(pid), "cmdline").read_bytes()
    except OSError:
        return b""
