"""TensorBoard event files: scalars by tag and step with the time they were written.

A file is a row of records: length (8 bytes), a checksum of it (4), a protocol buffer (Event), a checksum of that (4).
Read here directly: the package that writes them is large, and its own reader slow. A torn last record is expected.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from assay.errors import AssayError
from assay.events import Event
from assay.ingest.found import Found
from assay.ingest.protobuf import fields

_DOUBLE, _FLOAT, _LENGTH = struct.Struct("<d"), struct.Struct("<f"), struct.Struct("<Q")
_LONGEST_RECORD = 1 << 30


class Scalar(NamedTuple):
    t: float
    step: int
    tag: str
    value: float


def is_event_file(name: str) -> bool:
    return "tfevents" in PurePath(name).name


def runs_of(content: bytes, name: str) -> list[Found]:
    """One file is one run."""
    events: list[Event] = []
    pending: Event = {}
    count = 0
    for count, (t, step, tag, value) in enumerate(scalars(content), 1):
        if pending and (pending["step"] != step or tag_name(tag) in pending):
            events.append(pending)
            pending = {}
        if not pending:
            pending = {"v": 1, "kind": "metric", "from": "reader:tensorboard", "line": count, "t": t, "step": step}
        pending[tag_name(tag)] = value
    if pending:
        events.append(pending)
    if not events:
        raise AssayError(f"`{name}` holds no scalars")
    events.append({"v": 1, "kind": "end", "from": "reader:tensorboard", "status": "unfinished"})
    return [Found(system="tensorboard", first_line=1, last_line=count, events=events)]


def tag_name(tag: str) -> str:
    """`Loss/train` and `train/loss` are `train_loss`; a plain `loss` stays that."""
    words = [word for word in re.split(r"[^a-z0-9]+", tag.lower()) if word]
    words = ["accuracy" if word == "acc" else "val" if word in ("valid", "validation") else word for word in words]
    for measure in ("loss", "accuracy"):
        if measure in words and words[-1] in ("train", "val", "test", "eval") and len(words) == 2:
            words = [words[-1], measure]
    if words[:1] == ["train"] and words[1:] in (["loss"], ["accuracy"]):
        words = words[1:] if words[1:] == ["loss"] else words
    return "_".join(words) or "value"


def scalars(content: bytes) -> Iterator[Scalar]:
    """Every scalar in order, of both ways that TensorBoard has stored them."""
    for record in _records(content):
        t, step, summary = 0.0, 0, None
        for number, value in fields(record):
            if number == 1 and isinstance(value, bytes):
                (t,) = _DOUBLE.unpack(value)
            elif number == 2 and isinstance(value, int):
                step = value if value < 1 << 63 else value - (1 << 64)
            elif number == 5 and isinstance(value, bytes):
                summary = value
        if summary is not None:
            for tag, figure in _values(summary):
                yield Scalar(t, step, tag, figure)


def _records(content: bytes) -> Iterator[bytes]:
    at, end = 0, len(content)
    while at + 12 <= end:
        (length,) = _LENGTH.unpack_from(content, at)
        if length > _LONGEST_RECORD:
            raise AssayError("not a TensorBoard file, or a damaged one: a record is impossibly long")
        if at + 12 + length > end:
            return  # cut off while it was written
        yield content[at + 12 : at + 12 + length]
        at += 16 + length


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
