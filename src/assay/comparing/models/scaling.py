"""Throughput over processes or nodes: speed-up, efficiency, the laws of scaling, and where more stops paying."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from assay.comparing.groups import Group
from assay.comparing.models.base import Model
from assay.comparing.models.combinations import Combination, combinations_of
from assay.comparing.models.laws import AMDAHL, GUSTAFSON, USL, Fitted, fitted
from assay.comparing.models.paying import Step, paying_words, steps_up
from assay.comparing.ratios import show_ends
from assay.comparing.rows import Row
from assay.stats import ratio
from assay.stats.linear import Quotient
from assay.units import show_number, show_rounded

#: what may be scaled, and what one of it is called
_OVER = {"num_nodes": "nodes", "num_procs": "processes", "num_tasks": "tasks"}
_EQUAL = 0.02


def scaling_model(groups: Sequence[Group]) -> list[Model]:
    """One for each combination of the other settings in which a number of processes varies."""
    for name in _OVER:
        found = [_model(one, name) for one in combinations_of(groups, name) if len(_rates(one.rows, name)) > 1]
        if found:
            return found
    return []


def _model(combination: Combination, name: str) -> Model:
    rates, kind, word = _rates(combination.rows, name), _kind(combination.rows, name), _OVER[name]
    counts, steps = sorted(rates), steps_up(rates)
    laws, why = _laws(kind, rates)
    says = paying_words(steps, word)
    for one in laws:
        says += _serial_words(one, word, counts[-1]) if one.law is not USL else _usl_words(one, word, counts[-1])
    return Model(
        kind="scaling",
        title=combination.title(f"{kind} scaling over {word}"),
        holds=bool(laws),
        says=[*says, *([why] if why else []), *(_row(count, rates, counts[0], word) for count in counts[1:])],
        valid=(counts[0], counts[-1]),
        figures={"kind": kind, "over": name, **_measured(rates, steps), **_told(laws)},
    )


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


def _laws(kind: str, rates: dict[float, list[float]]) -> tuple[list[Fitted], str]:
    """Those that hold, and why the first that was asked for does not.

    The universal law stands beside or instead of the other only where processes are shown to slow each other down.
    """
    law = {"strong": AMDAHL, "weak": GUSTAFSON}.get(kind)
    first = fitted(law, rates) if law else None
    misfit = first.misfit if first else ""
    universal = fitted(USL, rates)
    slows = universal is not None and not universal.misfit and (universal.agreeing.low or 0.0) > 0
    held = [one for one in (first,) if one and not misfit] if not slows else []
    held += [universal] if universal and slows else []
    if held:
        return held, ""
    if law is None:
        return [], "no serial share: the samples of a step are unknown, so neither Amdahl's nor Gustafson's law applies"
    return [], f"no serial share: {misfit}" if first else "no serial share: two points fit any law; run a third"


def _row(count: float, rates: dict[float, list[float]], first: float, word: str) -> str:
    found = ratio(rates[count], rates[first])
    text = f"{show_number(count)} {word}: {found.value:.2f} × the rate of {show_number(first)}"
    if found.low is not None and found.high is not None:
        text += f" (95 % interval {show_ends(found.value, found.low, found.high)})"
    return f"{text}, efficiency {100 * found.value * first / count:.0f} %"


def _serial_words(one: Fitted, word: str, most: float) -> list[str]:
    serial, off = one.serial, f"{one.law.name}, off by at most {100 * one.line.worst:.1f} %"
    if serial.low is None or serial.high is None or serial.low <= 0:
        limit = serial.high if serial.low is not None else None
        told = f"at most {_percent(limit)}" if limit is not None else "not bounded by these runs"
        return [f"serial share {told} ({off})"]
    says = [f"serial share {_percent(serial.value)} (95 % interval {_between(serial, _percent)}; {off})"]
    half = one.half if one.law is AMDAHL else None
    if half is not None and half.low is not None:
        where = _beyond(half.value, most)
        says.append(f"efficiency falls to 50 % at {_whole(half.value)} {word} ({_between(half, _whole)}){where}")
    return says


def _usl_words(one: Fitted, word: str, most: float) -> list[str]:
    peak, off = one.peak, f"{one.law.name}, off by at most {100 * one.line.worst:.1f} %"
    text = f"the {word} slow each other down ({off})"
    if peak.low is None or peak.high is None:
        return [f"{text}; where the throughput is highest is not bounded by these runs"]
    where = _beyond(peak.value, most)
    return [
        f"{text}; throughput is highest at {_whole(peak.value)} {word} (95 % interval {_between(peak, _whole)}){where}"
    ]


def _measured(rates: dict[float, list[float]], steps: Sequence[Step]) -> dict[str, object]:
    first, counts = min(rates), sorted(rates)
    speed_up = {show_number(n): fmean(rates[n]) / fmean(rates[first]) for n in counts}
    return {
        "speed_up": speed_up,
        "efficiency": {show_number(n): speed_up[show_number(n)] * first / n for n in counts},
        "steps": [
            {"from": one.before, "to": one.after, "gain": one.gain, "low": one.low, "high": one.high, "pays": one.pays}
            for one in steps
        ],
    }


def _told(laws: Sequence[Fitted]) -> dict[str, object]:
    found: dict[str, object] = {}
    for one in laws:
        found |= _named("serial_share", one.serial, least=0.0) | {"law": one.law.name, "worst_miss": one.line.worst}
        if one.law is USL:
            found |= _named("agreeing", one.agreeing, least=0.0) | _named("peak_at", one.peak)
        elif one.law is AMDAHL and (one.serial.low or 0.0) > 0:
            found |= _named("half_efficiency_at", one.half)
    return found


def _named(name: str, one: Quotient, least: float | None = None) -> dict[str, object]:
    """What cannot be below zero is not said to be."""
    ends = {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
    return {key: end if end is None or least is None else max(least, end) for key, end in ends.items()}


def _percent(value: float | None) -> str:
    return f"{show_rounded(100 * (value or 0.0), 2)} %"


def _whole(value: float | None) -> str:
    return show_number(round(value or 0.0))


def _between(one: Quotient, shown: Callable[[float | None], str]) -> str:
    return f"{shown(one.low)}–{shown(one.high)}".replace(" %–", "–")


def _beyond(value: float, most: float) -> str:
    return "" if value <= most else ", more than was tried"
