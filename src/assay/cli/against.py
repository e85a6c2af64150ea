"""`assay compare --against RUNS`: two sides, from the runs folder, another folder, a file or a condition."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.start import say_warning
from assay.errors import UndecidedError, UsageError
from assay.model.event import Event
from assay.model.summary import Summary
from assay.selecting import named_runs
from assay.store.find import chosen, is_condition
from assay.summary.index import Listed, summaries

if TYPE_CHECKING:
    from assay.comparing.comparison import Comparison, Wish
    from assay.comparing.gate import Gate
    from assay.comparing.margins import Amount


@dataclass(frozen=True, kw_only=True)
class Sides:
    """The runs that are checked, those that they are checked against, and where to read more of them."""

    now: list[Summary]
    baseline: list[Summary]
    runs: dict[str, Listed]

    @property
    def events_of(self) -> Callable[[Summary], Iterable[Event]]:
        from assay.store.reading import read_events

        return lambda summary: read_events(self.runs[summary.id].run) if summary.id in self.runs else ()


def compared_against(
    words: Sequence[str],
    against: Sequence[str],
    conditions: Sequence[str],
    limits: Sequence[Amount],
    wish: Wish,
    folder: Path,
    stack: ExitStack,
) -> tuple[Comparison, Gate | None]:
    """Both sides compared, and every limit checked, if there are any."""
    from assay.comparing.comparison import compare
    from assay.comparing.gate import BASELINE, SIDE, check_figures, gate, settings_within, sided

    sides = _sides(words, against, conditions, folder, stack)
    both = sided(sides.now, sides.baseline)
    check_figures(limits, both)
    named = [str(limit.figure) for limit in limits]
    columns = [*wish.columns, *(name for name in dict.fromkeys(named) if name not in wish.columns)]
    by = [*(wish.by or settings_within(both)), SIDE]
    baseline = None if len(by) > 1 else BASELINE
    found = compare(both, sides.events_of, replace(wish, by=by, columns=columns, baseline=wish.baseline or baseline))
    return found, gate(found, limits) if limits else None


def _sides(
    words: Sequence[str], against: Sequence[str], conditions: Sequence[str], folder: Path, stack: ExitStack
) -> Sides:
    then, runs = _all_of(against, folder, stack)
    taken = {summary.id for summary in then}
    ours = named_runs(words, folder, stack, say_warning)
    now = [
        summary for summary in chosen(summaries(list(ours.values())), conditions) if words or summary.id not in taken
    ]
    if shared := [summary.name for summary in now if summary.id in taken]:
        raise UsageError(
            f"`{shared[0]}` is both a run to check and part of the baseline", "name other runs, or use --where"
        )
    for side, what in ((now, "no runs to check"), (then, "no runs in the baseline")):
        if not side:
            raise UndecidedError(what, "list the runs: assay ls")
    return Sides(now=now, baseline=then, runs={**runs, **ours})


def _all_of(against: Sequence[str], folder: Path, stack: ExitStack) -> tuple[list[Summary], dict[str, Listed]]:
    """Each word is a run, a folder, a file, a condition, or a list of summaries that was kept."""
    found: dict[str, Summary] = {}
    runs: dict[str, Listed] = {}
    for word in against:
        if (kept := _kept(Path(word))) is not None:
            found |= {summary.id: summary for summary in kept}
            continue
        a_condition = is_condition(word) and not Path(word).exists()
        listed = named_runs([] if a_condition else [word], folder, stack, say_warning)
        some = chosen(summaries(list(listed.values())), [word] if a_condition else [])
        found |= {summary.id: summary for summary in some}
        runs |= listed
    return list(found.values()), runs


def _kept(path: Path) -> list[Summary] | None:
    """What `assay ls --json > baseline.json` wrote; None where it is something else."""
    if path.suffix != ".json" or not path.is_file():
        return None
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(found, list) or not all(isinstance(one, dict) and {"id", "status"} <= set(one) for one in found):
        return None
    return [Summary.of(one) for one in found]
