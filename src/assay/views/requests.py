"""Requests to a server as the columns that charts are drawn from: distributions, percentiles, a timeline, failures.

Everything covers the measured requests; warm-up requests are left out. A run of another benchmark has no single
requests here, and is in the table with the percentiles that it reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.comparing.models.base import Model
from assay.model.event import Event, Served
from assay.model.summary import Summary
from assay.stats import is_vague
from assay.stats.nested import Quantile, quantiles
from assay.views.charts.base import Columns
from assay.views.columns import short

#: (name of a figure, what it is called)
FIGURES = {"ttft": "TTFT", "itl": "ITL", "tpot": "TPOT", "e2e": "E2E"}
SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
#: where a distribution is drawn: even steps, and finer ones in the tail that people look at
_STEPS = [at / 100 for at in range(100)] + [0.99 + at / 1000 for at in range(11)]
#: requests of a timeline, over all runs and of one
_MOST_DRAWN, _MOST_OF_RUN, _FEWEST_OF_RUN = 6000, 400, 60
_REPORTED = tuple(f"{name}_{key}_ms" for name in FIGURES for key in ("mean", *SHARES))
_FAILED = "failed_"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One run of a client: what it is called, the group it belongs to, and its measured requests."""

    run: str
    group: str
    summary: Summary
    figures: Mapping[str, float]
    requests: tuple[Served, ...]

    def values(self, figure: str) -> list[list[float]]:
        """The values of each successful request in ms: one, or all gaps between its pieces."""
        return [found for one in self.requests if not one.fault and (found := _values(one, figure))]


def asked(
    run: str, group: str, summary: Summary, events: Iterable[Event], figures: Mapping[str, float] | None = None
) -> Asked | None:
    """A run that asked a server, or that reports one; None for any other. `figures` are those that it reports."""
    requests = tuple(one for one in events if isinstance(one, Served) and not one.warmup)
    known = {
        **summary.figures(_REPORTED),
        **{name: value for name, value in (figures or {}).items() if name in _REPORTED},
    }
    found = Asked(run=run, group=group, summary=summary, figures=known, requests=requests)
    return found if requests or known else None


def distributions(runs: Sequence[Asked]) -> Columns:
    """The share of requests that took at most so long, of all runs of a group together."""

    def rows() -> Iterator[dict[str, object]]:
        for figure in FIGURES:
            for group, members in _by_group(runs).items():
                values = sorted(value for run in members for request in run.values(figure) for value in request)
                for share in _STEPS if len(values) > 1 else ():
                    ms = values[min(len(values) - 1, int(share * len(values)))]
                    yield {"group": group, "figure": figure, "ms": short(ms), "share": short(min(1.0, share))}

    return _table(rows())


def percentiles(runs: Sequence[Asked]) -> Columns:
    """p50, p90 and p99 of each group, with intervals where they can be known."""

    def rows() -> Iterator[dict[str, object]]:
        for figure, name in FIGURES.items():
            for group, members in _by_group(runs).items():
                count = sum(_count(run) for run in members)
                known = {"group": group, "figure": figure, "metric": name, "requests": count, "runs": len(members)}
                for one in _quantiles(members, figure):
                    ends = {key: None if end is None else short(end) for key, end in _ends(one).items()}
                    yield {**known, "share": one.share, "ms": short(one.value), **ends}

    return _table(rows())


def means(runs: Sequence[Asked]) -> Columns:
    """Over all requests of a group, or what its only run reports."""

    def rows() -> Iterator[dict[str, object]]:
        for figure, name in FIGURES.items():
            for group, members in _by_group(runs).items():
                values = [value for run in members for request in run.values(figure) for value in request]
                told = members[0].figures.get(f"{figure}_mean_ms") if len(members) == 1 else None
                mean = fmean(values) if values else told
                if mean is not None:
                    count = sum(_count(run) for run in members)
                    known = {"group": group, "figure": figure, "metric": name, "requests": count}
                    yield {**known, "ms": short(mean)}

    return _table(rows())


def _count(run: Asked) -> int:
    return run.summary.requests or len(run.requests)


