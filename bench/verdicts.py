"""Experiments with a known truth, judged by `compare`: how often a difference is called that is none, and what is seen.

    python bench/verdicts.py --experiments 2000 --processes 2

Groups of runs are drawn with a known scatter, in the order in which people make them, and judged as `assay compare`
judges runs. The rows are for runs in rounds (the groups in turn, shuffled each time) and for runs that were listed
(all of one group, then all of the next). Each row has the share of experiments in which some pair of equal groups was
called different, and fails where that is beyond 5 % by more than the error of the simulation; below it stands how many
of the intervals hold the truth, and fails below 93 % from three runs on.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from multiprocessing import Pool

import narrow
import warmups
from table import row

from assay.comparing.figures import figure
from assay.comparing.groups import Group
from assay.comparing.pairs import Pairs
from assay.comparing.rows import Row
from assay.model.summary import Summary
from assay.stats import difference
from assay.stats.family import family
from assay.stats.once import tipping
from assay.stats.outliers import outliers, trimmed

COUNTS, GROUPS = (2, 3, 5, 10), (2, 3, 4, 6)
#: of a mean: how far runs of one group scatter
SCATTER = 0.03


Noise = Callable[[random.Random, list[int], int], Iterator[float]]


def normal(draw: random.Random, groups: list[int], k: int) -> Iterator[float]:
    return (draw.gauss(0, 1) for _ in groups)


def skewed(draw: random.Random, groups: list[int], k: int) -> Iterator[float]:
    """Lognormal with a scatter of a third."""
    return (10 * draw.gauss(0, 1) for _ in groups)


def heavy(draw: random.Random, groups: list[int], k: int) -> Iterator[float]:
    """Student's t with three degrees of freedom, at a standard deviation of one."""
    for _ in groups:
        square = sum(draw.gauss(0, 1) ** 2 for _ in range(3)) / 3
        yield draw.gauss(0, 1) / math.sqrt(square) / math.sqrt(3)


def unequal(draw: random.Random, groups: list[int], k: int) -> Iterator[float]:
    """The last group scatters twice as widely as the first."""
    return (draw.gauss(0, 1 + group / (k - 1)) for group in groups)


def one_wide(draw: random.Random, groups: list[int], k: int) -> Iterator[float]:
    """The last group scatters three times as widely as the others."""
    return (draw.gauss(0, 3 if group == k - 1 else 1) for group in groups)


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


#: each with whether the groups were run one after the other
NOISES: dict[str, tuple[Noise, bool]] = {
    "normal": (normal, False),
    "lognormal": (skewed, False),
    "heavy tails": (heavy, False),
    "unequal": (unequal, False),
    "one group three times as wide": (one_wide, False),
    "drifting, in turns": (drifting, False),
    "drifting, listed": (drifting, True),
    "each like the last": (following, False),
    "one outlier": (outlier, False),
}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What is drawn: so many runs of so many groups, of which the first is `shift_sd` standard deviations off."""

    noise: str
    n: int
    k: int
    experiments: int
    shift_sd: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Shares: of experiments with some false difference, of true ones seen, and of intervals that hold the truth."""

    wrong: float
    seen: float
    covered: float


def order(draw: random.Random, n: int, k: int, *, listed: bool) -> list[int]:
    if listed:
        return [group for group in range(k) for _ in range(n)]
    return [group for _ in range(n) for group in draw.sample(range(k), k)]


@cache
def summary(place: int) -> Summary:
    hour, minute = divmod(place, 60)
    return Summary.of(
        {"id": f"{place:04d}", "name": "run", "status": "completed", "how": "executed", "system": "cpu",
         "started": f"2026-01-01T{hour:02d}:{minute:02d}:00Z"}
    )  # fmt: skip


