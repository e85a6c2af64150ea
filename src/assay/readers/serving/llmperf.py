"""llmperf: what its benchmark prints beside the summary file.

    Results for token benchmark for some/model queried with the openai api.
    inter_token_latency_s
        p50 = 0.0053
        mean = 0.0054
    ttft_s
        p99 = 0.35
    Overall Output Throughput: 441.8
    Completed Requests Per Minute: 176.7

The trap: seconds, and requests per minute; the throughput of one request has a different name.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.serving.bench import Bench, Format
from assay.readers.serving.labels import statistic_of
from assay.reading.reader import NEW, Answer, figure

_TITLE = re.compile(r"\W{0,2}Results for token benchmark for (?P<model>\S+) queried")
_NAMES = {"inter_token_latency_s": "itl", "ttft_s": "ttft", "end_to_end_latency_s": "e2e"}
_OTHERS = ("request_output_throughput_token_per_s", "number_input_tokens", "number_output_tokens")
_STATISTIC = re.compile(r"(?P<of>p\d+|mean|min|max|stddev) = (?P<value>[\d.]+(?:e-?\d+)?)$")
_TOTAL = re.compile(
    r"(?P<what>Number Of Errored Requests|Overall Output Throughput|Number Of Completed Requests|"
    r"Completed Requests Per Minute): (?P<value>[\d.]+)$"
)
_TOTALS = {
    "Number Of Errored Requests": ("requests_failed", 1.0), "Number Of Completed Requests": ("requests", 1.0),
    "Overall Output Throughput": ("output_tokens_per_s", 1.0),
    "Completed Requests Per Minute": ("requests_per_s", 1 / 60),
}  # fmt: skip


class LlmPerf(Format):
    """From its title to its totals."""

    anchors = ("results for token benchmark",)

    def __init__(self) -> None:
        self._inside = False
        self._name = ""

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        found = _TITLE.match(text)
        if found:
            if bench.figures:
                return NEW
            self._inside = bench.inside = bench.in_table = True
            return bench.tell(line, words={"model": found["model"]})
        if not self._inside:
            return None
        if text in _NAMES or text in _OTHERS:
            self._name = _NAMES.get(text, "")
            return []
        found = _STATISTIC.match(text)
        if found:
            return self._statistic(bench, line, statistic_of(found["of"]), float(found["value"]))
        found = _TOTAL.match(text)
        if found is None:
            return None
        name, factor = _TOTALS[found["what"]]
        self._inside = bench.in_table = found["what"] != "Completed Requests Per Minute"
        return bench.tell(line, {name: round((figure(found["value"]) or 0.0) * factor, 9)})

    def _statistic(self, bench: Bench, line: Line, of: str | None, value: float) -> Answer:
        if not self._name or of not in ("mean", "p50", "p90", "p99"):
            return []
        return bench.tell(line, {f"{self._name}_{of}_ms": round(value * 1e3, 9)})
