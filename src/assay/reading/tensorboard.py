"""TensorBoard event files: scalars by tag and step with the time they were written.

A file is a row of records: length (8 bytes), a checksum of it (4), a protocol buffer (Event), a checksum of that (4).
Read here directly: the package that writes them is large, and its own reader slow. A torn last record is expected.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import PurePath
from typing import NamedTuple

from assay.errors import AssayError
from assay.model.event import ENVELOPE, Metric
from assay.reading.records import fields

_DOUBLE, _FLOAT, _LENGTH, _CHECKSUM = (struct.Struct(form) for form in ("<d", "<f", "<Q", "<I"))
#: what an event says of itself
_OURS = ENVELOPE | {"step", "elapsed_s"}
#: seconds since 1970 in which a file can have been written
_LAST_T = 1e11
_LONGEST_UNCHECKED, _LONGEST_HELD = 1 << 16, 1 << 22


class Scalar(NamedTuple):
    t: float
    step: int
    tag: str
    value: float


def is_event_file(name: str) -> bool:
    return "tfevents" in PurePath(name).name


def events_of(blocks: Iterable[bytes]) -> Iterator[Metric]:
    """Scalars of one step together, as they come; `line` is the place of the first of them among all."""
    pending: dict[str, float] = {}
    line, when, problem = 0, None, None
    try:
        for count, (t, step, tag, value) in enumerate(scalars(blocks), 1):
            name, made = tag_name(tag), {} if has_no_step(tag) else {"step": step}
            if pending and (pending.get("step") != made.get("step") or name in pending):
                yield Metric(source="reader:tensorboard", line=line, t=when, values=pending)
                pending = {}
            if not pending:
                pending, line, when = {**made}, count, t if 0 <= t < _LAST_T else None
            pending[name] = value
    except AssayError as failure:
        problem = failure
    if pending:
        yield Metric(source="reader:tensorboard", line=line, t=when, values=pending)
    if problem is not None:
        raise problem


@lru_cache(maxsize=4096)
def has_no_step(tag: str) -> bool:
    """What a recorder saw of the machine (ours, MLflow's), whose looks are counted by themselves; and what is true of
    a whole run."""
    return tag.lower().startswith(("machine/", "system/", "summary/"))


def tag_name(tag: str) -> str:
    """`Loss/train` and `train/loss` are `train_loss`; a plain `loss` stays that."""
    words = [word for word in re.split(r"[^a-z0-9]+", tag.lower()) if word]
    words = ["accuracy" if word == "acc" else "val" if word in ("valid", "validation") else word for word in words]
    for measure in ("loss", "accuracy"):
        if measure in words and words[-1] in ("train", "val", "test", "eval") and len(words) == 2:
            words = [words[-1], measure]
    if words[:1] == ["train"] and words[1:] in (["loss"], ["accuracy"]):
        words = words[1:] if words[1:] == ["loss"] else words
    return own_name("_".join(words) or "value")


def own_name(name: str) -> str:
    """A name that someone chose may be one of ours, such as `line` or `kind`: then it is given another."""
    return f"{name}_value" if name in _OURS else name


def scalars(blocks: Iterable[bytes]) -> Iterator[Scalar]:
    """Every scalar in order, of both ways that TensorBoard has stored them."""
    for record in _records(blocks):
        t, step, summary = 0.0, 0, None
        for number, value in fields(record):
            if number == 1 and isinstance(value, bytes) and len(value) == 8:
                (t,) = _DOUBLE.unpack(value)
            elif number == 2 and isinstance(value, int):
                step = value if value < 1 << 63 else value - (1 << 64)
            elif number == 5 and isinstance(value, bytes):
                summary = value
        if summary is not None:
            for tag, figure in _values(summary):
                yield Scalar(t, step, tag, figure)


def _records(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """A last record that was cut off while it was written is left out."""
    buffer, skip = b"", 0
    for block in blocks:
        if skip >= len(block):
            skip -= len(block)
            continue
        buffer, skip = buffer + block[skip:], 0
        at, end = 0, len(buffer)
        while at + 12 <= end:
            length = _length(buffer, at)
            if at + 16 + length > end:
                break
            yield buffer[at + 12 : at + 12 + length]
            at += 16 + length
        buffer = buffer[at:]
        if len(buffer) >= 12 and _length(buffer, 0) > _LONGEST_HELD:  # a picture or a model, not a scalar
            skip, buffer = 16 + _length(buffer, 0) - len(buffer), b""
    if len(buffer) >= 12 and len(buffer) >= 12 + _length(buffer, 0):  # only its last checksum is missing
        yield buffer[12 : 12 + _length(buffer, 0)]


def _length(buffer: bytes, at: int) -> int:
    """Of a record. One that is said to be long must have its checksum right: else the rest would be lost to a slip."""
    (length,) = _LENGTH.unpack_from(buffer, at)
    if length > _LONGEST_UNCHECKED and _checksum(buffer[at : at + 8]) != buffer[at + 8 : at + 12]:
        raise AssayError("not a TensorBoard file, or damaged from here on: a record has the wrong length")
    return int(length)


def _checksum(content: bytes) -> bytes:
    """CRC-32C, rotated and shifted as the format has it."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return _CHECKSUM.pack((((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def _values(summary: bytes) -> Iterator[tuple[str, float]]:
    for number, value in fields(summary):
        if number != 1 or not isinstance(value, bytes):
            continue
        tag, figure = "", None
        for inner, part in fields(value):
            if inner == 1 and isinstance(part, bytes):
                tag = part.decode("utf-8", "replace")
            elif inner == 2 and isinstance(part, bytes) and len(part) == 4:
                (figure,) = _FLOAT.unpack(part)
            elif inner == 8 and isinstance(part, bytes) and figure is None:
                figure = _tensor(part)
        if figure is not None:
            yield tag, figure


def _tensor(tensor: bytes) -> float | None:
    """A tensor of one number; anything larger is a picture or a histogram."""
    kind, content, single = 0, b"", None
    for number, value in fields(tensor):
        if number == 1 and isinstance(value, int):
            kind = value
        elif number == 2 and isinstance(value, bytes) and any(size > 1 for size in _shape(value)):
            return None
        elif number == 4 and isinstance(value, bytes):
            content = value
        elif number == 5 and isinstance(value, bytes) and len(value) == 4:
            (single,) = _FLOAT.unpack(value)
        elif number == 6 and isinstance(value, bytes) and len(value) == 8:
            (single,) = _DOUBLE.unpack(value)
    if single is not None:
        return float(single)
    if kind == 1 and len(content) == 4:
        return float(_FLOAT.unpack(content)[0])
    if kind == 2 and len(content) == 8:
        return float(_DOUBLE.unpack(content)[0])
    return None


def _shape(shape: bytes) -> Iterator[int]:
    for number, value in fields(shape):
        if number == 2 and isinstance(value, bytes):
            yield next((size for inner, size in fields(value) if inner == 1 and isinstance(size, int)), 1)
