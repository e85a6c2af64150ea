"""Models of behaviour against a known truth: do their intervals hold it, and is a page's spread judged as it should be?

python bench/models.py --experiments 2000
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Callable, Iterable

from table import row

from assay.auditing.case import Case, Sentence
from assay.auditing.scatter import shown_apart
from assay.comparing.models.critical import critical_batch
from assay.comparing.models.laws import AMDAHL, GUSTAFSON, USL, Fitted, Law, fitted
from assay.comparing.models.paying import steps_up
from assay.stats import power, repeats_needed
from assay.stats.linear import Quotient

#: how far runs scatter, as a share
SCATTER, REPEATS = 0.03, (1, 3, 5)
#: law, rates by the number of processes, what is asked of it, and its true value
Asked = tuple[str, Law, Callable[[float], float], Callable[[Fitted], Quotient], float]
LAWS: list[Asked] = [
    ("serial share, Amdahl", AMDAHL, lambda p: amdahl(p), lambda one: one.serial, 0.05),
    ("processes at half efficiency", AMDAHL, lambda p: amdahl(p), lambda one: one.half, 21.0),
    ("serial share, Gustafson", GUSTAFSON, lambda p: 100 * (p - 0.1 * (p - 1)), lambda one: one.serial, 0.1),
    ("contention, USL", USL, lambda p: universal(p), lambda one: one.serial, 0.03),
    ("processes at the peak, USL", USL, lambda p: universal(p), lambda one: one.peak, math.sqrt(970)),
]


def amdahl(p: float) -> float:
    return 100 * p / (1 + 0.05 * (p - 1))


def universal(p: float) -> float:
    return 100 * p / (1 + 0.03 * (p - 1) + 0.001 * p * (p - 1))


def drawn(rate: Callable[[float], float], at: Iterable[float], n: int, draw: random.Random) -> dict[float, list[float]]:
    return {p: [rate(p) * math.exp(draw.gauss(0, SCATTER)) for _ in range(n)] for p in at}


def of_laws(experiments: int) -> None:
    for name, law, rate, asked, truth in LAWS:
        for first in (1, 4):
            shares = {}
            for n in REPEATS:
                draw, held = random.Random(f"{name} {first} {n}"), 0
                for _ in range(experiments):
                    one = fitted(law, drawn(rate, [first * 2**place for place in range(5)], n, draw))
                    found = asked(one) if one else Quotient(value=math.nan, low=None, high=None)
                    held += found.low is None or found.high is None or found.low <= truth <= found.high
                shares[n] = held / experiments
            told = "  ".join(f"n = {n} {100 * share:4.1f} %" for n, share in shares.items())
            row(f"intervals that hold the truth, {name}, from {first}", told, min(shares.values()) >= 0.93)


def of_critical(experiments: int) -> None:
    draw, held, known = random.Random(1), 0, 0
    for _ in range(experiments):
        found = critical_batch(drawn(lambda b: 1e5 * (1 + b / 400), (64, 128, 256, 512, 1024), 3, draw)).figures
        low, high = found.get("critical_batch_low"), found.get("critical_batch_high")
        if isinstance(low, float) and isinstance(high, float):
            known, held = known + 1, held + (low <= 400 <= high)
    row("intervals that hold the critical batch size", f"{100 * held / known:.1f} % of {known}", held / known >= 0.93)


def of_paying(experiments: int) -> None:
    """Every step at the very edge: half again the rate for twice the processes."""
    draw, called = random.Random(2), 0
    for _ in range(experiments):
        steps = steps_up(drawn(lambda p: 100 * 1.5 ** math.log2(p), (1, 2, 4, 8), 3, draw))
        called += any(step.pays is not None for step in steps)
    share = called / experiments
    row("steps at the edge that are called", f"{100 * share:.1f} %", share <= 0.06)


def of_advice(experiments: int) -> None:
    """How likely a difference is seen with as many runs as were advised."""
    for freedom in (2, 4, 12):
        draw, seen = random.Random(freedom), []
        for _ in range(experiments):
            sd = math.sqrt(sum(draw.gauss(0, 1) ** 2 for _ in range(freedom)) / freedom)
            seen.append(power(1.5, 1.0, repeats_needed(1.5, (sd, freedom)) or 1000))
        row(f"power with the runs advised, {freedom} degrees", f"{100 * statistics.fmean(seen):.0f} %",
            statistics.fmean(seen) >= 0.8)  # fmt: skip


def of_pages(experiments: int) -> None:
    """Ten repeats of two settings, told as mean ± sd, and the difference claimed."""
    for effect in (0.0, 1.0, 2.0):
        draw, doubted = random.Random(f"page {effect}"), 0
        for _ in range(experiments):
            sides = [[draw.gauss(97 + shift, 0.4) for _ in range(10)] for shift in (0.0, 0.4 * effect)]
            means = [statistics.fmean(side) for side in sides]
            text = " and ".join(f"{m:.3f} ± {statistics.stdev(s):.3f} %" for m, s in zip(means, sides, strict=True))
            told = Sentence(source="page", line=1, text=f"{text} (n = 10)", paragraph=1)
            doubted += not shown_apart(Case(name="page", sentences=[told]), "page", abs(means[0] - means[1]))
        share = doubted / experiments
        good = 0.93 <= share <= 0.97 if not effect else share <= 0.05 if effect == 2 else None
        row(f"pages doubted, ten repeats, {effect:g} standard deviations apart", f"{100 * share:.1f} %", good)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=500, help="for each figure")
    experiments = parser.parse_args().experiments
    for part in (of_laws, of_critical, of_paying, of_advice, of_pages):
        part(experiments)


if __name__ == "__main__":
    main()
