"""Libraries that are compiled on first use and kept in the user's cache folder."""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_LIMIT_S = 300


class CannotBuild(Exception):
    """Why there is no library, in words for a user."""


class Library(NamedTuple):
    code: ctypes.CDLL
    cached: bool


def library(name: str, compiler: Sequence[str], flags: Sequence[str], sources: Sequence[Path], machine: str) -> Library:
    """The library made of the first source (the others are what it includes), for this `machine`."""
    made_of = [*(source.read_text() for source in sources), *flags, *compiler, machine]
    key = hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:16]
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = Path(root, "assay", "native", f"{name}-{key}.so")
    cached = path.exists()
    if not cached:
        _compile([*compiler, *flags], sources[0], path)
    try:
        return Library(ctypes.CDLL(str(path)), cached)
    except OSError as problem:
        raise CannotBuild(f"`{path}` cannot be loaded: {problem}") from problem


def _compile(words: Sequence[str], source: Path, path: Path) -> None:
    """Written beside and renamed, so that no process ever loads half a library."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as place:
            made = Path(place, path.name)
            done = subprocess.run(
                [*words, "-o", str(made), str(source)], capture_output=True, text=True, check=False, timeout=_LIMIT_S
            )
            if done.returncode:
                raise CannotBuild((done.stderr.strip().splitlines() or ["the compiler failed and gave no reason"])[0])
            os.replace(made, path)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise CannotBuild(str(problem)) from problem
