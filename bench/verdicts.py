"""Experiments with a known truth, judged by `compare`: how often a difference is called that is none, and what is seen.

    python bench/verdicts.py --experiments 2000

Groups of runs are drawn with a known scatter, in the order in which people make them, and judged as `assay compare`
judges runs. The rows are for runs in rounds (the groups in turn, shuffled each time) and for runs that were listed
(all of one group, then all of the next).
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable, Iterator

import warmups
from table import row

from assay.comparing.figures import figure
from assay.comparing.groups import Group
from assay.comparing.pairs import Pairs
from assay.comparing.rows import Row
from assay.model.summary import Summary
from assay.stats.once import tipping

COUNTS, GROUPS = (2, 3, 5, 10), (2, 3, 4, 6)
#: of a mean: how far runs of one group scatter
SCATTER = 0.03


Noise = Callable[[random.Random, list[int], int], Iterator[float]]


def normal(draw: random.Random, groups: list[int], k: int) -> Iterator[float]:
    return (draw.gauss(0, 1) for _ in groups)


def heavy(draw: random.Random, groups: list[int], k: int) -> Iterator[float]:
    """Student's t with three degrees of freedom, at a standard deviation of one."""
    for _ in groups:
        square = sum(draw.gauss(0, 1) ** 2 for _ in range(3)) / 3
        yield draw.gauss(0, 1) / math.sqrt(square) / math.sqrt(3)


def unequal(draw: random.Random, groups: list[int], k: int) -> Iterator[float]:
    """The last group scatters twice as widely as the first."""
    return (draw.gauss(0, 1 + group / (k - 1)) for group in groups)


def drifting(draw: random.Random, groups: list[int], k: int) -> Iterator[float]:
    """Four standard deviations from the first run to the last."""
    return (draw.gauss(4 * place / len(groups), 1) for place, _ in enumerate(groups))


def following(draw: random.Random, groups: list[int], k: int) -> Iterator[float]:
    """Each run like the one before, at a correlation of 0.7."""
    last = draw.gauss(0, 1)
    for _ in groups:
        yield last
        last = 0.7 * last + draw.gauss(0, math.sqrt(1 - 0.49))


def outlier(draw: random.Random, groups: list[int], k: int) -> Iterator[float]:
    chosen = draw.randrange(len(groups))
    return (draw.gauss(8 * (place == chosen), 1) for place, _ in enumerate(groups))


NOISES: dict[str, tuple[Noise, bool]] = {
    "normal": (normal, False),
    "heavy tails": (heavy, False),
    "unequal": (unequal, False),
    "drifting, in turns": (drifting, False),
    "drifting, listed": (drifting, True),
    "each like the last": (following, False),
    "one outlier": (outlier, False),
}


def order(draw: random.Random, n: int, k: int, *, listed: bool) -> list[int]:
    if listed:
        return [group for group in range(k) for _ in range(n)]
    return [group for _ in range(n) for group in draw.sample(range(k), k)]


def experiment(draw: random.Random, noise: Noise, n: int, k: int, *, listed: bool, shift_sd: float = 0.0) -> Pairs:
    """The first group differs from the others by `shift_sd` standard deviations."""
    groups = order(draw, n, k, listed=listed)
    rows: list[list[Row]] = [[] for _ in range(k)]
    for place, (group, off) in enumerate(zip(groups, noise(draw, groups, k), strict=True)):
        rate = 100 * math.exp(SCATTER * (off + (shift_sd if group == 0 else 0.0)))
        hour, minute = divmod(place, 60)
        summary = Summary.of(
            {"id": f"{place:04d}", "name": "run", "status": "completed", "how": "executed", "system": "cpu",
             "started": f"2026-01-01T{hour:02d}:{minute:02d}:00Z"}
        )  # fmt: skip
        rows[group].append(Row(summary=summary, settings={}, figures={"samples_per_s": rate}))
    made = [Group(key=(place,), label=str(place), rows=one) for place, one in enumerate(rows)]
    return Pairs(figure=figure("samples_per_s"), groups=made)


