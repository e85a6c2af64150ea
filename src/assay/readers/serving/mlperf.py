"""MLPerf inference: `mlperf_log_summary.txt`, which LoadGen writes.

    Scenario : Server
    Completed samples per second    : 8.59
    Completed tokens per second: 2520.27
    Result is : VALID
    Mean latency (ns)               : 45213988589
    99.00 percentile first token latency (ns)   : 785265884

The trap: target_qps and the scheduled rate are what was asked; the completed rate is what was reached. In MultiStream
and SingleStream no rate is printed at all, and the latency is that of a query.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.base import NEW, Answer, figure
from assay.readers.serving.bench import Bench, Format

_PAIR = re.compile(r"\*?\s*(?P<label>[A-Za-z0-9][^:]{1,60}?)\s*:\s*(?P<value>\S.*)$")
_LATENCY = re.compile(
    r"(?:(?P<percent>\d+\.\d+) percentile|(?P<mean>mean)) (?P<what>first token latency|time (?:to|"
    r"per) output token|latency) \(ns\)$"
)
_WHAT = {"first token latency": "ttft", "time to output token": "tpot", "time per output token": "tpot"}
_RATES = {
    "samples per second": "samples_per_s", "completed samples per second": "samples_per_s",
    "tokens per second": "output_tokens_per_s", "completed tokens per second": "output_tokens_per_s",
    "qps w/o loadgen overhead": "", "scheduled samples per second": "", "tokens per second (inferred)": "",
}  # fmt: skip


class LoadGen(Format):
    """One summary: a scenario, its figures, and whether the result is valid."""

    anchors = (
        "mlperf results summary", "sut name", "scenario", "samples per second", "tokens per second", "result is",
        "latency (ns)", "output token (ns)", "samples_per_query", "target_qps", "satisfied", "per-query latency",
    )  # fmt: skip

    def __init__(self) -> None:
        self._inside = False

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        if text == "MLPerf Results Summary":
            if bench.figures:
                return NEW
            self._inside = bench.inside = True
            return []
        if not self._inside:
            return None
        found = _PAIR.match(text)
        return self._pair(bench, line, found["label"].strip().lower(), found["value"].strip()) if found else None

    def _pair(self, bench: Bench, line: Line, label: str, value: str) -> Answer:
        if label == "scenario":
            return bench.tell(line, settings={"scenario": value})
        if label == "sut name":
            return []
        if label == "result is":
            return self._verdict(bench, line, value)
        number = figure(value.split()[0])
        if number is None:
            return None
        if label in _RATES:
            name = _RATES[label]
            return bench.tell(line, {name: number}) if name else []
        latency = _LATENCY.match(label)
        return self._latency(bench, line, latency, number) if latency else []  # what was asked, and which seeds

    def _latency(self, bench: Bench, line: Line, found: re.Match[str], number: float) -> Answer:
        of = "mean" if found["mean"] else f"p{float(found['percent']):g}"
        if of not in ("mean", "p50", "p90", "p99"):
            return []
        what = _WHAT.get(found["what"], "latency")
        name = "latency_ms" if what == "latency" and of == "mean" else f"{what}_{of}_ms"
        return bench.tell(line, {name: round(number / 1e6, 9)})

    def _verdict(self, bench: Bench, line: Line, value: str) -> Answer:
        bench.strong = True
        if value.upper().startswith("VALID"):
            return []
        return [
            bench.fact(
                "error", line, code="threshold", message=f"MLPerf result is {value}",
                hint="the run is complete; see which constraint is not satisfied below this line",
            )
        ]  # fmt: skip
