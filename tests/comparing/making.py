"""Summaries and events for the tests of comparing."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from assay.comparing.comparison import Comparison, Wish, compare
from assay.model.event import event_of
from assay.model.summary import Summary

_IDS = itertools.count()


def run(batch: int | None = None, *, claimed: bool = False, **fields: Any) -> Summary:
    """One completed run; `batch` is shown by the evidence, or only claimed."""
    settings = dict(fields.pop("settings", {}), **({} if batch is None else {"batch_size": batch}))
    place = "claims" if claimed else "params"
    number = next(_IDS)
    base = {"id": f"run{number}", "name": f"run{number}", "status": "completed", "how": "executed", "system": "cpu"}
    return Summary.of({**base, **({place: settings} if settings else {}), **fields})


def losses(values: Iterable[float], *, batch: int, every: int = 1) -> list[dict[str, Any]]:
    """The metric events of a program that logs its loss every few steps, one step a second."""
    return [
        {"kind": "metric", "from": "self", "step": step * every, "samples": step * every * batch, "loss": loss,
         "at_s": float(step * every)}
        for step, loss in enumerate(values, 1)
    ]  # fmt: skip


def compared(
    summaries: list[Summary], events: dict[str, list[dict[str, Any]]] | None = None, **wish: Any
) -> Comparison:
    told = {run: [event_of(dict(line)) for line in lines] for run, lines in (events or {}).items()}
    return compare(summaries, lambda summary: told.get(summary.id, []), Wish(**wish))


def verdict(found: Comparison, figure: str, group: str) -> str:
    (text,) = [one.text for one in found.verdicts if (one.figure.name, one.group) == (figure, group)]
    return text
