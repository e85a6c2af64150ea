"""Which runs a claim is about, and which of their figures it is checked against.

A claim names its runs by a setting (`with 16 tasks`), by a bare number (`2048 was the fastest`), by their order (`the
second run`), or by being in their section. If two runs could be meant, both are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.auditing.case import Case, Run, Sentence
from assay.auditing.ondevice import devices_in
from assay.core.distinguishing import tells
from assay.language.said import Subject
from assay.language.vocabulary import words
from assay.model.summary import Summary
from assay.model.values import number

#: settings that say how many work at once
PARALLEL = ("num_tasks", "num_nodes", "num_procs")
_RATES = (
    "samples_per_s_avg", "samples_per_s", "tokens_per_s", "inferences_per_s", "output_tokens_per_s", "requests_per_s",
    "total_tokens_per_s", "tokens_per_s_per_device",
)  # fmt: skip
_TIMES = ("train_s", "wall_s", "reported_s")
_LATENCIES = ("latency_ms", "latency_p50_ms", "e2e_mean_ms", "ttft_mean_ms", "tpot_mean_ms", "itl_mean_ms")
_MEMORY = (
    "memory_bytes_max",
    "rss_bytes_max",
    "rss_bytes_mean",
    "pss_bytes_mean",
    "pss_bytes_max",
    "gpu_mem_bytes_max",
)
_PERPLEXITIES = ("perplexity", "ppl", "val_ppl", "val_perplexity", "test_ppl", "test_perplexity")
#: where a summary keeps each metric; a field whose sign is -1 is less where there is more of the metric
FIELDS: dict[str, tuple[tuple[str, int], ...]] = {
    "accuracy": (("accuracy", 1),),
    "loss": (("loss", 1), ("val_loss", 1), ("test_loss", 1)),
    "val_loss": (("val_loss", 1),),
    "error_rate": (("error_rate", 1), ("test_error", 1), ("error", 1)),
    "perplexity": tuple((name, 1) for name in _PERPLEXITIES),
    "test_loss": (("test_loss", 1),),
    "rate": tuple((name, 1) for name in _RATES),
    "time": (*((name, 1) for name in _TIMES), ("phases.train", 1)),
    "speed": (
        *((name, 1) for name in _RATES), *((name, -1) for name in _TIMES), *((name, -1) for name in _LATENCIES),
        ("phases.train", -1),
    ),
    "latency": tuple((name, 1) for name in _LATENCIES),
    "memory": tuple((name, 1) for name in _MEMORY),
    "cpu": (("cpu_pct_mean", 1),),
    "utilisation": (("utilisation", 1),),
    "mfu": (("mfu", 1),),
    "step_ms": (("step_ms", 1),),
    "cpu_eff": (("cpu_eff", 1),),
    "mem_eff": (("mem_eff", 1),),
    "samples_per_s": (("samples_per_s", 1), ("samples_per_s_avg", 1), ("samples_per_s_own", 1)),
    "samples_per_s_avg": (("samples_per_s_avg", 1), ("samples_per_s", 1)),
    "tokens_per_s": (
        ("tokens_per_s", 1), ("output_tokens_per_s", 1), ("total_tokens_per_s", 1), ("prompt_tokens_per_s", 1),
        ("tokens_per_s_per_device", 1),
    ),
    "inferences_per_s": (("inferences_per_s", 1), ("on_chip_inferences_per_s", 1)),
    "requests_per_s": (("requests_per_s", 1),),
    "ttft_mean_ms": (("ttft_mean_ms", 1),),
    "tpot_mean_ms": (("tpot_mean_ms", 1),),
    "itl_mean_ms": (("itl_mean_ms", 1),),
    "e2e_mean_ms": (("e2e_mean_ms", 1), ("latency_ms", 1)),
}  # fmt: skip
#: where a summary keeps the percentiles of a latency: `ttft_p99_ms`
LATENCIES = {
    "latency": "latency",
    "ttft_mean_ms": "ttft",
    "tpot_mean_ms": "tpot",
    "itl_mean_ms": "itl",
    "e2e_mean_ms": "e2e",
}
PERCENTILES = {"median": "p50", "p90": "p90", "p99": "p99"}
#: metrics of which less is better
LOW = frozenset(
    {
        "e2e_mean_ms",
        "itl_mean_ms",
        "error_rate",
        "loss",
        "perplexity",
        "val_loss",
        "test_loss",
        "time",
        "step_ms",
        "latency",
        "memory",
        "ttft_mean_ms",
        "tpot_mean_ms",
    }
)
_EQUAL = 1e-6
_SHORTEST_NAME = 3
_RUNS = words("RUNS")
#: a sentence that begins like this refers to what stands above it
_BACK = ("that run", "the run above", "the log above")
#: a sentence does not name more runs than this one by one
_MANY_RUNS = 300
#: the seconds of the training phase, where the log gives no other time
_TRAINED = "phases.train"


@dataclass(frozen=True, kw_only=True)
class Group:
    """Runs that have one value of a setting, and their figures in one field."""

    value: float
    runs: tuple[Run, ...]
    figures: tuple[float, ...]

    @property
    def mean(self) -> float:
        return sum(self.figures) / len(self.figures)


def figure_of(run: Run, field: str) -> float | None:
    return run.phase_s("train") if field == _TRAINED else run.value(field)


def candidates(case: Case, sentence: Sentence) -> list[Run]:
    """Runs that a sentence can be held against: logs, where there are any; what failed has no results."""
    runs = case.once(_candidates, sentence.system)
    if sentence.text.lower().startswith(_BACK):
        runs = [run for run in runs if run.source != sentence.source or run.lines[0] < sentence.line]
    devices = {str(run.summary.device).lower() for run in runs if run.summary.device}
    named = devices_in(sentence.text, devices) if len(devices) > 1 else set()
    return [run for run in runs if str(run.summary.device).lower() in named] if len(named) == 1 else runs


def _candidates(case: Case, system: str) -> list[Run]:
    runs = case.shown(system) or case.shown("generic")
    found = [run for run in runs if not run.is_prose] or runs
    return found if len(found) <= _MANY_RUNS else []


def is_called(run: Summary, text: str) -> bool:
    """Whether a text calls a run by its name or id; a name that is a word like any other only beside the word `run`."""
    if run.id in text:
        return True
    if len(run.name) < _SHORTEST_NAME or run.name not in text:
        return False
    said = [word.strip(".,;:!?()[]'\"`*") for word in text.split()]
    places = [at for at, word in enumerate(said) if word == run.name]
    if not run.name.isalpha():
        return bool(places)
    return any(not _RUNS.isdisjoint(word.lower() for word in said[max(0, at - 1) : at + 2]) for at in places)


def is_here(case: Case, run: Run, sentence: Sentence) -> bool:
    """Whether the run is below the same heading as the sentence."""
    return run.source == sentence.source and case.section_of(run) == sentence.section


def has(run: Run, name: str, readings: Iterable[float]) -> bool:
    """Whether a setting of the run has one of these values."""
    return _is_one_of(number(run.settings.get(name)), readings)


def is_said(run: Run, name: str, readings: Iterable[float]) -> bool:
    """Whether the page claims this setting for the run, in effect or not."""
    return _is_one_of(number(run.claims.get(name)), readings)


def _is_one_of(held: float | None, readings: Iterable[float]) -> bool:
    """`1k` was read as 1000 and is 1024 elsewhere on the page: both are meant."""
    if held is None:
        return False
    values = (held, 1.024 * held) if held % 1000 == 0 else (held,)
    return any(abs(value - one) <= _EQUAL * max(abs(value), abs(one)) for value in values for one in readings)


def settings_that_vary(runs: Sequence[Run]) -> list[str]:
    """Settings with more than one value among these runs."""
    names = dict.fromkeys(name for run in runs for name, value in run.settings.items() if tells(name, (value,)))
    return [name for name in names if len({str(run.settings[name]) for run in runs if name in run.settings}) > 1]


def runs_of(runs: Sequence[Run], subject: Subject) -> tuple[str, list[Run]]:
    """(the setting, the runs); a bare number belongs to the one setting that varies and has that value."""
    if subject.order:
        at = subject.order - 1 if subject.order > 0 else -1
        ordered = sorted(runs, key=lambda run: (run.source, run.lines[0]))
        return "", ordered[at : at + 1] if at >= 0 else ordered[-1:]
    if subject.extreme:
        return _extreme(runs, subject)
    if subject.name:
        return subject.name, [run for run in runs if has(run, subject.name, subject.readings)]
    fitting = [
        (name, found)
        for name in settings_that_vary(runs)
        if (found := [run for run in runs if has(run, name, subject.readings)])
    ]
    return fitting[0] if len(fitting) == 1 else ("", [])


def _extreme(runs: Sequence[Run], subject: Subject) -> tuple[str, list[Run]]:
    """Those with the largest or the smallest value of a setting; of the only one that varies where none is named."""
    varying = [subject.name] if subject.name else settings_that_vary(runs)
    values = [value for run in runs if varying and (value := number(run.settings.get(varying[0]))) is not None]
    if len(varying) != 1 or len(set(values)) < 2 or (subject.relative and len(set(values)) > 2):
        return "", []
    wanted = max(values) if subject.extreme > 0 else min(values)
    return varying[0], [run for run in runs if has(run, varying[0], (wanted,))]


def both(runs: Sequence[Run], a: Subject, b: Subject) -> tuple[str, list[Run], list[Run]]:
    """The two sides; a bare number takes the setting of the other side."""
    first, second = runs_of(runs, a), runs_of(runs, b)
    setting = first[0] or second[0]
    if setting and a.readings and b.readings:
        first = runs_of(runs, Subject(name=setting, readings=a.readings))
        second = runs_of(runs, Subject(name=setting, readings=b.readings))
    return setting, first[1], second[1]


def groups(runs: Sequence[Run], setting: str, field: str) -> list[Group]:
    """By the values of a setting, in order; only runs that have the figure, and did not fail."""
    found: dict[float, list[Run]] = {}
    for run in runs:
        value = number(run.settings.get(setting))
        if value is not None and figure_of(run, field) is not None and run.summary.status != "failed":
            found.setdefault(value, []).append(run)
    return [
        Group(value=value, runs=tuple(of), figures=tuple(figure_of(run, field) or 0.0 for run in of))
        for value, of in sorted(found.items())
    ]


def fields_of(metric: str, runs: Sequence[Run]) -> Iterator[tuple[str, int]]:
    """Fields of a metric that two runs of these have."""
    for field, sign in FIELDS.get(metric, ()):
        if sum(figure_of(run, field) is not None for run in runs) > 1:
            yield field, sign
