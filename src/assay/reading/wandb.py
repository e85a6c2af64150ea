"""W&B's offline runs: `wandb/offline-run-20240330_151633-x1y2z3/run-x1y2z3.wandb`, with files beside it.

The file is a log of LevelDB's kind: seven bytes of head, then blocks of 32 KiB holding pieces (checksum 4 bytes, length
2, type 1) of protocol buffers (Record). A run that was killed has a torn last piece. Older versions kept settings and
last figures in `files/config.yaml` and `files/wandb-summary.json` only.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path

from assay import looseyaml
from assay.errors import AssayError
from assay.model.values import number
from assay.reading.records import Record, bounded_bytes, fields

_HEAD, _BLOCK = 7, 32768
_MOST_BYTES = 1 << 30
_PIECE = struct.Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
#: of a Record
_HISTORY, _SUMMARY, _CONFIG, _RUN, _EXIT, _ENVIRONMENT = 2, 3, 5, 17, 18, 26
#: what W&B adds to every row
_OWN = {"_step", "_timestamp", "_runtime", "_wandb"}


def is_run(path: Path) -> bool:
    return path.suffix == ".wandb"


def records(path: Path) -> Iterator[Record]:
    """One file is one run."""
    content = bounded_bytes(path, _MOST_BYTES)
    if content[:4] != b":W&B":
        raise AssayError(f"`{path}` is not a file of W&B")
    run = _Run()
    for message in messages(content):
        for field, value in fields(message):
            if isinstance(value, bytes):
                run.take(field, value)
    run.settings = {**_config_file(path), **run.settings}
    run.last = {**_summary_file(path), **run.last}
    name = run.name or path.stem.removeprefix("run-")
    logged = {metric[0] for metric in run.metrics}
    results = {key: value for key, value in _flat(run.last).items() if key not in logged}
    yield Record(
        system="wandb",
        name=name,
        settings={key: value for key, value in _flat(run.settings).items() if value is not None},
        metrics=run.metrics,
        results={key: figure for key, given in results.items() if (figure := number(given)) is not None},
        status="unfinished" if run.exit_code is None else "failed" if run.exit_code else "completed",
        command=run.command,
        notes=[f"wandb run {path.stem.removeprefix('run-')}"],
    )


def messages(content: bytes) -> Iterator[bytes]:
    """Pieces put together again; what is torn at the end is left out."""
    at, waiting = _HEAD, list[bytes]()
    while at + _PIECE.size <= len(content):
        room = _BLOCK - at % _BLOCK
        if room < _PIECE.size:
            at += room  # the rest of a block that no piece fits into is zeros
            continue
        _, length, kind = _PIECE.unpack_from(content, at)
        at += _PIECE.size
        piece = content[at : at + length]
        if len(piece) < length or kind not in (_FULL, _FIRST, _MIDDLE, _LAST):
            return
        at += length
        if kind in (_FULL, _FIRST):
            waiting = []
        waiting.append(piece)
        if kind in (_FULL, _LAST):
            yield b"".join(waiting)
            waiting = []


class _Run:
    """Takes the parts of records in the order in which they were written."""

    def __init__(self) -> None:
        self.name: str | None = None
        self.settings: dict[str, object] = {}
        self.last: dict[str, object] = {}
        self.metrics: list[tuple[str, float, int, float]] = []
        self.exit_code: int | None = None
        self.command: str | None = None
        self._t = 0.0

    def take(self, field: int, content: bytes) -> None:
        if field == _HISTORY:
            self._history(content)
        elif field == _SUMMARY:
            self.last.update(_items(content, 1))
        elif field == _CONFIG:
            self.settings.update(_items(content, 1))
        elif field == _RUN:
            self._run(content)
        elif field == _EXIT:
            self.exit_code = next(
                (value for number_, value in fields(content) if number_ == 1 and isinstance(value, int)), 0
            )
        elif field == _ENVIRONMENT:
            self._environment(content)

    def _run(self, content: bytes) -> None:
        for field, value in fields(content):
            if isinstance(value, bytes) and field == 4:
                self.settings.update(_items(value, 1))
            elif isinstance(value, bytes) and field == 8:
                self.name = value.decode("utf-8", "replace") or None

    def _environment(self, content: bytes) -> None:
        words = [
            value.decode("utf-8", "replace")
            for field, value in fields(content)
            if field == 6 and isinstance(value, bytes)
        ]
        words += [
            value.decode("utf-8", "replace")
            for field, value in fields(content)
            if field == 5 and isinstance(value, bytes)
        ]
        self.command = " ".join(words) or None

    def _history(self, content: bytes) -> None:
        row = _items(content, 1)
        said = next((value for field, value in fields(content) if field == 2 and isinstance(value, bytes)), b"")
        counted = next((value for field, value in fields(said) if field == 1 and isinstance(value, int)), 0)
        step = number(row.get("_step"))
        t = number(row.get("_timestamp"))
        self._t = t if t is not None else self._t
        for name, value in _flat(row).items():
            figure = number(value)
            if figure is not None and name not in _OWN:
                self.metrics.append((name, float(figure), int(step if step is not None else counted), self._t))


def _items(content: bytes, wanted: int) -> dict[str, object]:
    """Keys and values of a history, summary or config record."""
    found: dict[str, object] = {}
    for field, value in fields(content):
        if field == wanted and isinstance(value, bytes):
            key, given = _item(value)
            if key:
                found[key] = given
    return found


def _item(content: bytes) -> tuple[str, object]:
    names: list[str] = []
    given: object = None
    for field, value in fields(content):
        if field in (1, 2) and isinstance(value, bytes):
            names.append(value.decode("utf-8", "replace"))
        elif field == 4:
            given = bool(value)
        elif field == 5 and isinstance(value, int):
            given = value >> 1 ^ -(value & 1)  # zigzag
        elif field == 6 and isinstance(value, bytes) and len(value) == 8:
            given = struct.unpack("<d", value)[0]
        elif field == 7 and isinstance(value, bytes):
            given = value.decode("utf-8", "replace")
        elif field in (8, 16) and isinstance(value, bytes):
            given = _json(value)
    return ".".join(names), given


def _json(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _flat(values: dict[str, object], before: str = "", depth: int = 0) -> dict[str, object]:
    """Nested settings by dotted names; lists as text."""
    found: dict[str, object] = {}
    for name, value in values.items():
        if (before + name).partition(".")[0] in _OWN:
            continue
        if isinstance(value, dict) and depth < 6:
            found.update(_flat(value, f"{before}{name}.", depth + 1))
        else:
            found[before + name] = (
                value if isinstance(value, (int, float, str, bool)) or value is None else json.dumps(value)
            )
    return found


def _config_file(path: Path) -> dict[str, object]:
    """`lr: {value: 0.1}`"""
    try:
        kept = looseyaml.load(bounded_bytes(path.parent / "files" / "config.yaml", _MOST_BYTES), "config.yaml")
    except AssayError:
        return {}
    if not isinstance(kept, dict):
        return {}
    return {str(name): one["value"] for name, one in kept.items() if isinstance(one, dict) and "value" in one}


def _summary_file(path: Path) -> dict[str, object]:
    try:
        kept = json.loads(bounded_bytes(path.parent / "files" / "wandb-summary.json", _MOST_BYTES))
    except (AssayError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}