def timeline(runs: Sequence[Asked]) -> Columns:
    """Every request, or so many of each run that a page can hold them."""
    most = max(_FEWEST_OF_RUN, min(_MOST_OF_RUN, _MOST_DRAWN // max(1, len(runs))))
    return _table(row for one in runs for row in _timeline(one, most))


def failures(runs: Sequence[Asked]) -> Columns:
    """How many requests of each run failed, by kind."""
    return _table(row for one in runs for row in _failures(one))


def loads(models: Iterable[Model]) -> Columns:
    """The curve of each server: throughput and latency at each of its loads."""

    def rows() -> Iterator[dict[str, object]]:
        for found in (model.figures for model in models if model.kind == "serving"):
            names = ("loads", "said", "rates", "latencies_ms")
            lists = [value for name in names if isinstance(value := found[name], list)]
            for load, said, rate, latency_ms in zip(*lists, strict=True):
                at = {"rate": short(rate), "latency_ms": short(latency_ms)}
                yield {"server": found["server"], "load": load, "said": said, **at, "knee": load == found["knee"]}

    return _table(rows())


def load_runs(models: Iterable[Model]) -> Columns:
    """The single runs behind the curves."""

    def rows() -> Iterator[dict[str, object]]:
        for found in (model.figures for model in models if model.kind == "serving"):
            for load, rate, latency_ms in found["runs"] if isinstance(found["runs"], list) else []:
                at = {"rate": short(rate), "latency_ms": short(latency_ms)}
                yield {"server": found["server"], "load": load, **at}

    return _table(rows())


def _by_group(runs: Sequence[Asked]) -> dict[str, list[Asked]]:
    found: dict[str, list[Asked]] = {}
    for one in runs:
        found.setdefault(one.group, []).append(one)
    return found


def _ends(one: Quantile) -> dict[str, float | None]:
    """None where two runs differ so much that the interval would only say that nothing is known."""
    if one.low is None or one.high is None or is_vague(one.low, one.high):
        return {"low": None, "high": None}
    return {"low": one.low, "high": one.high}


def _values(one: Served, figure: str) -> list[float]:
    if figure == "itl":
        return [gap / 1e3 for gap in one.gaps_us]
    if one.e2e_ms is None or figure == "e2e":
        return [] if one.e2e_ms is None else [one.e2e_ms]
    if one.ttft_ms is None or figure == "ttft":
        return [] if one.ttft_ms is None else [one.ttft_ms]
    return [] if one.tpot_ms is None else [one.tpot_ms]


def _quantiles(runs: Sequence[Asked], figure: str) -> list[Quantile]:
    """Quantiles of the recorded requests, else those that a single run reports."""
    found = quantiles([run.values(figure) for run in runs], list(SHARES.values()))
    if found or len(runs) > 1:
        return found
    reported = {share: runs[0].figures.get(f"{figure}_{key}_ms") for key, share in SHARES.items()}
    return [Quantile(share=share, value=ms) for share, ms in reported.items() if ms is not None]


def _timeline(one: Asked, most: int) -> Iterator[dict[str, object]]:
    """From sending to the end, against the first that was sent; of very many an even selection, and all failures."""
    known = [request for request in one.requests if request.sent_mono_s is not None]
    begin_s = min((request.sent_mono_s or 0.0 for request in known), default=0.0)
    step = max(1, -(-len(known) // most))
    failed = sum(bool(request.fault) for request in known)
    for place, request in enumerate(sorted(known, key=lambda request: request.sent_mono_s or 0.0)):
        if place % step and not (request.fault and failed <= most):
            continue
        sent_s = (request.sent_mono_s or 0.0) - begin_s
        ended_ms = request.ended_ms if request.fault or request.e2e_ms is None else request.e2e_ms
        yield {
            "run": one.run,
            "request": place + 1,
            "sent_s": short(sent_s),
            "first_s": short(sent_s + (request.ttft_ms if request.ttft_ms is not None else ended_ms or 0.0) / 1e3),
            "end_s": short(sent_s + (ended_ms or 0.0) / 1e3),
            "ttft_ms": request.ttft_ms,
            "e2e_ms": request.e2e_ms,
            "tokens": request.tokens_out,
            "outcome": request.fault or "answered",
        }


def _failures(one: Asked) -> Iterator[dict[str, object]]:
    """How many requests failed, by kind where that is known."""
    kinds = {name: count for name, count in one.summary.metrics.items() if name.startswith(_FAILED) and count}
    if not kinds and one.summary.requests_failed:
        kinds = {f"{_FAILED}unknown": one.summary.requests_failed}
    for name, count in kinds.items():
        yield {
            "run": one.run,
            "group": one.group,
            "kind": name.removeprefix(_FAILED).replace("_", "-"),
            "count": count,
            "of": (one.summary.requests or 0) + (one.summary.requests_failed or 0),
        }


def _table(rows: Iterable[dict[str, object]]) -> Columns:
    columns: Columns = {}
    for row in rows:
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return columns
