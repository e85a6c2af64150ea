"""A run directory that was good, damaged: values of the wrong type, torn files, links, pipes, folders for files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import Any

from faults.fuzz.mutate import mutate

_VALUES: tuple[Any, ...] = (
    None, True, "", "x", "x" * 5000, "\x1b[31m", "\ud800", 0, -1, 1e300, -1e300, 10**400, float("nan"), float("inf"),
    [], [70, 80], {}, {"a": {"b": [1]}}, [[]], "2024-01-01", "../../etc/passwd", "<script>", [None], {"": None}, 1e-320,
)  # fmt: skip


def damage(run: Path, chance: Random) -> str:
    """Does one thing to it, and says what."""
    if chance.random() < 0.2:
        path = chance.choice(_files(run))
        return f"{_another_kind(path, run, chance)} instead of {path.relative_to(run)}"
    return damage_files(run, chance)


def _files(run: Path) -> list[Path]:
    return sorted(path for path in run.rglob("*") if path.is_file() and not path.is_symlink())


def damage_files(run: Path, chance: Random) -> str:
    """The same where files stay files."""
    path = chance.choice(_files(run))
    how = chance.choice(("values", "values", "values", "bytes", "bytes", "replaced"))
    if how == "values" and path.suffix in (".json", ".jsonl"):
        _values(path, chance)
    elif how == "replaced":
        path.write_text(chance.choice(("[]", "null", "3", '"x"', "{}", "", "[" * 100_000, "{" * 100, '[{"a": 1}]')))
    else:
        how = "bytes"
        path.write_bytes(mutate(path.read_bytes(), chance))
    return f"{how} of {path.relative_to(run)}"


def _values(path: Path, chance: Random) -> None:
    """Some values of it replaced by what no one expects there."""
    text = path.read_text(errors="surrogateescape")
    parts = text.splitlines() if path.suffix == ".jsonl" else [text]
    for _ in range(chance.choice((1, 3, 10))):
        index = chance.randrange(len(parts)) if parts else 0
        try:
            parts[index] = json.dumps(_spoilt(json.loads(parts[index]), chance))
        except (ValueError, IndexError):
            continue
    path.write_text("\n".join(parts) + "\n", errors="surrogateescape")


def _spoilt(value: Any, chance: Random, depth: int = 0) -> Any:
    if isinstance(value, dict) and value and (depth == 0 or chance.random() < 0.7):
        key = chance.choice(list(value))
        if chance.random() < 0.1:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: _spoilt(value[key], chance, depth + 1)}
    return chance.choice(_VALUES)


def _another_kind(path: Path, run: Path, chance: Random) -> str:
    """Something that is no file, or none of this run, where the file was."""
    how = chance.choice(("gone", "a folder", "a pipe", "a link outside", "a link to itself", "a pipe in events"))
    if how == "a pipe in events":
        if (run / "events").is_dir():
            os.mkfifo(run / "events" / "host-1-1.jsonl")
        return how
    path.unlink()
    if how == "a folder":
        path.mkdir()
    elif how == "a pipe":
        os.mkfifo(path)
    elif how == "a link outside":
        path.symlink_to("/etc/passwd")
    elif how == "a link to itself":
        path.symlink_to(path)
    return how
