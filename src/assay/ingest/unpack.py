"""From the bytes of a file to text: gzip is unpacked, UTF-16 becomes UTF-8, and binary files are recognised.

A file is what its first bytes say, whatever it is called.
"""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from assay.errors import AssayError

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
