"""The files of a run that may be fetched: what says how it went, and what the command kept in `$ASSAY_RUN` itself.

Its code and configuration are for the owner alone, and so is a file that no one else may read where the run's other
files are open to all: the page may be open to others, too.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from assay.store.files import kept_file, open_file

OURS = ("run.json", "summary.json", "output.log")
_HIDDEN = re.compile(r"run\.json|summary\.json|output.*\.(log|times)|code(\.json)?|config.*|events|job|\..*")
_MOST_FILES, _DEEPEST = 200, 4
_OTHERS = stat.S_IRGRP | stat.S_IROTH
#: what a browser may draw; an SVG is left out, because it may hold a script
_PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}


def files_of(run: Path) -> list[dict[str, object]]:
    """Ours first, then the command's own by name; no link is followed."""
    found = [(file.name, file.size_bytes) for name in OURS if (file := kept_file(run, name))]
    found += sorted(_walk(run, "", _private(run)))[:_MOST_FILES]
    return [{"name": name, "bytes": size, "picture": _kind(name) != ""} for name, size in found]


def sent(run: Path, name: str, *, shown: bool) -> Response | None:
    """A file as it is, in pieces, and never as a page of ours; None where there is none that may be fetched."""
    try:
        file = open_file(run, *name.split("/")) if name in OURS or _is_own(name) else None
    except (OSError, ValueError):
        return None
    if file is None:
        return None
    if name not in OURS and not _is_open(os.fstat(file.fileno()), _private(run)):
        file.close()
        return None
    kind = _kind(name) if shown else ""
    how = "inline" if kind else "attachment"
    headers = {
        "cache-control": "no-store",
        "content-disposition": f"{how}; filename*=UTF-8''{quote(name.split('/')[-1])}",
    }
    plain = "text/plain; charset=utf-8" if name in OURS else "application/octet-stream"
    return StreamingResponse(_pieces(file), media_type=kind or plain, headers=headers)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(1 << 18):
            yield piece


def _kind(name: str) -> str:
    return _PICTURES.get(Path(name).suffix.lower(), "")


def _is_own(name: str) -> bool:
    parts = name.split("/")
    named = all(part and not part.startswith(".") for part in parts)
    return named and len(parts) <= _DEEPEST and not _HIDDEN.fullmatch(parts[0])


def _private(run: Path) -> bool:
    """Whether all files of this run are for their owner alone."""
    try:
        return not (run / "run.json").stat(follow_symlinks=False).st_mode & _OTHERS
    except OSError:
        return False


def _is_open(status: os.stat_result, private: bool) -> bool:
    return stat.S_ISREG(status.st_mode) and (private or bool(status.st_mode & _OTHERS))


def _walk(place: Path, before: str, private: bool) -> Iterator[tuple[str, int]]:
    try:
        entries = list(os.scandir(place))[: 10 * _MOST_FILES]
    except OSError:
        return
    for entry in entries:
        name = before + entry.name
        if not _is_own(name):
            continue
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(place / entry.name, f"{name}/", private)
            elif _is_open(status := entry.stat(follow_symlinks=False), private):
                yield name, status.st_size
        except OSError:
            continue
