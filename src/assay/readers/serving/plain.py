"""Plain lines of any load generator: percentiles and rates, a label and a value each.

    p50 latency: 12.4 ms        P99: 48.1ms        Requests per second:    1234.56 [#/sec] (mean)        QPS: 812.3

The trap: one such line is anyone's. Only several together, with their units, are a result.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.serving.bench import Bench, Format
from assay.readers.serving.labels import meaning, plain, statistic_of
from assay.reading.reader import Answer, figure

_PAIR = re.compile(
    r"(?P<label>(?:[A-Za-z]|\d\dth )[\w ()/%.,-]{1,50}?)\s*[:=]\s*(?P<value>\d[\d,]*(?:\.\d+)?) ?"
    r"(?P<unit>ms|s|sec|seconds|us|µs|req/s|"
    r"requests/s(?:ec)?|tok(?:en)?s?/s(?:ec)?|\[#/sec\] \(mean\)|\[ms\] \(mean\))?$"
)
#: how many, in words: `Warmup done, running 150 requests`
_RAN = re.compile(
    r"(?i)\b(?:ran|running|send|sending|sent|completed|served|processed|over|after) (?P<count>\d[\d,]{0,11}) requests\b"
)
_REQUESTS = ("req/s", "requests/s", "requests/sec")
_STATISTICS = ("p50", "p90", "p99", "median", "avg", "mean", "average")
_PERCENTILE = re.compile(r"(?i)\d\dth percentile")
_TIMES = {"ms", "s", "sec", "seconds", "us", "µs"}
_OWN = ("ttft_", "tpot_", "itl_", "e2e_")


class Plain(Format):
    """Separate lines."""

    anchors = (
        " requests", "mean:", "mean =", "average:", "p50", "p99", "p90", "p95", "median",
        "qps", "rps", "requests per second", "latency", "ttft", "tpot",
        "requests/s", "req/s", "percentile", "successful requests", "completed requests", "failed requests",
        "complete requests", "output throughput", "tokens/s", "tok/s",
    )  # fmt: skip

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        found = _PAIR.match(text)
        if found is None:
            ran = _RAN.search(text)
            return None if ran is None else bench.tell(line, {"requests": figure(ran["count"]) or 0.0}, sure=False)
        label, unit = found["label"], found["unit"] or ""
        known = meaning(f"{label} {unit}" if unit in _TIMES or unit in _REQUESTS else label)
        value = figure(found["value"])
        if (
            known is None
            and statistic_of(label)
            and unit in _TIMES
            and (plain(label) in _STATISTICS or _PERCENTILE.fullmatch(label.strip()))
        ):
            known = meaning(f"{label} latency {unit}")
        if known is None or value is None or known.kind != "figure":
            return None
        timed = known.name.endswith("_ms")
        if timed and not known.factor:
            return None  # in which unit?
        own = known.name.startswith(_OWN)
        told = bench.tell(line, {known.name: round(value * known.factor, 9)}, sure=False)
        if isinstance(told, list):
            kinds = {name.rpartition("_p")[0] for name in bench.figures}
            bench.strong = bench.strong or own or len(bench.figures) > 2 or (len(bench.figures) > 1 and len(kinds) > 0)
        return told
