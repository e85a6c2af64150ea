"""vLLM: what its benchmarks print beside the block of results, and what its server prints.

    Namespace(subparser='bench', bench_type='serve', seed=42, num_prompts=100, request_rate=5.0, model='Qwen/…', …)
    Traffic request rate: 5.0
    Throughput: 5.35 requests/s, 2735.50 total tokens/s, 1369.41 output tokens/s
    Avg latency: 5.2564156893700105 seconds
    99% percentile latency: 5.273114479820046 seconds
    {"elapsed_time": 12.481, "num_requests": 1000, "requests_per_second": 80.12, "tokens_per_second": 33133.5, …}
    {"avg_latency": 1.2345, "latencies": [1.23, …], "percentiles": {"10": 1.231, …, "99": 1.2399}}
    INFO 09-02 13:08:10 [loggers.py:123] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: …

The trap: a Namespace holds the defaults of every data set: the lengths in it are of the one that was chosen. And the
averages of the server are of the last ten seconds, no result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from assay.lines import Line
from assay.model.values import number
from assay.readers.serving.bench import Bench, Format, Told
from assay.readers.serving.keyed import engine_of
from assay.reading.reader import NEW, Answer, figure

_SERVER = re.compile(
    r"Avg prompt throughput: |Avg generation throughput: |Decode batch\b.{0,200}gen throughput|"
    r"Prefill batch\b.{0,40}#new-"
)
_NAMESPACE = re.compile(r"(?:[\w ]{0,20}[=:]\s*)?Namespace\(|(?:server|bench)?_?args ?= ?\w+\(")
_MEMBER = re.compile(r"(?<![\w.])(?P<name>[a-z_]\w{0,60})=(?P<value>'[^']*'|\"[^\"]*\"|[^,()\s\[\]{}]+)")
_RATE = re.compile(r"Traffic request rate: (?P<value>[\d.]+|inf)\b")
_CONCURRENCY = re.compile(r"Maximum request concurrency: (?P<value>\d+|None)\b")
_THROUGHPUT = re.compile(
    r"Throughput: (?P<requests>[\d.,]+) requests/s, (?P<tokens>[\d.,]+) (?P<of>total |output )?tokens/s"
    r"(?:, (?P<output>[\d.,]+) output tokens/s)?"
)
_TOKENS = re.compile(r"Total num (?P<of>prompt|output) tokens:\s*(?P<value>\d+)")
_LATENCY = re.compile(
    r"(?:Avg latency|"
    r"(?P<percent>\d+(?:\.\d+)?)% percentile latency): (?P<value>[\d.]+(?:e-?\d+)?) ?(?P<unit>seconds|s|ms)\b"
)
#: by the data set, the members of a Namespace that give its lengths
_LENGTHS = {
    "random": ("random_input_len", "random_output_len"),
    "sonnet": ("sonnet_input_len", "sonnet_output_len"),
    "sharegpt": ("", "sharegpt_output_len"),
    "": ("input_len", "output_len"),
}


class Vllm(Format):
    """Lines of vLLM outside of the block."""

    anchors = (
        "avg prompt throughput", "avg generation throughput", "gen throughput", "namespace(", "traffic request rate",
        "maximum request concurrency", "requests/s", "total num prompt", "total num output", "avg latency",
        "percentile latency", "prefill batch", "args=", "args =",
    )  # fmt: skip

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        if _SERVER.search(text):
            return []
        if "num_prompts=" in text and _NAMESPACE.match(text):
            return self._namespace(bench, line, text)
        for pattern, name in ((_RATE, "request_rate"), (_CONCURRENCY, "concurrency")):
            found = pattern.match(text)
            if found and not bench.inside:
                return self._asked(bench, line, name, found["value"])
        found = _THROUGHPUT.match(text)
        if found:
            return self._throughput(bench, line, found)
        found = _TOKENS.match(text)
        if found:
            name = "input_tokens" if found["of"] == "prompt" else "output_tokens"
            return bench.tell(line, {name: int(found["value"])})
        found = _LATENCY.match(text)
        return self._latency(bench, line, found) if found else None

    def _asked(self, bench: Bench, line: Line, name: str, text: str) -> Answer:
        value = figure(text)
        if value is None or not math.isfinite(value):
            return NEW if bench.figures else []  # all at once, and as many as there are
        return bench.tell(line, settings={name: int(value) if name == "concurrency" else value})

    def _namespace(self, bench: Bench, line: Line, text: str) -> Answer:
        members = {found["name"]: found["value"].strip("'\"") for found in _MEMBER.finditer(text)}
        settings: dict[str, object] = {}
        named = {"num_prompts": "num_prompts", "request_rate": "request_rate", "max_concurrency": "concurrency"}
        data = members.get("dataset_name", members.get("dataset", "")).strip()
        lengths = _LENGTHS.get(data, ("", "")) if "dataset_name" in members else _LENGTHS[""]
        named.update({name: ours for name, ours in zip(lengths, ("input_len", "output_len"), strict=True) if name})
        for name, ours in named.items():
            value = figure(members.get(name, ""))
            if value is not None and math.isfinite(value):
                settings[ours] = int(value) if ours != "request_rate" else value
        words = {"model": members["model"]} if members.get("model", "None") != "None" else {}
        engine = engine_of(members.get("backend", ""))
        words.update({"engine": engine} if engine else {})
        return bench.tell(line, settings=settings, words=words)

    def _throughput(self, bench: Bench, line: Line, found: re.Match[str]) -> Answer:
        figures = {"requests_per_s": figure(found["requests"]) or 0.0}
        name = "output_tokens_per_s" if found["of"] == "output " else "total_tokens_per_s"
        figures[name] = figure(found["tokens"]) or 0.0
        if found["output"]:
            figures["output_tokens_per_s"] = figure(found["output"]) or 0.0
        bench.likely_engine = bench.likely_engine or "vllm"
        return bench.tell(line, figures)

    def _latency(self, bench: Bench, line: Line, found: re.Match[str]) -> Answer:
        percent = found["percent"]
        name = "latency_ms" if percent is None else f"latency_p{float(percent):g}_ms"
        if name not in ("latency_ms", "latency_p50_ms", "latency_p90_ms", "latency_p99_ms"):
            return []
        value = float(found["value"]) * (1.0 if found["unit"] == "ms" else 1e3)
        if percent is None:
            bench.likely_engine = bench.likely_engine or "vllm"
        return bench.tell(line, {name: round(value, 9)})


#: of the file that `vllm bench throughput` keeps
_KEPT = {"elapsed_time": "wall_s", "num_requests": "requests", "requests_per_second": "requests_per_s",
         "tokens_per_second": "total_tokens_per_s"}  # fmt: skip


def of_vllm(value: Mapping[str, object]) -> Told | None:
    """What `--output-json` of its throughput and its latency keeps; None where an object is neither."""
    figures = {ours: one for name, ours in _KEPT.items() if (one := number(value.get(name))) is not None}
    if figures.keys() >= {"requests_per_s", "total_tokens_per_s"}:
        return figures, {}, {"engine": "vllm"}
    mean_s, ranks = number(value.get("avg_latency")), value.get("percentiles")
    if mean_s is None or not isinstance(ranks, Mapping) or "latencies" not in value:
        return None
    tails = {f"latency_p{rank}_ms": number(ranks.get(rank)) for rank in ("50", "90", "99")}
    known = {"latency_ms": mean_s, **{name: one for name, one in tails.items() if one is not None}}
    return {name: round(one * 1e3, 9) for name, one in known.items()}, {}, {"engine": "vllm"}
