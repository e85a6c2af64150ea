"""One measurement of a server while it is read: its figures, settings and names, and the formats that print them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from assay.lines import Line
from assay.model.event import Event
from assay.model.values import number
from assay.readers.serving.hardware import system_of
from assay.readers.serving.labels import FIGURE, SETTING, meaning
from assay.reading.reader import NEW, Answer, Reader, figure

#: settings that count
_WHOLE = {"num_prompts", "concurrency", "batch_size", "ngl", "threads", "input_len", "output_len"}
#: `98.7 ms` under a label that names no unit
_WITH_UNIT = re.compile(r"[~≈]?\s*(?P<value>[\d.,]+)\s*(?P<unit>ms|s|sec|seconds|µs|us)")
_OF_ALL = re.compile(r"(\d{1,12})/(\d{1,12})")


class Format:
    """One way to print results: takes the lines that it knows, and keeps what it needs of a table's head."""

    #: what a line of interest must contain, in lower case
    anchors: tuple[str, ...] = ()

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        """The events of a line; None where it is not of this format."""
        raise NotImplementedError


class Bench(Reader):
    """A reader that gathers one run; what a format tells twice begins another."""

    reports = True

    def __init__(self) -> None:
        super().__init__()
        self.failed = False
        self.figures: dict[str, float] = {}
        self.settings: dict[str, object] = {}
        self.words: dict[str, str] = {}  # model, engine, device: also of the runs that follow
        self.inside = False  # of a block that names its figures
        self.status: str | None = None
        self.inherited: dict[str, str] = {}  # words of the run before that hold for this one, once it has a figure
        self.likely_engine = ""  # whose tool it is, where nothing names the engine

    def tell(
        self,
        line: Line,
        figures: Mapping[str, float] | None = None,
        settings: Mapping[str, object] | None = None,
        words: Mapping[str, str] | None = None,
        *,
        sure: bool = True,
    ) -> Answer:
        """Take what a line says: NEW where it says something else of what was said before."""
        figures, settings, words = figures or {}, settings or {}, words or {}
        if any(name in self.figures and self.figures[name] != value for name, value in figures.items()):
            return NEW
        if not figures and self.figures and not self.inside and self._contradicts(settings, words):
            return NEW
        events: list[Event] = []
        if figures and self.inherited:
            before = {name: word for name, word in self.inherited.items() if name not in self.words}
            words, self.inherited = {**before, **words}, {}
        self.settings.update(settings)
        self.words.update(words)
        if "device" in words:
            self.system = system_of(words["device"])
        if words:
            events.append(self.fact("how", line, None, words))
        if settings:
            events.append(self.fact("param", line, None, settings))
        if figures:
            self.figures.update(figures)
            self.strong = self.strong or sure
            events.append(self.fact("result", line, None, dict(figures)))
        self.ended = bool(self.figures) and (self.in_table or not self.inside)
        return events

    def _contradicts(self, settings: Mapping[str, object], words: Mapping[str, str]) -> bool:
        """Settings after the figures belong to the next run."""
        return bool(settings) or any(self.words.get(name, word) != word for name, word in words.items())

    def pair(self, line: Line, label: str, value: str, *, statistic: str = "", default_ms: float = 1.0) -> Answer:
        """The event of a label and its value; None if the label is unknown."""
        told = read_pair(label, value, statistic=statistic, default_ms=default_ms)
        return None if told is None else self.tell(line, *told)

    def finish(self) -> list[Event]:
        if not self.figures:
            return []
        events = []
        if self.likely_engine and "engine" not in self.words:
            events.append(self.fact("how", 0, engine=self.likely_engine))
        asked, done = number(self.settings.get("num_prompts")), self.figures.get("requests")
        if asked and done is not None and done < asked and "requests_failed" not in self.figures:
            events.append(self.fact("result", 0, requests_failed=int(asked - done)))
        failed = self.failed or done == 0
        status = self.status or ("failed" if failed else "completed")
        return [*events, self.fact("end", 0, status=status)]


Told = tuple[dict[str, float], dict[str, object], dict[str, str]]


def read_pair(label: str, value: str, *, statistic: str = "", default_ms: float = 1.0) -> Told | None:
    """(figures, settings, words) of a label and its value."""
    known = meaning(label, statistic)
    if known is None:
        return None
    if known.kind not in (FIGURE, SETTING):
        return ({}, {}, {known.name: value.strip()}) if value.strip() else None
    found = read_number(value)
    if found is None or not math.isfinite(found):
        return None
    if known.kind == SETTING:
        return {}, setting(known.name, found), {}
    factor = known.factor or default_ms
    return {known.name: round(found * factor, 9)}, {}, {}


def read_cell(label: str, cell: str, *, default_ms: float = 1.0) -> Told | None:
    """As `read_pair`, of a cell that may bring its unit: `98.7 ms`, `1.92 sec`, or `889/899` requests."""
    known, found = meaning(label), _WITH_UNIT.fullmatch(cell.strip())
    if known is not None and known.kind == FIGURE and not known.factor and found:
        return read_pair(f"{label} ({found['unit']})", found["value"])
    found = _OF_ALL.fullmatch(cell.strip()) if known is not None and known.name == "requests" else None
    if found:
        return {"requests": int(found[1]), "requests_failed": max(0, int(found[2]) - int(found[1]))}, {}, {}
    return read_pair(label, cell, default_ms=default_ms)


def setting(name: str, value: float) -> dict[str, object]:
    if name == "io_len":
        return {"input_len": int(value), "output_len": int(value)}
    if name == "concurrency" and not value.is_integer():
        return {}  # how many were under way on average: measured, not set
    return {name: int(value) if name in _WHOLE and value.is_integer() else value}


def read_number(text: str) -> float | None:
    """`1,799.53`, `238.48 ± 1.43`, `-0.00`, `59.02 tok/s`: the first number; None for `xxx.xx`, `N/A` and `inf`."""
    first = text.strip().strip("\"'*`").split()
    return figure(first[0].strip("\"'*`").rstrip("%")) if first else None
