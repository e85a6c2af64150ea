"""One running run: read once, however many watch, and sent in numbered batches."""

from __future__ import annotations

import threading
import time
from collections import deque

from assay.comparing.curves import Tracer
from assay.model.event import Event, Phase, Sample
from assay.model.summary import Summary
from assay.store.files import event_files
from assay.store.layout import RunDir
from assay.store.reading import Follower
from assay.summary.build import sum_up
from assay.summary.tally import Tally
from assay.views.columns import machine_columns, share_columns, span_columns
from assay.views.evidence import LastWords
from assay.views.thinner import Thinner
from assay.views.web.assets import script_json
from assay.web import shown
from assay.web.columns import MOST_SPANS, curve_columns, key_of, row_of
from assay.web.logs import Growth

ACTIVE = ("running", "queued")
#: read at a time, so that a long run is neither held in memory nor keeps others waiting
_BLOCK = 4 << 20
#: what a client that fell behind may still catch up with
_MOST_BATCHES, _MOST_BYTES = 400, 32 << 20
_SUMMARY_S, _PROOFS_S = 1.0, 3.0


class LiveRun:
    """`poll` is called by one thread at a time; everything it changes is behind `lock`."""

    def __init__(self, run: RunDir) -> None:
        self.run, self.asked = run, run.asked()
        self.lock = threading.Lock()
        self._told = threading.Lock()  # held for moments only: the server's own loop takes it
        self.seq = 0
        self.caught_up = False
        self.summary = Summary()
        self._batches: deque[tuple[int, bytes]] = deque()
        self._bytes = 0
        self._follower, self._tally, self._thinner, self._words = Follower(run), Tally(), Thinner(), LastWords()
        self._tracer: Tracer | None = None
        self._growth = Growth(run)
        self._figures: set[str] = set()
        self._seen: set[str] = set()
        self._summed_s, self._sum_took_s, self._changed = 0.0, 0.0, False
        self._proved_s = 0.0

    @property
    def active(self) -> bool:
        return self.summary.status in ACTIVE

    @property
    def total(self) -> int:
        return self._thinner.total

    @property
    def share_read(self) -> float:
        """Of what there is, how much was read."""
        size = sum(file.size_bytes for file in event_files(self.run.path))
        return min(0.99, self._follower.read_bytes / size) if size else 0.99

    def poll(self) -> bool:
        """Read what has come; whether there is something to tell."""
        with self.lock:
            events = self._follower.new_events(_BLOCK)
            for event in events:
                self._tally.add(event)
                self._thinner.add(event)
                self._words.add(event)
            was_caught_up, self.caught_up = self.caught_up, self.caught_up or not self._follower.behind
            head = self._sum_up(bool(events))
            if not self.caught_up:
                return False
            if not was_caught_up:
                self._begin()
                return True
            return self._tell(events, head)

    def _sum_up(self, changed: bool) -> bool:
        """At most once a second, and less often where it takes long; whether the summary was made anew."""
        self._changed = self._changed or changed
        now_s = time.monotonic()
        pause_s = max(_SUMMARY_S, 10 * self._sum_took_s) * (1 if self._changed else 2)
        ended = bool(self._tally.ends) and self.active
        if self._summed_s and now_s - self._summed_s < pause_s and not ended:
            return False
        self.summary = sum_up(self.run, self.asked, self._tally)
        self._sum_took_s = time.monotonic() - now_s
        self._summed_s, self._changed = now_s, False
        return True

    def _begin(self) -> None:
        """From here on every event is sent."""
        self._tracer = Tracer(row_of(self.summary))
        names: set[str] = set()
        for event in self._thinner.events():
            point = self._tracer.add(event)
            if point is not None:
                names.update(map(key_of, point.values))
        self._tracer.outdated = False
        self._figures = names
        self._new_panel(self._thinner.events())

    def _tell(self, events: list[Event], head: bool) -> bool:
        log = self._growth.new()
        if not (events or log or head):
            return False
        assert self._tracer is not None
        points = [point for event in events if (point := self._tracer.add(event)) is not None]
        curves, _ = curve_columns(points, self.summary.name)
        batch: dict[str, object] = {"seq": self.seq + 1, "new": len(events), "total": self._thinner.total}
        names = {key_of(name) for point in points for name in point.values}
        if self._tracer.outdated or not names <= self._figures or self._new_panel(events):
            batch["again"] = True  # there is a chart to add, or points were made of lesser evidence
            self._figures |= names
            self._tracer.outdated = False
        if points:
            batch["curves"] = curves
        machine = machine_columns(events, self.summary.name)
        if machine["s"]:
            batch["machine"] = machine
        if any(isinstance(event, Phase) for event in events) or (head and self._tally.marks):  # an open one grows
            batch["spans"] = span_columns(self._thinner.events(), self.summary.name, MOST_SPANS)
        if log:
            batch["log"] = log
        if head:
            batch["head"] = shown.head(self.summary)
            batch["shares"] = share_columns(self.summary, self.summary.name)
            batch["ended"] = not self.active
            if time.monotonic() - self._proved_s > _PROOFS_S:
                batch["proofs"] = shown.proof_rows(self._words.proofs())
                self._proved_s = time.monotonic()
        self._push(batch)
        return True

    def _new_panel(self, events: list[Event]) -> bool:
        """The first samples and every new phase bring a chart or a colour with them."""
        kinds = {f"sample {event.source}" for event in events if isinstance(event, Sample)}
        kinds |= {f"phase {event.name}" for event in events if isinstance(event, Phase)}
        news = kinds - self._seen
        self._seen |= kinds
        return bool(news)

    def _push(self, batch: dict[str, object]) -> None:
        content = f"id: {self.seq + 1}\ndata: {script_json(batch)}\n\n".encode("utf-8", "replace")
        with self._told:
            self.seq += 1
            self._batches.append((self.seq, content))
            self._bytes += len(content)
            while len(self._batches) > _MOST_BATCHES or (self._bytes > _MOST_BYTES and len(self._batches) > 1):
                self._bytes -= len(self._batches.popleft()[1])

    def after(self, seq: int) -> list[tuple[int, bytes]] | None:
        """The batches that follow one; None where they are gone: then only the whole view helps."""
        with self._told:
            if seq > self.seq or (seq < self.seq and (not self._batches or self._batches[0][0] > seq + 1)):
                return None
            return [one for one in self._batches if one[0] > seq]

    def view(self) -> dict[str, object]:
        """Everything until now, and the number of the batch that it ends with."""
        with self.lock:
            events = self._thinner.events()
            found = shown.payload(self.run.path.name, self.summary, self.asked, events)
            found["proofs"] = shown.proof_rows(self._words.proofs())
            return found | {
                "seq": self.seq,
                "total": self._thinner.total,
                "kept": len(events),
                "log_size": self._growth.at,
            }

    def events(self) -> list[Event]:
        with self.lock:
            return self._thinner.events()
