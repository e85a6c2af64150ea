"""Lines that are objects, read one by one: whose they are, and what stands before them.

{'loss': 0.512, 'epoch': 0.24}            12%|█▏  | 60/500 [00:10<01:20]{'loss': 0.512, 'epoch': 0.24}
:::MLLOG {"key": "eval_accuracy", …}      {"event": "line", "data": "loss: 0.3"}          of milabench
"""

from __future__ import annotations

from typing import NamedTuple

from assay.readers.counted import counts
from assay.readers.objects import MARK, OBJECT_BEHIND, behind_bar, done_of, parse_object, read_nvidia, told_of
from assay.readers.told import Told
from assay.readers.training.milabench import Milabench, is_event
from assay.readers.training.mlperf import MARK as MLPERF_MARK
from assay.readers.training.mlperf import MLPerf


class Said(NamedTuple):
    """What an object says: figures where more is known of them than it says, or a line that it passes on."""

    told: Told | None = None
    facts: dict[str, object] | None = None
    text: str | None = None  # of a bare object, whose like can be read by its places
    line: str | None = None


class ObjectLines:
    """Remembers what the objects of one run have said."""

    def __init__(self) -> None:
        self._mlperf, self._milabench = MLPerf(), Milabench()

    def begins_anew(self, text: str) -> bool:
        return MLPERF_MARK in text and self._mlperf.begins_anew(text)

    @staticmethod
    def is_one(text: str) -> bool:
        return text[-1] == "}" and (text[0] == "{" or OBJECT_BEHIND.search(text) is not None)

    def read(self, text: str) -> Said | None:
        """A JSON line, a Python dictionary as Hugging Face prints it, perhaps behind a bar or a logger's mark."""
        for mark, read in ((MLPERF_MARK, self._mlperf.read), (MARK, read_nvidia)):
            if mark in text:
                value = parse_object(text[text.index(mark) + len(mark) :].strip())
                told = read(value) if value is not None else None
                return None if told is None else Said(told)
        bar, before, text = behind_bar(text)
        value = parse_object(text)
        if value is None:
            return None
        if is_event(value):
            return self._event(value)
        told = told_of(value)
        if told is None:
            return None
        facts = dict(told.facts or told.results)
        facts = {**done_of(bar), **facts} if facts else facts
        if before and facts:
            counts(before, facts, {})
        return Said(told, facts, None if bar or before else text)

    def _event(self, value: dict[str, object]) -> Said | None:
        """A line of milabench: printed by the benchmark, or about it."""
        if value["event"] == "line" and isinstance(value["data"], str):
            return Said(line=value["data"])
        told = self._milabench.read(value)
        return None if told is None else Said(told)
