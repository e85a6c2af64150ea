"""Triton's `perf_analyzer`, a run for each load.

    Request concurrency: 2
      Client:
        Request count: 6021
        Throughput: 2675.55 infer/sec
        Avg latency: 5977 usec (standard deviation 131 usec)
        p99 latency: 6450 usec
      Server:
        Avg request latency: 3700 usec (overhead 12 usec + queue 20 usec + …

    Concurrency: 2, throughput: 2675.55 infer/sec, latency 6450 usec

The trap: the server's own latencies follow those of the client, and the last lines repeat all loads.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.serving.bench import Bench, Format
from assay.reading.reader import NEW, Answer, figure

_LOAD = re.compile(r"Request (?P<kind>concurrency|Rate): (?P<value>\d+(?:\.\d+)?)(?: inference requests per seconds)?$")
_LINE = re.compile(
    r"(?P<name>Request count|Throughput|Avg latency|p50 latency|p90 latency|p99 latency): (?P<value>\d+(?:\.\d+)?)"
    r"(?: (?:infer/sec|usec)\b|$)"
)
_REPEATED = re.compile(r"(?:Concurrency|Request Rate): [\d.]+, throughput: [\d.]+ infer/sec, latency \d+ usec$")
_BATCH = re.compile(r"Batch size: (?P<value>\d+)$")
_FIGURES = {
    "Request count": ("requests", 1.0),
    "Throughput": ("inferences_per_s", 1.0),
    "Avg latency": ("latency_ms", 1e-3),
    "p50 latency": ("latency_p50_ms", 1e-3),
    "p90 latency": ("latency_p90_ms", 1e-3),
    "p99 latency": ("latency_p99_ms", 1e-3),
}


class PerfAnalyzer(Format):
    """What its client saw."""

    anchors = (
        "measurement settings", "request concurrency:", "request rate:", "request count:", "infer/sec", "latency:",
        "client:", "server:", "batch size:",
    )  # fmt: skip

    def __init__(self) -> None:
        self._batch: dict[str, object] | None = None  # known between its first line and its last
        self._of_client = False

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        if "*** Measurement Settings ***" in line.text:
            self._batch = {}
            return NEW if bench.figures else []
        if self._batch is None:
            return None
        found = _BATCH.match(text)
        if found:
            self._batch = {"batch_size": int(found["value"])}
            return []
        found = _LOAD.match(text)
        if found:
            return self._begin(bench, line, found)
        if text in ("Client:", "Server:"):
            self._of_client = text == "Client:"
            return []
        if _REPEATED.match(text):
            return []
        found = _LINE.match(text)
        if found is None:
            return None
        name, factor = _FIGURES[found["name"]]
        return bench.tell(line, {name: round(float(found["value"]) * factor, 9)}) if self._of_client else []

    def _begin(self, bench: Bench, line: Line, found: re.Match[str]) -> Answer:
        if bench.figures:
            return NEW
        self._of_client, value = False, figure(found["value"]) or 0.0
        asked: dict[str, object] = (
            {"concurrency": int(value)} if found["kind"] == "concurrency" else {"request_rate": value}
        )
        bench.inside, bench.likely_engine = True, "triton"
        return bench.tell(line, settings={**(self._batch or {}), **asked})
