"""What the page may change: a run's name, tags and note, and whether it stays. The terminal shows each change."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from assay.errors import AssayError, UsageError
from assay.store.code import clear_unused
from assay.store.removing import check_ours, remove
from assay.summary.relabel import Label, relabel
from assay.web.folder import RunsFolder

_MOST = 1000


def tell(text: str) -> None:
    """On the server's terminal."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


class Edits:
    def __init__(self, folder: RunsFolder, say: Callable[[str], None] = tell) -> None:
        self._folder, self._say = folder, say

    def label(self, name: str, wanted: Mapping[str, object], who: str) -> dict[str, object]:
        """{name, tags, note}: those that are given."""
        label = Label(name=_text(wanted, "name"), tags=_texts(wanted, "tags"), note=_text(wanted, "note"))
        run = relabel(self._folder.run(name), label)
        what = " and ".join(one for one in ("name", "tags", "note") if one in wanted) or "nothing"
        self._say(f"{who} changed the {what} of {name}" + (f", now {run.path.name}" if run.path.name != name else ""))
        self._folder.refresh(0)
        return {"folder": run.path.name}

    def remove(self, wanted: Mapping[str, object], who: str) -> dict[str, object]:
        """{runs: [folder, …]}: all of them, or none where one may not be removed."""
        names = _texts(wanted, "runs") or []
        if not names or len(names) > _MOST:
            raise UsageError(f"name 1 to {_MOST:,} runs to remove")
        runs = [self._folder.run(name) for name in dict.fromkeys(names)]
        for run in runs:
            check_ours(run, self._folder.path)
            entry = self._folder.entry(run.path.name)
            if entry is not None and entry.status == "running":
                raise AssayError(f"`{run.path.name}` is running", "end it first")
        for run in runs:
            remove(run)
            self._say(f"{who} removed {run.path.name}")
        clear_unused(self._folder.path)
        self._folder.refresh(0)
        return {"removed": len(runs)}


def _text(wanted: Mapping[str, object], name: str) -> str | None:
    value = wanted.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"`{name}` is a text")
    return value


def _texts(wanted: Mapping[str, object], name: str) -> list[str] | None:
    value = wanted.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UsageError(f"`{name}` is a list of texts")
    return value
