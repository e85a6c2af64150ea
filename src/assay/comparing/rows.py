"""One run as a comparison sees it: its settings with where they are known from, and its figures under common names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from statistics import median

from assay.comparing.paces import said_of_pace
from assay.model.summary import Summary
from assay.model.values import Value, number
from assay.text import counted, listing

SHOWN, CLAIMED, INFERRED = "shown", "claimed", "inferred"
#: runs whose figures are not results of their settings
LEFT_OUT = ("failed", "interrupted", "running", "queued")
#: runs that a sentence names one by one
_NAMED = 3
#: a reported duration this near to known training times is one
_AGREES = 0.05
#: the steady rate, samples over seconds, the average that the program reports, its last rate
_STEADY = "samples_per_s_steady"
_RATES = (_STEADY, "samples_per_s_own", "samples_per_s_avg", "samples_per_s")
_TAKEN = frozenset({
    "tokens_per_s", "inferences_per_s", "on_chip_inferences_per_s", "latency_ms", "latency_p50_ms", "latency_p90_ms",
    "latency_p99_ms", "utilisation", "loss", "val_loss", "test_loss", "accuracy", "wall_s", "energy_j",
    "memory_bytes_max", "pss_bytes_max", "rss_bytes_max", "gpu_mem_bytes_max", "cpu_pct_mean", "gpu_util_pct_mean",
    "gpu_sm_pct_mean", "gpu_tensor_pct_mean",
    "steps", "samples", "requests_per_s",
    "prompt_tokens_per_s", "output_tokens_per_s", "total_tokens_per_s", "ttft_mean_ms", "ttft_p50_ms", "ttft_p99_ms",
    "tpot_mean_ms", "tpot_p50_ms", "tpot_p99_ms", "itl_mean_ms", "itl_p50_ms", "itl_p99_ms", "e2e_mean_ms",
    "e2e_p50_ms", "e2e_p99_ms",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Setting:
    value: Value
    origin: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """`figures` are absent rather than invented."""

    summary: Summary
    settings: dict[str, Setting]
    figures: dict[str, float] = field(default_factory=dict)

    @cached_property
    def simulated(self) -> bool:
        return self.summary.is_simulated

    @cached_property
    def batch(self) -> float | None:
        return number(self.settings["batch_size"].value) if "batch_size" in self.settings else None


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The runs that can be compared, and a sentence for each decision on the way."""

    rows: list[Row]
    notes: list[str]


def but_warmups(summaries: Iterable[Summary]) -> list[Summary]:
    """Without warm-up runs, unless there are no others."""
    given = list(summaries)
    return [summary for summary in given if not summary.warmup] or given


def rows_of(summaries: Iterable[Summary], extra: Sequence[str] = ()) -> Rows:
    """Runs that did not end well are left out, with a note. `extra` names additional figures."""
    given = list(summaries)
    kept = [summary for summary in given if summary.status not in LEFT_OUT]
    dropped = [summary for summary in given if summary.status in LEFT_OUT]
    notes = [_left_out(dropped)] if dropped else []
    notes += _not_finite(kept)
    rates = [{name: rate for name, rate in summary.figures(_RATES).items() if rate} for summary in kept]
    common = next((name for name in _RATES if all(name in known for known in rates if known)), None)
    rows = [_row(summary, known, common) for summary, known in zip(kept, rates, strict=True)]
    notes += said_of_pace([row.summary for row in rows], steady=common == _STEADY)
    rows = [_with_extra(row, extra, _stand_ins(kept)) for row in rows] if extra else rows
    if common is None and any(rates):
        notes.append("not all rates are averages: some runs report only their last rate")
    rows, more = _infer_batches(rows)
    rows, even_more = _accept_reported(rows)
    for row in rows:
        _derive(row)
    return Rows(rows=rows, notes=notes + more + even_more)


def _not_finite(kept: Sequence[Summary]) -> list[str]:
    lost = [summary.handle for summary in kept if "loss" in summary.not_finite]
    shown = listing(lost[:_NAMED] + ([f"{len(lost) - _NAMED} more"] if len(lost) > _NAMED else []))
    if not lost:
        return []
    whose = "its loss" if len(lost) == 1 else "their losses"
    return [f"Training ended with a loss that is NaN or infinite in {shown}, so {whose} cannot be compared"]


def same(value: object) -> Value:
    """512, 512.0 and "512" are one value."""
    if type(value) is int:
        return value
    figure = number(value)
    if figure is None:
        return str(value)
    return int(figure) if figure == int(figure) else figure


def _row(summary: Summary, rates: dict[str, float], common: str | None) -> Row:
    shown, claimed = summary.params, summary.claims
    settings = {name: _setting(same(value), CLAIMED) for name, value in claimed.items() if name not in shown}
    settings |= {name: _setting(same(value), SHOWN) for name, value in shown.items()}
    figures = summary.figures(_TAKEN)
    train_s = summary.train_s or summary.phases.get("train")
    if train_s:
        figures["train_s"] = train_s
    if rates:
        figures["samples_per_s"] = rates[common] if common else rates[min(rates, key=_RATES.index)]
    if summary.status == "unfinished":
        figures.pop("wall_s", None)  # of a log that just stops, no total is known
    return Row(summary=summary, settings=settings, figures=figures)