def experiment(draw: random.Random, cell: Cell) -> Pairs:
    noise, listed = NOISES[cell.noise]
    groups = order(draw, cell.n, cell.k, listed=listed)
    rows: list[list[Row]] = [[] for _ in range(cell.k)]
    for place, (group, off) in enumerate(zip(groups, noise(draw, groups, cell.k), strict=True)):
        log = SCATTER * (off + (cell.shift_sd if group == 0 else 0.0))
        # normal noise is normal in the rate itself, which is judged by its logarithm all the same
        rate = 100 * (1 + log if noise is normal else math.exp(log))
        rows[group].append(Row(summary=summary(place), settings={}, figures={"samples_per_s": rate}))
    made = [Group(key=(place,), label=str(place), rows=one) for place, one in enumerate(rows)]
    return Pairs(figure=figure("samples_per_s"), groups=made)


def outcome(cell: Cell) -> Outcome:
    """Every pair of every experiment; the truth of a pair is 1, or that of the group that is off."""
    draw = random.Random(f"{cell.noise} {cell.n} {cell.k} {cell.shift_sd}")
    shift = SCATTER * cell.shift_sd
    off = 1 + shift if NOISES[cell.noise][0] is normal else math.exp(shift)
    wrong = seen = covered = intervals = 0
    for _ in range(cell.experiments):
        found, mistaken = experiment(draw, cell), False
        for i, j in combinations(range(cell.k), 2):
            judged = found.judged(found.groups[i], found.groups[j])
            told, truth = judged.p_family is not None and judged.p_family < 0.05, off if i == 0 else 1.0
            mistaken |= told and truth == 1.0
            seen += told and truth != 1.0
            low, high = judged.ratio.low, judged.ratio.high
            if low is not None and high is not None:
                covered, intervals = covered + (low <= truth <= high), intervals + 1
        wrong += mistaken
    true_pairs = cell.experiments * (cell.k - 1)
    return Outcome(
        wrong=wrong / cell.experiments,
        seen=seen / true_pairs if cell.shift_sd else 0.0,
        covered=covered / intervals if intervals else math.nan,
    )


def least(share: float, experiments: int) -> float:
    """The lower end of what the true share may be, at 95 % (Wilson)."""
    z = 1.96
    middle = share + z * z / (2 * experiments)
    half = z * math.sqrt(share * (1 - share) / experiments + z * z / (4 * experiments**2))
    return (middle - half) / (1 + z * z / experiments)


def told(shares: dict[int, float]) -> str:
    return "  ".join(f"{k} groups {100 * share:4.1f} %" for k, share in shares.items())


def show(cells: list[Cell], found: Iterable[Outcome]) -> None:
    """Cells of one noise and number of runs are a row; it is printed as soon as its last cell is known."""
    of: dict[int, Outcome] = {}
    for cell, one in zip(cells, found, strict=True):
        of[cell.k] = one
        if cell.k == GROUPS[-1]:
            show_row(cell, of)
            of = {}


def show_row(cell: Cell, of: dict[int, Outcome]) -> None:
    if cell.shift_sd:
        seen, bar = {k: one.seen for k, one in of.items()}, of[6].seen >= 0.65 if cell.n == 3 else None
        row(f"3 standard deviations seen, n = {cell.n}", told(seen), bar)
        return
    name, wrong = f"{cell.noise}, n = {cell.n}", {k: one.wrong for k, one in of.items()}
    good = all(least(share, cell.experiments) <= 0.05 for share in wrong.values())
    row(f"differences out of nothing, {name}", told(wrong), good)
    covered = {k: one.covered for k, one in of.items()}
    row(f"intervals that hold the truth, {name}", told(covered), min(covered.values()) >= 0.93 if cell.n > 2 else None)


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


