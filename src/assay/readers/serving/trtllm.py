"""TensorRT-LLM: the report of `trtllm-bench`, and the lines of its older benchmark.

    = PERFORMANCE OVERVIEW
    Number of requests:             30000
    Average Input Length (tokens):  128.0000
    Token Throughput (tokens/sec):  3914.4509
    Total Latency (ms):             980980.5121
    -- Request Latency Breakdown (ms) -----------------------
    [Latency] P50    : 1234.5
    [BENCHMARK] model_name gpt_350m batch_size 1 input_length 60 output_length 20 … tokens_per_sec 484 latency(ms) 41.4

The trap: the total latency is how long the benchmark took, and of no request; `Token Throughput` counts what was
generated; a first block of a few requests is the warm-up.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.serving.bench import Bench, Format, read_number
from assay.readers.serving.labels import plain, statistic_of
from assay.reading.reader import NEW, Answer, figure

_TITLE = re.compile(
    r"=\s+(?P<title>(?:PYTORCH BACKEND|_?AUTODEPLOY BACKEND|ENGINE DETAILS|WORLD|REQUEST DETAILS|DATASET DETAILS|"
    r"(?:GENERAL|THROUGHPUT|LATENCY|PERFORMANCE) OVERVIEW|[A-Z]+ LATENCY BREAKDOWN|ACCEPTANCE BREAKDOWN)[\w +]*)"
)
_PAIR = re.compile(r"(?P<label>[A-Z][\w /+.\[\]-]{1,60}(?:\([^()]{0,30}\))?)\s*:\s*(?P<value>\S.*)$")
_BREAKDOWN = re.compile(
    r"\[(?P<what>Latency|TTFT|TPOT|GTL)\]\s*(?P<of>P\d+|MINIMUM|MAXIMUM|AVERAGE)\s*:\s*(?P<value>[\d.,]+)"
)
_OLD = re.compile(r"\[BENCHMARK\]\s+(?P<rest>\S.*)")
_OLD_PAIR = re.compile(r"(?<!\w)(?P<name>[a-z_]\w{2,40}(?:\([\w/]{1,12}\))?)\s+(?P<value>[\w./-]+)")
_FIGURES = {
    "number of requests": "requests", "request throughput req sec": "requests_per_s",
    "token throughput tokens sec": "output_tokens_per_s", "total output throughput tokens sec": "output_tokens_per_s",
    "total token throughput tokens sec": "total_tokens_per_s", "output throughput tokens sec": "output_tokens_per_s",
    "average request latency ms": "e2e_mean_ms", "average time to first token ttft ms": "ttft_mean_ms",
    "average time per output token tpot ms": "tpot_mean_ms", "total latency ms": "wall_s",
    "generation token throughput tokens sec": "output_tokens_per_s", "average time to first token ms": "ttft_mean_ms",
    "average inter token latency ms": "itl_mean_ms", "average ttft ms": "ttft_mean_ms",
}  # fmt: skip
_SETTINGS = {
    "average input length tokens": "input_len", "average output length tokens": "output_len",
    "number of concurrent requests": "concurrency", "concurrency": "concurrency", "number of requests": "num_prompts",
}  # fmt: skip
_OLD_FIGURES = {
    "tokens_per_sec": "output_tokens_per_s", "token_throughput(token/sec)": "output_tokens_per_s",
    "latency(ms)": "latency_ms", "percentile99(ms)": "latency_p99_ms", "seq_throughput(seq/sec)": "requests_per_s",
    "num_samples": "requests", "num_error_samples": "requests_failed",
}  # fmt: skip
_OLD_LATENCIES = {"sequence_latency": "e2e", "time_to_first_token": "ttft", "inter_token_latency": "itl"}
_OLD_STATISTICS = {"avg": "mean", "p50": "p50", "p90": "p90", "p99": "p99"}
_OLD_FIGURES |= {
    f"{statistic}_{printed}(ms)": f"{ours}_{of}_ms"
    for printed, ours in _OLD_LATENCIES.items()
    for statistic, of in _OLD_STATISTICS.items()
}
_OLD_SETTINGS = {"batch_size": "batch_size", "input_length": "input_len", "output_length": "output_len"}


class TrtLlm(Format):
    """The report of one benchmark."""

    anchors = (
        "engine details", "general overview", "throughput overview", "latency overview", "average inter-token",
        "world + runtime", "request details", "performance overview", "pytorch backend", "[latency]", "[ttft]",
        "[tpot]", "[benchmark]", "throughput (tokens/sec)", "throughput (req/sec)", "total latency (ms)",
        "average request latency", "average time-", "average input length", "average output length", "model:",
        "number of requests:", "number of concurrent", "tokens/sec)", "autodeploy backend", "dataset details",
    )  # fmt: skip

    def __init__(self) -> None:
        self._part = ""

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        found = _TITLE.match(text)
        if found:
            return self._title(bench, line, found["title"].lower())
        found = _OLD.search(text)
        if found:
            return self._old(bench, line, found["rest"])
        if not self._part:
            return None
        found = _BREAKDOWN.match(text)
        if found:
            return self._breakdown(bench, line, found)
        found = _PAIR.match(text)
        return self._pair(bench, line, found) if found else None

    def _title(self, bench: Bench, line: Line, title: str) -> Answer:
        if title.startswith(("engine", "pytorch", "autodeploy", "_autodeploy")) and bench.figures:
            return NEW
        self._part = title
        return bench.tell(line, words={"engine": "TensorRT-LLM"})

    def _pair(self, bench: Bench, line: Line, found: re.Match[str]) -> Answer:
        label, value = plain(found["label"]), found["value"]
        if label == "model":
            return bench.tell(line, words={"model": value.strip()})
        number = read_number(value)
        if number is None:
            return [] if label in _FIGURES else None
        settings = {_SETTINGS[label]: int(number) if number.is_integer() else number} if label in _SETTINGS else {}
        if "concurrency" in settings and settings["concurrency"] <= 0:
            settings = {}
        name = _FIGURES.get(label)
        if name is None:
            bench.settings.update(settings)
            return [bench.fact("param", line, None, settings)] if settings else None
        bench.inside = True
        return bench.tell(line, {name: round(number / 1e3, 9) if name == "wall_s" else number}, settings)

    def _breakdown(self, bench: Bench, line: Line, found: re.Match[str]) -> Answer:
        of = statistic_of(found["of"])
        what = {"Latency": "e2e", "TTFT": "ttft", "TPOT": "tpot"}.get(found["what"])
        value = figure(found["value"])
        if what is None or value is None or of not in ("mean", "p50", "p90", "p99"):
            return []
        return bench.tell(line, {f"{what}_{of}_ms": value})

    def _old(self, bench: Bench, line: Line, text: str) -> Answer:
        pairs = {found["name"]: found["value"] for found in _OLD_PAIR.finditer(text)}
        figures = {ours: float(pairs[name]) for name, ours in _OLD_FIGURES.items() if _is_number(pairs.get(name))}
        if "total_latency(ms)" in pairs and _is_number(pairs["total_latency(ms)"]):
            figures["wall_s"] = float(pairs["total_latency(ms)"]) / 1e3
        settings = {ours: int(pairs[name]) for name, ours in _OLD_SETTINGS.items() if str(pairs.get(name)).isdigit()}
        words = {"engine": "TensorRT-LLM"}
        words.update({"model": pairs["model_name"]} if "model_name" in pairs else {})
        return bench.tell(line, figures, settings, words) if figures or settings else []


def _is_number(text: str | None) -> bool:
    return text is not None and figure(text) is not None
