"""What a user points at, file by file: folders, patterns, standard input; and a word for what cannot be read."""

from __future__ import annotations

import glob
import io
import os
import select
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from assay.errors import AssayError
from assay.ingest.unpack import unpacked

_SKIPPED = {".git", "__pycache__", "node_modules", ".venv", "venv", "assay-runs", ".ipynb_checkpoints"}
_NOT_LOGS = {
    ".py", ".pyc", ".so", ".o", ".png", ".jpg", ".jpeg", ".gif", ".pdf", ".svg", ".zip", ".tar", ".whl", ".pt", ".pth",
    ".onnx", ".bin", ".npy", ".npz", ".mdl", ".ckpt", ".safetensors", ".pkl", ".h5", ".parquet", ".mp4", ".webp",
    ".ico", ".tgz", ".c", ".h", ".cpp", ".cu", ".js", ".css", ".lock",
}  # fmt: skip
#: the other end of a pipe may still be starting
_PATIENCE_S = 5
#: what W&B keeps beside the file of a run
_BESIDE_WANDB = {"files", "logs", "tmp"}

Tell = Callable[["Source", int], None]  # how many bytes of a source were read


class NoLogs(AssayError):
    """A folder without a file to read; recorded runs may be in it all the same."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """One thing to read. `path` is None for standard input; a pipe, like that, can be read only once."""

    name: str
    path: Path | None
    size: int = 0
    once: bool = False
    tell: Tell | None = None

    def blocks(self, block_bytes: int = 1 << 20) -> Iterator[bytes]:
        """Its bytes, unpacked, in pieces. Fails where it cannot be read, or only to some point."""
        try:
            if self.path is None:
                yield from self._told(unpacked(_stdin(), self.name, block_bytes))
            else:
                with _pipe(self.path) if self.once else open(self.path, "rb") as file:
                    yield from self._told(unpacked(file, self.name, block_bytes))
        except OSError as problem:
            raise AssayError(f"cannot read `{self.name}`: {problem.strerror or problem}") from None

    def _told(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        if self.tell is None:
            yield from blocks
            return
        read_bytes = 0
        self.tell(self, 0)
        for block in blocks:
            yield block
            read_bytes += len(block)
            self.tell(self, read_bytes)


def _pipe(path: Path) -> BinaryIO:
    """Opened for reading, unless no one has it open for writing: that would be waited for without end."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    poll, first = select.poll(), b""
    poll.register(file, select.POLLIN)
    if not poll.poll(_PATIENCE_S * 1000):
        try:
            first = os.read(file, 1)
        except BlockingIOError:
            pass  # someone will write
        else:
            if not first:
                os.close(file)
                raise AssayError(f"no one writes to the pipe `{path}`")
    os.set_blocking(file, True)
    opened = os.fdopen(file, "rb")
    return io.BytesIO(first + opened.read()) if first else opened


def _stdin() -> BinaryIO:
    if sys.stdin is None:
        raise AssayError("standard input is closed")
    return sys.stdin.buffer


def sources(words: Sequence[str], base: Path = Path()) -> Iterator[Source | AssayError]:
    """In the order given, with names relative to `base`; missing files are reported, and the rest is read."""
    for word in words:
        if word == "-":
            yield Source(name="<stdin>", path=None, once=True)
            continue
        here = base / word
        # a file may have a star in its name
        paths = [here] if os.path.lexists(here) or not any(c in word for c in "*?[") else _matching(word, base)
        if not paths:
            yield AssayError(f"nothing matches `{word}`")
        for path in paths:
            for source in _under(path):
                yield source if isinstance(source, AssayError) else replace(source, name=_called(source.name, base))


def _matching(pattern: str, base: Path) -> list[Path]:
    return sorted(map(Path, glob.glob(str(base / os.path.expanduser(pattern)), recursive=True)))


def _called(name: str, base: Path) -> str:
    path = Path(name)
    return str(path.relative_to(base)) if path.is_relative_to(base) else name


def _under(path: Path) -> Iterator[Source | AssayError]:
    try:
        about = path.stat()
    except (OSError, ValueError) as problem:
        yield AssayError(f"cannot read `{path}`: {getattr(problem, 'strerror', None) or problem}")
        return
    if stat.S_ISDIR(about.st_mode):
        yield from _folder(path)
    elif stat.S_ISREG(about.st_mode):
        yield Source(name=str(path), path=path, size=about.st_size)
    elif stat.S_ISFIFO(about.st_mode):
        yield Source(name=str(path), path=path, once=True)
    else:
        yield AssayError(f"cannot read `{path}`: neither a file nor a pipe")


def _folder(folder: Path) -> Iterator[Source | AssayError]:
    """Every file below that may be a log; links to folders are not followed, so no loop is entered."""
    problems: list[OSError] = []
    empty = True
    for root, folders, names in os.walk(folder, onerror=problems.append):
        if "run.json" in names and "events" in folders:  # a run of ours: its output.log was read already
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        for name in _one_run(Path(root), folders, names) or sorted(names):
            path = Path(root, name)
            if path.suffix.lower() in _NOT_LOGS or name.startswith(".") or _is_special(path):
                continue
            empty = False
            yield from _under(path)
    for problem in problems:
        yield AssayError(f"cannot read `{problem.filename}`: {problem.strerror}")
    if empty and not problems:
        yield NoLogs(f"no file in `{folder}` that may be a log")


def _is_special(path: Path) -> bool:
    """A pipe or a socket, on which opening would wait for the other side."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False  # a dangling link is reported when it is opened
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _one_run(root: Path, folders: list[str], names: list[str]) -> list[str]:
    """The file that represents a whole folder of MLflow; of W&B's, only what belongs to its file is left out."""
    if any(name.endswith(".wandb") and _begins(root / name, b":W&B") for name in names):
        folders[:] = [name for name in folders if name not in _BESIDE_WANDB]
        names[:] = [name for name in names if not name.endswith(".wandb.synced")]
    if "meta.yaml" in names and {"metrics", "params"} & set(folders):
        folders.clear()
        return ["meta.yaml"]
    return []


def _begins(path: Path, mark: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return stat.S_ISREG(os.fstat(file.fileno()).st_mode) and file.read(len(mark)) == mark
    except OSError:
        return False
