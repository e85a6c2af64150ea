"""SGLang: one batch at a time, without a server (`bench_one_batch`) or against one.

    Warmup ...
    Prefill. latency: 0.08475 s, throughput:  12082.90 token/s
    Benchmark ...
    Prefill. latency: 0.04127 s, throughput:  24812.41 token/s
    Decode.  median latency: 0.00678 s, median throughput:    147.55 token/s
    Total. latency:  0.913 s, throughput:   1261.71 token/s

The trap: the same lines come first for the warm-up, and the throughput of the total counts prompt and output.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.serving.bench import Bench, Format
from assay.reading.reader import NEW, Answer, figure

_LINE = re.compile(
    r"(?P<what>Prefill|Decode|"
    r"Total)\.\s+(?P<median>median )?latency:\s*(?P<latency>[\d.]+) s,\s*(?:median )?throughput:\s*"
    r"(?P<rate>[\d.,]+) token/s"
)
_STEP = re.compile(r"Decode \d+\.|Decode\.\s+Batch size")
_PART = re.compile(r"(?P<part>Warmup|Benchmark) \.\.\.$")
_SERVER = re.compile(
    r"(?P<name>batch size|input_len|output_len|latency|input throughput|output throughput|ttft|last_ttft|"
    r"last generation throughput|overall throughput|input_throughput|output_throughput|"
    r"overall_throughput)\s*[:=]\s*(?P<value>[\d.,]+)(?: (?P<unit>s|ms|tok(?:en)?s?/s))?$"
)
_OF_SERVER = {"input throughput": "prompt_tokens_per_s", "output throughput": "output_tokens_per_s",
              "overall throughput": "total_tokens_per_s", "latency": "latency_ms", "ttft": "ttft_mean_ms"}  # fmt: skip


class OneBatch(Format):
    """A batch: how fast its prompt was read, and how fast it was answered."""

    anchors = (
        "prefill. ", "decode. ", "decode.", "total. latency", "warmup ...", "benchmark ...", "batch size:",
        "input throughput:", "output throughput:", "latency:", "input_len:", "output_len:", "overall throughput:",
    )  # fmt: skip

    def __init__(self) -> None:
        self._warming = False
        self._opened: dict[str, int] = {}

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        found = _PART.match(text)
        if found:
            if found["part"] == "Benchmark" and bench.figures:
                return NEW
            self._warming = found["part"] == "Warmup"
            return []
        if _STEP.match(text):
            return []
        found = _LINE.match(text)
        if found:
            return [] if self._warming else self._line(bench, line, found)
        found = _SERVER.match(text)
        return self._server(bench, line, found) if found else None

    def _line(self, bench: Bench, line: Line, found: re.Match[str]) -> Answer:
        rate, latency_ms = figure(found["rate"]) or 0.0, round(float(found["latency"]) * 1e3, 9)
        bench.likely_engine = "sglang"
        if found["what"] == "Prefill":
            return bench.tell(line, {"prompt_tokens_per_s": rate, "ttft_mean_ms": latency_ms})
        if found["what"] == "Total":
            return bench.tell(line, {"total_tokens_per_s": rate, "latency_ms": latency_ms})
        if not found["median"]:
            return []  # of one step
        return bench.tell(line, {"output_tokens_per_s": rate, "itl_p50_ms": latency_ms})

    def _server(self, bench: Bench, line: Line, found: re.Match[str]) -> Answer:
        """`batch size: 16` opens it; without that line these words are anyone's."""
        name, value = found["name"].replace("_throughput", " throughput"), figure(found["value"]) or 0.0
        if name == "batch size":
            if bench.figures:
                return NEW
            self._opened = {"batch_size": int(value)}
            return bench.tell(line, settings=self._opened)
        if not self._opened or bench.settings.get("batch_size") != self._opened["batch_size"]:
            return None
        if name in ("input_len", "output_len"):
            return bench.tell(line, settings={name: int(value)})
        ours = _OF_SERVER.get(name)
        if ours is None or (found["unit"] is None and not bench.figures and name != "latency"):
            return []
        bench.likely_engine = "sglang"
        return bench.tell(line, {ours: round(value * 1e3, 9) if found["unit"] == "s" else value})
