"""Protocol buffers as their fields: enough to read files whose format we know, with no package for it."""

from __future__ import annotations

from collections.abc import Iterator

from assay.errors import AssayError


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
