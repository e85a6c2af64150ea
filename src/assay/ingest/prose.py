"""Runs that only prose tells of: a sentence, a list item, a row of a table with figures in it.

    The first run (batch size 1024) ended at step 1,000 with a loss of 7.07812 … It processed 1024000 samples in 211.2 s
    1. Learning rate = 0.03, epoch = 10, batch_size = 8 ---> test data accuracy 96.62%
    Average CPU usage: 542.10 %, Average memory usage: 2742.22 MB                             (of a psrecord log)

The trap: a sentence that compares (`98.06 %, 98.16 % and 98.67 % respectively`) is not a run, and one that repeats a
log's figures is that run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from assay.ingest.bounded import KEPT, Bounded
from assay.readers.base import figure, fraction

_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_FIRST_NUMBER = Bounded(_NUMBER)
_PER_S = r"(?:samples|sequences)\s*(?:/|per)\s*s"
_MIB, _GIB = 1024.0**2, 1024.0**3
_UNITS = {"mb": _MIB, "mib": _MIB, "gb": _GIB, "gib": _GIB}

#: no pattern for a figure fits where none of these words stands
_WORDS = {
    "accuracy": ("accurac",),
    "step": ("step",),
    "samples_per_s_avg": ("rate", "throughput"),
    "samples_per_s": ("rate", "throughput"),
    "loss": ("loss",),
    "samples": ("sample",),
    "train_s": ("sample",),
    "cpu_pct": ("cpu",),
    "rss_bytes": ("memory",),
    "wall_s": ("time", "completed", "finished"),
}
_DIGIT = re.compile(r"\d")
#: (name, pattern, from its match to a value)
_FIGURES: tuple[tuple[str, Bounded, Callable[[re.Match[str]], float | None]], ...] = (
    (
        "accuracy",
        Bounded(rf"(?i)accurac(?:y|ies)\b[^.\d%<>]{{0,45}}?(?:[=:>~≈]|\bof\b|\bis\b|\bwas\b|\bto\b|\s)\s*(?P<v>{_NUMBER})\s*%"),
        lambda m: _percent(m["v"]),
    ),
    (
        "accuracy",
        Bounded(rf"(?i)(?<![\d,])(?P<v>{_NUMBER})\s*%\s+(?:\w+\s+){{0,2}}?accuracy"),
        lambda m: _percent(m["v"]),
    ),
    (
        "step",
        Bounded(rf"(?i)\bsteps?\b\s*(?:=|:|\bof\b|\s)?\s*(?P<v>{_NUMBER})(?!\s*(?:samples|seconds))"),
        lambda m: figure(m["v"]),
    ),
    (
        "samples_per_s_avg",
        Bounded(rf"(?i)(?:global|average|avg\.?|overall)\s*(?:rate|throughput)\b[^.\d]{{0,20}}(?P<v>{_NUMBER})\s*(?:samples|sequences)\s*(?:/|per)\s*s"),
        lambda m: figure(m["v"]),
    ),
    (
        "samples_per_s",
        Bounded(rf"(?i)(?<!global )(?<!average )\b(?:rate|throughput)\b[^.\d]{{0,20}}(?P<v>{_NUMBER})\s*{_PER_S}"),
        lambda m: figure(m["v"]),
    ),
    (
        "loss",
        Bounded(rf"(?i)\bloss\b[^.\d]{{0,15}}(?P<v>{_NUMBER})(?!\d|\s*(?:%|n?tasks?\b|epochs?\b|steps?\b|nodes?\b))"),
        lambda m: figure(m["v"]),
    ),
    (
        "samples",
        Bounded(rf"(?i)(?<![\d,])(?P<v>{_NUMBER})\s+(?:training\s+)?samples?\b(?!\s*(?:/|per))"),
        lambda m: figure(m["v"]),
    ),
    (
        "train_s",
        Bounded(rf"(?i)samples?\s+in\s+(?P<v>{_NUMBER})\s*(?:s|sec|seconds)\b"),
        lambda m: figure(m["v"]),
    ),
    (
        "cpu_pct",
        Bounded(rf"(?i)\bcpu\s+(?:usage|utili[sz]ation|load)\s*(?:is|was|of|:|=|at|~|\s|\(%\))*\s*(?P<v>{_NUMBER})\s*%"),
        lambda m: figure(m["v"]),
    ),
    (
        "rss_bytes",
        Bounded(
            rf"(?i)\b(?:average\s+memory|memory\s+(?:usage|consumption|use))\b(?:,?\s*which\s+on\s+average)?\s*"
            rf"(?:is|was|of|:|=|at|~|\s)*\s*"
            rf"(?P<v>{_NUMBER})\s*(?P<unit>[MG]i?B)\b"
        ),
        lambda m: (figure(m["v"]) or 0) * _UNITS[m["unit"].lower()],
    ),
    (
        "wall_s",
        Bounded(
            rf"(?i)\b(?:(?:completion|execution|running|run)\s+time\b(?:[^.:]{{0,20}}:|.{{0,140}}?\b(?:is|was)\b)|"
            rf"(?:completed|finished)\s+(?:in|after)\b)\s*~?\s*(?P<v>{_NUMBER})\s*"
            r"(?:s|sec|seconds)\b"
        ),
        lambda m: figure(m["v"]),
    ),
)  # fmt: skip
_SEVERAL = Bounded(
    rf"(?i)(?<![\d,]){_NUMBER}\s*%\s*(?:,|and|to|&|then)+\s*(?:and\s+|finally\s+)?{_NUMBER}\s*%|respectively"
)
_UNREAL = Bounded(
    r"(?i)\bwould\b|\bexpected? to\b|\bestimate|\bpredict|\bshould\b|\bmight\b|\bcould\b|\bif i\b|\bassum"
)
_CHANGE = Bounded(
    r"(?i)\b(?:increas|decreas|drop|improv|reduc|differ|gain|los[et]|chang|rais|lower|higher|bett|wors|more|less|up|down)\w*\b"
)
_REACHED = Bounded(r"(?i)(?:\bto|[=:>])\s*~?$")
_VAGUE = Bounded(r"(?i)(?:\bby|\babout|\bslightly|\baround|\broughly|\bonly|\bsome|~|\()\s*~?$")
_EXAMPLE = Bounded(r"(?i)\(e\.g\.,?\s*(?P<inner>[^)]*)\)")


def figures(text: str) -> dict[str, float]:
    """Figures of one run that a line of prose gives; nothing if it speaks of several, or of what might be."""
    return dict(_told(text)) if _DIGIT.search(text) else {}


@lru_cache(maxsize=KEPT)
def _told(text: str) -> Mapping[str, float]:
    example = _EXAMPLE.search(text)
    if _UNREAL.search(text) and example:
        text = example["inner"]
    elif _UNREAL.search(text):
        text = ". ".join(part for part in re.split(r"(?<=[.!?])\s+", text) if not _UNREAL.search(part))
    if _SEVERAL.search(text):
        return {}
    found: dict[str, float] = {}
    lower = text.lower()
    for name, pattern, convert in _FIGURES:
        match = pattern.search(text) if any(word in lower for word in _WORDS[name]) else None
        if match is None or name in found or _is_change(text, match):
            continue
        value = convert(match)
        if value is not None:
            found[name] = value
    return found


def _is_change(text: str, match: re.Match[str]) -> bool:
    """`the CPU usage drops by 28 %` is a difference, not a figure of the run; `increased to 98 %` is one."""
    before = text[: match.start("v")]
    gap, sentence = before[match.start() :], re.split(r"(?<=[.!?])\s", before)[-1]
    if _REACHED.search(gap):
        return False
    return _CHANGE.search(gap) is not None or (_VAGUE.search(gap) is not None and _CHANGE.search(sentence) is not None)


def _percent(text: str) -> float | None:
    value = figure(text)
    return None if value is None or value > 100 else fraction(value)


#: enough of a result to be a run of its own
RESULTS = ("accuracy", "loss", "cpu_pct", "rss_bytes", "samples_per_s", "samples_per_s_avg", "train_s")


def table_row(header: list[str], cells: list[str]) -> tuple[dict[str, float], dict[str, Any]]:
    """(figures, settings) of a row, by the heads of its columns."""
    found: dict[str, float] = {}
    settings: dict[str, Any] = {}
    for head, cell in zip(header, cells, strict=False):
        number = _FIRST_NUMBER.search(cell)
        value = figure(number[0]) if number else None
        if value is None:
            continue
        name = _column(head)
        if name in _SETTING_COLUMNS:
            settings[name] = int(value) if value.is_integer() and name != "lr" else value
        elif name:
            measured = _in_our_unit(name, value, head, cell)
            found.update({} if measured is None else {name: measured})
    if not {"cpu_pct", "rss_bytes"} & found.keys():
        found.pop("wall_s", None)  # what else a column of seconds covers is not known
    return found, settings


@lru_cache(maxsize=1024)
def _column(head: str) -> str:
    """What a column holds, by its head: every row of a table asks."""
    return next((name for pattern, name in _COLUMNS if pattern.search(head)), "")


def lies_on_its_side(header: list[str], rows: list[list[str]]) -> bool:
    """A column a run: `Batch size | 512 | 1024` over `Loss | 7.12 | 7.10`."""
    setting = any(pattern.search(header[0]) and name in _SETTING_COLUMNS for pattern, name in _COLUMNS)
    values = header[1:]
    return (
        setting
        and len(values) >= 2
        and all(_FIRST_NUMBER.fullmatch(value) for value in values)
        and all(len(row) == len(header) and not row[0][:1].isdigit() and row[0][:1] != "." for row in rows)
    )


def _in_our_unit(name: str, value: float, head: str, cell: str) -> float | None:
    """By the unit in the column's head or in the cell; None where it has to have one, and has none that we know."""
    if name == "accuracy":
        return value / 100 if "%" in cell or "%" in head or value > 1 else value
    if name not in _UNIT:
        return value
    unit = _UNIT[name].search(cell) or _UNIT[name].search(head)
    return value * _UNITS.get(unit[1].lower(), 1.0) if unit else None


