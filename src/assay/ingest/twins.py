"""Which of the runs known so far a run of the prose repeats: by its figures, looked up rather than tried one by one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from itertools import islice

from assay.reading.found import Found

_COMPARED = (
    "accuracy", "loss", "test_loss", "samples", "train_s", "samples_per_s", "samples_per_s_avg", "tokens_per_s",
    "reported_s",
    "step", "cpu_pct", "rss_bytes", "wall_s", "latency_ms", "inferences_per_s",
)  # fmt: skip
#: what a page calls the accuracy, where a log tells several
_TESTED = ("test_accuracy", "eval_accuracy", "val_accuracy")
#: that two runs agree in these says nothing
_COUNTS = {"step", "samples"}
Names = tuple[bool, frozenset[str]]  # told by prose, and which figures it has


class Runs:
    """Runs in order. Those with the same kinds of figures are kept together, sorted by each of them."""

    def __init__(self, found: list[Found]) -> None:
        self.found: list[Found] = []
        self._figures: list[dict[str, float]] = []
        self._by_value: dict[Names, dict[str, list[tuple[float, int]]]] = {}
        self._by_claim: dict[tuple[str, object], list[int]] = {}
        for one in found:
            self.append(one)

    def append(self, one: Found) -> None:
        at, figures = len(self.found), _figures(one)
        self.found.append(one)
        self._figures.append(figures)
        kept = self._by_value.setdefault((one.prose, frozenset(figures)), {})
        for name, value in figures.items():
            if value == value:  # NaN is equal to nothing
                insort(kept.setdefault(name, []), (value, at))
        for item in one.claims.items():
            self._by_claim.setdefault(item, []).append(at)

    def replace(self, at: int, one: Found) -> None:
        """The same run, of which more is claimed."""
        for item in one.claims.items() - self.found[at].claims.items():
            insort(self._by_claim.setdefault(item, []), at)
        self.found[at] = one

    def like(self, told: Found, most: int) -> list[int]:
        """The first ones that it repeats."""
        ours = _figures(told)
        fitting = [at for kept in self._by_value for at in islice(self._fitting(told, ours, kept), most)]
        return sorted(fitting)[:most]

    def _fitting(self, told: Found, ours: dict[str, float], names: Names) -> Iterator[int]:
        common = ours.keys() & names[1]
        if not common - _COUNTS:
            return
        for at in self._fewest(told, ours, names, common):
            if self.found[at].prose and not told.claims.items() <= self.found[at].claims.items():
                continue
            theirs = self._figures[at]
            if all(_rounds_to(theirs[name], ours[name]) for name in common):
                yield at

    def _fewest(self, told: Found, ours: dict[str, float], names: Names, common: set[str]) -> list[int]:
        """By the one thing that the fewest have in common with it."""
        spans = []
        for name in common:
            values = self._by_value[names].get(name, [])
            low, high = sorted((ours[name] / 1.006, ours[name] / 0.994))
            spans.append((bisect_left(values, (low, -1)), bisect_right(values, (high, len(self.found))), values))
        begin, end, values = min(spans, key=lambda span: span[1] - span[0])
        claimed = [self._by_claim.get(item, []) for item in told.claims.items()] if names[0] else []
        fewest = min(claimed, key=len, default=None)
        if fewest is not None and len(fewest) < end - begin:
            return [at for at in fewest if names == (self.found[at].prose, frozenset(self._figures[at]))]
        return sorted(at for _, at in values[begin:end])


def _figures(one: Found) -> dict[str, float]:
    facts = one.facts()
    tested = next((facts[name] for name in _TESTED if name in facts), None)
    if tested is not None:
        facts["accuracy"] = tested
    return {name: facts[name] for name in _COMPARED if name in facts}


def _rounds_to(exact: float, shown: float) -> bool:
    """Prose rounds: 7.14844 is given as 7.15, 304.403 as 304."""
    if exact == shown:
        return True
    return abs(exact - shown) <= 0.005 * abs(exact) and f"{exact:.3g}"[:3] == f"{shown:.3g}"[:3]
