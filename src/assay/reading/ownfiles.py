"""Files that are no logs and that one system writes, known by their names or a mark: each says how it is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from assay import systems
from assay.reading.found import Found
from assay.systems.system import OwnFile


def is_own(name: str) -> bool:
    return any(PurePath(name).name in one.names for _, one in _every())


def runs_of(content: bytes, name: str) -> list[Found]:
    """One run; nothing if the file belongs to another program."""
    lines = content.count(b"\n") + 1
    for system, one in _every():
        events = one.read(content, name) if _is_of(one, content, name) else []
        if events:
            return [Found(system=system, device=one.device, first_line=1, last_line=lines, events=events)]
    return []


def is_marked(content: bytes, name: str) -> bool:
    """Whether a file of another name holds what such a file does."""
    return any(_is_of(one, content, name) for _, one in _every())


def _is_of(one: OwnFile, content: bytes, name: str) -> bool:
    path = PurePath(name)
    return path.name in one.names or (path.suffix in one.endings and bool(one.mark) and one.mark in content)


def _every() -> Iterator[tuple[str, OwnFile]]:
    return ((system.name, one) for system in systems.every().values() for one in system.files)
