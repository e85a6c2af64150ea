"""What a user points at, file by file: folders, patterns, standard input, gzip; and a word for what cannot be read."""

from __future__ import annotations

import glob
import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError

#: what a compressed file may grow to
_GZIP_LIMIT = 4 << 30
_SKIPPED = {".git", "__pycache__", "node_modules", ".venv", "venv", "assay-runs", ".ipynb_checkpoints"}
_NOT_LOGS = {
    ".py", ".pyc", ".so", ".o", ".png", ".jpg", ".jpeg", ".gif", ".pdf", ".svg", ".zip", ".tar", ".whl", ".pt", ".pth",
    ".onnx", ".bin", ".npy", ".npz", ".mdl", ".ckpt", ".safetensors", ".pkl", ".h5", ".parquet", ".mp4", ".webp",
    ".ico",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Source:
    """One thing to read. `path` is None for standard input."""

    name: str
    path: Path | None
    size: int = 0

    def blocks(self, block_bytes: int = 1 << 20) -> Iterator[bytes]:
        """Its bytes, unpacked, in pieces."""
        if self.path is None:
            while block := sys.stdin.buffer.read(block_bytes):
                yield block
            return
        try:
            opened = gzip.open(self.path, "rb") if self.path.suffix == ".gz" else open(self.path, "rb")  # noqa: SIM115
            with opened as file:
                total = 0
                while block := file.read(block_bytes):
                    total += len(block)
                    if self.path.suffix == ".gz" and total > _GZIP_LIMIT:
                        raise AssayError(
                            f"`{self.name}` unpacks to more than {_GZIP_LIMIT >> 30} GiB: the rest is left out"
                        )
                    yield block
        except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
            raise AssayError(f"`{self.name}` is damaged: {problem}") from None
        except OSError as problem:
            raise AssayError(f"cannot read `{self.name}`: {problem.strerror or problem}") from None


def sources(words: list[str]) -> Iterator[Source | AssayError]:
    """In the order given; what is not there is told, and the rest goes on."""
    for word in words:
        if word == "-":
            yield Source(name="<stdin>", path=None)
            continue
        paths = sorted(map(Path, glob.glob(word, recursive=True))) if any(c in word for c in "*?[") else [Path(word)]
        if not paths:
            yield AssayError(f"nothing matches `{word}`")
        for path in paths:
            yield from _under(path)


def _under(path: Path) -> Iterator[Source | AssayError]:
    if path.is_dir():
        yield from _folder(path)
        return
    try:
        size = path.stat().st_size
    except OSError as problem:
        yield AssayError(f"cannot read `{path}`: {problem.strerror}")
        return
    yield Source(name=str(path), path=path, size=size)


def _folder(folder: Path) -> Iterator[Source | AssayError]:
    """Every file below that may be a log; links to folders are not followed, so no loop is entered."""
    problems: list[OSError] = []
    for root, folders, names in os.walk(folder, onerror=problems.append):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        for name in _one_run(folders, names) or sorted(names):
            path = Path(root, name)
            if path.suffix.lower() in _NOT_LOGS or name.startswith("."):
                continue
            yield from _under(path)
    for problem in problems:
        yield AssayError(f"cannot read `{problem.filename}`: {problem.strerror}")


def _one_run(folders: list[str], names: list[str]) -> list[str]:
    """The file that stands for a whole folder of MLflow or W&B; what lies beside and below it is part of that run."""
    wandb = [name for name in names if name.endswith(".wandb")]
    mlflow = ["meta.yaml"] if "meta.yaml" in names and {"metrics", "params"} & set(folders) else []
    if wandb or mlflow:
        folders.clear()
    return wandb or mlflow
