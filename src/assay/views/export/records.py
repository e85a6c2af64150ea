"""Records of a TensorBoard file, and the protocol buffers in them, with the standard library alone.

A file is a row of records: length (8 bytes), a checksum of it (4), a protocol buffer (Event), a checksum of that (4).
The package that usually writes them is large, and only needed to look at them. Training writes such files as it goes,
and `assay export` writes them of any run.
"""

from __future__ import annotations

import struct

_LENGTH, _DOUBLE, _FLOAT, _MASK = struct.Struct("<Q"), struct.Struct("<d"), struct.Struct("<f"), struct.Struct("<I")


def record(event: bytes) -> bytes:
    length = _LENGTH.pack(len(event))
    return length + _masked(length) + event + _masked(event)


def part(field: int, content: bytes) -> bytes:
    """A message inside a message."""
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def text(field: int, content: str) -> bytes:
    return part(field, content.encode("utf-8", "replace"))


def whole(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value & (1 << 64) - 1)


def double(field: int, value: float) -> bytes:
    return _varint(field << 3 | 1) + _DOUBLE.pack(value)


def single(field: int, value: float) -> bytes:
    """What does not fit into 32 bits is infinite there."""
    try:
        content = _FLOAT.pack(value)
    except OverflowError:
        content = _FLOAT.pack(float("inf") if value > 0 else float("-inf"))
    return _varint(field << 3 | 5) + content


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
