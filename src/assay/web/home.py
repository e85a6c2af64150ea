"""The first screen: what runs now, and what the last study came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.comparing.comparison import Comparison
from assay.model.summary import Summary
from assay.model.values import number
from assay.store.find import is_recorded
from assay.units import show_number
from assay.views.answer import is_named, sentences
from assay.views.answer_served import served_answers
from assay.web.sparks import spark_of

if TYPE_CHECKING:
    from assay.web.folder import Entry
    from assay.web.live import LiveRun

#: (how many there are to be, how many there were)
_GOALS = (("max_steps", "steps"), ("epochs", "epochs"))


@dataclass(frozen=True, kw_only=True)
class Running:
    """One active run, as a card shows it."""

    folder: str
    name: str
    status: str
    share: float | None  # of its way
    says: str
    rate: str
    loss: float | None
    elapsed_s: float | None
    left_s: float | None
    spark: list[float]


def running(entry: Entry, live: LiveRun | None) -> Running:
    summary = entry.listed.summary
    share = share_done(summary)
    spark = spark_of(live.events()) if live is not None and live.caught_up else None
    return Running(
        folder=entry.listed.folder,
        name=summary.name,
        status=entry.status,
        share=share,
        says=_says(summary),
        rate=_rate(summary),
        loss=summary.loss,
        elapsed_s=summary.wall_s,
        left_s=_left_s(summary, share),
        spark=spark.values if spark else [],
    )


def share_done(summary: Summary) -> float | None:
    """Where the run says how many steps or epochs there will be."""
    for goal, done in _GOALS:
        total, now = number(summary.settings.get(goal)), summary.reported(done)
        if total and now is not None and 0 <= now <= total:
            return now / total
    return None


def _left_s(summary: Summary, share: float | None) -> float | None:
    """If it goes on as it did so far."""
    spent_s = summary.train_s or summary.wall_s
    return spent_s * (1 - share) / share if share and spent_s else None


def _says(summary: Summary) -> str:
    """How far it is: in what it has a goal for, else in what it counts."""
    known = [(done, now, number(summary.settings.get(goal))) for goal, done in _GOALS
             if (now := summary.reported(done)) is not None]  # fmt: skip
    for done, now, total in sorted(known, key=lambda one: not (one[2] and one[2] >= one[1])):
        of = f" of {show_number(total)}" if total and total >= now else ""
        return f"{done.removesuffix('s')} {show_number(now)}{of}"
    return ""


def _rate(summary: Summary) -> str:
    rates = ((summary.throughput, "samples/s"), (summary.tokens_per_s, "tokens/s"))
    for value, unit in rates:
        if value is not None:
            return f"{show_number(float(f'{value:.4g}'))} {unit}"
    if summary.steps and summary.wall_s:
        return f"{show_number(float(f'{summary.steps / summary.wall_s:.3g}'))} steps/s"
    return ""


def failures(entries: Sequence[Entry]) -> list[Entry]:
    """The last first; what failed here comes first, because what failed in a log that was read may be long past."""
    failed = [entry for entry in reversed(entries) if entry.status == "failed"]
    return sorted(failed, key=lambda entry: not is_recorded(entry.listed.folder))


def failure(entry: Entry) -> dict[str, object]:
    summary = entry.listed.summary
    error = summary.error
    return {
        "folder": entry.listed.folder,
        "name": summary.name,
        "code": error.code if error else "failed",
        "message": (error.message or "")[:300] if error else "",
        "hint": (error.hint or "")[:300] if error else "",
    }


def first_answer(found: Comparison, asked: str = "") -> str:
    """What is said of a server as a whole, else of the metric that the study's question names, else of the one that has
    a clear winner, else of the first judged.
    """
    if served := served_answers(found.models):
        return served[0]
    told = sentences(found)
    named = [one for one in told if is_named(one[0], asked)]
    told = named or told
    won = [text for best, text in told if best.winner is not None]
    return next(iter([*won, *(text for _, text in told)]), "")
