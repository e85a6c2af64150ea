"""The reader of serving benchmarks: it asks the formats in the table below, in their order."""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.counted import without_rank
from assay.readers.serving.bench import Bench, Format
from assay.readers.serving.genai import StatisticTable
from assay.readers.serving.guidellm import GuideLlm
from assay.readers.serving.keyed import Keyed
from assay.readers.serving.llamacpp import LlamaCpp
from assay.readers.serving.llmperf import LlmPerf
from assay.readers.serving.lmdeploy import LmDeploy
from assay.readers.serving.mlperf import LoadGen
from assay.readers.serving.mlx import Mlx
from assay.readers.serving.objects import Objects
from assay.readers.serving.ollama import Ollama
from assay.readers.serving.plain import Plain
from assay.readers.serving.records import Records
from assay.readers.serving.sglang import OneBatch
from assay.readers.serving.tgi import Tgi
from assay.readers.serving.triton import PerfAnalyzer
from assay.readers.serving.trtllm import TrtLlm
from assay.readers.serving.vllm import Vllm
from assay.reading.reader import Answer, Reader

#: the more particular first
FORMATS: tuple[type[Format], ...] = (
    Vllm, TrtLlm, OneBatch, LoadGen, PerfAnalyzer, LlmPerf, LlamaCpp, Ollama, Mlx, LmDeploy, GuideLlm, Tgi,
    StatisticTable, Records, Objects, Keyed, Plain,
)  # fmt: skip
#: `INFO 03-14 08:01:02 [serve.py:123] `, `2025-06-01 08:01:02,123 - INFO - `: who prints, and when
_LOGGER = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]*Z?\]?\s*(?:[-|:]\s*)?)?"
    r"(?:(?:\(\w+ pid=\d+\)\s*)?(?:INFO|WARNING|DEBUG)\b(?:\s+\d\d-\d\d \d\d:\d\d:\d\d)?(?:\s+\[[\w./]+:\d+\])?"
    r"\s*[-|:]?\s*)?"
)
_QUOTE = re.compile(r"\s*(?:>\s?|[-*+]\s(?=\S))+")


class Serving(Bench):
    """One measurement of a server or an engine."""

    name = "serving"
    system = "generic"
    anchors = tuple(dict.fromkeys(anchor for form in FORMATS for anchor in form.anchors))

    def __init__(self, formats: tuple[Format, ...] | None = None) -> None:
        super().__init__()
        self._formats = formats or tuple(form() for form in FORMATS)

    def read(self, line: Line) -> Answer:
        text = bare(line.text)
        for form in self._formats:
            answer = form.read(self, line, text)
            if answer is not None:
                return answer
        return None

    def heir(self) -> Reader:
        """The run that follows in the same output: the same formats in the middle of their tables, the same names."""
        heir = Serving(self._formats)
        heir.inherited, heir.system, heir.in_table = dict(self.words), self.system, self.in_table
        return heir


def bare(text: str) -> str:
    """Without what a logger, a rank or a list puts before a line."""
    text = without_rank(text)
    found = _LOGGER.match(text)
    text = text[found.end() :] if found else text
    found = _QUOTE.match(text)
    return (text[found.end() :] if found else text).strip()
