"""A run as another tool keeps it, and protocol buffers: what the readers of MLflow, W&B and TensorBoard share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import AssayError


@dataclass(kw_only=True)
class Record:
    """One run as it is kept there. `metrics` are (name, value, step, unix seconds), in order of time."""

    system: str
    name: str
    settings: Mapping[str, object] = field(default_factory=dict)
    metrics: Iterable[tuple[str, float, int, float]] = ()
    results: dict[str, float] = field(default_factory=dict)
    status: str = "unfinished"
    command: str | None = None
    notes: list[str] = field(default_factory=list)


def bounded_bytes(path: Path, most_bytes: int) -> bytes:
    """The content of a file, unless it is larger than its kind can be."""
    try:
        with open(path, "rb") as file:
            content = file.read(most_bytes + 1)
    except OSError as problem:
        raise AssayError(f"cannot read `{path}`: {problem.strerror}") from None
    if len(content) > most_bytes:
        raise AssayError(f"`{path}` is larger than {most_bytes >> 20} MiB, too large for a file of its kind")
    return content


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Fields of a protocol buffer: a number for a varint, bytes for everything else."""
    at, end = 0, len(message)
    while at < end:
        key, at = _varint(message, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(message, at)
            yield number, value
            continue
        if wire == 2:
            length, at = _varint(message, at)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise AssayError("a record is damaged, or the file is not what its name suggests")
        if at + length > end:
            raise AssayError("a record is damaged")
        yield number, message[at : at + length]
        at += length


def _varint(message: bytes, at: int) -> tuple[int, int]:
    result = shift = 0
    while at < len(message) and shift < 70:
        byte = message[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, at
        shift += 7
    raise AssayError("a record is damaged")
