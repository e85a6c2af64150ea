"""Throughput against latency of a server, over the load: its knee, and the highest load within the user's limits.

The knee is the load with the most throughput for its latency (Kleinrock's power): below it the server has room, above
it requests mostly wait for each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from assay.comparing.groups import Group
from assay.comparing.models.base import Model
from assay.comparing.models.combinations import Combination, combinations_of
from assay.comparing.rows import Row
from assay.units import show_number

#: what a load is, and how it is said in a sentence and before a line
_OVER = {"concurrency": "a concurrency of {}", "request_rate": "a request rate of {}/s"}
_LINE = {"concurrency": "concurrency {}", "request_rate": "{} requests/s offered"}
#: a setting of the client, and the figure that it limits: nearly all requests have to meet it
_LIMITS = {"ttft_limit_ms": "ttft_p99_ms", "tpot_limit_ms": "tpot_p99_ms", "e2e_limit_ms": "e2e_p99_ms"}
_NAMES = {"ttft_p99_ms": "TTFT", "tpot_p99_ms": "TPOT", "e2e_p99_ms": "request latency"}
_RATES = {"output_tokens_per_s": "output tokens/s", "requests_per_s": "requests/s"}
_DELAYS = ("e2e_p50_ms", "e2e_mean_ms", "tpot_p50_ms", "tpot_mean_ms")
#: the knee is named where it has this much more throughput for its latency than its neighbours, or their noise
_CLEAR = 0.03
_FEWEST = 3


@dataclass(frozen=True, kw_only=True)
class Load:
    """All runs at one load."""

    load: float
    rate: float
    delay_ms: float
    pairs: tuple[tuple[float, float], ...]  # rate and delay of each run
    worst: dict[str, float]  # of each limited figure, the worst of its runs
    ttft_ms: float | None

    @property
    def powers(self) -> list[float]:
        return [rate / delay for rate, delay in self.pairs if delay > 0] or [0.0]

    @property
    def power(self) -> float:
        return fmean(self.powers)

    @property
    def noise(self) -> float:
        return stdev(self.powers) / self.power if len(self.powers) > 1 and self.power else 0.0


def serving_model(groups: Sequence[Group]) -> list[Model]:
    """One for each server and whatever else varies, where at least two loads were tried."""
    for over in _OVER:
        found = [_model(one, over) for one in combinations_of(groups, over) if len(_loads(one.rows, over)) > 1]
        if found:
            return found
    return []


def _model(combination: Combination, over: str) -> Model:
    loads = _loads(combination.rows, over)
    knee = _knee(loads)
    unit = _RATES[_rate_name(combination.rows)]
    says = [_knee_words(loads, knee, over, unit), *_limit_words(combination.rows, loads, over, unit)]
    return Model(
        kind="serving",
        title=combination.title(f"throughput against latency over {over.replace('_', ' ')}"),
        holds=knee is not None,
        says=[*says, *(_row(one, over, unit) for one in loads)],
        valid=(loads[0].load, loads[-1].load),
        figures={
            "over": over,
            "knee": knee.load if knee else None,
            "loads": [one.load for one in loads],
            "rates": [one.rate for one in loads],
            "latencies_ms": [one.delay_ms for one in loads],
            "server": combination.label,
            "unit": unit,
            "said": [_line(one, over) for one in loads],
            "runs": [[one.load, *pair] for one in loads for pair in one.pairs],
        },
    )


def _rate_name(rows: Sequence[Row]) -> str:
    return next((name for name in _RATES if all(name in row.figures for row in rows)), "requests_per_s")


def _loads(rows: Sequence[Row], over: str) -> list[Load]:
    """By load, those runs that know a rate and a latency."""
    rate_name = _rate_name(rows)
    delay_name = next((name for name in _DELAYS if all(name in row.figures for row in rows)), None)
    found: dict[float, list[Row]] = {}
    for row in rows:
        value = row.settings[over].value
        if delay_name and rate_name in row.figures and isinstance(value, (int, float)) and value > 0:
            found.setdefault(float(value), []).append(row)
    return [_load(load, found[load], rate_name, str(delay_name)) for load in sorted(found)]


def _load(load: float, rows: Sequence[Row], rate_name: str, delay_name: str) -> Load:
    rates, delays = ([row.figures[name] for row in rows] for name in (rate_name, delay_name))
    ttft = [row.figures["ttft_p99_ms"] for row in rows if "ttft_p99_ms" in row.figures]
    return Load(
        load=load,
        rate=fmean(rates),
        delay_ms=fmean(delays),
        pairs=tuple(zip(rates, delays, strict=True)),
        worst={
            name: max(row.figures[name] for row in rows)
            for name in _LIMITS.values()
            if all(name in row.figures for row in rows)
        },
        ttft_ms=fmean(ttft) if ttft else None,
    )


def _knee(loads: Sequence[Load]) -> Load | None:
    """The load with the most power, where it is neither the first nor the last and clearly above both neighbours."""
    if len(loads) < _FEWEST:
        return None
    at = max(range(len(loads)), key=lambda index: loads[index].power)
    if at in (0, len(loads) - 1):
        return None
    beside = (loads[at - 1], loads[at + 1])
    clear = max(_CLEAR, loads[at].noise, *(one.noise for one in beside))
    return loads[at] if all(loads[at].power > (1 + clear) * one.power for one in beside) else None


def _knee_words(loads: Sequence[Load], knee: Load | None, over: str, unit: str) -> str:
    if knee is not None:
        most = max(loads, key=lambda one: one.rate)
        share = f"{100 * knee.rate / most.rate:.0f} % of the highest throughput tried"
        return f"the knee is at {_said(knee, over)}: {_rate(knee, unit)}, {share}, at {_ms(knee.delay_ms)} per request"
    if len(loads) < _FEWEST:
        return f"no knee can be seen in {len(loads)} loads; try at least {_FEWEST}"
    best = max(loads, key=lambda one: one.power)
    if best is loads[-1]:
        return f"no knee up to {_said(best, over)}: throughput still grows faster than latency, so try higher loads"
    if best is loads[0]:
        return f"the knee is at {_said(best, over)} or below: latency grows faster than throughput from there"
    return "no clear knee: neighbouring loads give about as much throughput for their latency"


def _limit_words(rows: Sequence[Row], loads: Sequence[Load], over: str, unit: str) -> list[str]:
    """The highest load at which every run kept a limit, if all below it did, too."""
    said = []
    for setting, name in _LIMITS.items():
        limits = {row.settings[setting].value for row in rows if setting in row.settings}
        limit = next(iter(limits)) if len(limits) == 1 else None
        if not isinstance(limit, (int, float)) or not all(name in one.worst for one in loads):
            continue
        kept: list[Load] = []
        for one in loads:
            if one.worst[name] > limit:
                break
            kept.append(one)
        what, within = f"p99 {_NAMES[name]}", _ms(float(limit))
        if kept:
            said.append(f"{what} stays within {within} up to {_said(kept[-1], over)} ({_rate(kept[-1], unit)})")
        else:
            worst = " in the slowest run" if len(loads[0].pairs) > 1 else ""
            said.append(f"{what} exceeds {within} even at {_said(loads[0], over)} ({_ms(loads[0].worst[name])}{worst})")
    return said


def _row(one: Load, over: str, unit: str) -> str:
    ttft = f", p99 TTFT {_ms(one.ttft_ms)}" if one.ttft_ms is not None else ""
    return f"{_line(one, over)}: {_rate(one, unit)}, {_ms(one.delay_ms)} per request{ttft}"


def _said(one: Load, over: str) -> str:
    return _OVER[over].format(f"{one.load:g}")


def _line(one: Load, over: str) -> str:
    return _LINE[over].format(f"{one.load:g}")


def _rate(one: Load, unit: str) -> str:
    return f"{show_number(float(f'{one.rate:.4g}'))} {unit}"


def _ms(value: float) -> str:
    return f"{show_number(float(f'{value:.4g}'))} ms"
