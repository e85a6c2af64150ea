"""MLPerf inference: `mlperf_log_summary.txt` and `mlperf_log_detail.txt`, which LoadGen writes.

    Scenario : Server
    Completed samples per second    : 8.59
    Completed tokens per second: 2520.27
    Result is : VALID
    Mean latency (ns)               : 45213988589
    99.00 percentile first token latency (ns)   : 785265884
    :::MLLOG {"key": "result_99.00_percentile_latency_ns", "value": 830004005006, …}

The trap: target_qps and the scheduled rate are what was asked; the completed rate is what was reached. In MultiStream
and SingleStream no rate is printed at all, and the latency is that of a query.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.serving.bench import Bench, Format
from assay.reading.reader import NEW, Answer, figure

_PAIR = re.compile(r"\*?\s*(?P<label>[A-Za-z0-9][^:]{1,60}?)\s*:\s*(?P<value>\S.*)$")
_LATENCY = re.compile(
    r"(?:(?P<percent>\d+\.\d+) percentile|(?P<mean>mean)) (?P<what>first token latency|time (?:to|"
    r"per) output token|latency) \(ns\)$"
)
_WHAT = {"first token latency": "ttft", "time to output token": "tpot", "time per output token": "tpot"}
#: a line of the details; a training's begin alike, and have other keys
_DETAIL = re.compile(
    r':::MLLOG \{"key": "(?P<key>effective_scenario|result_[\w.]{1,80})", "value": "?(?P<value>[\w.+-]{1,40})"?,'
)
_LATENCY_KEY = re.compile(
    r"(?:(?:first_token|time_(?:to|per)_output_token)_)?(?:mean|\d{1,2}\.\d{1,4}_percentile)(?:_latency)?_ns"
)
_KEYS = {
    "samples_per_second": "samples per second", "completed_samples_per_sec": "samples per second",
    "tokens_per_second": "tokens per second", "completed_tokens_per_second": "tokens per second",
    "validity": "result is",
}  # fmt: skip
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
        "effective_scenario", "result_",
    )  # fmt: skip

    def __init__(self) -> None:
        self._inside = False

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        found = _DETAIL.match(text)
        if found:
            return self._detail(bench, line, found["key"].removeprefix("result_"), found["value"])
        if text == "MLPerf Results Summary":
            if bench.figures:
                return NEW
            self._inside = bench.inside = True
            return []
        if not self._inside:
            return None
        found = _PAIR.match(text)
        return self._pair(bench, line, found["label"].strip().lower(), found["value"].strip()) if found else None

    def _detail(self, bench: Bench, line: Line, key: str, value: str) -> Answer:
        """The same figures by the names that programs read."""
        if key == "effective_scenario":
            return NEW if bench.figures else bench.tell(line, settings={"scenario": value})
        label = _as_label(key) if _LATENCY_KEY.fullmatch(key) else _KEYS.get(key)
        if label is None:
            return []
        bench.inside = True
        return self._pair(bench, line, label, value)

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


def _as_label(key: str) -> str:
    """`first_token_99.00_percentile_latency_ns` → `99.00 percentile first token latency (ns)`."""
    for what in ("first_token", "time_to_output_token", "time_per_output_token"):
        if key.startswith(what):
            statistic = key.removeprefix(f"{what}_").removesuffix("_ns").removesuffix("_latency").replace("_", " ")
            named = what.replace("_", " ") + (" latency" if what == "first_token" else "")
            return f"{statistic} {named} (ns)"
    return key.removesuffix("_ns").replace("_", " ") + " (ns)"
