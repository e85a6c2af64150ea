"""What the page can ask for, as plain values: runs, one run, its output, comparisons, studies, findings."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from assay.comparing.comparison import Wish
from assay.comparing.curves import AXES
from assay.errors import AssayError, UsageError, did_you_mean
from assay.store.files import Refused, kept_file, open_file
from assay.store.layout import RunDir
from assay.web import logs, shown
from assay.web.compared import MOST, Member, compared
from assay.web.folder import RunsFolder
from assay.web.kept import View, Views
from assay.web.live import ACTIVE
from assay.web.places import Places
from assay.web.query import Query, answer, fields, short, whole
from assay.web.studies import grids

_SEVERITIES = {"wrong": 0, "doubtful": 1, "note": 2}
#: how long one request for findings may judge runs
_JUDGE_S = 0.7
_JUDGED_RUNS = 300
#: how long one request may count the lines of a log; and of how many logs the count is held
_COUNT_S, _LOGS = 0.5, 64


class Building:
    """A view that is being made, and how far."""

    def __init__(self) -> None:
        self.share = 0.0
        self.done: Future[View] | None = None


class Pages:
    """All methods may be called from any thread. What takes long answers how far it is."""

    def __init__(self, runs_dir: Path) -> None:
        self.folder = RunsFolder(runs_dir)
        self.views = Views(runs_dir)
        self._builds: dict[str, Building] = {}
        self._builders = ThreadPoolExecutor(1, thread_name_prefix="views")
        self._lock = threading.Lock()
        self._answers: dict[Query, tuple[int, dict[str, object]]] = {}
        self._places: dict[str, Places] = {}
        self._findings: dict[str, tuple[object, list[dict[str, object]]]] = {}

    def runs(self, query: Mapping[str, str]) -> dict[str, object]:
        """The same question about the same runs is answered once, however many ask."""
        asked = Query.of(query)
        version = self.folder.version
        known = self._answers.get(asked)
        if known is not None and known[0] == version:
            return known[1]
        found = answer(self.folder.entries(), asked)
        found |= {"version": version, "problems": dict(list(self.folder.problems.items())[:50])}
        if len(self._answers) > 200:
            self._answers.clear()
        self._answers[asked] = (version, found)
        return found

    def fields(self) -> dict[str, object]:
        return {"fields": fields(self.folder.entries())}

    def studies(self) -> dict[str, object]:
        return {"studies": grids(self.folder.entries()), "version": self.folder.version}

    def is_active(self, run: RunDir) -> bool:
        entry = self.folder.entry(run.path.name)
        return kept_file(run.path, "summary.json") is None and (entry is None or entry.status in ACTIVE)

    def view(self, run: RunDir) -> View | Building:
        """Of a run that has ended."""
        found = self.views.ready(run)
        if found is not None:
            return found
        if self.views.is_quick(run):
            return self.views.make(run)
        with self._lock:
            building = self._builds.get(run.path.name)
            if building is None:
                building = self._builds[run.path.name] = Building()
                building.done = self._builders.submit(self._build, run, building)
        return building

    def _build(self, run: RunDir, building: Building) -> View:
        def tell(share: float) -> None:
            building.share = share

        try:
            return self.views.make(run, tell)
        finally:
            with self._lock:
                self._builds.pop(run.path.name, None)

    def ended(self, run: RunDir) -> dict[str, object]:
        view = self.view(run)
        if isinstance(view, Building):
            return {"building": round(view.share, 3)}
        found = shown.payload(run.path.name, view.summary, view.asked, view.events)
        return found | {
            "live": False,
            "total": view.total,
            "kept": len(view.events),
            "proofs": shown.proof_rows(view.proofs),
            "findings": view.findings,
            "judged": view.judged,
            "log_size": logs.size_of(run),
        }

    def log(self, run: RunDir, query: Mapping[str, str]) -> Mapping[str, object]:
        _refuse(run)
        lines = min(whole(query, "lines", 200), 2000)
        entry = self.folder.entry(run.path.name)
        first, _ = (entry.listed.summary.lines if entry else None) or (1, 1)
        if query.get("find"):
            return logs.search(run, short(query, "find"), whole(query, "at", 0), whole(query, "from", first))
        if query.get("line"):
            places = self._places_of(run)
            found = logs.around(run, whole(query, "line", 1), lines, first, places, _COUNT_S)
            return found if found is not None else {"building": round(places.share, 3)}
        return logs.tail(run, lines, whole(query, "end", 0) if query.get("end") else None)

    def _places_of(self, run: RunDir) -> Places:
        with self._lock:
            found = self._places.setdefault(run.path.name, Places(run))
            while len(self._places) > _LOGS:
                self._places.pop(next(name for name in self._places if name != run.path.name))
            return found

    def compare(self, query: Mapping[str, str]) -> dict[str, object]:
        names = [name for name in short(query, "runs", 20_000).split(",") if name]
        if query.get("axis", "") not in ("", "end", *AXES):
            raise UsageError(
                f"no axis is called `{query['axis'][:40]}`", did_you_mean(query["axis"][:40], ("end", *AXES))
            )
        if not names:
            raise UsageError("no runs to compare", "tick some in the list of runs")
        if len(names) > MOST:
            raise UsageError(f"{len(names)} runs are too many to show beside each other", f"at most {MOST}")
        members, waiting = [], 0.0
        for name in dict.fromkeys(names):
            member = self._member(self.folder.run(name))
            if isinstance(member, Building):
                waiting += 1 - member.share
            else:
                members.append(member)
        if waiting:
            return {"building": round(1 - waiting / len(names), 3)}
        by = [name for name in short(query, "by").split(",") if name]
        wish = Wish(by=by, baseline=short(query, "baseline") or None, axis=query.get("axis") or None)
        found = compared(members, wish)
        return found | {"live": any(one.summary.status in ACTIVE for one in members)}

    def _member(self, run: RunDir) -> Member | Building:
        if self.is_active(run):
            live = self.folder.live(run)
            live.poll()
            if live.caught_up:
                return Member(folder=run.path.name, summary=live.summary, asked=live.asked, events=live.events())
            waiting = Building()
            waiting.share = live.share_read
            return waiting
        view = self.view(run)
        if isinstance(view, Building):
            return view
        return Member(folder=run.path.name, summary=view.summary, asked=view.asked, events=view.events)

    def findings(self, query: Mapping[str, str]) -> dict[str, object]:
        """Of the newest runs that have ended. What is not judged yet is judged a few at a time; the page asks again."""
        limit = min(whole(query, "limit", _JUDGED_RUNS), 10_000)
        entries = [entry for entry in reversed(self.folder.entries()) if entry.status not in ACTIVE]
        found: list[dict[str, object]] = []
        waiting, judged, ends_s = 0, 0, time.monotonic() + _JUDGE_S
        for entry in entries[:limit]:
            if time.monotonic() > ends_s and self._known(entry.listed.folder) is None:
                waiting += 1
                continue
            findings = self._judged(entry.listed.run)
            if findings is None:
                waiting += 1
                continue
            judged += 1
            name = entry.listed.lean.name
            found += [{**one, "folder": entry.listed.folder, "name": name} for one in findings]
        found.sort(key=lambda one: _SEVERITIES.get(str(one["severity"]), 3))
        return {
            "findings": found[:500],
            "count": len(found),
            "judged": judged,
            "waiting": waiting,
            "older": max(0, len(entries) - limit),
            "version": self.folder.version,
        }

    def _known(self, folder: str) -> list[dict[str, object]] | None:
        entry, kept = self.folder.entry(folder), self._findings.get(folder)
        return kept[1] if entry and kept and kept[0] == entry.stamp else None

    def _judged(self, run: RunDir) -> list[dict[str, object]] | None:
        entry, known = self.folder.entry(run.path.name), self._known(run.path.name)
        if known is not None or entry is None:
            return known
        try:
            view = self.view(run)
        except (AssayError, OSError):
            return []
        if isinstance(view, Building):
            return None
        self._findings[run.path.name] = (entry.stamp, view.findings)
        return view.findings


def _refuse(run: RunDir) -> None:
    """Whoever asks for the output itself is told why there is none."""
    try:
        open_file(run.path, run.output_log.name).close()
    except Refused as problem:
        raise AssayError(f"`{run.output_log.name}` of this run is {problem.strerror}") from None
    except OSError:
        pass
