"""Calls one at a time are requests of a closed loop of one: an engine and an endpoint have one latency to compare.

An engine reports the latency of a call, a server that of a request. Where both are compared, the calls also have the
names of requests; a table of engines alone keeps its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.comparing.rows import Row

#: (metric of a request, metric of an engine's call)
_NAMES = {
    "e2e_mean_ms": "latency_ms",
    "e2e_p50_ms": "latency_p50_ms",
    "e2e_p90_ms": "latency_p90_ms",
    "e2e_p99_ms": "latency_p99_ms",
    "requests_per_s": "inferences_per_s",
}
_LATENCIES = [name for name in _NAMES if name.startswith("e2e")]


def as_requests(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """(the rows, a note where some were given the names of requests)."""
    asked = [any(name in row.figures for name in _LATENCIES) for row in rows]
    calls = [
        not known and "latency_ms" in row.figures and _is_single(row) for row, known in zip(rows, asked, strict=True)
    ]
    if not any(asked) or not any(calls):
        return list(rows), []
    found = [_renamed(row) if is_call else row for row, is_call in zip(rows, calls, strict=True)]
    which = "1 run are" if sum(calls) == 1 else f"{sum(calls)} runs are"
    return found, [f"the calls of {which} one at a time, so their latency is compared as that of requests (E2E)"]


def _is_single(row: Row) -> bool:
    """One input a call, as far as is known."""
    return row.summary.value("inference_batch") in (None, 1)


def _renamed(row: Row) -> Row:
    summary = row.summary
    values = ((name, summary.figure(call)) for name, call in _NAMES.items())
    return replace(row, figures={**row.figures, **{name: value for name, value in values if value is not None}})
