"""The charts of a report, in order; one whose data are not there is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.errors import UsageError, did_you_mean
from assay.views.charts.base import Chart, Section
from assay.views.charts.machine import PANELS
from assay.views.report import machine, serving, training
from assay.views.report.kind import Kind

if TYPE_CHECKING:
    from assay.views.report.data import ReportData

#: in the order of a report: a new kind of chart is one function of the data (see `kind.py`) and one line here
KINDS: tuple[Kind, ...] = (
    training.spread,
    training.throughput,
    training.progress,
    training.scaling,
    training.latency,
    serving.latencies,
    serving.load,
    serving.requests,
    serving.failed,
    machine.time,
    machine.machine,
)


#: what a chart can be called, whatever the runs are; a name that ends in `-` goes on with a figure
NAMES = (
    "spread-", "throughput", "progress-", "scaling", "latency", "latency-", "load-curve", "request-timeline",
    "failures", "shares", "timeline", "machine-",
)  # fmt: skip
#: memory is drawn once, the best way that it was looked at
_MEMORY = ("machine-memory_bytes", "machine-pss_bytes", "machine-rss_bytes")


def check_charts(names: Sequence[str]) -> None:
    """Refuse names that no run could give a chart for."""
    for name in names:
        family = next((one for one in NAMES if name == one or (one[-1] == "-" and name.startswith(one))), None)
        panel = name.removeprefix("machine-")
        if family is None or (family == "machine-" and panel not in PANELS):
            known = [one for one in NAMES if one[-1] != "-"] + [f"machine-{one}" for one in PANELS]
            raise UsageError(f"there is no chart called `{name}`", did_you_mean(name, known))


def sections(data: ReportData, *, still: bool = False) -> tuple[list[Section], dict[str, Chart]]:
    """(what a page shows, the descriptions by id). `still`: nothing can be chosen, so repeats are drawn as one."""
    charts: dict[str, Chart] = {}
    made = [kind(data, charts, still) for kind in KINDS]
    if data.only:
        made, charts = _chosen(made, charts, data.only)
    return [part for part in made if part["charts"] or (part["latency"] and not data.only)], charts


def _chosen(
    made: list[Section], charts: dict[str, Chart], only: Sequence[str]
) -> tuple[list[Section], dict[str, Chart]]:
    """Those asked for, in the order of a report."""
    memory = [name for name in _MEMORY if name in charts]
    only = [memory[0] if name in _MEMORY and memory else name for name in only]
    unknown = [name for name in only if name not in charts]
    if unknown:
        known = ", ".join(charts) or "none"
        raise UsageError(f"these runs give no chart called `{unknown[0]}`", f"choose from: {known}")
    for part in made:
        part["charts"] = [one for one in part["charts"] if one["id"] in only]
    return made, {name: chart for name, chart in charts.items() if name in only}
