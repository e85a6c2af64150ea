"""TensorBoard files, written while training with the standard library alone.

A file is a row of records: length (8 bytes), a checksum of it (4), a protocol buffer (Event), a checksum of that (4).
The package that usually writes them is large and not there on every machine that trains.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.workloads.failure import warn


@dataclass(frozen=True, kw_only=True)
class Node:
    """One box of a model graph."""

    name: str
    op: str
    inputs: Sequence[str] = ()
    shape: Sequence[int] = ()


class Board:
    """One event file in the folder `tensorboard` of a run. What cannot be written is warned about once."""

    def __init__(self, folder: str | Path) -> None:
        self._file: int | None = None
        place = Path(folder, "tensorboard")
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}"
        try:
            place.mkdir(parents=True, exist_ok=True)
            self._file = os.open(place / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as problem:
            warn(f"no TensorBoard file: {problem.strerror}")
        self._write(_text(3, "brain.Event:2"))

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """One figure a tag, at this step and moment."""
        parts = b"".join(_part(1, _text(1, tag) + _float(2, value)) for tag, value in values.items())
        self._write(_number(2, step) + _part(5, parts))

    def graph(self, nodes: Sequence[Node]) -> None:
        """The model as boxes and arrows."""
        content = b"".join(_part(1, _node(node)) for node in nodes) + _part(4, _number(1, 22))
        self._write(_part(4, content))

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write(self, message: bytes) -> None:
        if self._file is None:
            return
        event = b"\x09" + struct.pack("<d", time.time()) + message
        length = struct.pack("<Q", len(event))
        try:
            os.write(self._file, length + _masked(length) + event + _masked(event))
        except OSError as problem:
            warn(f"TensorBoard file cut short: {problem.strerror}")
            self.close()


def _node(node: Node) -> bytes:
    content = _text(1, node.name) + _text(2, node.op) + b"".join(_text(3, source) for source in node.inputs)
    if node.shape:
        sizes = b"".join(_part(2, _number(1, size)) for size in node.shape)
        shapes = _part(1, _part(7, sizes))  # AttrValue.list.shape
        content += _part(5, _text(1, "_output_shapes") + _part(2, shapes))
    return content


def _part(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, text: str) -> bytes:
    return _part(field, text.encode())


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value & (1 << 64) - 1)


def _float(field: int, value: float) -> bytes:
    return _varint(field << 3 | 5) + struct.pack("<f", value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC = _crc_table()


def _masked(content: bytes) -> bytes:
    """CRC-32C, rotated and offset as the format has it."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc = crc >> 8 ^ _CRC[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)
