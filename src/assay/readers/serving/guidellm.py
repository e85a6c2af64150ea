"""guidellm: its result file, and the two tables that it prints.

    {"benchmarks": [{"metrics": {"time_to_first_token_ms": {"successful": {"mean": 231.6, "median": 213.3, …}}, …}, …}]}

    Benchmarks Info:
    Metadata                                     |||| Requests Made  ||| Prompt Tok/Req ||| …
        Benchmark| Start Time| End Time| Duration (s)|  Comp|  Inc|  Err|  Comp|  Inc| Err| …
     concurrent@8|   10:00:32| 10:01:02|         30.0|   101|    8|    2| 256.1|256.0| 0.0| …
    Benchmarks Stats:
    Metadata     | Request Stats         || Out Tok/sec| Tot Tok/sec| Req Latency (sec)  ||| TTFT (ms)           ||| …
        Benchmark| Per Second| Concurrency|        mean|        mean|  mean| median|   p99|  mean| median|    p99| …

The traps: the gap between tokens is a mean of each request, which is TPOT here, and its "time per output token" counts
the first token in some versions, so it is none; request latencies are in seconds; the file also holds every request,
and the first table counts those that did not end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from assay.lines import Line
from assay.model.values import number
from assay.readers.serving.bench import Bench, Format, Told
from assay.readers.serving.cells import is_rule
from assay.readers.serving.stated import figures as known
from assay.readers.serving.stated import inner, latencies, length, load
from assay.reading.reader import NEW, Answer, figure

_RATES = {
    "requests_per_second": "requests_per_s",
    "output_tokens_per_second": "output_tokens_per_s",
    "prompt_tokens_per_second": "prompt_tokens_per_s",
    "tokens_per_second": "total_tokens_per_s",
}
#: and what makes milliseconds of it
_LATENCIES = (
    ("time_to_first_token_ms", "ttft", 1.0),
    ("inter_token_latency_ms", "tpot", 1.0),
    ("inter_token_latency_ms", "itl", 1.0),
    ("request_latency", "e2e", 1e3),
)
_ASKED = re.compile(r"(?P<kind>prompt|output)_tokens[\"']?\s?[=:]\s?(?P<value>\d{1,9})\b")
_OURS = {"prompt": "input_len", "output": "output_len"}


def of_guidellm(benchmark: Mapping[str, object], whole: Mapping[str, object]) -> Told:
    """One benchmark of a result file, of any version."""
    metrics, config, old = inner(benchmark, "metrics"), inner(benchmark, "config"), inner(benchmark, "args")
    spec, run = inner(inner(whole, "config"), "spec"), inner(benchmark, "run_stats")
    totals = inner(metrics, "request_totals") or inner(run, "requests_made")
    singles = {ours: number(_good(metrics, theirs).get("mean")) for theirs, ours in _RATES.items()}
    singles |= {
        "requests": number(totals.get("successful")),
        "requests_failed": number(totals.get("errored")),
        "input_tokens": number(_good(metrics, "prompt_token_count").get("total_sum")),
        "output_tokens": number(_good(metrics, "output_token_count").get("total_sum")),
        "wall_s": number(benchmark.get("duration")),
    }
    figures = dict(known(singles))
    for theirs, ours, factor in _LATENCIES:
        figures.update(latencies(ours, _good(metrics, theirs), factor))
    settings: dict[str, object] = {
        "client": "guidellm",
        **_strategy(inner(config, "strategy") or inner(old, "strategy")),
    }
    arguments, loader, wanted = inner(whole, "args"), inner(benchmark, "request_loader"), inner(config, "requests")
    for data in (spec.get("data"), arguments.get("data"), wanted.get("data"), loader.get("data")):
        settings = {**_lengths(data), **settings}
    models = (inner(spec, "backend").get("model"), inner(config, "backend").get("model"), arguments.get("model"),
              inner(benchmark, "worker").get("backend_model"))  # fmt: skip
    model = next((one for one in models if isinstance(one, str) and one), "")
    return figures, settings, {"model": model} if model else {}


def _good(metrics: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Of the requests that succeeded, with the percentiles beside the rest."""
    found = inner(inner(metrics, name), "successful")
    return {**inner(found, "percentiles"), **found}


def _strategy(value: Mapping[str, object]) -> dict[str, object]:
    streams = 1 if value.get("type_") == "synchronous" else value.get("streams")
    return load(streams, value.get("rate"))


