"""A run's thinned events, kept beside the runs: what makes a page of a million events quick the second time.

`<runs>/.views/<folder>.json`, believed only while the files it was made from have the same size and date. Not in the
run's own folder, whose date the index of runs looks at. Deleting it costs one slow view.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.auditing.audit import judge
from assay.auditing.case import Case, Run
from assay.auditing.load import case_of_runs
from assay.errors import AssayError
from assay.model.event import Event, event_of
from assay.model.request import Request
from assay.model.summary import VERSION as SUMMARY
from assay.model.summary import Summary
from assay.store.code import with_code
from assay.store.files import KeptFile, event_files, kept_file, open_file, try_open
from assay.store.layout import RunDir
from assay.store.reading import read_events
from assay.summary.build import load_summary
from assay.views.evidence import LastWords, Proof
from assay.views.thinner import Thinner
from assay.web import logs
from assay.web.places import Places

_VERSION = 2
FOLDER = ".views"
#: a smaller record is read anew as quickly
_SMALL_BYTES = 1 << 20
_LONG_BYTES = 8 << 20
#: a longer run is judged on its thinned events, and the page says so
_JUDGED_WHOLE = 100_000
_IN_MEMORY = 64
#: to count the lines of a log that is judged: it is read aside, and no one waits
_PATIENCE_S = 600.0
Tell = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class View:
    """What a page shows of a run that has ended."""

    summary: Summary
    asked: Request
    events: list[Event]
    total: int
    proofs: list[Proof]
    findings: list[dict[str, object]]
    judged: str  # on what the audit looked


class Views:
    """Those that were asked for lately are held; the others are on disk."""

    def __init__(self, runs_dir: Path) -> None:
        self._place = runs_dir / FOLDER
        self._held: OrderedDict[str, tuple[object, View]] = OrderedDict()
        self._lock = threading.Lock()

    def ready(self, run: RunDir) -> View | None:
        """Without work, or None."""
        stamp = stamp_of(run)
        with self._lock:
            held = self._held.get(run.path.name)
            if held is not None and held[0] == stamp:
                self._held.move_to_end(run.path.name)
                return held[1]
        found = self._load(run, stamp)
        if found is not None:
            self._hold(run, stamp, found)
        return found

    def make(self, run: RunDir, tell: Tell = lambda share: None) -> View:
        """A long one is read in a separate process, so that other viewers of the page do not wait for it."""
        stamp = stamp_of(run)
        size = sum(file.size_bytes for file in files_of(run))
        view = build(run, tell) if size < _LONG_BYTES else build_aside(run, tell)
        self._hold(run, stamp, view)
        if size >= _SMALL_BYTES:
            self._write(run, stamp, view)
        return view

    def get(self, run: RunDir) -> View:
        return self.ready(run) or self.make(run)

    def is_quick(self, run: RunDir) -> bool:
        return bool(sum(file.size_bytes for file in files_of(run)) < _SMALL_BYTES)

    def is_short(self, run: RunDir) -> bool:
        """Whether its events are read in a moment."""
        return bool(sum(file.size_bytes for file in files_of(run)) < _LONG_BYTES)

    def _hold(self, run: RunDir, stamp: object, view: View) -> None:
        with self._lock:
            self._held[run.path.name] = (stamp, view)
            self._held.move_to_end(run.path.name)
            while len(self._held) > _IN_MEMORY:
                self._held.popitem(last=False)

    def _write(self, run: RunDir, stamp: object, view: View) -> None:
        """A folder that cannot be written to only makes the next view slow again."""
        content = {"v": _VERSION, "summary_v": SUMMARY, "stamp": stamp, **plain(view)}
        try:
            with suppress(FileExistsError):
                self._place.mkdir(0o700)
            # in a shared folder anyone can put a link here: what is written and cleaned up must be our own folder
            handle = os.open(self._place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if os.fstat(handle).st_uid == os.geteuid():
                    _put(handle, f"{run.path.name}.json", json.dumps(content, separators=(",", ":")).encode("ascii"))
                    self._clean(handle)
            finally:
                os.close(handle)
        except OSError:
            pass

    def _clean(self, handle: int) -> None:
        """Views of runs that were removed."""
        for name in os.listdir(handle):
            if name.endswith(".json") and not (self._place.parent / name.removesuffix(".json")).exists():
                os.unlink(name, dir_fd=handle)

    def _load(self, run: RunDir, stamp: object) -> View | None:
        """Only what we wrote ourselves is believed: a page shows it without looking at the run."""
        try:
            with open_file(self._place, f"{run.path.name}.json") as file:
                facts = os.fstat(file.fileno())
                if facts.st_uid != os.geteuid() or facts.st_mode & 0o022:
                    return None
                kept = json.loads(file.read())
            if [kept["v"], kept["summary_v"], kept["stamp"]] != [_VERSION, SUMMARY, stamp]:
                return None
            return view_of(kept, run)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None


def _put(folder: int, name: str, content: bytes) -> None:
    """Written beside and renamed, in a folder that is open already."""
    beside = f".{name}.{os.getpid()}.{threading.get_ident()}"
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(beside, dir_fd=folder)
        raise


def stamp_of(run: RunDir) -> list[list[object]]:
    """Name, size and date of every file that a view is made of."""
    return [list(file) for file in files_of(run)]


def files_of(run: RunDir) -> list[KeptFile]:
    files = [*event_files(run.path), kept_file(run.path, "summary.json"), kept_file(run.path, "run.json")]
    return [file for file in files if file is not None]


def plain(view: View) -> dict[str, object]:
    """What is kept; run.json is at hand anyway."""
    return {
        **{name: value for name, value in vars(view).items() if name != "asked"},
        "events": [event.as_json() for event in view.events],
        "summary": view.summary.as_json(),
        "proofs": list(map(asdict, view.proofs)),
    }


def view_of(kept: dict[str, Any], run: RunDir) -> View:
    return View(
        summary=Summary.of(kept["summary"]),
        asked=run.asked(),
        events=[event for raw in kept["events"] if (event := event_of(raw)) is not None],
        total=kept["total"],
        proofs=[Proof(**one) for one in kept["proofs"]],
        findings=kept["findings"],
        judged=kept["judged"],
    )


def build_aside(run: RunDir, tell: Tell) -> View:
    """`python -m assay.web.thin_aside RUN` says how far it is, line by line, and then what it made."""
    # not from the folder of the runs: `-m` would import what lies there
    command = [sys.executable, "-m", "assay.web.thin_aside", str(run.path.absolute())]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=os.sep
    ) as aside:
        assert aside.stdout is not None
        for line in aside.stdout:
            if line.startswith(b"{"):
                return view_of(json.loads(line), run)
            tell(float(line))
    raise AssayError(f"`{run.path.name}` could not be read", f"assay show {run.path.name} may say more")


def build(run: RunDir, tell: Tell) -> View:
    """One pass over the events; the findings need another where the run is short enough."""
    asked, summary = run.asked(), load_summary(run)
    thinner, words, expected = Thinner(), LastWords(), _expected(run)
    for event in read_events(run):
        thinner.add(event)
        words.add(event)
        if thinner.total % 5000 == 0:
            tell(min(0.99, thinner.total / expected))
    events = thinner.events()
    findings, judged = _judge(run, summary, asked, events, thinner.total)
    return View(
        summary=summary,
        asked=asked,
        events=events,
        total=thinner.total,
        proofs=words.proofs(),
        findings=findings,
        judged=judged,
    )


def _expected(run: RunDir) -> float:
    """Roughly how many events there are, by the length of the first."""
    count = 1.0
    for kept in event_files(run.path):
        file = try_open(run.path, "events", kept.name)
        if file is not None:
            with file:
                head = file.read(1 << 16)
            count += kept.size_bytes * head.count(b"\n") / max(1, len(head))
    return count


def _judge(
    run: RunDir, summary: Summary, asked: Request, events: list[Event], total: int
) -> tuple[list[dict[str, object]], str]:
    if summary.status in ("running", "queued"):
        return [], "a run is checked once it has ended"
    try:
        if total <= _JUDGED_WHOLE:
            case, judged = case_of_runs(run.path.name, [run]), ""
        else:
            asked = with_code(run, asked)
            whole = Run(summary=summary, events=events, asked=asked, source=run.path.name, text=_line(run))
            case = Case(name=run.path.name, runs=[whole])
            judged = f"judged by {len(events):,} of its {total:,} events"
        return [finding.as_dict() for finding in judge([case])], judged
    except AssayError as problem:
        return [], f"could not be judged: {problem.message}"


def _line(run: RunDir) -> Callable[[int], str]:
    places = Places(run)

    def text(number: int) -> str:
        found = logs.around(run, number, 1, 1, places, _PATIENCE_S)
        return "".join(found["lines"]) if found else ""

    return text
