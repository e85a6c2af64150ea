"""Do one fault, in a folder of its own, and say what was wrong."""

from __future__ import annotations

import shutil
import subprocess
import traceback
from pathlib import Path

from faults.case import Case
from faults.checks import finish
from faults.table import KINDS


def do(kind: str, seed: int, within: Path) -> Case:
    """The folder is kept where anything is wrong."""
    case = Case(kind=kind, seed=seed, folder=within / f"{''.join(c if c.isalnum() else '-' for c in kind)}-{seed}")
    try:
        KINDS[kind](case)
    except Exception:  # ours, or a word of Assay's that no one expected: it must not end the thousand
        case.wrong("tracebacks", f"in the harness itself: {traceback.format_exc()[-1500:]}")
    finish(case)
    if not case.wrongs:
        shutil.rmtree(case.folder, ignore_errors=True)
    return case


def report(case: Case) -> str:
    """The findings of one fault, and how to see them again."""
    lines = [f"{case.kind}, seed {case.seed}: {column}: {what}" for column, what in case.wrongs]
    again = subprocess.list2cmdline(["python", "tests/faults", "--kind", case.kind, "--seed", str(case.seed)])
    return "\n".join([*lines, f"  kept in {case.folder}; again: {again} --count 1"])