def _lengths(data: object) -> dict[str, object]:
    """`prompt_tokens=256,output_tokens=128`, the same as JSON, as an object, or one of these in a list."""
    found: dict[str, object] = {}
    for one in data if isinstance(data, list) else [data]:
        if isinstance(one, str):
            found.update({_OURS[each["kind"]]: int(each["value"]) for each in _ASKED.finditer(one)})
        elif isinstance(one, Mapping):
            found.update(
                {**length("input_len", one.get("prompt_tokens")), **length("output_len", one.get("output_tokens"))}
            )
    return found


#: a column by the heading above it and its own
_COLUMNS = {
    ("metadata", "duration s"): ("wall_s", 1.0),
    ("requests made", "comp"): ("requests", 1.0),
    ("requests made", "err"): ("requests_failed", 1.0),
    ("prompt tok total", "comp"): ("input_tokens", 1.0),
    ("output tok total", "comp"): ("output_tokens", 1.0),
    ("request stats", "per second"): ("requests_per_s", 1.0),
    ("out tok/sec", "mean"): ("output_tokens_per_s", 1.0),
    ("tot tok/sec", "mean"): ("total_tokens_per_s", 1.0),
} | {
    (head, column): (f"{ours}_{statistic}_ms", factor)
    for head, ours, factor in (("req latency sec", "e2e", 1e3), ("ttft ms", "ttft", 1.0), ("itl ms", "itl", 1.0))
    for column, statistic in (("mean", "mean"), ("median", "p50"), ("p90", "p90"), ("p99", "p99"))
}  # fmt: skip
_MODEL = re.compile(r"\bbackend_model=(?P<model>[^,\s]+)")
_LOAD = re.compile(r"(?P<kind>[a-z_]+)(?:@(?P<value>\d+(?:\.\d+)?))?")


class GuideLlm(Format):
    """The tables of counts and of latencies, whose rows are the same benchmarks."""

    anchors = (
        "backend_model=", "request loader:", "benchmark|", "metadata ", "synchronous|", "throughput|", "concurrent@",
        "constant@", "poisson@", "async@",
    )  # fmt: skip

    def __init__(self) -> None:
        self._heads: list[str] = []
        self._names: list[tuple[str, str]] = []
        self._counted: dict[str, dict[str, float]] = {}
        self._settings: dict[str, object] = {}
        self._words: dict[str, str] = {}

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        found = _MODEL.search(text)
        if found and text.startswith("Worker:"):
            self._words = {"model": found["model"]}
            return []
        if text.startswith("Request Loader:"):
            self._settings = _lengths(text)
            return []
        cells = [cell.strip() for cell in text.split("|")]
        if cells[0] == "Metadata" and len(cells) > 2:
            self._heads = _spread(cells)
            return []
        if not self._heads:
            return None
        if cells[0] == "Benchmark" and len(cells) == len(self._heads):
            self._names = list(zip(self._heads, map(_plain, cells), strict=True))
            return []
        if is_rule(text):
            return []
        if len(cells) != len(self._names):
            self._heads, self._names, bench.in_table = [], [], False
            return None
        return self._row(bench, line, cells)

    def _row(self, bench: Bench, line: Line, cells: Sequence[str]) -> Answer:
        """Counts wait for the latencies of the same benchmark."""
        figures = {}
        for name, cell in zip(self._names, cells, strict=True):
            ours, value = _COLUMNS.get(name), figure(cell)
            if ours is not None and value is not None:
                figures[ours[0]] = round(value * ours[1], 9)
        if not any(name.startswith("ttft_") for name in figures):
            self._counted[cells[0]] = figures
            return []
        if bench.figures:
            return NEW
        bench.in_table = True
        figures = dict(chain(self._counted.get(cells[0], {}).items(), figures.items()))
        settings = {**self._settings, "client": "guidellm", **_called(cells[0])}
        return bench.tell(line, dict(known(figures)), settings, self._words)


def _spread(cells: Sequence[str]) -> list[str]:
    """A heading stands over as many columns as bars follow it."""
    heads: list[str] = []
    for cell in cells:
        heads.append(_plain(cell) if cell else heads[-1])
    return heads


def _plain(cell: str) -> str:
    return " ".join(cell.lower().replace("(", " ").replace(")", " ").split())


def _called(benchmark: str) -> dict[str, object]:
    """`synchronous`, `concurrent@8`, `constant@2.50`: the load that a benchmark is named after."""
    found = _LOAD.fullmatch(benchmark)
    kind, value = (found["kind"], figure(found["value"] or "")) if found else ("", None)
    if kind == "synchronous":
        return {"concurrency": 1}
    return load(value, None) if kind == "concurrent" else load(None, value)
