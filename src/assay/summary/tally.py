"""Adds up the events of a run, one by one; sources are kept apart, so that the best is chosen at the end."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from assay.model.event import Beat, End, Error, Event, How, Metric, Param, PartEnd, Phase, Result, Sample
from assay.model.values import number
from assay.quantities import common_name, constant_name
from assay.summary.counts import Counts
from assay.summary.nans import NotFinite
from assay.summary.nodes import Machines
from assay.summary.phases import Mark
from assay.summary.ranks import Arrivals
from assay.summary.splits import TRAIN

#: results that are text
_WORDS = ("model", "data", "engine")
#: metrics whose largest value counts, not the last
_PEAKS = ("gpu_mem_bytes_max",)
#: what distinguishes the rows of a table of engines
_ONE_ENGINE = ("engine", "precision", "padded", "inference_batch", "seq_len")
_PROBLEMS_KEPT = 20
#: readers whose lines do not show which system a run used
_NEUTRAL = {"slurm", "trouble", "ingest", "serving", "accounting"}
#: what the program reports comes first, then what was read in its output, then what we derived
_TRUST = {"self": 0, "reader": 1, "derived": 2}


@lru_cache(maxsize=256)
def _trust(source: str) -> int:
    return _TRUST.get(source.partition(":")[0], 0)


class Epochs:
    """How many passes over the data a log shows: one more than its last epoch if it counts from 0."""

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
        self.starts: list[How] = []  # one a recorder: several where there are several nodes
        self.ends: list[End] = []
        self.commands: dict[tuple[str, int], int] = {}  # the command's process, by node and rank of its recorder
        self.parts: list[PartEnd] = []
        self.read_ends: list[End] = []  # ends that a log reports
        self.systems: dict[str, int] = {}  # how many lines each reader knew
        self.errors: list[Error] = []
        self.how = "executed"
        self.problems: list[str] = []  # what the record lacks, and why, in sentences
        self.words: dict[str, str] = {}  # model, job, data: facts that are text
        self.engines: dict[tuple[object, ...], Mapping[str, object]] = {}  # rows of a program that measures itself
        self.phase_s: dict[tuple[int, int], dict[str, float]] = {}  # phases of which only the length is reported
        self.compile_cached: bool | None = None
        self._cached_trust = len(_TRUST)
        self.params: dict[str, object] = {}
        self.accuracy_of: str | None = None  # the part of the data that the plain `accuracy` belongs to, if known
        self.epochs = Epochs()
        self.not_finite = NotFinite()
        self.arrivals = Arrivals()
        self.last_s = self.last_t = 0.0
        # by (trust, rank), so that the best source is chosen once all is known
        self.values: dict[tuple[int, int], dict[str, float]] = {}
        self.results: dict[tuple[int, int], dict[str, float]] = {}
        self.marks: dict[tuple[int, int], list[Mark]] = {}
        self.printed: dict[str, int] = {}  # how often each figure of the first rank was
        self.beside_loss: set[str] = set()  # figures on a line with the training loss
        self.counted: dict[tuple[int, int], list[tuple[float, float]]] = {}
        self.paces: dict[tuple[int, str], Counts] = {}  # of rank 0, by trust and what is counted

    def add(self, event: Event) -> None:
        if event.at_s is not None and event.at_s > self.last_s:
            self.last_s, self.last_t = event.at_s, event.t or self.last_t
        source = event.source
        if source.startswith("reader:") and source[7:] not in _NEUTRAL:
            self.systems[source[7:]] = self.systems.get(source[7:], 0) + 1
        if isinstance(event, Metric):
            self._metric(event)
        elif isinstance(event, Sample):
            self.machine.add(event)
        elif isinstance(event, Result):
            self._result(event)
        elif isinstance(event, Param):
            self.params.update({constant_name(name): value for name, value in event.values.items() if name != "device"})
        elif isinstance(event, Phase):
            self._phase(event)
        elif isinstance(event, Beat):
            self.machine.add_beat(event)
        elif isinstance(event, How):
            self._how(event)
        else:
            self._keep(event)

    def _keep(self, event: Event) -> None:
        """Keep events that are evaluated at the end."""
        if isinstance(event, PartEnd):
            self.parts.append(event)
        elif isinstance(event, Error):
            self.errors.append(event)
        elif isinstance(event, End):
            self._end(event)

    def _end(self, event: End) -> None:
        if event.origin == "reader":
            self.read_ends.append(event)
        else:
            self.ends.append(event)
            self.machine.add_end(event)

    def _source(self, event: Event) -> tuple[int, int]:
        return _trust(event.source), event.rank

    def _metric(self, event: Metric) -> None:
        source = self._source(event)
        values = self.values.setdefault(source, {})
        if self.not_finite.since:
            self.not_finite.recover(event)
        for name, value in event.values.items():
            figure = number(value)
            if figure is None:
                if name.endswith("loss"):
                    values.pop(name, None)  # it became NaN: the last finite loss is not where the run ended
                    self.not_finite.add(name, value, event)
            elif (common := common_name(name, event.values)) is not None:
                self.printed[common] = self.printed.get(common, 0) + (not event.rank)
                values[common] = max(figure, values.get(common, figure)) if common in _PEAKS else figure
        if "loss" in event.values or "train_loss" in event.values:
            self.beside_loss.update(event.values)
        if "accuracy" in event.values:
            self._part(event)
        self.arrivals.add(event)
        if "epoch" in event.values and not event.rank:
            self.epochs.add(event.values["epoch"])
        samples = number(event.values.get("samples"))
        if samples is not None and event.at_s is not None:
            self.counted.setdefault(source, [])[1:] = [(event.at_s, samples)]  # the first and the last
        if event.at_s is not None and not event.rank:
            steps = samples if samples is not None else number(event.values.get("step"))
            if steps is not None:
                name = "steps" if samples is None else "samples"
                self.paces.setdefault((source[0], name), Counts()).add(event.at_s, steps)

    def _part(self, event: Metric) -> None:
        """What is printed next to a training loss belongs to the training, unless its reader knows better."""
        told, read = event.values.get("accuracy_of"), event.origin == "reader"
        by_loss = TRAIN if read and "loss" in event.values else self.accuracy_of
        self.accuracy_of = told if isinstance(told, str) else by_loss

    def _result(self, event: Result) -> None:
        said, trust = event.values, self._source(event)[0]
        cached = said.get("compile_cached")
        if isinstance(cached, bool) and trust <= self._cached_trust:
            self.compile_cached, self._cached_trust = cached, trust
        self.words.update({name: word for name in _WORDS if isinstance(word := said.get(name), str)})
        if isinstance(said.get("engine"), str) and event.figure("latency_ms") is not None:
            self.engines.setdefault(tuple(said.get(name) for name in _ONE_ENGINE), dict(said))
        if "accuracy" in said:
            self.accuracy_of = of if isinstance(of := said.get("accuracy_of"), str) else None
        self.epochs.add(said.get("epoch"))
        results = self.results.setdefault(self._source(event), {})
        for name, value in said.items():
            figure, common = number(value), common_name(name, said)
            if figure is None and name.endswith("loss"):
                self.not_finite.add(name, value, event)
            if figure is not None and common is not None:
                results[common] = figure
                self.printed.setdefault(common, 1)

    def _phase(self, event: Phase) -> None:
        if not event.name:
            return
        if event.seconds is not None:
            told = self.phase_s.setdefault(self._source(event), {})
            told[event.name] = told.get(event.name, 0.0) + event.seconds
        elif event.at_s is not None:
            mark = Mark(at_s=event.at_s, name=event.name, begin=event.edge == "begin")
            self.marks.setdefault(self._source(event), []).append(mark)

    def _how(self, event: How) -> None:
        self.how = event.how or self.how
        if event.recorder_pid is not None:
            self.starts.append(event)
        if event.pid is not None and event.source == "launcher":
            self.commands[event.node, event.rank] = event.pid
        if event.problem is not None and len(self.problems) < _PROBLEMS_KEPT:
            self.problems.append(event.problem)
        said = {"model": event.model, "engine": event.engine, "device": event.device}
        self.words.update({name: word for name, word in said.items() if word is not None})
        if event.job is not None:
            self.words["job_id"] = str(event.job)
