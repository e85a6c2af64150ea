"""How a run ended, according to its recorder, its job, its ranks or its log."""

from __future__ import annotations

from collections.abc import Sequence

from assay.facts.secrets import mask_values
from assay.model.event import End
from assay.model.failure import Failure
from assay.model.request import Request
from assay.store.layout import RunDir
from assay.summary.job import JobFacts, iso, job_of, the_end
from assay.summary.liveness import is_running
from assay.summary.recorded import last_end, still_running
from assay.summary.tally import Tally


def outcome_of(run: RunDir, asked: Request, tally: Tally) -> dict[str, object]:
    """Status, exit code, seconds and error."""
    job = job_of(run, asked)
    end = last_end(tally) if asked.ranks else the_end(tally.ends, asked.place.nodes if asked.place else 1)
    if asked.how == "parsed" or (asked.replay and end is not None):
        return _parsed(tally)
    if job is not None:
        settled = job.outcome(end)
        if settled is not None:
            return {"how": tally.how, **settled, **({"error": job.error} if job.error else {})}
        end = job.corrected(end)
    error = _error(tally, end, one_rank=bool(asked.ranks))
    if end is None or asked.ranks:
        running = _is_running(run, asked, tally, job)
    if end is None or (asked.ranks and running):
        return {
            "status": "running" if running else "interrupted",
            "how": tally.how,
            "wall_s": round(tally.last_s, 3),
            "error": None
            if running
            else error or {"code": "interrupted", "message": "the recorder ended unexpectedly"},
        }
    return {
        "status": end.status or None,
        "how": tally.how,
        "exit_code": end.exit_code,
        "ended": iso(end.t),
        "wall_s": end.wall_s,
        "error": error,
    }


def _is_running(run: RunDir, asked: Request, tally: Tally, job: JobFacts | None) -> bool:
    """Whether a run without a recorded end is still running."""
    if asked.ranks:
        return still_running(run, asked, tally)
    if any(error.source == "guard" for error in tally.errors):
        return False
    starts = tally.starts or (None,)
    return any(is_running(run, one, asked, tally.last_t) for one in starts) or (job is not None and job.may_go_on())


def _parsed(tally: Tally) -> dict[str, object]:
    """How a run ended that we only know from its log; a run in prose has no status."""
    end = _read_end(tally.read_ends)
    error = _told(tally.errors[0].failure) if tally.errors else None
    wall_s = next((book["wall_s"] for book in tally.results.values() if "wall_s" in book), None)
    return {
        "status": end.status if end else None,
        "how": "parsed",
        "exit_code": end.exit_code if end else None,
        "wall_s": wall_s if wall_s is not None else (round(tally.last_s, 3) or None),
        "error": error,
    }


def _read_end(ends: Sequence[End]) -> End | None:
    """The scheduler knows how a job ended where its log just stops; a failure that the log shows stays one, also if the
    script around it went on."""
    failed = [end for end in ends if end.status in ("failed", "interrupted")]
    reported = [end for end in ends if end.source == "reader:accounting"]
    for found in ([end for end in failed if end in reported], failed, reported, ends):
        if found:
            return found[-1]
    return None


def _error(tally: Tally, end: End | None, *, one_rank: bool = False) -> dict[str, object] | None:
    """What the program or its output said went wrong, else what the recorder saw.

    A program that ends well has not failed, whatever it printed; a threshold missed after the work is worth telling.
    """
    errors = [error for error in tally.errors if not one_rank or end is None or error.rank == end.rank]
    said = [error.failure for error in errors if error.source in ("self", "guard") or error.code == "threshold"]
    if end is None or end.status != "completed":
        seen = [end.error] if end and end.error else []
        certain = [error for error in seen if error.code not in ("unknown", "crashed")]
        said = certain + [error.failure for error in errors] + seen
    if said and one_rank and end is not None and end.status != "completed":
        return _told(said[0].replace(message=f"rank {end.rank}: {said[0].message}"))
    return _told(said[0]) if said else None


def _told(error: Failure) -> dict[str, object]:
    return mask_values(error.as_json())
