"""Faults after the fact: files of a run are damaged, then read. The run beside it must not suffer."""

from __future__ import annotations

import sys
from pathlib import Path

from faults.case import HERE, Case
from faults.checks import run_dirs
from faults.fuzz.damage import damage

READING = (
    ("ls",), ("ls", "--json"), ("show", "bad"), ("show", "--json", "bad"), ("compare",), ("audit", "runs"),
    ("report", "-o", "report.html"), ("report", "-o", "report.md"), ("export", "--to", "csv"), ("audit", "bad"),
    ("export", "--to", "json"), ("export", "--to", "tensorboard"), ("show", "good"), ("ls", "--where", "loss<1"),
)  # fmt: skip


def damaged(case: Case) -> None:
    for name in ("good", "bad"):
        process = case.start("run", "-q", "--name", name, "--", sys.executable, HERE / "measured.py", 20, 0, 0, "die")
        case.wait(process)
    bad = [path for path in run_dirs(case) if path.name.startswith("bad")]
    done = [damage(path, case.chance) for path in bad for _ in range(case.chance.choice((1, 1, 2, 4)))]
    _read_all(case, ", ".join(done))


def _read_all(case: Case, done: str) -> None:
    before = len(case.wrongs)
    for words in (("ls", "--json"), *case.chance.sample(READING, 5)):
        said = case.ask(*words)
        if words == ("ls", "--json") and b'"good"' not in said:
            case.wrong("lost", "the good run beside it is not listed")
        if any(column == "hangs" for column, _ in case.wrongs):
            break  # the next one would hang, too
    if len(case.wrongs) > before:
        Path(case.folder, "damage").write_text(done)
        case.wrongs.append((case.wrongs[-1][0], f"after: {done}"))
