"""Blocks of labels and values, as vLLM, SGLang and all that copied them print their results.

    ============ Serving Benchmark Result ============
    Backend:                                 sglang
    Successful requests:                     996
    Benchmark duration (s):                  262.38
    Output token throughput (tok/s):         831.83
    ---------------Time to First Token----------------
    Mean TTFT (ms):                          1955.72
    ==================================================

The trap: a page may show the block with `xxx.xx` in place of every figure; that is not a run. What the server prints
between two blocks is its moving average, and not a run either.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.serving.bench import Bench, Format, read_number, read_pair
from assay.reading.reader import NEW, Answer

_HEAD = re.compile(r"(?:[=#*]{2,}|-{4,})\s*(?P<title>[A-Za-z][\w /()]{0,60})\s*[=#*-]{2,}$")
_CLOSED = re.compile(r"={20,}$")
_PAIR = re.compile(r"(?P<label>[A-Za-z#][^:=|]{1,70}?(?:\([^()]{0,40}\))?)\s*(?::|=|\s{3,})\s*(?P<value>\S.*)$")
_ENGINES = {"vllm": "vllm", "sglang": "sglang", "sglang-native": "sglang", "sglang-oai": "sglang", "tgi": "tgi",
            "lmdeploy": "lmdeploy", "trt": "tensorrt-llm", "tensorrt-llm": "tensorrt-llm", "gserver": "gserver",
            "truss": "truss", "deepspeed-mii": "deepspeed-mii", "scalellm": "scalellm", "ollama": "ollama",
            "llama.cpp": "llama.cpp", "sglang-oai-chat": "sglang", "vllm-chat": "vllm", "lmdeploy-chat": "lmdeploy",
            "mii": "deepspeed-mii", "hf": "transformers"}  # fmt: skip


def engine_of(backend: str) -> str | None:
    """`openai-chat` is a protocol, and names no engine."""
    return _ENGINES.get(backend.strip("'\"").lower())


class Keyed(Format):
    """A block that says what it is, line by line until it is closed."""

    anchors = (
        "benchmark result", "successful requests", "ttft", "tpot", "itl", "e2e", "e2el", "throughput (",
        "failed requests", "total input", "total generated", "benchmark duration", "request rate", "concurrency",
        "backend:", "retokenized", "====================",
    )  # fmt: skip

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        head = _HEAD.match(text)
        if head and "benchmark result" in head["title"].lower():
            return self._head(bench, head["title"].lower())
        if not bench.inside:
            return None
        if _CLOSED.match(text):
            bench.inside, bench.ended = not bench.figures, bool(bench.figures)
            return []
        found = _PAIR.match(text)
        if found is None:
            return None
        if found["label"].strip().lower() == "backend":
            engine = engine_of(found["value"])
            return bench.tell(line, words={"engine": engine}) if engine else []
        return self._pair(bench, line, found["label"], found["value"])

    def _head(self, bench: Bench, title: str) -> Answer:
        if bench.figures:
            return NEW
        bench.inside = True
        bench.likely_engine = "sglang" if "offline" in title else "vllm"
        return []

    def _pair(self, bench: Bench, line: Line, label: str, value: str) -> Answer:
        number = read_number(value)
        if number is None:
            return []  # a placeholder
        if label.strip().lower() == "concurrency":
            return []  # what SGLang found on average
        told = read_pair(label, value)
        return [] if told is None or told[2] else bench.tell(line, *told)
