"""What a page shows of requests to a server: how long they took and when, and throughput against latency."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypedDict

from assay.comparing.models.base import Model
from assay.model.event import Event
from assay.model.summary import Summary
from assay.views import requests
from assay.views.charts.base import Columns, Table
from assay.views.report.serving import distributions, failures
from assay.views.requests import Asked


class Serving(TypedDict):
    """Columns by name, sentences, and the table of percentiles with their intervals."""

    data: dict[str, Columns]
    says: list[str]
    table: Table | None
    unit: str  # of the throughput
    groups: dict[str, str]  # the setting that each run belongs to: they share its colour


def of_run(summary: Summary, events: Iterable[Event]) -> Serving | None:
    """None for a run that asked no server."""
    found = requests.asked(summary.name, summary.name, summary, events)
    return None if found is None else served([found])


def served(runs: Sequence[Asked], models: Iterable[Model] = ()) -> Serving | None:
    """Of all runs of clients among those that a page shows."""
    if not runs:
        return None
    curves = [model for model in models if model.kind == "serving"]
    data = {
        "latencies": requests.distributions(runs),
        "percentiles": requests.percentiles(runs),
        "request_means": requests.means(runs),
        "requests": requests.timeline(runs),
        "failures": requests.failures(runs),
        "loads": requests.loads(curves),
    }
    data = {name: columns for name, columns in data.items() if columns}
    shown, failed = distributions(data, [], {}), failures(data, {})
    units = {str(model.figures["unit"]) for model in curves}
    return Serving(
        data=data,
        says=[*(f"{text[:1].upper()}{text[1:]}." for model in curves for text in _knee(model)), *failed["says"]],
        table=shown["latency"],
        unit=units.pop() if len(units) == 1 else "",
        groups={one.run: one.group for one in runs},
    )


def _knee(model: Model) -> Sequence[str]:
    """What is said of the whole curve, without a line for each load."""
    tried = model.figures["loads"]
    return model.says[: -len(tried)] if isinstance(tried, list) else model.says
