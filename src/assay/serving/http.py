"""An HTTP/1.1 answer as it arrives in pieces: its status, then the bytes of its body, in whatever coding they come.

Nothing here knows of sockets or clocks: bytes in, bytes out, and a `Fault` where they are no HTTP.
"""

from __future__ import annotations

from assay.serving.fault import Fault

_LONGEST_HEAD = 64 << 10
_LONGEST_SIZE_LINE = 1024
_SHORT_SIZE_LINE = 8


class Answer:
    """One response. `feed` returns the bytes of the body so far; `ended` is set at its end."""

    def __init__(self) -> None:
        self.status = 0
        self.content_type = self.location = ""
        self.ended = False
        self.keeps_open = True
        self._held = b""  # what is not yet whole: a head, the size of a chunk
        self._left: int | None = (
            None  # bytes of the body, or of this chunk, that are still to come; None: until the end
        )
        self._chunked = False

    def feed(self, data: bytes) -> bytes:
        if not self.status:
            data = self._head(data)
            if not self.status:
                return b""
        if self._chunked:
            whole = b"" if self._held or self._left else _only_chunk(data)
            return whole or self._chunks(data)
        if self._left is not None:
            data, extra = data[: self._left], data[self._left :]
            self._left -= len(data)
            self.ended = self._left == 0
            self.keeps_open = self.keeps_open and not extra
        return data

    def close(self) -> bool:
        """The connection was closed: whether the body may end so."""
        if self.status and not self._chunked and self._left is None:
            self.ended = True
        return self.ended

    def _head(self, data: bytes) -> bytes:
        """What follows the head; held until the head is whole."""
        self._held = (self._held + data).lstrip(b"\r\n")  # the end of the answer before this one may have come late
        while True:
            head, found, rest = self._held.partition(b"\r\n\r\n")
            if not found:
                if len(self._held) > _LONGEST_HEAD or not b"HTTP/".startswith(self._held[:5]):
                    raise Fault("bad-http", "the answer does not begin like HTTP")
                return b""
            status = _status(head)
            self._held = rest
            if status >= 200:  # a 100 or 103 comes before the answer
                break
        self.status, self._held = status, b""
        self._headers(head)
        return rest

    def _headers(self, head: bytes) -> None:
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            name, given = name.strip().lower(), value.strip()
            value = given.lower()
            if name == b"location":
                self.location = given.decode("latin-1")
            elif name == b"content-type":
                self.content_type = value.decode("latin-1")
            elif name == b"transfer-encoding" and b"chunked" in value:
                self._chunked, self._left = True, 0
            elif name == b"content-length" and not self._chunked:
                self._left = _length(value)
                self.ended = self._left == 0
            elif name == b"connection" and value == b"close":
                self.keeps_open = False
        if not self._chunked and self._left is None:
            self.keeps_open = False

    def _chunks(self, data: bytes) -> bytes:
        """The content of chunks, joined."""
        if self._held:
            data, self._held = self._held + data, b""
        out: list[bytes] = []
        at, left = 0, self._left or 0
        while at < len(data) and not self.ended:
            if left > 2:  # content, then the CRLF that ends the chunk
                piece = data[at : at + left - 2]
                out.append(piece)
                at += len(piece)
                left -= len(piece)
            elif left > 0:
                at += 1
                left -= 1
            else:
                end = data.find(b"\n", at)
                if end < 0:
                    self._held = data[at:]
                    if len(self._held) > _LONGEST_SIZE_LINE:
                        raise Fault("bad-http", "the size of a chunk has no end")
                    break
                size = _size(data[at:end])
                at = end + 1
                left = size + 2
                if size == 0:
                    self.ended = True  # trailers are not waited for
                    self.keeps_open = self.keeps_open and not data[at:].strip(b"\r\n")
        self._left = left
        return b"".join(out)


def _status(head: bytes) -> int:
    words = head.split(b"\r\n", 1)[0].split(b" ", 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit() or len(words[1]) != 3:
        raise Fault("bad-http", "the answer does not begin like HTTP")
    return int(words[1])


def _only_chunk(data: bytes) -> bytes:
    """The content, where this is one chunk and nothing else, as almost every token comes; else nothing."""
    end = data.find(b"\r\n", 0, _SHORT_SIZE_LINE)
    if end <= 0 or not data.endswith(b"\r\n") or not data[:end].isalnum():
        return b""
    return data[end + 2 : -2] if _size(data[:end]) == len(data) - end - 4 else b""


def _size(line: bytes) -> int:
    text = line.partition(b";")[0].strip()
    try:
        size = int(text, 16)
    except ValueError:
        size = -1
    if size < 0 or len(text) > 15:
        raise Fault("bad-http", f"`{line[:40].decode('latin-1')}` is not the size of a chunk")
    return size


def _length(value: bytes) -> int:
    if not value.isdigit() or len(value) > 15:
        raise Fault("bad-http", "the content length is not a number")
    return int(value)
