"""Results as objects, one to a line, as SGLang (`--output-file`) and llama-bench (`-o jsonl`) append them.

    {"backend": "sglang", "request_rate": 4.0, "completed": 996, "mean_ttft_ms": 2048.4, "output_throughput": 817.5, …}
    {"build_commit": "10e97801", "model_type": "gpt-oss 120B", "n_prompt": 512, "n_gen": 0,
    "avg_ts": 238.48, …}

The trap: a training log has objects, too. One counts that names at least two figures of serving.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping

from assay.lines import Line
from assay.model.values import number
from assay.readers.serving.bench import Bench, Format, Told, read_pair
from assay.readers.serving.documents import of_document
from assay.readers.serving.keyed import engine_of
from assay.readers.serving.labels import FIGURE, meaning, plain, statistic_of
from assay.readers.serving.llamacpp import read_row, read_timings
from assay.readers.serving.ollama import read_answer
from assay.readers.serving.vllm import of_vllm
from assay.reading.reader import NEW, Answer, figure

_FEWEST, _DEEPEST = 2, 4
_STATISTICS = ("avg", "mean", "p50", "p90", "p99", "median")
_LONGEST = 60_000
#: what only serving has: a training reports a rate of tokens, too
_OWN = re.compile(r"ttft_|tpot_|itl_|e2e_|requests|prompt_tokens|output_tokens|input_tokens|latency_")
_RATE_FLAG = re.compile(r"--(?P<name>request-rate|max-concurrency|num-prompts|model)[ =](?P<value>\S+)")
_ASKED = {"request-rate": "request_rate", "max-concurrency": "concurrency", "num-prompts": "num_prompts"}


class Objects(Format):
    """An object that a line holds."""

    anchors = (
        "ttft", "avg_ts", "output_throughput", "request_throughput", "inter_token_latency", "eval_duration",
        "predicted_per_second",
    )  # fmt: skip

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        if not (text.startswith("{") and text.rstrip(",").endswith("}")) or len(text) > _LONGEST:
            return None
        try:
            value = json.loads(text.rstrip(","))
        except (ValueError, RecursionError):
            return None
        told = next((one for one, _ in results(value)), None)
        if told is None:
            return None
        return NEW if bench.figures else bench.tell(line, *told)


def results(value: object, around: Mapping[str, object] | None = None, depth: int = 0) -> Iterator[tuple[Told, str]]:
    """Every result in an object, however deep, with the name it stands under; what stands around it holds for it."""
    if depth > 6:
        return
    if isinstance(value, list):
        for one in value[:10_000]:
            yield from results(one, around, depth + 1)
        return
    if not isinstance(value, dict):
        return
    known = of_document(value) if depth == 0 else []
    if known:
        yield from ((one, "") for one in known)
        return
    told = of_object(value, around or {})
    if told is not None:
        yield told, ""
        return
    for key, one in value.items():
        if isinstance(one, (dict, list)):
            about = {**(around or {}), **_scalars(value), **_configured(value, key)}
            for inner, name in results(one, about, depth + 1):
                yield inner, name or str(key)


def of_object(value: Mapping[str, object], around: Mapping[str, object]) -> Told | None:
    """What one object says, if it is a result."""
    flat = {str(key): one for key, one in value.items()}
    if "avg_ts" in flat and ("n_gen" in flat or "n_prompt" in flat):
        return read_row({key: "" if one is None else str(one) for key, one in flat.items()})
    answered = read_answer(flat) or read_timings(flat) or of_vllm(flat)
    if answered is not None:
        return answered[0], answered[1], {**_model_around(around), **answered[2]}
    figures: dict[str, float] = {}
    settings: dict[str, object] = {}
    words: dict[str, str] = {}
    default_ms = 1e3 if "completion_tokens" in flat else 1.0  # what an API says of one answer is in seconds
    for key, one in flat.items():
        for told in _members(key, one, default_ms):
            figures.update(told[0])
            settings.update(told[1])
            words.update(told[2])
    if len(figures) < _FEWEST or not any(_OWN.match(name) for name in figures):
        return None
    _asked(flat, settings, words)
    around = {**around, **_configured(value)}
    for key, one in around.items():
        told_around = read_pair(key, str(one)) if isinstance(one, (str, int, float)) else None
        if told_around is not None:
            settings = {**told_around[1], **settings}
            words = {**told_around[2], **words}
    _asked(around, settings, words)
    return figures, settings, _engine(words, flat)


def _model_around(around: Mapping[str, object]) -> dict[str, str]:
    model = around.get("model")
    return {"model": model} if isinstance(model, str) and model else {}


def _members(key: str, value: object, default_ms: float = 1.0) -> Iterator[Told]:
    """`"mean_ttft_ms": 12.3`, and `"time_to_first_token": {"unit": "ms", "avg": 12.3, "p99": 40.1}`."""
    if isinstance(value, Mapping):
        unit = str(value.get("unit", value.get("units", "")))
        for statistic in _STATISTICS:
            one = value.get(statistic)
            of = statistic_of(statistic) or ""
            told = read_pair(f"{key} {unit}", str(one), statistic=of) if number(one) is not None else None
            if told is not None:
                yield told
        inner = value.get("percentiles", value.get("quantiles"))
        if isinstance(inner, Mapping):
            yield from _members(key, {**inner, "unit": unit})
        return
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return
    known = meaning(key)
    if known is None or (known.kind == FIGURE and isinstance(value, str) and figure(value) is None):
        return
    told = read_pair(key, str(value), default_ms=default_ms)
    if told is not None:
        yield told


def _asked(flat: Mapping[str, object], settings: dict[str, object], words: dict[str, str]) -> None:
    """`"bench_args": "--model Qwen/… --request-rate 5"`: what the benchmark was called with."""
    for value in flat.values():
        for found in _RATE_FLAG.finditer(value) if isinstance(value, str) and "--" in value else ():
            value_of = figure(found["value"])
            if found["name"] == "model":
                words.setdefault("model", found["value"])
            elif value_of is not None and math.isfinite(value_of):
                settings.setdefault(_ASKED[found["name"]], int(value_of) if value_of.is_integer() else value_of)


def _engine(words: dict[str, str], flat: Mapping[str, object]) -> dict[str, str]:
    engine = words.get("engine")
    if engine is not None and "backend" in {plain(key) for key in flat}:
        known = engine_of(engine)
        words = {**words, "engine": known} if known else {k: v for k, v in words.items() if k != "engine"}
    return words


def _configured(value: Mapping[str, object], but: str = "", depth: int = 0) -> dict[str, object]:
    """What objects inside it say that hold no result: `input_config`, `args`, `test_info`, however deep."""
    found: dict[str, object] = {}
    for key, one in value.items():
        if key == but or depth >= _DEEPEST or not isinstance(one, Mapping) or any(name in one for name in _STATISTICS):
            continue
        if of_object(one, {}) is None:
            found.update({**_configured(one, "", depth + 1), **_scalars(one)})
    return found


def _scalars(value: Mapping[str, object]) -> dict[str, object]:
    """Single values, and lists of one: `"model_names": ["org/Some-7B"]`."""
    single = {str(key): one[0] if isinstance(one, list) and len(one) == 1 else one for key, one in value.items()}
    return {key: one for key, one in single.items() if isinstance(one, (str, int, float))}
