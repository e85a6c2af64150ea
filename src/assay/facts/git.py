"""The state of the code that is about to run: commit, branch, and the diff of a dirty tree."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

_DIFF_LIMIT = 1 << 20
#: a repository on a slow shared file system must not hold a run back
_PATIENCE_S = 5.0


def git_facts(folder: Path) -> dict[str, Any] | None:
    """None outside a repository. Untracked files are named, not stored."""
    if not any((parent / ".git").exists() for parent in (folder, *folder.parents)):
        return None
    try:
        commit = _git(folder, "rev-parse", "HEAD")
        status = _git(folder, "status", "--porcelain", "--untracked-files=normal") or b""
    except (OSError, subprocess.TimeoutExpired):
        return {"problem": "git did not answer"}
    if commit is None:
        return {"problem": "no commit yet"}
    changed = [line for line in status.splitlines() if line and not line.startswith(b"??")]
    facts: dict[str, Any] = {"commit": commit.decode().strip(), "dirty": bool(changed)}
    branch = _quietly(folder, "symbolic-ref", "--short", "-q", "HEAD")
    if branch:
        facts["branch"] = _text(branch.strip())
    untracked = [_text(line[3:]) for line in status.splitlines() if line.startswith(b"??")]
    if untracked:
        facts["untracked"] = untracked[:100]
    if changed:
        facts.update(_diff(folder))
    return facts


def _diff(folder: Path) -> dict[str, Any]:
    diff = _quietly(folder, "diff", "--binary", "HEAD")
    if diff is None:
        return {"diff_problem": "git did not answer"}
    if len(diff) > _DIFF_LIMIT:
        return {"diff_problem": f"{len(diff)} bytes, over the limit of {_DIFF_LIMIT}"}
    return {"diff": _text(diff)}


def _quietly(folder: Path, *words: str) -> bytes | None:
    try:
        return _git(folder, *words)
    except (OSError, subprocess.TimeoutExpired):
        return None


def _git(folder: Path, *words: str) -> bytes | None:
    # no optional locks: looking must not write into someone's repository
    command = ["git", "--no-optional-locks", "-C", str(folder), *words]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE_S, check=False)
    return done.stdout if done.returncode == 0 else None


def _text(content: bytes) -> str:
    """Bytes that are no UTF-8 become lone surrogates, which JSON carries and the way back restores."""
    return content.decode("utf-8", "surrogateescape")
