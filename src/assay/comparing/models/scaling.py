"""Throughput over processes or nodes: speed-up, efficiency, the serial share, and where more stops paying."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from assay.comparing.groups import Group
from assay.comparing.models.base import Model
from assay.comparing.models.combinations import Combination, combinations_of
from assay.comparing.models.line import Line, fit
from assay.comparing.rows import Row
from assay.stats import difference, ratio
from assay.units import show_number

#: what may be scaled, and what one of it is called
_OVER = {"num_nodes": "nodes", "num_procs": "processes", "num_tasks": "tasks"}
_EQUAL = 0.02
#: doubling that gives less than this share of twice the rate does not pay
_PAYS = 0.5


def scaling_model(groups: Sequence[Group]) -> list[Model]:
    """One for each combination of the other settings in which a number of processes varies."""
    for name in _OVER:
        found = [_model(one, name) for one in combinations_of(groups, name) if len(_rates(one.rows, name)) > 1]
        if found:
            return found
    return []


def _model(combination: Combination, name: str) -> Model:
    rates, kind = _rates(combination.rows, name), _kind(combination.rows, name)
    title, word = combination.title(f"{kind} scaling over {_OVER[name]}"), _OVER[name]
    counts = sorted(rates)
    first = counts[0]
    valid = (first, counts[-1])
    says = [_row(count, rates, first, word) for count in counts[1:]]
    figures: dict[str, object] = {
        "kind": kind,
        "over": name,
        "speed_up": {show_number(n): fmean(rates[n]) / fmean(rates[first]) for n in counts},
        "efficiency": {show_number(n): fmean(rates[n]) / fmean(rates[first]) * first / n for n in counts},
    }
    says.append(_stops_paying(counts, rates, word))
    serial, why = _serial(rates, first, kind)
    if serial is None:
        return Model(kind="scaling", title=title, holds=False, says=[*says, why], valid=valid, figures=figures)
    figures["serial_share"] = serial
    half = (1 + serial) / serial if serial > 0 else None
    law = "Amdahl" if kind == "strong" else "Gustafson"
    says.append(f"serial share {100 * serial:.2g} % ({law}'s law; {why})")
    if half is not None and kind == "strong":
        beyond = "" if half * first <= counts[-1] else ", an extrapolation"
        says.append(f"efficiency falls to 50 % at {show_number(round(half * first))} {word}{beyond}")
    return Model(kind="scaling", title=title, holds=True, says=says, valid=valid, figures=figures)


def _rates(rows: Sequence[Row], name: str) -> dict[float, list[float]]:
    found: dict[float, list[float]] = {}
    for row in rows:
        setting = row.settings.get(name)
        if setting and isinstance(setting.value, (int, float)) and setting.value > 0:
            rate = row.figures.get("samples_per_s") or row.figures.get("tokens_per_s")
            if rate:
                found.setdefault(float(setting.value), []).append(rate)
    return found


def _kind(rows: Sequence[Row], name: str) -> str:
    """Strong where the samples of a step stay the same, weak where they grow with the processes."""
    per_step: dict[float, set[float]] = {}
    for row in rows:
        steps, samples, setting = row.figures.get("steps"), row.figures.get("samples"), row.settings.get(name)
        if steps and samples and setting and row.summary.steps is not None:
            per_step.setdefault(float(setting.value), set()).add(samples / row.summary.steps)
    works = [(count, work) for count, found in per_step.items() for work in found]
    if len(per_step) > 1:
        total, share = [work for _, work in works], [work / count for count, work in works]
        if max(total) <= (1 + _EQUAL) * min(total):
            return "strong"
        if max(share) <= (1 + _EQUAL) * min(share):
            return "weak"
    return "throughput"


def _row(count: float, rates: dict[float, list[float]], first: float, word: str) -> str:
    found = ratio(rates[count], rates[first])
    share = found.value * first / count
    text = f"{show_number(count)} {word}: {found.value:.2f} × the rate of {show_number(first)}"
    if found.low is not None:
        text += f" (95 % interval {found.low:.2f}–{found.high:.2f})"
    return f"{text}, efficiency {100 * share:.0f} %"


def _stops_paying(counts: Sequence[float], rates: dict[float, list[float]], word: str) -> str:
    """By what was measured: the first step up that gives less than half of what it adds."""
    for before, after in pairwise(counts):
        gain = fmean(rates[after]) / fmean(rates[before]) - 1
        if gain < _PAYS * (after / before - 1):
            told = difference(rates[after], rates[before]).different
            doubt = " (too few repeats to be sure)" if told is None else ""
            step = f"from {show_number(before)} to {show_number(after)} {word}"
            return (
                f"stops paying {step}: {100 * gain:+.0f} % rate for {100 * (after / before - 1):+.0f} % {word}{doubt}"
            )
    return f"still pays at {show_number(counts[-1])} {word}, the most that was tried"


def _serial(rates: dict[float, list[float]], first: float, kind: str) -> tuple[float | None, str]:
    """From a line: time per sample against 1/p (Amdahl), or the speed-up against p (Gustafson)."""
    if kind == "throughput":
        return None, "serial share refused: the samples of a step are not known, so neither law applies"
    if kind == "strong":
        line = fit([(first / count, 1 / rate) for count, found in rates.items() for rate in found])
        serial = line.a / (line.a + line.c) if line else None
    else:
        base = fmean(rates[first])
        line = fit([(count / first, rate / base) for count, found in rates.items() for rate in found])
        serial = 1 - line.c if line else None
    if line is None or serial is None:
        return None, "serial share refused: two points fit any law; run a third"
    off = f"off by at most {100 * line.worst:.1f} %"
    if _misfits(line):
        return None, f"serial share refused: the law is off by up to {100 * line.worst:.1f} %"
    if not -0.02 <= serial <= 1:
        return None, "serial share refused: more than linear speed-up, which the law does not know"
    return max(0.0, serial), off


def _misfits(line: Line) -> bool:
    if line.p_fit is None:
        return line.worst > 0.05
    return line.p_fit < 0.05 and line.worst > 0.01
