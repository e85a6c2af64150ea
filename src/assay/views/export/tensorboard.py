"""TensorBoard event files, written with the standard library alone.

A file is a row of records: length (8 bytes), a checksum of it (4), a protocol buffer (Event), a checksum of that (4).
The package that usually writes them is a hundred and fifty megabytes; it is only needed to look at them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assay.store.layout import write_whole
from assay.units import show_number
from assay.views.export.points import Exported, Point

_LENGTH, _DOUBLE, _FLOAT, _MASK = struct.Struct("<Q"), struct.Struct("<d"), struct.Struct("<f"), struct.Struct("<I")


def write(exported: Exported, folder: Path) -> Path:
    """One file in a folder of the run's own: its curves, and its settings as a text that TensorBoard shows."""
    place = folder / exported.run.path.name
    place.mkdir(parents=True, exist_ok=True)
    points = exported.points()
    first = next(points, None)
    start_t = first.t if first is not None else 0.0
    content = [_record(_double(1, start_t) + _text(3, "brain.Event:2")), _record(_settings(exported, start_t))]
    content += [_record(_scalar(point)) for point in ([first] if first is not None else [])]
    content += [_record(_scalar(point)) for point in points]
    for name, value in exported.results().items():
        content.append(_record(_scalar(Point(f"summary/{name}", 0, start_t, float(value)))))
    target = place / f"events.out.tfevents.{int(start_t)}.assay.{exported.summary.get('id')}"
    write_whole(target, b"".join(content))
    return target


def _scalar(point: Point) -> bytes:
    """Event(wall_time=1, step=2, summary=5(value=1(tag=1, simple_value=2)))"""
    value = _text(1, point.name) + b"\x15" + _FLOAT.pack(_narrow(point.value))
    return _double(1, point.t) + _number(2, point.step) + _part(5, _part(1, value))


def _narrow(value: float) -> float:
    """What does not fit into 32 bits is infinite there."""
    try:
        _FLOAT.pack(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return value


def _settings(exported: Exported, t: float) -> bytes:
    """The text plugin takes a tensor of strings, and shows Markdown."""
    rows = [f"| {_cell(name)} | {_cell(value)} |" for name, value in _facts(exported)]
    text = "\n".join(["| | |", "|---|---|", *rows])
    tensor = _number(1, 7) + _part(2, _part(2, _number(1, 1))) + _text(8, text)  # DT_STRING, shape (1)
    metadata = _part(1, _text(1, "text"))
    return _double(1, t) + _part(5, _part(1, _text(1, "settings/text_summary") + _part(8, tensor) + _part(9, metadata)))


def _facts(exported: Exported) -> Iterable[tuple[str, Any]]:
    named = {name: exported.summary.get(name) for name in ("id", "name", "status", "how", "system", "host", "source")}
    return [*((name, value) for name, value in named.items() if value is not None), *exported.settings().items()]


def _cell(value: Any) -> str:
    """Table and markup signs are escaped: TensorBoard renders what it is given."""
    text = show_number(value) if isinstance(value, float) else str(value)
    return "".join(f"\\{sign}" if sign in "\\|`*_<>[]#" else sign for sign in text.replace("\n", " "))[:500]


def _record(event: bytes) -> bytes:
    length = _LENGTH.pack(len(event))
    return length + _masked(length) + event + _masked(event)


def _part(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, text: str) -> bytes:
    return _part(field, text.encode("utf-8", "replace"))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value & (1 << 64) - 1)


def _double(field: int, value: float) -> bytes:
    return bytes([field << 3 | 1]) + _DOUBLE.pack(value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _table() -> list[int]:
    found = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        found.append(byte)
    return found


_CRC = _table()


def _masked(content: bytes) -> bytes:
    """CRC-32C, turned and offset as the format has it."""
    crc, table = 0xFFFFFFFF, _CRC
    for byte in content:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return _MASK.pack(((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)
