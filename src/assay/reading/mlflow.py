"""MLflow's stores: a database file (`mlflow.db`), or a folder of small files (`mlruns/<experiment>/<run>/…`).

    mlruns/0/6f1c…/meta.yaml        run_name: brave-fox-1 · status: 3 · start_time: 1700000000000
                   metrics/loss     1700000000001 0.69 0        (unix ms, value, step), a line each
                   params/lr        0.1

Read here directly: the package takes seconds to import. A run that was deleted there is not read. Its system metrics
are those of the whole host.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from assay import looseyaml
from assay.errors import AssayError
from assay.model.values import number
from assay.reading.records import Record, bounded_bytes

_STATUS = {"FINISHED": "completed", "FAILED": "failed", "KILLED": "interrupted"}
#: as numbers, in meta.yaml
_NUMBERED = {3: "FINISHED", 4: "FAILED", 5: "KILLED"}
_COMMAND = "mlflow.source.name"
#: what a run may consist of, and how long a database may take to answer
_MOST_FILES, _MOST_BYTES, _LONGEST_S = 20_000, 64 << 20, 120.0
_SQLITE = b"SQLite format 3\x00"


def is_store(path: Path) -> bool:
    return is_folder(path) or is_database(path)


def is_folder(path: Path) -> bool:
    """The meta.yaml of a run: an experiment has one too, but neither metrics nor params."""
    return path.name == "meta.yaml" and ((path.parent / "metrics").is_dir() or (path.parent / "params").is_dir())


def is_database(path: Path) -> bool:
    if path.suffix not in (".db", ".sqlite", ".sqlite3"):
        return False
    try:
        with open(path, "rb") as file:
            return file.read(16) == _SQLITE
    except OSError:
        return False


def records(path: Path) -> Iterator[Record]:
    if is_folder(path):
        yield _of_folder(path)
        return
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as database:
            ends_s = time.monotonic() + _LONGEST_S
            database.set_progress_handler(lambda: time.monotonic() > ends_s, 100_000)
            yield from _of_database(database, path)
    except sqlite3.Error as problem:
        raise AssayError(f"`{path}` is not an MLflow database, or a damaged one: {problem}") from None


def _of_database(database: sqlite3.Connection, path: Path) -> Iterator[Record]:
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"runs", "metrics", "params", "tags"} <= tables:
        raise AssayError(f"`{path}` is a database, but not one of MLflow")
    listed = "SELECT run_uuid, name, status FROM runs WHERE lifecycle_stage = 'active' ORDER BY start_time, run_uuid"
    for run, name, status in database.execute(listed).fetchall():
        tags = _pairs(database, "tags", run)
        metrics = database.execute(
            "SELECT key, value, step, timestamp / 1000.0 FROM metrics WHERE run_uuid = ? AND NOT is_nan "
            "ORDER BY timestamp, step, key",
            (run,),
        )
        yield Record(
            system="mlflow",
            name=str(name or tags.get("mlflow.runName") or run),
            settings=_pairs(database, "params", run),
            metrics=[row for row in map(_row, metrics) if row is not None],
            status=_STATUS.get(str(status), "unfinished"),
            command=tags.get(_COMMAND),
            notes=[f"mlflow run {run}"],
        )


def _row(row: tuple[object, ...]) -> tuple[str, float, int, float] | None:
    """(name, value, step, unix seconds); None where it holds no figure. SQLite keeps any type in any column."""
    name, value, step, t = row
    figure = number(value)
    return (
        None
        if figure is None or not isinstance(name, str)
        else (name, float(figure), int(number(step) or 0), float(number(t) or 0.0))
    )


def _pairs(database: sqlite3.Connection, table: str, run: str) -> dict[str, str]:
    rows = database.execute(f"SELECT key, value FROM {table} WHERE run_uuid = ? ORDER BY key", (run,))
    return {key: "" if value is None else str(value) for key, value in rows if isinstance(key, str)}


def _of_folder(meta: Path) -> Record:
    facts = looseyaml.load(bounded_bytes(meta, _MOST_BYTES), str(meta))
    if not isinstance(facts, dict):
        raise AssayError(f"`{meta}` is not a run of MLflow")
    run = meta.parent
    tags = {path.name: _text(path) for path in _files(run / "tags")}
    status = facts.get("status")
    return Record(
        system="mlflow",
        name=str(facts.get("run_name") or tags.get("mlflow.runName") or facts.get("run_id") or run.name),
        settings={str(path.relative_to(run / "params")): _text(path) for path in _files(run / "params")},
        metrics=sorted(_metrics(run / "metrics"), key=lambda one: (one[3], one[2], one[0])),
        status=_STATUS.get(_NUMBERED.get(status, "") if isinstance(status, int) else str(status), "unfinished"),
        command=tags.get(_COMMAND),
        notes=[f"mlflow run {facts.get('run_id') or run.name}"],
    )


def _metrics(folder: Path) -> Iterator[tuple[str, float, int, float]]:
    for path in _files(folder):
        name = str(path.relative_to(folder))
        for line in _text(path).splitlines():
            row = _figures(line.split())
            if row is not None:
                yield name, row[1], int(row[2]), row[0] / 1000


def _figures(words: list[str]) -> tuple[float, float, float] | None:
    """(unix ms, value, step); old versions wrote no step."""
    try:
        values = [value for word in (*words, "0")[:3] if (value := number(float(word))) is not None]
    except ValueError:
        return None
    return (values[0], values[1], values[2]) if len(values) == 3 else None


def _files(folder: Path) -> list[Path]:
    """Names with a slash are folders there."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    listed = list(islice(found, _MOST_FILES + 1))
    if len(listed) > _MOST_FILES:
        raise AssayError(f"`{folder}` contains more than {_MOST_FILES:,} files, too many for a run of MLflow")
    return sorted(listed)


def _text(path: Path) -> str:
    return bounded_bytes(path, _MOST_BYTES).decode("utf-8", "replace").strip()
