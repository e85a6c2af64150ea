"""MLX: what `mlx_lm.generate` prints after an answer, and `mlx_lm.benchmark` at its end.

    Prompt: 9 tokens, 62.311 tokens-per-sec
    Generation: 256 tokens, 38.902 tokens-per-sec
    Peak memory: 4.231 GB
    Averages: prompt_tps=4123.1, generation_tps=88.4, peak_memory=4.913

The trap: the benchmark prints a line of the same form for each trial before its averages.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.serving.bench import Bench, Format
from assay.reading.reader import NEW, Answer

_PART = re.compile(r"(?P<part>Prompt|Generation): (?P<tokens>\d+) tokens, (?P<rate>[\d.]+) tokens-per-sec$")
_AVERAGES = re.compile(r"Averages: prompt_tps=(?P<prompt>[\d.]+), generation_tps=(?P<output>[\d.]+)")
_NAMES = {"Prompt": ("input_tokens", "prompt_tokens_per_s"), "Generation": ("output_tokens", "output_tokens_per_s")}


class Mlx(Format):
    """One answer, or the averages of several."""

    anchors = ("tokens-per-sec", "generation_tps=")

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        found = _AVERAGES.match(text)
        if found:
            bench.likely_engine = "mlx"
            rates = {"prompt_tokens_per_s": float(found["prompt"]), "output_tokens_per_s": float(found["output"])}
            return NEW if bench.figures else bench.tell(line, rates)
        found = _PART.match(text)
        if found is None:
            return None
        if found["part"] == "Prompt" and bench.figures:
            return NEW
        bench.likely_engine = "mlx"
        tokens, rate = _NAMES[found["part"]]
        return bench.tell(line, {tokens: int(found["tokens"]), rate: float(found["rate"])})
