"""What the events of a run add up to, taken one by one: every source apart, so that the best is chosen at the end."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from assay.events import ENVELOPE, Event, facts, number
from assay.summary.nodes import Machines
from assay.summary.phases import Mark
from assay.summary.splits import TRAIN

_SAME = {"acc": "accuracy", "step": "steps", "global_step": "steps", "utilization": "utilisation"}
#: what a program may say of its result in words
_WORDS = ("model", "data", "engine")
#: what is said of how it came about, in words
_SAID = ("model", "engine", "device", "data")
#: of which the greatest counts, not the last
_PEAKS = ("gpu_mem_bytes_max",)
#: what tells the rows of one table of engines apart
_ONE_ENGINE = ("engine", "precision", "padded", "inference_batch", "seq_len")
_PROBLEMS_KEPT = 20
#: readers whose lines say nothing of the system that a run was on
_NEUTRAL = {"slurm", "trouble", "ingest", "serving", "accounting"}
#: the program's own word first, then what was read in its output, then what we worked out
_TRUST = {"self": 0, "reader": 1, "derived": 2}


@lru_cache(maxsize=256)
def _trust(source: str) -> int:
    return _TRUST.get(source.partition(":")[0], 0)


class Epochs:
    """How many passes over the data the epochs of a log come to: those of a log that counts from 0 are one more."""

    def __init__(self) -> None:
        self._first: float | None = None
        self._last: float | None = None

    def add(self, value: object) -> None:
        epoch = number(value)
        if epoch is not None and epoch >= 0:
            self._first = epoch if self._first is None else self._first
            self._last = epoch

    @property
    def passes(self) -> float | None:
        from_zero = self._first == 0 and self._last is not None and float(self._last).is_integer()
        return self._last + 1 if from_zero and self._last is not None else self._last


class Tally:
    """Takes a run's events one by one, and can be summed up at any moment."""

    def __init__(self) -> None:
        self.machine = Machines()
        self.starts: list[Event] = []  # one a recorder: several where there are several nodes
        self.ends: list[Event] = []
        self.read_ends: list[Event] = []  # what a log says of its own end
        self.systems: dict[str, int] = {}  # how many lines each reader knew
        self.errors: list[Event] = []
        self.how = "executed"
        self.problems: list[str] = []  # what the record lacks, and why, in sentences
        self.words: dict[str, Any] = {}  # model, job, data: what is said of a run in words
        self.engines: dict[tuple[object, ...], dict[str, Any]] = {}  # rows of a program that measures several ways
        self.phase_s: dict[tuple[int, int], dict[str, float]] = {}  # phases that are told by their length alone
        self.compile_cached: bool | None = None
        self._cached_trust = len(_TRUST)
        self.params: dict[str, Any] = {}
        self.accuracy_of: str | None = None  # the part of the data that the plain `accuracy` is of, where it is known
        self.epochs = Epochs()
        self.last_s = 0.0
        # by (trust, rank), so that the best source is chosen once all is known
        self.values: dict[tuple[int, int], dict[str, float]] = {}
        self.results: dict[tuple[int, int], dict[str, float]] = {}
        self.marks: dict[tuple[int, int], list[Mark]] = {}
        self.counted: dict[tuple[int, int], list[tuple[float, float]]] = {}

    def add(self, event: Event) -> None:
        at_s = event.get("at_s")
        if at_s is not None and at_s > self.last_s:
            self.last_s = at_s
        source = str(event.get("from", ""))
        if source.startswith("reader:") and source[7:] not in _NEUTRAL:
            self.systems[source[7:]] = self.systems.get(source[7:], 0) + 1
        take = _KINDS.get(event["kind"])
        if take is not None:
            take(self, event)

    def _source(self, event: Event) -> tuple[int, int]:
        rank = event.get("rank", 0)
        return _trust(str(event.get("from", "self"))), rank if isinstance(rank, int) else 0

    def _metric(self, event: Event) -> None:
        source = self._source(event)
        values = self.values.setdefault(source, {})
        for name, value in event.items():
            if name not in ENVELOPE:
                figure = number(value)
                if figure is not None:
                    values[_SAME.get(name, name)] = max(figure, values.get(name, figure)) if name in _PEAKS else figure
                elif name.endswith("loss"):
                    values.pop(name, None)  # it became no number: the last that was one is not where the run ended
        if "accuracy" in event:
            self._part(event)
        if "epoch" in event:
            self.epochs.add(event["epoch"])
        if "samples" in event and "at_s" in event and number(event["samples"]) is not None:
            self.counted.setdefault(source, [])[1:] = [(event["at_s"], event["samples"])]  # the first and the last

    def _part(self, event: Event) -> None:
        """What is printed beside a training loss is of the training, unless its reader knows better."""
        told = event.get("accuracy_of")
        read = _trust(str(event.get("from", "self"))) == _TRUST["reader"]
        self.accuracy_of = told if isinstance(told, str) else TRAIN if read and "loss" in event else self.accuracy_of

    def _result(self, event: Event) -> None:
        cached, trust = event.get("compile_cached"), self._source(event)[0]
        if isinstance(cached, bool) and trust <= self._cached_trust:
            self.compile_cached, self._cached_trust = cached, trust
        self.words.update({name: event[name] for name in _WORDS if isinstance(event.get(name), str)})
        if isinstance(event.get("engine"), str) and number(event.get("latency_ms")) is not None:
            self.engines.setdefault(tuple(event.get(name) for name in _ONE_ENGINE), dict(facts(event)))
        if "accuracy" in event:
            self.accuracy_of = event["accuracy_of"] if isinstance(event.get("accuracy_of"), str) else None
        if "epoch" in event:
            self.epochs.add(event["epoch"])
        results = self.results.setdefault(self._source(event), {})
        for name, value in facts(event):
            figure = number(value)
            if figure is not None:
                results[_SAME.get(name, name)] = figure

    def _param(self, event: Event) -> None:
        self.params.update({name: value for name, value in facts(event) if name != "device"})

    def _phase(self, event: Event) -> None:
        seconds_told = number(event.get("seconds"))
        if seconds_told is not None:
            told = self.phase_s.setdefault(self._source(event), {})
            told[str(event.get("name"))] = told.get(str(event.get("name")), 0.0) + seconds_told
            return
        if event.get("at_s") is not None and isinstance(event.get("name"), str):
            mark = Mark(at_s=event["at_s"], name=event["name"], begin=event.get("edge") == "begin")
            self.marks.setdefault(self._source(event), []).append(mark)

    def _sample(self, event: Event) -> None:
        self.machine.add(event)

    def _beat(self, event: Event) -> None:
        self.machine.add_beat(event)

    def _how(self, event: Event) -> None:
        if isinstance(event.get("how"), str):
            self.how = event["how"]
        if "recorder_pid" in event:
            self.starts.append(event)
        if isinstance(event.get("problem"), str) and len(self.problems) < _PROBLEMS_KEPT:
            self.problems.append(event["problem"])
        self.words.update({name: event[name] for name in _SAID if isinstance(event.get(name), str)})
        if "job" in event:
            self.words["job_id"] = str(event["job"])

    def _error(self, event: Event) -> None:
        self.errors.append(event)

    def _end(self, event: Event) -> None:
        (self.read_ends if str(event.get("from", "")).startswith("reader:") else self.ends).append(event)


_KINDS: dict[str, Callable[[Tally, Event], None]] = {
    "metric": Tally._metric,
    "result": Tally._result,
    "param": Tally._param,
    "phase": Tally._phase,
    "sample": Tally._sample,
    "beat": Tally._beat,
    "how": Tally._how,
    "error": Tally._error,
    "end": Tally._end,
}
