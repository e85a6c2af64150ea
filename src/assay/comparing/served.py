"""Whether the requests of two groups were equal work: it decides which of their figures can be compared.

Five requests of 206 tokens against five of 154 were once called a server 2.2 times as fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from assay.comparing.groups import Group
from assay.comparing.rows import Row
from assay.units import show_number

#: mean lengths this far apart are other work
_APART = 1.1
#: a p99 of so many times the requests lies elsewhere
_MORE = 1.5
#: figures that depend on the length of the answers, on that of the prompts as well, and on the load as well
_BY_OUTPUT = ("e2e_", "requests_per_s", "output_tokens_per_s", "total_tokens_per_s", "prompt_tokens_per_s")
_BY_INPUT = (*_BY_OUTPUT, "ttft_")
_BY_LOAD = (*_BY_INPUT, "tpot_", "itl_")
_TAIL = "_p99_ms"
_RATES = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s", "prompt_tokens_per_s")
_KINDS = ("ttft", "tpot", "itl", "e2e")


def told_by_others(groups: Sequence[Group]) -> set[str]:
    """Figures of requests that say again what others say of every group: at equal work all rates go together, and a
    median says more than a mean that a few slow requests move.
    """
    rates = [name for name in _RATES if any(group.sample(name) for group in groups)]
    best = next((name for name in rates if _in_all(groups, name)), None)
    told = {name for name in rates if best and name != best}
    for kind in _KINDS:
        if _in_all(groups, f"{kind}_p50_ms", f"{kind}_mean_ms"):
            told.add(f"{kind}_mean_ms")
    if _in_all(groups, "tpot_p50_ms", "itl_p50_ms"):
        told |= {"itl_mean_ms", "itl_p50_ms", "itl_p99_ms"}
    return told


def _in_all(groups: Sequence[Group], name: str, among: str = "requests_per_s") -> bool:
    """Whether all groups that have one figure have the other, and there are some."""
    sampled = [group for group in groups if group.sample(name) or group.sample(among)]
    return bool(sampled) and all(group.sample(name) for group in sampled)


def is_one_server(groups: Sequence[Group]) -> bool:
    """Then lengths that differ are what is studied, and not what spoils the comparison."""
    runs = [(_value(row, "url"), row.summary) for group in groups for row in group.rows]
    return len({(url, one.model, one.engine, one.system, one.device) for url, one in runs}) < 2


def unequal_requests(figure: str, group: Group, other: Group, *, one_server: bool) -> str:
    """Why a figure of two groups is not compared, and what would make it comparable; empty where it is."""
    if not figure.startswith(_BY_LOAD):
        return ""
    loops = {_known(one, _loop) for one in (group, other)}
    if loops == {"closed", "open"}:
        return "not compared: a closed loop against an open one; set concurrency for both, or request_rate for both"
    if not one_server and (other_load := _other_load(group, other)):
        return other_load
    if figure.startswith(_BY_OUTPUT) and {_generates(one) for one in (group, other)} == {False, True}:
        return "not compared: one of them generates text and the other does not"
    return ("" if one_server else _other_lengths(figure, group, other)) or _other_tail(figure, group, other)


def _other_load(group: Group, other: Group) -> str:
    for name, called in (("concurrency", "a concurrency"), ("request_rate", "a request rate")):
        a, b = (_mean([_number(row, name) for row in one.rows]) for one in (group, other))
        if a and b and a != b:
            return f"not compared: {called} of {_shown(a)} against {_shown(b)}; give both the same load"
    return ""


def _other_lengths(figure: str, group: Group, other: Group) -> str:
    for called, kind, figures in (("prompt", "input", _BY_INPUT), ("output", "output", _BY_OUTPUT)):
        a, b = (_mean([_length(row, kind) for row in one.rows]) for one in (group, other))
        if a and b and max(a, b) > _APART * min(a, b) and figure.startswith(figures):
            both = f"{_shown(a)} against {_shown(b)} {called} tokens per request"
            return f"not compared: {both}; ask both for the same {kind}_len"
    return ""


def _other_tail(figure: str, group: Group, other: Group) -> str:
    a, b = (_mean([row.summary.requests for row in one.rows]) for one in (group, other))
    if not figure.endswith(_TAIL) or not a or not b or max(a, b) <= _MORE * min(a, b):
        return ""
    return f"not compared: a p99 of {_shown(a)} requests against one of {_shown(b)}; send the same number"


def _loop(row: Row) -> str | None:
    """`closed`, `open`, or not known."""
    if "request_rate" in row.settings:
        return "open"
    return "closed" if "concurrency" in row.settings else None


def _known(group: Group, of: Callable[[Row], str | None]) -> str | None:
    """What all runs of a group have."""
    found = {of(row) for row in group.rows}
    return found.pop() if len(found) == 1 else None


def _generates(group: Group) -> bool | None:
    """Whether it generates tokens; None if unknown, because a benchmark need not count them."""
    if all(row.summary.output_tokens for row in group.rows):
        return True
    return False if all("latency_ms" in row.figures for row in group.rows) else None


def _length(row: Row, kind: str) -> float | None:
    """Tokens of a request on average, else what was asked for."""
    summary = row.summary
    tokens = summary.output_tokens if kind == "output" else summary.input_tokens
    if tokens and summary.requests:
        return tokens / summary.requests
    return _number(row, f"{kind}_len")


def _mean(values: Sequence[float | None]) -> float | None:
    """Where all are known."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def _value(row: Row, name: str) -> object:
    return row.settings[name].value if name in row.settings else None


def _number(row: Row, name: str) -> float | None:
    value = _value(row, name)
    return float(value) if isinstance(value, (int, float)) else None


def _shown(value: float) -> str:
    return show_number(float(f"{value:.4g}"))
