"""Another name, tags or a note for a run that has ended: its evidence stays as it is."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.facts.secrets import mask_text
from assay.spec import folder_name
from assay.store.files import read_file, try_read
from assay.store.layout import RunDir, write_json
from assay.summary.build import load_summary

_LONGEST_NAME, _LONGEST_TAG, _LONGEST_NOTE, _MOST_TAGS = 200, 60, 4000, 30


@dataclass(frozen=True, kw_only=True)
class Label:
    """What someone calls a run; None leaves it as it is."""

    name: str | None = None
    tags: Sequence[str] | None = None
    note: str | None = None


def relabel(run: RunDir, label: Label) -> RunDir:
    """The run under its new name; its folder is renamed too, unless it was imported under another."""
    if load_summary(run).status in ("running", "queued"):
        raise AssayError(f"`{run.path.name}` is still running", "rename it when it has ended")
    changes = _changes(label)
    asked = run.asked()
    try:
        for name in ("run.json", "summary.json"):
            _rewrite(run.path, name, changes)
        if label.name is None or asked.how == "parsed" or not run.path.name.endswith(asked.id):
            return run
        path = run.path.with_name(folder_name(str(changes["name"]), asked.id))
        os.rename(run.path, path)
    except OSError as problem:
        raise AssayError(f"cannot change `{run.path.name}`: {problem.strerror}") from None
    return RunDir(path)


def _changes(label: Label) -> dict[str, object]:
    """Checked, and secrets masked as everywhere."""
    found: dict[str, object] = {}
    if label.name is not None:
        found["name"] = mask_text(label.name.strip())
        if not found["name"] or len(label.name) > _LONGEST_NAME:
            raise UsageError("a name has 1 to 200 characters")
    if label.tags is not None:
        tags = list(dict.fromkeys(tag.strip() for tag in label.tags if tag.strip()))
        if len(tags) > _MOST_TAGS or any(len(tag) > _LONGEST_TAG for tag in tags):
            raise UsageError(f"a run has at most {_MOST_TAGS} tags of {_LONGEST_TAG} characters")
        found["tags"] = list(map(mask_text, tags))
    if label.note is not None:
        if len(label.note) > _LONGEST_NOTE:
            raise UsageError(f"a note has at most {_LONGEST_NOTE:,} characters")
        found["note"] = mask_text(label.note.strip()) or None
    return found


def _rewrite(folder: Path, name: str, changes: dict[str, object]) -> None:
    """Only these fields, whatever else the file holds."""
    content = read_file(folder, name) if name == "run.json" else try_read(folder, name)
    if content is None:
        return
    try:
        kept = json.loads(content)
    except (ValueError, RecursionError):
        raise AssayError(f"`{folder / name}` cannot be read") from None
    kept = {key: value for key, value in (kept | changes).items() if not (key in changes and value is None)}
    write_json(folder / name, kept, os.stat(folder / name).st_mode & 0o777)
