"""What the page can ask for, as plain values: runs, one run, its output, comparisons, studies, findings."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from assay.comparing.comparison import Wish
from assay.comparing.curves import AXES
from assay.errors import AssayError, UsageError, did_you_mean
from assay.model.event import Event
from assay.store.files import Refused, kept_file, open_file
from assay.store.layout import RunDir
from assay.store.reading import read_events
from assay.study.planned import Planned, baseline_of, plan_of
from assay.views.answer import question
from assay.web import logs, shown
from assay.web.audits import Audits, causes
from assay.web.compared import MOST, Member, compared, comparison_of
from assay.web.differences import differences, from_nearest
from assay.web.folder import RunsFolder
from assay.web.home import failure, failures, first_answer, running
from assay.web.kept import View, Views
from assay.web.live import ACTIVE
from assay.web.own_files import files_of
from assay.web.places import Places
from assay.web.query import Query, answer, fields, short, whole
from assay.web.sparks import Sparks
from assay.web.studies import grids

_JUDGED_RUNS = 300
#: how many running runs have a card, and small curves at a time
_CARDS, _SPARKS = 12, 120
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
        self._audits = Audits(runs_dir)
        self._sparks = Sparks(self._events_of)
        self._told: dict[str, tuple[object, str, str]] = {}  # of a study: its runs, its answer, its question

    def close(self) -> None:
        self._audits.close()

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
        return dict(fields(self.folder.entries()))

    def studies(self) -> dict[str, object]:
        found = grids(self.folder.entries(), self._plan, self._about)
        return {"studies": found, "version": self.folder.version}

    def _about(self, study: str, run: RunDir) -> tuple[str, str]:
        try:
            asked = run.asked().study_about or ""
        except (AssayError, OSError):
            asked = ""
        return asked, baseline_of(self.folder.path, study)

    def _plan(self, study: str) -> list[Planned]:
        return plan_of(self.folder.path, study)

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
            "files": files_of(run.path),
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
        """Of the newest runs that have ended, as `assay audit` says it."""
        limit = min(whole(query, "limit", _JUDGED_RUNS), 10_000)
        ended = [entry for entry in reversed(self.folder.entries()) if entry.status not in ACTIVE]
        judged = ended[:limit]
        stamp = [(entry.listed.folder, entry.stamp) for entry in judged]
        found = self._audits.get(limit, [entry.listed.folder for entry in judged], stamp)
        if found is None:
            return {"building": 0}
        return {
            "causes": causes(found, {entry.listed.lean.id: entry for entry in judged}),
            "count": len(found),
            "judged": len(judged),
            "older": len(ended) - len(judged),
            "version": self.folder.version,
        }

    def now(self) -> dict[str, object]:
        """What runs, the longest first, and how many of each kind there are."""
        entries = self.folder.entries()
        active = [entry for entry in entries if entry.status in ACTIVE]
        cards = [running(entry, self.folder.live(entry.listed.run)) for entry in active[-_CARDS:]]
        failed = failures(entries)
        return {
            "running": [asdict(one) for one in cards],
            "active": len(active),
            "failed": [failure(entry) for entry in failed[:5]],
            "failures": len(failed),
            "version": self.folder.version,
        }

    def last_answer(self) -> dict[str, object]:
        """What the newest study came to, in a sentence, of those that can be judged already."""
        for study in grids(self.folder.entries(), self._plan, self._about):
            name, folders, rows = str(study["name"]), study["folders"], study["rows"]
            if (
                not isinstance(folders, list)
                or not isinstance(rows, list)
                or sum(bool(row["runs"]) for row in rows) < 2
            ):
                continue
            key = [(name, entry.stamp) for name in folders if (entry := self.folder.entry(name))]
            if name not in self._told or self._told[name][0] != key:
                members = [self._member(self.folder.run(name)) for name in folders[:MOST]]
                ready = [one for one in members if not isinstance(one, Building)]
                if len(ready) < len(members):
                    return {"building": 0}
                found = comparison_of(ready, Wish())[0]
                asked = question((one.asked.study_about for one in ready), found)[0]
                self._told[name] = key, first_answer(found, asked) if found else "", asked
            _, told, asked = self._told[name]
            if told:
                shown = {"folders": folders[:MOST], "counts": study["counts"], "baseline": study["baseline"]}
                return {"study": name, "answer": told, "question": asked, **shown}
        return {"study": None}

    def sparks(self, query: Mapping[str, str]) -> dict[str, object]:
        """Small curves of the runs that a list shows."""
        found = {}
        for name in short(query, "runs", 50_000).split(",")[:_SPARKS]:
            entry = self.folder.entry(name)
            if entry is not None:
                found[name] = self._sparks.get(entry.listed.run, entry.stamp)
        return {"sparks": found}

    def _events_of(self, run: RunDir) -> Iterable[Event] | None:
        """Without waiting: a long run has none before its page was opened once."""
        if self.is_active(run):
            live = self.folder.live(run)
            return live.events() if live.caught_up else None
        try:
            if self.views.is_short(run):
                return read_events(run)
            view = self.views.ready(run)
        except (AssayError, OSError):
            return []
        return view.events if view is not None else None

    def diff(self, query: Mapping[str, str]) -> dict[str, object]:
        """What differs between two runs, as `assay diff` says it; where only B is named, to the nearest of its kind."""
        b = self.folder.run(short(query, "b"))
        if query.get("a"):
            return differences(self.folder.run(short(query, "a")), b)
        ended = [entry.listed.run for entry in self.folder.entries() if entry.status not in ACTIVE]
        return from_nearest(b, ended)


def _refuse(run: RunDir) -> None:
    """A request for the output itself gets the reason why there is none."""
    try:
        open_file(run.path, run.output_log.name).close()
    except Refused as problem:
        raise AssayError(f"`{run.output_log.name}` of this run is {problem.strerror}") from None
    except OSError:
        pass