_UNIT = {
    "cpu_pct": Bounded(r"(%|\bpercent\b)"),
    "rss_bytes": Bounded(r"(?i)(?<![a-z])([MG]i?B)\b"),
    "wall_s": Bounded(r"(?i)(?<![a-z])(s|secs?|seconds)\b"),
}

_SETTING_COLUMNS = {"batch_size", "lr", "epochs", "num_tasks", "seq_len"}
_COLUMNS = tuple(
    (Bounded(f"(?i){pattern}"), name)
    for pattern, name in (
        (
            r"\b(?:increase|decrease|change|gain|improvement|reduction|difference|drop|speed-?up|relative|ratio|"
            r"efficiency)\b|Δ",
            "ignored",  # worked out from other columns
        ),
        (r"test.?batch", "ignored"),
        (r"batch", "batch_size"),
        (r"learning.?rate|\blr\b", "lr"),
        (r"tasks", "num_tasks"),
        (r"seq", "seq_len"),
        (r"accuracy|\bacc\b", "accuracy"),
        (r"loss", "loss"),
        (r"\b(?:max|peak|min)\w*\b.*(?:cpu|mem)|(?:cpu|mem)\w*\b.*\b(?:max|peak|min)|\bvirtual\b", "ignored"),
        (r"\bcpu\b(?!.*(?:time|\(s\)|seconds))", "cpu_pct"),
        (r"\bmem(?:ory)?\b|\brss\b", "rss_bytes"),
        (r"global.?rate|avg.*(?:through|rate)|average.*(?:through|rate)", "samples_per_s_avg"),
        (r"tok(?:en)?s?\s*/|tokens per", "tokens_per_s"),
        (r"throughput|samples|rate", "samples_per_s"),
        (r"epochs?", "epochs"),
        (r"steps?", "step"),
        (r"latency", "latency_ms"),
        (r"\bips\b|inferences", "inferences_per_s"),
        (r"\btime\b|\bduration\b|\bseconds\b", "wall_s"),
    )
)
