"""What a label of a serving benchmark means: which figure or setting, and what turns its unit into ours.

    Mean TTFT (ms)          p99_itl_ms          results_ttft_s_quantiles_p50      99.00 percentile latency (ns)
    Request throughput (req/s)      output_throughput      Avg. Output Token Throughput (tokens/sec)

The trap: prompt, output and total tokens are three things, one user's rate is not the server's, a peak is not a mean,
and seconds, milliseconds and nanoseconds differ only by the label.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

FIGURE, SETTING, WORD = "figure", "setting", "word"


class Meaning(NamedTuple):
    """`name` is ours; a value times `factor` is in our unit."""

    name: str
    factor: float = 1.0
    kind: str = FIGURE


_SPLIT = re.compile(r"[^a-z0-9.%µ]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
#: in milliseconds
_UNITS_MS = {"ms": 1.0, "msec": 1.0, "millisecond": 1.0, "milliseconds": 1.0, "s": 1e3, "sec": 1e3, "secs": 1e3,
             "second": 1e3, "seconds": 1e3, "us": 1e-3, "µs": 1e-3, "ns": 1e-6}  # fmt: skip
_STATISTIC = re.compile(
    r"\b(?:(?P<mean>mean|avg|average|avg\.)|(?P<median>median|med)|p_?(?P<p>\d{1,2}(?:\.\d+)?)|"
    r"(?P<percentile>\d{1,2}(?:\.\d+)?)(?:th|%)? ?(?:percentile|%ile|pct)\b|(?:percentile|"
    r"quantiles?) p?(?P<q>\d{1,2})\b|"
    r"(?P<other>std|stddev|stdev|std_dev|min|minimum|max|maximum|var|variance))\b"
)
_LATENCIES = (
    ("ttft", re.compile(r"\bttft\b|\btime to (?:the )?first(?: output)? token\b|\bfirst token (?:latency|time)\b")),
    ("tpot", re.compile(r"\btpot\b|\btime (?:per|to) output token\b|\btime per token\b")),
    ("itl", re.compile(r"\bitl\b|\binter ?token ?(?:latency|latencies|time|delay)?\b|\bintertoken\b")),
    ("e2e", re.compile(r"\be2e ?l?\b|\be2el\b|\bend to end\b|\brequest latency\b|\blatency per request\b")),
    ("latency", re.compile(r"\blatenc(?:y|ies)\b|\bresponse time\b")),
)
_NEVER = re.compile(
    r"\bper (?:user|gpu|device|request|chip|npu|query)\b|\b(?:user|gpu|device)$|\bpeak\b|\bmax(?:imum)?\b|"
    r"(?<!per )\bmin\b|\bconfigured\b|"
    r"\bsecond token\b|\bretokenized\b|\btarget\b|\bscheduled\b|\bgoodput\b|\bstd\w*\b|\bssd\b|\blast\b|\bmedian\b|"
    r"\bquantiles?\b|\bp\d\d?\b|\brequest output\b|\breason\w*\b|\bcached?\b|\bsla\b|\bdraft\b|\baccept\w*\b|"
    r"\bunit\b|\bper image\b|\berror rate\b"
)
#: the best second of a run, which is never below its mean
_PEAK = re.compile(r"^peak output token throughput\b")
_RATE = r"(?:throughput|tput|speed|rate|per (?:s|sec|second)|t s|tok s|token s|tokens s|toks s|tps|t/s|ts)"
_FIGURES = (
    ("requests_per_s", re.compile(
        r"\brequests? (?:throughput|rate reached)\b|\breq(?:uest)?s? (?:per )?(?:s|sec|second)$|\brps$|\bqps$|"
        r"\bqueries per sec(?:ond)?\b|\bcompleted requests per (?:min|minute|s|sec|second)\b|^throughput (?:req|"
        r"requests)"
        r"\b")),
    ("prompt_tokens_per_s", re.compile(
        rf"\b(?:input|prompt|prefill|pp|prompt eval(?:uation)?) (?:tokens? )?{_RATE}\b|"
        r"\binput tokens? per (?:s|sec|second)\b")),
    ("output_tokens_per_s", re.compile(
        rf"\b(?:output|generat(?:ion|ed)|decode|completion|gen|tg|eval) (?:tokens? )?{_RATE}\b|"
        r"\bmean output throughput\b")),
    ("total_tokens_per_s", re.compile(
        rf"\b(?:total|overall) (?:tokens? )?{_RATE}\b|\btokens? throughput total\b|\btotal tok(?:en)?s?(?: per)? s\b")),
    ("requests_failed", re.compile(
        r"\bfailed(?: requests)?$|\berrored requests$|\bnumber errors\b|\bnum errors\b|\berror request count\b|"
        r"\bfailed requests\b|\bunsuccessful requests\b")),
    ("requests", re.compile(
        r"\b(?:successful|completed|total) requests$|\bnum completed requests$|^completed$|\brequest count\b|"
        r"^number of requests$|\brequests completed$|\bnum(?:ber of)? (?:successful|completed) requests\b|"
        r"\bsuccessful requests\b|^complete requests$|^of req(?:uest)?s?\.?$")),
    ("input_tokens", re.compile(
        r"\btotal (?:num )?(?:input|prompt)(?: tokens?)?$|\bnum(?:ber of)? (?:prompt|input) tokens$|"
        r"\btotal isl$|^prompt tokens$|^total input tokens\b|\bprompt eval count$")),
    ("output_tokens", re.compile(
        r"\btotal (?:num )?(?:output|generated|generation|completion)(?: tokens?)?$|"
        r"\bnum(?:ber of)? (?:output|generated) tokens$|^completion tokens$|^total generated tokens\b|^eval count$|"
        r"\btotal osl$")),
    ("wall_s", re.compile(
        r"\b(?:benchmark|test|total)? ?duration\b|\bbenchmark (?:duration|time)\b|\belapsed time\b|^wall time\b|"
        r"^time taken for tests$")),
)  # fmt: skip
_SETTINGS = (
    ("io_len", re.compile(r"^input output length$")),
    ("request_rate", re.compile(
        r"\b(?:traffic )?request rate(?: configured)?(?: rps| req s)?$|^request rate\b|\bconstant rate\b")),
    ("concurrency", re.compile(
        r"\b(?:max(?:imum)? )?(?:request |request_)?concurrency$|\bnum concurrent requests$|^concurrent requests$|"
        r"^(?:concurrency|concurrent users?|users?)$|^clients?$|^max concurrency\b")),
    ("num_prompts", re.compile(r"\bnum(?:ber)?(?: of)? prompts\b")),
    ("input_len", re.compile(
        r"\b(?:input|prompt) ?(?:sequence )?len(?:gth)?\b|^isl\b|\bmean input tokens\b|^input tokens$|"
        r"\baverage input length\b|^prompt tokens per req$|^n prompt$|^num input token$")),
    ("output_len", re.compile(
        r"\b(?:output|gen(?:eration)?) ?(?:sequence )?len(?:gth)?\b|^osl\b|\bmean output tokens\b|^output tokens$|"
        r"\baverage output length\b|^decoded tokens per req$|^n gen$|^num output token$")),
    ("batch_size", re.compile(r"^(?:batch ?size|batch|bs)$")),
    ("ngl", re.compile(r"^(?:ngl|n gpu layers)$")),
    ("threads", re.compile(r"^(?:threads|n threads)$")),
)  # fmt: skip
_WORDS = (
    ("model", re.compile(r"^(?:model|model ?names?|model id|model type|served model name)$")),
    (
        "engine",
        re.compile(r"^(?:framework|backend|engine|inference (?:engine|framework)|serving (?:engine|framework))$"),
    ),
    ("device", re.compile(r"^(?:hardware|gpu|device|gpu (?:name|model|type|info)|accelerator|hw)$")),
)


@lru_cache(maxsize=4096)
def meaning(label: str, statistic: str = "") -> Meaning | None:
    """Of a label, with the statistic that its column names; None where it is none of ours."""
    text = plain(label)
    if not text or len(text) > 120:
        return None
    return _latency(text, statistic) or _other(text, statistic)


def plain(label: str) -> str:
    """`P99 Inter-Token Latency (ms)` → `p99 inter token latency ms`."""
    return " ".join(_SPLIT.split(_CAMEL.sub(" ", label).lower())).strip()


def statistic_of(text: str) -> str | None:
    """`mean`, `p50`, `p90`, `p99` or another name of ours for what a text calls a statistic; None where it is none."""
    found = _STATISTIC.search(text.lower().replace("_", " "))
    if found is None:
        return None
    if found["mean"]:
        return "mean"
    if found["median"]:
        return "p50"
    number = found["p"] or found["percentile"] or found["q"]
    if number:
        return f"p{float(number):g}"
    return found["other"]


def _latency(text: str, statistic: str) -> Meaning | None:
    if "throughput" in text or "tokens" in text.split() or "per sec" in text:
        return None
    for name, pattern in _LATENCIES:
        found = pattern.search(text)
        if found is None:
            continue
        of = statistic_of(text) or statistic or "mean"
        if of not in ("mean", "p50", "p90", "p99") or "second token" in text or "early stopping" in text:
            return None
        factor = next((_UNITS_MS[word] for word in text.split() if word in _UNITS_MS), 0.0)
        if name == "latency":
            return Meaning("latency_ms" if of == "mean" else f"latency_{of}_ms", factor)
        return Meaning(f"{name}_{of}_ms", factor)
    return None


def _other(text: str, statistic: str) -> Meaning | None:
    for name, pattern in _WORDS:
        if pattern.search(text):
            return Meaning(name, kind=WORD)
    bare = _without_average(text)
    if _PEAK.search(bare):
        return Meaning("output_tokens_per_s_peak")
    if statistic in ("", "mean") and not _NEVER.search(bare):
        for name, pattern in _FIGURES:
            if pattern.search(bare):
                return Meaning(name, 1 / 60 if re.search(r"\bper min(?:ute)?\b", text) else _seconds(name, text))
    if statistic in ("", "mean") and not re.search(r"\b(?:std\w*|range|ratio|p\d+)\b", bare):
        for name, pattern in _SETTINGS:
            if pattern.search(bare) or pattern.search(_without_unit(bare)):
                return Meaning(name, kind=SETTING)
    return None


def _without_average(text: str) -> str:
    return re.sub(r"\b(?:avg\.?|results|overall mean)(?: |$)", "", text).strip()


def _without_unit(text: str) -> str:
    return re.sub(r" (?:tokens?|rps|req s|reqs)$", "", text)


def _seconds(name: str, text: str) -> float:
    """Of a duration: the label's unit, else seconds."""
    if name != "wall_s":
        return 1.0
    return next((_UNITS_MS[word] / 1e3 for word in text.split() if word in _UNITS_MS), 1.0)
