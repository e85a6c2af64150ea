"""One writer's file of events, as lines: whole, in pieces, or held because it is small."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from assay.store.files import try_open
from assay.store.notices import notice

#: what is longer is no event, and is never held in memory whole
LONGEST_LINE = 16 << 20
#: how much is read at a time of a file that does not stay open
PIECE_BYTES = 1 << 15
_TOO_LONG = b"{\n"
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class EventFile:
    """One writer's events."""

    run: Path
    name: str
    stays_open: bool = True
    content: bytes | None = field(default=None, compare=False)  # all of a small one

    @property
    def host(self) -> str:
        """The writer's host, from `<host>-<pid>-<start>.jsonl`."""
        return self.name.removesuffix(".jsonl").rsplit("-", 2)[0]

    def lines(self) -> Iterator[tuple[bytes, int]]:
        """Lines with the offset of their end. A line that is longer than any event is only counted."""
        end = 0
        if self.content is not None:
            for line in BytesIO(self.content):
                end += len(line)
                yield line, end
            return
        while not self.stays_open:
            content = self.piece(end, PIECE_BYTES)
            if len(content) > LONGEST_LINE:
                break  # a line so long is read as from any other file
            is_last = len(content) < PIECE_BYTES
            for line in BytesIO(content if is_last else content[: content.rfind(b"\n") + 1] or content):
                end += len(line)
                yield line, end
            if is_last:
                return
        yield from self._opened_lines(end)

    def _opened_lines(self, end: int) -> Iterator[tuple[bytes, int]]:
        file = try_open(self.run, "events", self.name)
        if file is None:
            return
        with file:
            try:
                file.seek(end)
                while line := file.readline(LONGEST_LINE):
                    end += len(line)
                    if len(line) == LONGEST_LINE and line[-1:] != b"\n":
                        while (more := file.readline(LONGEST_LINE)) and more[-1:] != b"\n":
                            end += len(more)
                        end, line = end + len(more), _TOO_LONG
                    yield line, end
            except OSError:
                return

    def holds(self, words: bytes) -> bool:
        """Whether they stand anywhere in it."""
        if self.content is not None:
            return words in self.content
        file = try_open(self.run, "events", self.name)
        if file is None:
            return False
        with file:
            try:
                before = b""
                while block := file.read(_BLOCK_BYTES):
                    if words in before + block:
                        return True
                    before = block[-len(words) :]
            except OSError:
                pass
        return False

    def piece(self, begin: int, most_bytes: int | None) -> bytes:
        file = try_open(self.run, "events", self.name)
        if file is None:
            return b""
        with file:
            try:
                file.seek(begin)
                content = file.read(-1 if most_bytes is None else most_bytes)
                if len(content) == most_bytes and b"\n" not in content:
                    content += file.readline(LONGEST_LINE)  # one line is longer than that
                return content
            except OSError:
                return b""

    def told(self, count: int, why: str, more: int = 0) -> None:
        others = f" (and {more:,} more {'line' if more == 1 else 'lines'})" if more else ""
        path = self.run / "events" / self.name
        notice(str(path), f"`{path}` line {count} was skipped: {why}{others}")
