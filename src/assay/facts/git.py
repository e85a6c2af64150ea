"""The state of the code that is about to run: commit, branch, and the diff of a dirty tree."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from assay.facts.diff import kept_diff
from assay.model.request import Git

_DIFF_LIMIT = 1 << 20
#: a repository on a slow shared file system must not hold a run back
_PATIENCE_S = 5.0


def top_of(folder: Path) -> Path | None:
    """The folder of the repository that this one lies in; None outside of one, and where we may not look."""
    return next((parent for parent in (folder, *folder.parents) if os.path.exists(parent / ".git")), None)


def git_facts(folder: Path) -> Git | None:
    """None outside a repository. Untracked files are named, not stored. What git does not answer is not guessed."""
    if top_of(folder) is None:
        return None
    try:
        commit = _git(folder, "rev-parse", "--verify", "-q", "HEAD")
    except (OSError, subprocess.TimeoutExpired):
        return Git(problem="git did not answer")
    if isinstance(commit, str):
        return Git(problem=commit or "no commit yet")
    branch = _quietly(folder, "symbolic-ref", "--short", "-q", "HEAD")
    facts = Git(commit=commit.decode().strip(), branch=_text(branch.strip()) if branch else None)
    status = _quietly(folder, "status", "--porcelain", "--untracked-files=normal")
    if status is None:
        return facts.replace(problem="git status did not answer")
    lines = status.splitlines()
    dirty = any(line and not line.startswith(b"??") for line in lines)
    untracked = tuple(_text(line[3:]) for line in lines if line.startswith(b"??"))
    facts = facts.replace(dirty=dirty, untracked=untracked[:100])
    return _with_diff(facts, folder) if dirty else facts


def _with_diff(facts: Git, folder: Path) -> Git:
    # as git itself would make it, whatever the user has configured for reading: it must be possible to apply it
    diff = _quietly(folder, "diff", "--binary", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD")
    if diff is None:
        return facts.replace(diff_problem="git did not answer")
    if len(diff) > _DIFF_LIMIT:
        return facts.replace(diff_problem=f"{len(diff)} bytes, over the limit of {_DIFF_LIMIT}")
    kept, masked, left_out = kept_diff(_text(diff))
    return facts.replace(diff=kept, diff_masked=masked or None, diff_left_out=tuple(left_out))


def _quietly(folder: Path, *words: str) -> bytes | None:
    try:
        answer = _git(folder, *words)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if isinstance(answer, str) else answer


def _git(folder: Path, *words: str) -> bytes | str:
    """What git printed, or what it complained of."""
    # no optional locks: looking must not write into someone's repository
    command = ["git", "--no-optional-locks", "-C", str(folder), *words]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE_S, check=False)
    if done.returncode == 0:
        return done.stdout
    return done.stderr.decode("utf-8", "replace").strip().split("\n")[0][:200]


def _text(content: bytes) -> str:
    """Decode as UTF-8; other bytes become lone surrogates, which survive JSON and are restored on the way back."""
    return content.decode("utf-8", "surrogateescape")
