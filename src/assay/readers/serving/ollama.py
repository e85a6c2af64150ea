"""Ollama: the statistics of `ollama run --verbose`, and the averages of benchmarks that are made of them.

    total duration:       20.197590291s
    load duration:        8.663264625s
    prompt eval count:    23 token(s)
    prompt eval rate:     153.52 tokens/s
    eval count:           737 token(s)
    eval rate:            65.00 tokens/s
    model_name =    mistral:7b
    Average of eval rate:  66.966  tokens/s
    {"model": "llama3.2", "done": true, "total_duration": 5043500667, "eval_count": 290, "eval_duration": 4709213000}

The trap: the answer stands before its statistics, drawn over by a spinner; only the first answer loads the model; and
where five prompts are averaged, the average is the model's rate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.lines import Line
from assay.model.values import number
from assay.readers.serving.bench import Bench, Format, Told
from assay.reading.reader import NEW, Answer, figure

_PAIR = re.compile(
    r"(?P<what>total duration|load duration|prompt eval count|prompt eval duration|prompt eval rate|eval count|"
    r"eval duration|"
    r"eval rate)\s*[:=]\s*(?P<value>\d[\d.a-zµ]{0,40})(?: tokens?(?:\(s\)|/s)?)?$"
)
#: the first of them stands at the end of the answer's last line
_LAST = 100
_CLOCK = re.compile(r"(?<![\d.])(?P<value>\d{1,12}(?:\.\d{1,12})?)(?P<unit>h|ms|µs|us|ns|m|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9}
_MODEL = re.compile(
    r"model_name\s*=\s*(?P<name>\S+)$|>>> ollama run (?P<run>\S+)|"
    r"(?:\$ )?ollama run (?:--verbose )?(?P<typed>[\w.:/-]+)"
)
_AVERAGE = re.compile(r"Average of eval rate:\s*(?P<value>[\d.]+)\s*tokens/s")
_API = ("eval_count", "eval_duration", "prompt_eval_count", "prompt_eval_duration", "total_duration")
_GPU = re.compile(r"gpu_info:\s*(?P<name>\S.*)$|\{'id': '\d+', 'name': '(?P<listed>[^']{3,60})', 'driver'")


class Ollama(Format):
    """One answer with its statistics, or the average of several."""

    anchors = ("duration:", "eval count", "eval rate", "model_name", "ollama run", "gpu_info:", "'driver'")

    def __init__(self) -> None:
        self._in_order = ""

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        found = _AVERAGE.match(text)
        if found:
            return self._average(bench, line, float(found["value"]))
        found = _PAIR.search(text[-_LAST:])
        if found:
            return self._pair(bench, line, found)
        found = _MODEL.match(text)
        if found:
            name = found["name"] or found["run"] or found["typed"]
            if bench.figures:
                return NEW
            return bench.tell(line, words={"model": name, "engine": "ollama"})
        found = _GPU.match(text)
        return bench.tell(line, words={"device": found["name"] or found["listed"]}) if found else None

    def _pair(self, bench: Bench, line: Line, found: re.Match[str]) -> Answer:
        what, value = found["what"], found["value"]
        if what == "total duration" and bench.figures:
            return NEW
        engine = {"engine": "ollama"}
        if what.endswith("duration"):
            return bench.tell(line, {"wall_s": _seconds(value)}, None, engine) if what == "total duration" else []
        amount = figure(value)
        if amount is None:
            return None
        if what == "eval rate" and not bench.figures:
            return []  # one prompt of several, whose average follows
        names = {"prompt eval count": "input_tokens", "prompt eval rate": "prompt_tokens_per_s",
                 "eval count": "output_tokens", "eval rate": "output_tokens_per_s"}  # fmt: skip
        return bench.tell(line, {names[what]: amount}, None, engine)

    def _average(self, bench: Bench, line: Line, rate: float) -> Answer:
        if bench.figures and "wall_s" not in bench.figures:
            return NEW
        if "wall_s" in bench.figures:
            return []  # of the answers above, which are runs of their own
        return bench.tell(line, {"output_tokens_per_s": rate}, None, {"engine": "ollama"})


def read_answer(value: Mapping[str, object]) -> Told | None:
    """An answer of its API, whose durations are nanoseconds; None where the object is none."""
    known = {name: one for name in _API if (one := number(value.get(name))) is not None}
    if "eval_count" not in known or not known.get("eval_duration"):
        return None
    figures = {"output_tokens": known["eval_count"], "output_tokens_per_s": _rate(known, "eval")}
    if known.get("prompt_eval_count") and known.get("prompt_eval_duration"):
        figures |= {"input_tokens": known["prompt_eval_count"], "prompt_tokens_per_s": _rate(known, "prompt_eval")}
    if "total_duration" in known:
        figures["wall_s"] = round(known["total_duration"] / 1e9, 9)
    model = value.get("model")
    return figures, {}, {"engine": "ollama", **({"model": model} if isinstance(model, str) and model else {})}


def _rate(known: Mapping[str, float], what: str) -> float:
    return round(known[f"{what}_count"] / (known[f"{what}_duration"] / 1e9), 6)


def _seconds(text: str) -> float:
    """`1m20.197590291s`, `312.4ms`."""
    return round(sum(float(one["value"]) * _SECONDS[one["unit"]] for one in _CLOCK.finditer(text)), 9)
