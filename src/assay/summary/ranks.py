"""What each process of a job prints of itself: rates are added up, and the slowest keeps the others waiting."""

from __future__ import annotations

from collections.abc import Mapping

from assay.model.event import Metric
from assay.model.values import number

#: rates of one process, which add up to that of the job
_ADDED = ("samples_per_s", "samples_per_s_avg", "tokens_per_s", "inferences_per_s", "requests_per_s")
_SHOWN = (*_ADDED, "train_s", "loss")
#: moments that are remembered, so that memory has an end
_MOMENTS_KEPT = 4096
Book = Mapping[tuple[int, int], Mapping[str, float]]


class Arrivals:
    """When each rank printed its figures of the same epoch or step."""

    def __init__(self) -> None:
        self._moments: dict[tuple[float | None, float | None], dict[int, float]] = {}

    def add(self, event: Metric) -> None:
        place = event.figure("epoch"), event.figure("step")
        if event.at_s is None or place == (None, None):
            return
        if place in self._moments or len(self._moments) < _MOMENTS_KEPT:
            self._moments.setdefault(place, {})[event.rank] = event.at_s

    def waits_s(self) -> dict[int, float]:
        """Seconds that each rank was ahead of the last one, over all moments that several of them print; none where
        they go their own ways."""
        found: dict[int, float] = {}
        begin_s = min((at_s for moment in self._moments.values() for at_s in moment.values()), default=0.0)
        end_s = max((at_s for moment in self._moments.values() for at_s in moment.values()), default=0.0)
        for moment in self._moments.values():
            last_s = max(moment.values())
            for rank, at_s in moment.items() if len(moment) > 1 else ():
                found[rank] = found.get(rank, 0.0) + last_s - at_s
        # a wait longer than the run is none: the ranks are not in step
        return {} if any(wait_s > end_s - begin_s for wait_s in found.values()) else found


def of_ranks(values: Book, results: Book) -> dict[int, dict[str, float]]:
    """By rank, what each reports, from the best source that several of them use."""
    for trust in sorted({trust for trust, _ in (*values, *results)}):
        found: dict[int, dict[str, float]] = {}
        for book in (values, results):
            for (source, rank), figures in book.items():
                if source == trust:
                    found.setdefault(rank, {}).update(figures)
        if len(found) > 1:
            return found
    return {}


def added(ranks: Mapping[int, Mapping[str, float]]) -> dict[str, float]:
    """Rates of the whole job; one that every rank prints alike is that of the job already."""
    found: dict[str, float] = {}
    for name in _ADDED:
        rates = [figures[name] for figures in ranks.values() if name in figures]
        if len(rates) == len(ranks) > 1 and len(set(rates)) > 1:
            found[name] = round(sum(rates), 6)
    return found


def rows(ranks: Mapping[int, Mapping[str, float]], waits_s: Mapping[int, float]) -> list[dict[str, float]]:
    """One a rank, in their order, with how long it was ahead of the slowest."""
    listed: list[dict[str, float]] = []
    for rank in sorted(ranks):
        own = {name: ranks[rank][name] for name in _SHOWN if number(ranks[rank].get(name)) is not None}
        waited = {"waiting_s": round(waits_s[rank], 3)} if rank in waits_s else {}
        if own:
            listed.append({"rank": rank, **own, **waited})
    return listed if len(listed) > 1 else []
