"""LMDeploy: the block of `profile_restful_api.py` and its neighbours, as they printed it before they took vLLM's.

    concurrency: 64
    elapsed_time: 132.482s
    first token latency(s)(min, max, ave): 0.123, 5.210, 0.843
    per-token latency(s) percentile(50, 75, 95, 99): [0.021, 0.03, 0.041, 0.066]
    number of prompt tokens: 248339
    number of completion tokens: 240582
    token throughput (completion token): 1815.959 token/s
    token throughput (prompt + completion token): 3690.471 token/s
    RPS (request per second): 7.548 req/s

The trap: the mean comes last, after the smallest and the largest; and the same rate follows once more per minute.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.serving.bench import Bench, Format
from assay.reading.reader import NEW, Answer, figure

_SETTING = re.compile(r"(?P<name>concurrency|batch): (?P<value>\d+)$")
_FIRST = re.compile(r"first[ _]token latency\(s\)\(min, max, ave\): [\d.]+s?, [\d.]+s?, (?P<mean>[\d.]+)s?$")
_EACH = re.compile(r"per-token latency\(s\) percentile\((?P<ranks>[\d, ]+)\): \[(?P<values>[\d., ]+)\]$")
_PAIRS = (
    (re.compile(r"elapsed_time: ([\d.]+) ?s$"), "wall_s"),
    (re.compile(r"number of prompt tokens: (\d+)$"), "input_tokens"),
    (re.compile(r"number of completion tokens: (\d+)$"), "output_tokens"),
    (re.compile(r"token throughput \(completion token\): ([\d.]+) token/s$"), "output_tokens_per_s"),
    (re.compile(r"token throughput \(prompt \+ completion token\): ([\d.]+) token/s$"), "total_tokens_per_s"),
    (re.compile(r"RPS \(request per second\): ([\d.]+) req/s$"), "requests_per_s"),
)
_SETTINGS = {"concurrency": "concurrency", "batch": "batch_size"}
_KEPT = {"50": "itl_p50_ms", "90": "itl_p90_ms", "99": "itl_p99_ms"}


class LmDeploy(Format):
    """A block without a head: `elapsed_time` is its second line, and the load its first."""

    anchors = (
        "concurrency:", "elapsed_time:", "token latency(s)", "number of prompt tokens", "number of completion tokens",
        "token throughput (", "rps (request", "rpm (request",
    )  # fmt: skip

    def __init__(self) -> None:
        self._asked: tuple[int, dict[str, object]] = (-1, {})  # a load, and the line that it stands on

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        found = _SETTING.match(text)
        if found:
            self._asked = (line.number, {_SETTINGS[found["name"]]: int(found["value"])})
            return None
        for pattern, name in _PAIRS:
            found = pattern.match(text)
            if found:
                return self._tell(bench, line, {name: figure(found[1]) or 0.0})
        found = _FIRST.match(text)
        if found:
            return self._tell(bench, line, {"ttft_mean_ms": round(1e3 * float(found["mean"]), 9)})
        found = _EACH.match(text)
        if found is None:
            return None
        pairs = zip(found["ranks"].split(","), found["values"].split(","), strict=False)
        known = {_KEPT[rank.strip()]: figure(value.strip()) for rank, value in pairs if rank.strip() in _KEPT}
        return self._tell(
            bench, line, {name: round(1e3 * value, 9) for name, value in known.items() if value is not None}
        )

    def _tell(self, bench: Bench, line: Line, figures: dict[str, float]) -> Answer:
        settings: dict[str, object] = {}
        if "wall_s" in figures:
            if bench.figures:
                return NEW
            at, asked = self._asked
            settings = asked if line.number - at <= 2 else {}
            bench.inside = True
        bench.likely_engine = "lmdeploy"
        return bench.tell(line, figures, settings)