def false_share(experiments: int, noise: Noise, n: int, k: int, *, listed: bool) -> float:
    draw, wrong = random.Random(f"{noise.__name__} {n} {k} {listed}"), 0
    for _ in range(experiments):
        found = experiment(draw, noise, n, k, listed=listed)
        judged = (found.judged(a, b) for i, a in enumerate(found.groups) for b in found.groups[:i])
        wrong += any(one.p_family is not None and one.p_family < 0.05 for one in judged)
    return wrong / experiments


def seen_and_covered(experiments: int, n: int, k: int, shift_sd: float) -> tuple[float, float]:
    draw, seen, covered, pairs = random.Random(f"{n} {k}"), 0, 0, 0
    truth = math.exp(SCATTER * shift_sd)
    for _ in range(experiments):
        found = experiment(draw, normal, n, k, listed=False, shift_sd=shift_sd)
        for other in found.groups[1:]:
            judged, pairs = found.judged(found.groups[0], other), pairs + 1
            seen += judged.p_family is not None and judged.p_family < 0.05
            ends = judged.ratio.low, judged.ratio.high
            covered += ends[0] is not None and ends[1] is not None and ends[0] <= truth <= ends[1]
    return seen / pairs, covered / pairs


def of_warmups(experiments: int) -> None:
    for name in warmups.SHAPES:
        shares = {n: warmups.found_share(experiments, name, n) for n in warmups.LENGTHS}
        told = "  ".join(f"{n} steps {100 * share:3.0f} %" for n, share in shares.items())
        row(f"steady part found within 5 % of the run, {name}", told, min(shares.values()) >= 0.9)


def of_single_runs(experiments: int) -> None:
    """How often runs of one setting are called further apart than their scatter explains; and steps, than theirs."""
    for k in GROUPS:
        draw, wrong = random.Random(f"once {k}"), 0
        for _ in range(10 * experiments):
            runs = [draw.gauss(0, SCATTER) for _ in range(k)]
            wrong += tipping(max(runs) - min(runs), k) > SCATTER
        share = wrong / (10 * experiments)
        most = 0.05 + 1.96 * math.sqrt(0.05 * 0.95 / (10 * experiments))
        row(f"one run each of {k} groups, chance ruled out where it is chance", f"{100 * share:4.1f} %", share <= most)
    for following in (0.0, 0.5, 0.8):
        shares = {n: warmups.held_share(experiments, n, following) for n in warmups.LENGTHS}
        told = "  ".join(f"{n} steps {100 * share:4.1f} %" for n, share in shares.items())
        name = f"rates within their run's own interval, steps follow by {following}"
        row(name, told, min(shares.values()) >= 0.88)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=200, help="for each cell")
    experiments = parser.parse_args().experiments
    # a share of 5 % is found below this in 39 of 40 benches
    most = 0.05 + 1.96 * math.sqrt(0.05 * 0.95 / experiments)
    for name, (noise, listed) in NOISES.items():
        for n in COUNTS:
            shares = [false_share(experiments, noise, n, k, listed=listed) for k in GROUPS]
            told = "  ".join(f"{k} groups {100 * share:4.1f} %" for k, share in zip(GROUPS, shares, strict=True))
            row(f"differences out of nothing, {name}, n = {n}", told, max(shares) <= most)
    of_warmups(experiments)
    of_single_runs(experiments)
    for n in COUNTS[1:]:
        found = {k: seen_and_covered(experiments, n, k, 3.0) for k in GROUPS}
        told = "  ".join(f"{k} groups {100 * seen:3.0f} %" for k, (seen, _) in found.items())
        row(f"3 standard deviations seen, n = {n}", told, found[6][0] >= 0.65 if n == 3 else None)
        told = "  ".join(f"{k} groups {100 * covered:4.1f} %" for k, (_, covered) in found.items())
        held = all(0.93 <= covered <= 0.98 for _, covered in found.values())
        row(f"intervals that hold the truth, n = {n}", told, held)


if __name__ == "__main__":
    main()
