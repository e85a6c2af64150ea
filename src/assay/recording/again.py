"""The code of an earlier run: in place if nothing has changed, else in a separate worktree."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import RunError
from assay.facts.git import git_facts
from assay.facts.secrets import MASK
from assay.model.request import Git, Request
from assay.spec import RunSpec

_PATIENCE_S = 120.0


def spec_again(asked: Request, runs_dir: Path) -> RunSpec:
    """What was asked, again. Refuses what cannot be the same."""
    if not asked.command or asked.how == "parsed" or asked.replay:
        raise RunError(f"`{asked.name}` was imported from a log, so there is no command to repeat")
    given = Request(
        command=asked.command, set_environment=asked.set_environment, params=asked.params, place=asked.place
    )
    if MASK in json.dumps(given.as_json()):
        raise RunError(f"`{asked.name}` used a secret, which was not recorded", "start it by hand")
    return RunSpec(
        command=asked.command,
        runs_dir=runs_dir,
        name=asked.name,
        params=asked.params,
        tags=asked.tags,
        interval_s=asked.interval_s or 0.5,
        env=asked.set_environment,
        cwd=Path(str(asked.cwd)),
        timeout_s=asked.timeout_s,
        again_of=asked.id,
    )


@contextmanager
def code_of(asked: Request, warn: Callable[[str], None]) -> Iterator[Callable[[str], str]]:
    """While entered, the code lies somewhere as it was; yields what turns an old path into the one to use."""
    cwd, git = Path(str(asked.cwd)), asked.git
    if git is None:
        _check_script(asked)
        yield lambda text: text
        return
    commit = git.commit or ""
    if re.fullmatch(r"[0-9a-f]{40,64}", commit) is None or git.problem or git.diff_problem:
        why = git.problem or git.diff_problem or "no commit is known"
        raise RunError(f"the code of `{asked.name}` was not kept: {why}")
    now = git_facts(cwd) if cwd.is_dir() else None
    if now and now.commit == commit and now.diff == git.diff:
        _check_script(asked)
        yield lambda text: text
        return
    top = _top(cwd)
    _check_tracked(asked, git, top)
    if git.untracked:
        warn(f"{len(git.untracked)} files that git did not track are missing from the repeated code")
    if git.diff_masked or git.diff_left_out:
        raise RunError(
            "its code changes contained a secret, which was not recorded", "restore the code by hand, and try again"
        )
    if git.dirty and git.diff is None:
        raise RunError("only the owner of the run can read its code changes", "ask the owner, or start it by hand")
    with tempfile.TemporaryDirectory(prefix="assay-again-") as place:
        tree = Path(place, "tree")
        _git(top, "worktree", "add", "--detach", "--quiet", str(tree), commit)
        try:
            if git.diff:
                _git(tree, "apply", "--binary", "-", given=git.diff.encode("utf-8", "surrogateescape"))
            yield lambda text: text.replace(str(top), str(tree)) if text.startswith(str(top)) else text
        finally:
            _git(top, "worktree", "remove", "--force", str(tree))


def _check_script(asked: Request) -> None:
    """Outside git, or if the file is not tracked, the hash of the script shows whether it is the same."""
    script = asked.script
    if script is None or script.path is None:
        return
    try:
        same = hashlib.sha256(Path(script.path).read_bytes()).hexdigest() == script.sha256
    except OSError:
        same = False
    if not same:
        raise RunError(f"`{script.path}` has changed, and no commit was recorded", "restore the old version by hand")


def _check_tracked(asked: Request, git: Git, top: Path) -> None:
    if asked.script is not None and asked.script.path is not None:
        path = Path(asked.script.path)
        inside = path.relative_to(top).as_posix() if path.is_relative_to(top) else ""
        if inside in git.untracked:
            _check_script(asked)


def _top(cwd: Path) -> Path:
    if not cwd.is_dir():
        raise RunError(f"`{cwd}` no longer exists", "restore its repository, and try again")
    return Path(_git(cwd, "rev-parse", "--show-toplevel").decode().rstrip("\n"))


def _git(folder: Path, *words: str, given: bytes | None = None) -> bytes:
    command = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise RunError(f"git does not answer: {problem}") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise RunError(f"the code cannot be restored: {said[-1] if said else words[0]}")
    return done.stdout
