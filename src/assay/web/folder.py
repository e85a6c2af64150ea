"""All runs of a folder, held in memory and kept fresh by looking only at what can have changed."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError
from assay.model.summary import Summary
from assay.store.files import kept_file
from assay.store.folders import is_run, run_folders
from assay.store.layout import RunDir
from assay.summary.build import load_summary
from assay.summary.index import Listed, began, load_all, stamp_of
from assay.web.live import ACTIVE, LiveRun

#: of the runs that have ended, so many are looked at again in a round
_SLICE = 500
#: a folder without a run.json may be a run that is just being made
_YOUNG_S = 60.0
#: so many reads of a long run before the list shows what it knows
_POLLS = 2


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A run as the list knows it; `stamp` is None where it goes on."""

    listed: Listed
    stamp: list[int] | None

    @property
    def status(self) -> str:
        return self.listed.lean.status or ""


class RunsFolder:
    """`version` rises with every change. All methods may be called from any thread."""

    def __init__(self, runs_dir: Path) -> None:
        self.path = runs_dir
        self.version = 0
        self.problems: dict[str, str] = {}  # folder: why it cannot be shown
        self.loaded = threading.Event()
        self._entries: dict[str, Entry] = {}
        self._shown: tuple[dict[str, Entry], list[Entry]] = ({}, [])  # replaced whole: readers wait for no one
        self._lives: dict[str, LiveRun] = {}
        self._lock = threading.Lock()
        self._lives_lock = threading.Lock()
        self._changed_ns = -1
        self._dirty = False
        self._pending: set[str] = set()
        self._next = 0
        self._refreshed_s = -1e9

    def load(self) -> None:
        """The first look, through the index on disk."""
        with self._lock:
            self._changed_ns = self._date()
            for listed in load_all(self.path, lambda text: None, self._summary):  # `problems` tells what it could not
                stamp = stamp_of(str(self.path), listed.folder)
                self._entries[listed.folder] = Entry(listed=listed, stamp=stamp)
            self._look_for_new()
            self._changed()
            self._publish()
            self._refreshed_s = time.monotonic()
        self.loaded.set()

    def refresh(self, at_most_every_s: float = 0.9) -> None:
        """New, removed, running, and a slice of the others."""
        waits_s = 0.01 if at_most_every_s else 10.0
        if not self.loaded.is_set() or not self._lock.acquire(timeout=waits_s):
            return  # someone else is at it
        try:
            if time.monotonic() - self._refreshed_s < at_most_every_s:
                return
            date = self._date()
            if date != self._changed_ns or self._pending:
                self._changed_ns = date
                self._look_for_new()
            for folder in [name for name, entry in self._entries.items() if entry.status in ACTIVE]:
                self._reload(folder)
            names = list(self._entries)
            for folder in names[self._next : self._next + _SLICE]:
                entry = self._entries[folder]
                if entry.status not in ACTIVE and stamp_of(str(self.path), folder) != entry.stamp:
                    self._reload(folder)
            self._next = self._next + _SLICE if self._next + _SLICE < len(names) else 0
            self._publish()
            self._refreshed_s = time.monotonic()
        finally:
            self._lock.release()

    def entries(self) -> list[Entry]:
        """Oldest first."""
        return self._shown[1]

    def entry(self, folder: str) -> Entry | None:
        return self._shown[0].get(folder)

    def run(self, folder: str) -> RunDir:
        """By the name of its folder or its id, and only one that the folder itself lists."""
        if folder not in self._shown[0]:
            self.refresh(0)  # it may have begun a moment ago
        known = self._shown[0]
        if folder not in known and folder not in self.problems:
            ids = (name for name, one in known.items() if one.listed.lean.id == folder)
            folder = next(ids, folder)
        if folder not in known and folder not in self.problems:
            raise AssayError(f"no run called `{folder[:200]}` in this folder")
        run = RunDir(self.path / folder)
        run.asked()  # says so if it is of a newer version, or damaged
        return run

    def live(self, run: RunDir) -> LiveRun:
        """The one reader of an active run, shared by all clients."""
        with self._lives_lock:
            found = self._lives.get(run.path.name)
            if found is None:
                found = self._lives[run.path.name] = LiveRun(run)
            return found

    def forget(self, folder: str) -> None:
        with self._lives_lock:
            self._lives.pop(folder, None)

    def _summary(self, run: RunDir) -> Summary:
        """Of a run without a kept summary, what its one reader knows so far."""
        if kept_file(run.path, "summary.json"):
            self.forget(run.path.name)
            return load_summary(run)
        live = self.live(run)
        for _ in range(_POLLS):
            live.poll()
            if live.caught_up:
                break
        if live.caught_up and not live.active:
            self.forget(run.path.name)
        elif not live.caught_up:
            return live.summary.replace(status="running")  # the end of its record is not read yet
        return live.summary

    def _date(self) -> int:
        try:
            return os.stat(self.path).st_mtime_ns
        except OSError:
            return 0

    def _look_for_new(self) -> None:
        try:
            names = set(run_folders(self.path))
        except AssayError:
            names = set()
        for gone in (self._entries.keys() | self.problems.keys()) - names:
            self._entries.pop(gone, None)
            self.problems.pop(gone, None)
            self.forget(gone)
            self._changed()
        self._pending = set()
        for folder in names - self._entries.keys():
            if is_run(self.path / folder):
                self._reload(folder)
            elif self._is_young(folder):
                self._pending.add(folder)

    def _is_young(self, folder: str) -> bool:
        try:
            status = os.lstat(self.path / folder)
        except OSError:
            return False
        return time.time() - status.st_mtime < _YOUNG_S

    def _reload(self, folder: str) -> None:
        run = RunDir(self.path / folder)
        stamp = stamp_of(str(self.path), folder)
        try:
            summary = self._summary(run)
        except Exception as problem:  # whatever one run's files hold, the others are shown
            text = problem.message if isinstance(problem, AssayError) else f"`{folder}` cannot be read: {problem!r}"
            if self.problems.get(folder) != text:
                self.problems[folder] = text
                self._changed()
            self._entries.pop(folder, None)
            return
        before = self._entries.get(folder)
        self.problems.pop(folder, None)
        if before is None or before.listed.summary != summary or before.stamp != stamp:
            self._entries[folder] = Entry(listed=Listed(runs_dir=self.path, folder=folder, read=summary), stamp=stamp)
            self._changed()

    def _changed(self) -> None:
        self._dirty = True

    def _publish(self) -> None:
        if self._dirty:
            ordered = sorted(self._entries.values(), key=lambda entry: began(entry.listed))
            self._shown = (dict(self._entries), ordered)
            self._dirty = False
            self.version += 1
