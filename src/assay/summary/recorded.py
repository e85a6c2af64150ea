"""How a run ended that several ranks recorded together, each for itself: right whichever of them was killed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf

from assay.model.event import End, How
from assay.model.failure import Failure
from assay.model.request import Request
from assay.model.values import Value
from assay.store.layout import RunDir
from assay.summary.liveness import is_running
from assay.summary.ranks import of_ranks
from assay.summary.ranks import rows as rows_of
from assay.summary.tally import Tally
from assay.text import counted, listing

_LOST = Failure(code="interrupted", message="its recorder ended unexpectedly", hint="start the run again")


def still_running(run: RunDir, asked: Request, tally: Tally) -> bool:
    """Whether a recorder that has not written its end lives."""
    over = {end.rank for end in tally.ends} | {error.rank for error in tally.errors if error.source == "guard"}
    waiting: Sequence[How | None] = tally.starts or (None,)
    return any(is_running(run, one, asked, tally.last_t) for one in waiting if one is None or one.rank not in over)


def last_end(tally: Tally) -> End | None:
    """One end of all ranks that came: the first that failed, or was lost, is how the run failed."""
    ends = {end.rank: end for end in tally.ends}
    bad = [*(end for end in ends.values() if end.status != "completed"), *_lost(tally, ends)]
    if not ends and not bad:
        return None
    first = min(bad, key=_moment) if bad else max(ends.values(), key=_moment)
    return first.replace(wall_s=_wall_s(tally, ends.values()))


def _wall_s(tally: Tally, ends: Iterable[End]) -> float:
    """From the first start to the last end on the node where that took longest: clocks of two nodes may differ."""
    begins: dict[str, float] = {}
    for start in tally.starts:
        begins[start.node] = min(begins.get(start.node, inf), start.at_s or 0.0)
    spans = [end.at_s - begins.get(end.node, inf) for end in ends if end.at_s is not None]
    walls = [end.wall_s for end in ends if end.wall_s is not None]
    return round(max([*spans, *walls], default=tally.last_s), 6)


def _moment(end: End) -> float:
    return end.t if end.t is not None else inf


def _lost(tally: Tally, ends: Mapping[int, End]) -> list[End]:
    """Ranks that were killed with their recorder: they have a beginning and no end."""
    said = {error.rank: error for error in tally.errors if error.source == "guard"}
    lost = {start.rank for start in tally.starts} - ends.keys()
    return [
        End(rank=rank, status="interrupted", error=said[rank].failure if rank in said else _LOST,
            t=said[rank].t if rank in said else None)
        for rank in sorted(lost)
    ]  # fmt: skip


def never_arrived(asked: Request, tally: Tally) -> list[str]:
    """A sentence about the ranks that have no recorder."""
    missing = sorted(set(range(asked.ranks or 0)) - {start.rank for start in tally.starts})
    if not missing or not tally.starts:
        return []
    shown = listing([str(rank) for rank in missing[:8]] + ([counted(len(missing) - 8, "other")] if missing[8:] else []))
    which = f"rank {shown}" if len(missing) == 1 else f"ranks {shown}"
    return [f"{which} of {asked.ranks} never arrived; is the runs folder the same on every node?"]


def rank_rows(tally: Tally, measured: Mapping[int, Mapping[str, Value]]) -> list[dict[str, Value]]:
    """One a rank: what its recorder measured, how it ended, and what it printed of itself."""
    ends = {end.rank: end for end in tally.ends}
    printed = rows_of(of_ranks(tally.values, tally.results), tally.arrivals.waits_s())
    own = {row["rank"]: row for row in printed}
    if own.keys() - measured.keys():  # ranks of a launcher that each of ours started: they count otherwise
        own = {}
    rows: list[dict[str, Value]] = []
    for rank, figures in measured.items():
        end = ends.get(rank, End())
        ended = {"status": end.status, "exit_code": end.exit_code, "wall_s": end.wall_s}
        known = {name: value for name, value in ended.items() if value is not None and value != ""}
        rows.append({"rank": rank, **figures, **known, **own.get(rank, {})})
    return rows
