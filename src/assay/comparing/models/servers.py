"""Two servers at one load, distribution against distribution: over all their requests, and over their repeats.

The table compares runs by one figure each. This compares the requests themselves, with the runs that they came in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

from assay.comparing.groups import Group
from assay.comparing.models.base import Model
from assay.comparing.rows import Row
from assay.comparing.varying import value_of, varying
from assay.model.event import Event, Served
from assay.model.summary import Summary
from assay.stats.nested import Ratio, quantile_ratio

EventsOf = Callable[[Summary], Iterable[Event]]
#: the setting that identifies a server
_SERVER = "url"
#: (figure, share of requests below it, what it is called, requests that it needs)
_FIGURES = (
    ("ttft_ms", 0.5, "median TTFT", 10),
    ("ttft_ms", 0.99, "p99 TTFT", 200),
    ("tpot_ms", 0.5, "median time per token", 10),
    ("e2e_ms", 0.5, "median request latency", 10),
)
#: beyond this, whole requests are other work; the time per token is not
_EQUAL = 1.1
_MOST_SERVERS = 4


def servers_model(groups: Sequence[Group], events_of: EventsOf) -> list[Model]:
    """One for each load at which several servers were asked, where the requests themselves were kept."""
    rows = [row for one in groups for row in one.rows if _SERVER in row.settings and row.summary.requests]
    if len({row.settings[_SERVER].value for row in rows}) < 2:
        return []
    others = [name for name in varying(rows) if name not in (_SERVER, "name")]
    found: dict[tuple[object, ...], dict[str, list[Row]]] = {}
    for row in rows:
        load = tuple(value_of(row, name) for name in others)
        found.setdefault(load, {}).setdefault(str(row.settings[_SERVER].value), []).append(row)
    return [
        _model(", ".join(f"{name} {value}" for name, value in zip(others, load, strict=True)), servers, events_of)
        for load, servers in found.items()
        if 2 <= len(servers) <= _MOST_SERVERS
    ]


def _model(load: str, servers: Mapping[str, list[Row]], events_of: EventsOf) -> Model:
    title = f"requests of each server compared{f' ({load})' if load else ''}"
    requests = {name: [_requests(events_of(row.summary)) for row in rows] for name, rows in servers.items()}
    says, figures = list[str](), dict[str, object]()
    for other, one in combinations(requests, 2):
        equal = _is_equal(servers[one], servers[other])
        if not equal:
            says.append(f"{one} and {other} gave answers of different lengths, so whole requests are not compared")
        for figure, share, called, needed in _FIGURES:
            a, b = ([run[figure] for run in requests[side]] for side in (one, other))
            if min(sum(map(len, a)), sum(map(len, b))) < needed or (figure == "e2e_ms" and not equal):
                continue
            ratio = quantile_ratio(a, b, share)
            if ratio is not None:
                says.append(_words(one, other, called, ratio))
                figures[f"{one} / {other}: {called}"] = [ratio.value, ratio.low, ratio.high]
    if not figures:
        says.append("repeat each at least twice: one run does not show how far runs differ")
    return Model(kind="servers", title=title, holds=bool(figures), says=says, figures={**figures, "load": load})


def _words(one: str, other: str, called: str, ratio: Ratio) -> str:
    much = f"{ratio.value:.3g} × (95 % interval {ratio.low:.3g}–{ratio.high:.3g})"
    if not ratio.is_significant:
        return f"{called}: {one} has {much} that of {other}, which could be noise"
    return f"{called}: {one} has {much} that of {other}; the difference is significant"


def _requests(events: Iterable[Event]) -> dict[str, list[float]]:
    """Figures of the measured requests of a run that succeeded."""
    found: dict[str, list[float]] = {"ttft_ms": [], "tpot_ms": [], "e2e_ms": []}
    for event in events:
        if not isinstance(event, Served) or event.warmup or event.fault:
            continue
        if event.ttft_ms is None or event.e2e_ms is None:
            continue
        found["ttft_ms"].append(event.ttft_ms)
        found["e2e_ms"].append(event.e2e_ms)
        if event.tpot_ms is not None:
            found["tpot_ms"].append(event.tpot_ms)
    return found


def _is_equal(a: Sequence[Row], b: Sequence[Row]) -> bool:
    """Whether the answers of both have one length, as far as is known."""
    means = [
        row.summary.output_tokens / row.summary.requests
        for row in (*a, *b)
        if row.summary.output_tokens and row.summary.requests
    ]
    return not means or max(means) <= _EQUAL * min(means)