def of_outliers(experiments: int) -> None:
    """One run of all is 8 standard deviations off: what the plain and the robust verdict see, and make up."""
    for n in (5, 10):
        for k in (2, 4):
            for shift_sd in (0.0, 3.0):
                seen = _with_outlier(experiments, n, k, shift_sd)
                plain, sturdy, named = (100 * count / experiments for count in seen)
                told = f"plain {plain:5.1f} %  robust {sturdy:5.1f} %  named {named:5.1f} %"
                most = 5 + 196 * math.sqrt(0.05 * 0.95 / experiments)
                holds = sturdy <= most if not shift_sd else sturdy >= 60
                row(f"one outlier, {shift_sd:.0f} standard deviations apart, n = {n}, {k} groups", told, holds)


def _with_outlier(experiments: int, n: int, k: int, shift_sd: float) -> tuple[int, int, int]:
    """In how many the first group is told from the second (any two, if all are equal), and the outlier is named."""
    draw, plain, sturdy, named = random.Random(f"outlier {n} {k} {shift_sd}"), 0, 0, 0
    for _ in range(experiments):
        samples = [[draw.gauss(shift_sd * (group == 0), 1) for _ in range(n)] for group in range(k)]
        at = draw.randrange(k), draw.randrange(n)
        samples[at[0]][at[1]] += draw.choice((-8.0, 8.0))
        pairs = [(0, 1)] if shift_sd else [(i, j) for i in range(k) for j in range(i)]
        cut = [trimmed(one).values for one in samples]
        plain, sturdy = plain + _told(samples, pairs), sturdy + _told(cut, pairs)
        named += any((one.sample, one.place) == at for one in outliers(samples))
    return plain, sturdy, named


def _told(samples: list[list[float]], pairs: list[tuple[int, int]]) -> bool:
    found = family(samples) if len(samples) > 2 else None
    ps = (found.pair(i, j).p_family if found else difference(samples[i], samples[j]).p for i, j in pairs)
    return any(p is not None and p < 0.05 for p in ps)


def of_accuracies(experiments: int) -> None:
    for shape in narrow.SHAPES:
        for n in narrow.COUNTS:
            of_means, of_pairs, possible = narrow.bounded(experiments, shape, n)
            told = f"means {100 * of_means:4.1f} %  differences {100 * of_pairs:4.1f} %"
            told += "" if possible else "  some beyond 0 or 1"
            most = 1.0 if shape == "of 1,000 images" else 0.975  # counts are coarse, and the pooled spread then wide
            good = possible and (n < 3 or (min(of_means, of_pairs) >= 0.93 and max(of_means, of_pairs) <= most))
            row(f"intervals of accuracies that hold the truth, {shape}, n = {n}", told, good)


def of_stopping(experiments: int) -> None:
    for scatter in narrow.SCATTERS:
        held, narrowed, runs = narrow.until(experiments, scatter)
        told = f"{100 * held:4.1f} % hold the truth, {100 * narrowed:3.0f} % got there, after {runs:.0f} runs"
        row(f"--until a width of {1 / scatter:.2g} standard deviations", told, held >= 0.93 and narrowed == 1)
    for scatter in narrow.SCATTERS[:4]:
        held, runs = narrow.until_apart(experiments, scatter)
        told = f"{100 * held:4.1f} % hold the truth, after {runs:.0f} runs of both"
        row(f"--until a difference of {1 / scatter:.2g} standard deviations", told, held >= 0.93)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=200, help="for each cell")
    parser.add_argument("--processes", type=int, default=1, help="at the same time")
    parser.add_argument("--runs", type=int, action="append", help=f"of each group: some of {COUNTS}")
    words = parser.parse_args()
    counts, experiments = words.runs or COUNTS, words.experiments
    cells = [Cell(noise=name, n=n, k=k, experiments=experiments) for name in NOISES for n in counts for k in GROUPS]
    cells += [Cell(noise="normal", n=n, k=k, experiments=experiments, shift_sd=3.0) for n in counts for k in GROUPS]
    with Pool(words.processes) as pool:
        show(cells, pool.imap(outcome, cells, chunksize=1))
    of_warmups(experiments)
    of_single_runs(experiments)
    of_outliers(experiments)


if __name__ == "__main__":
    main()
