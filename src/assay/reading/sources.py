"""What a user points at, file by file: folders, patterns, standard input; and a word for what cannot be read."""

from __future__ import annotations

import codecs
import glob
import gzip
import io
import os
import select
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from assay.errors import AssayError

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


# --- from bytes to text: a file is what its first bytes say, whatever it is called ------------------------------

#: what a compressed file may grow to
_GZIP_LIMIT = 4 << 30
_GZIP = b"\x1f\x8b"
_HEAD_BYTES = 4096
#: first bytes of what people point at by mistake, and what it is
_OTHERS = (
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"BZh", "compressed with bzip2: unpack it first"),
    (b"\xfd7zXZ\x00", "compressed with xz: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd: unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first"),
    (b"%PDF-", "a PDF: export its text"),
    (b"\x89PNG", "a picture: its text cannot be read"),
    (b"\xff\xd8\xff", "a picture: its text cannot be read"),
    (b"\x7fELF", "a program, not a log"),
)
_BOMS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def unpacked(file: BinaryIO, name: str, block_bytes: int) -> Iterator[bytes]:
    """Pieces of text as UTF-8, or what was meant to be that."""
    whole = _Peeked(file)
    if whole.head.startswith(_GZIP):
        blocks = _gunzipped(whole, name, block_bytes)
    else:
        blocks = iter(lambda: whole.read(block_bytes), b"")
    first = next(blocks, b"")
    for magic, word in _OTHERS:
        if first.startswith(magic):
            raise AssayError(f"`{name}` is {word}")
    if first[257:262] == b"ustar":
        raise AssayError(f"`{name}` is a tar archive: unpack it first")
    yield from _as_utf8(first, blocks)


class _Peeked(io.RawIOBase):
    """A file whose first bytes are known before it is read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.head = file.read(_HEAD_BYTES)
        self._rest = self.head

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self._rest:
            return self._file.read(size)
        size = len(self._rest) if size < 0 else size
        given, self._rest = self._rest[:size], self._rest[size:]
        return given


def _gunzipped(file: _Peeked, name: str, block_bytes: int) -> Iterator[bytes]:
    total = 0
    try:
        with gzip.GzipFile(fileobj=file, mode="rb") as content:
            while block := content.read1(block_bytes):
                total += len(block)
                if total > _GZIP_LIMIT:
                    raise AssayError(f"`{name}` unpacks to more than {_GZIP_LIMIT >> 30} GiB; the rest was not read")
                yield block
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise AssayError(f"`{name}` is damaged: {problem}") from None


def _as_utf8(first: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """What PowerShell writes is UTF-16: every second byte of it is NUL."""
    encoding = _BOMS.get(first[:2])
    if encoding is None or first[2:_HEAD_BYTES].count(0) < (min(len(first), _HEAD_BYTES) - 2) / 4:
        yield first.removeprefix(codecs.BOM_UTF8)
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for block in chain((first[2:],), blocks):
        yield decoder.decode(block).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")