@cache
def _setting(value: Value, origin: str) -> Setting:
    """Thousands of runs have a few settings between them."""
    return Setting(value=value, origin=origin)


def _stand_ins(summaries: Sequence[Summary]) -> dict[str, str]:
    """Where no program reports its average rate, our own samples over seconds is the average that people ask for."""
    reported = any(summary.samples_per_s_avg is not None for summary in summaries)
    return {} if reported else {"samples_per_s_avg": "samples_per_s_own"}


def _with_extra(row: Row, names: Sequence[str], instead: Mapping[str, str]) -> Row:
    figures = ((name, row.summary.figure(instead.get(name, name))) for name in names)
    wanted = {name: value for name, value in figures if value is not None}
    return replace(row, figures={**wanted, **row.figures})


def _infer_batches(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """Infer the batch size of runs that report only samples, if all other runs of the system made the same steps."""
    if all(row.batch or not row.figures.get("samples") for row in rows):
        return list(rows), []
    known: dict[str | None, list[tuple[int, float]]] = {}
    for row in rows:
        if row.figures.get("samples") and row.batch:
            steps = round(row.figures["samples"] / row.batch)
            known.setdefault(row.summary.system, []).append((steps, row.batch))
    found, inferred = [], 0
    for row in rows:
        samples, peers = row.figures.get("samples"), known.get(row.summary.system, [])
        batch = _batch_of(samples, peers) if samples and not row.batch else None
        if batch is not None:
            inferred += 1
            setting = Setting(value=same(batch), origin=INFERRED)
            row = replace(row, settings={**row.settings, "batch_size": setting})
        found.append(row)
    which = "~ the batch size of 1 run is" if inferred == 1 else f"~ the batch sizes of {inferred} runs are"
    return found, [
        f"{which} inferred from samples and the number of steps that all other runs made"
    ] if inferred else []


def _batch_of(samples: float, peers: Sequence[tuple[int, float]]) -> float | None:
    steps = {made for made, _ in peers}
    if len(steps) != 1 or len(peers) < 2:
        return None
    batch = samples / steps.pop()
    return batch if batch in {one for _, one in peers} else None


def _accept_reported(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """What "Processed … in S seconds" covers differs: S is training where it agrees with runs of known training."""
    if not any("train_s" not in row.figures and _reported_s(row) for row in rows):
        return list(rows), []
    known: dict[Hashable, list[float]] = {}
    for row in rows:
        if "train_s" in row.figures and row.figures.get("samples"):
            known.setdefault(_work(row), []).append(row.figures["train_s"] / row.figures["samples"])
    found, taken = [], 0
    for row in rows:
        reported, samples = _reported_s(row), row.figures.get("samples")
        if "train_s" not in row.figures and reported and samples and _work(row) in known:
            usual = median(known[_work(row)])
            if abs(reported / samples / usual - 1) <= _AGREES:
                taken += 1
                rate = {"train_s": reported, "samples_per_s": samples / reported}
                row = replace(row, figures={**row.figures, **rate})
        found.append(row)
    which = "1 run reports" if taken == 1 else f"{taken} runs report"
    text = f"{which} only a total time; it agrees with the training time of the others and is used as training time"
    return found, [text] if taken else []


def _reported_s(row: Row) -> float | None:
    return row.summary.metrics.get("reported_s")


def _work(row: Row) -> Hashable:
    return row.summary.system, row.batch, *(row.settings.get(name) for name in ("num_tasks", "num_procs"))


def _derive(row: Row) -> None:
    """Adds step time and energy per sample, from what is known by now."""
    figures = row.figures
    rate = figures.get("samples_per_s")
    steps, samples, batch = figures.get("steps"), figures.get("samples"), row.batch
    if samples and batch and (not steps or abs(samples / batch / steps - 1) < 0.03):
        steps = samples / batch  # the last step that a log shows need not be the last that was made
    if steps:
        figures["steps"] = steps
        if samples and rate and rate == row.summary.samples_per_s_steady:
            figures["step_ms"] = 1000 * samples / steps / rate  # of the same part of the run as the rate
        elif figures.get("train_s"):
            figures["step_ms"] = 1000 * figures["train_s"] / steps
    elif batch and rate:
        figures["step_ms"] = 1000 * batch / rate
    if samples and figures.get("energy_j"):
        figures["j_per_sample"] = figures["energy_j"] / samples


def _left_out(dropped: Sequence[Summary]) -> str:
    """`1 failed run (out-of-memory) and 2 interrupted runs were left out`"""
    counts = Counter((str(summary.status), summary.error.code if summary.error else "") for summary in dropped)
    parts = [
        f"{counted(count, f'{status} run')}{f' ({code})' if code not in ('', 'unknown', status) else ''}"
        for (status, code), count in counts.items()
    ]
    return f"{listing(parts)} {'was' if len(dropped) == 1 else 'were'} left out"
