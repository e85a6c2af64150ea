"""At what equal budget results are compared: which, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from assay.comparing.curves import AXES, Curve
from assay.comparing.figures import OUTCOME, figure
from assay.comparing.rows import SHOWN, Row
from assay.errors import UsageError
from assay.model.values import number
from assay.units import show_joules, show_number, show_seconds

END = "end"
#: budgets this near to each other are equal
_EQUAL = 0.01
_BUDGETS = {
    "steps": "steps", "samples": "samples", "epochs": "epochs", "tokens": "tokens", "seconds": "train_s",
    "energy": "energy_j",
}  # fmt: skip
_SHOW: dict[str, Callable[[float], str]] = {
    "steps": lambda value: f"{show_number(value)} steps",
    "samples": lambda value: f"{show_number(value)} samples",
    "epochs": lambda value: f"{show_number(value)} epochs",
    "tokens": lambda value: f"{show_number(value)} tokens",
    "seconds": lambda value: f"{show_seconds(value)} of training",
    "energy": show_joules,
}


@dataclass(frozen=True, kw_only=True)
class Axis:
    """`limit` is the budget that every run had; None where results are taken as each run ended."""

    name: str
    why: str
    limit: float | None = None
    equal: bool = True

    @property
    def at(self) -> str:
        """For a heading: nothing where all runs had the same."""
        return "" if self.equal or self.limit is None else f"at {_SHOW[self.name](self.limit)}"


#: share of the planned epochs; a dropped last batch makes less difference
_STOPPED = 0.95


#: share of the samples after which the last printed loss of a training stands for its end
_LOGGED = 0.5


def choose(rows: Sequence[Row], asked: str | None = None) -> Axis:
    """Samples where they are known, since a model learns from data and not from steps."""
    judged = [row for row in rows if not row.simulated and any(map(is_outcome, row.figures))]
    if asked == END:
        return Axis(name=END, why="results at the end of each run, as requested")
    if asked:
        if not any(budget(row, asked) for row in rows):
            raise UsageError(f"no run reports its {asked}", f"choose another --axis: {', '.join(AXES)} or {END}")
        return _along(asked, judged or list(rows), asked=True)
    if not judged:
        return Axis(name=END, why="only speeds are compared, which need no equal budget")
    epochs = {_epochs(row) for row in judged}
    if len(epochs) == 1 and None not in epochs:
        # a last batch that is not full is dropped, so the samples of equal passes differ a little
        count = epochs.pop() or 0
        passes = "1 epoch" if count == 1 else f"{show_number(count)} epochs"
        why = f"equal samples: every run made {passes}"
        counts = [seen for row in judged if (seen := row.figures.get("samples")) is not None]
        full = [seen for seen in counts if seen >= _LOGGED * max(counts)]
        if len(full) < len(counts):
            why += "; a training loss that was last printed early in it is left out"
        return Axis(name="samples", why=why, limit=min(full, default=0.0) or None)
    for name in ("samples", "steps"):
        if all(budget(row, name) for row in judged):
            return _along(name, judged, asked=False)
    return Axis(name=END, why="results at the end of each run, because not all runs report their samples or steps")


def _epochs(row: Row) -> float | None:
    """As the evidence shows: what is claimed of epochs is too often not what ran, and a run may stop before them."""
    setting, made = row.settings.get("epochs"), row.summary.epochs
    shown = number(setting.value) if setting and setting.origin == SHOWN else None
    if shown is None or (made is not None and made < _STOPPED * shown):
        return made
    return shown


def budget(row: Row, axis: str) -> float | None:
    figures = row.figures
    if axis in ("epochs", "tokens"):
        return row.summary.reported(axis)
    return figures.get(_BUDGETS[axis]) or (figures.get("wall_s") if axis == "seconds" else None)


def outcomes(row: Row) -> list[str]:
    return [name for name in row.figures if is_outcome(name)]


@cache
def is_outcome(name: str) -> bool:
    return figure(name).kind == OUTCOME and name not in ("steps", "samples")


def _along(name: str, rows: Sequence[Row], *, asked: bool) -> Axis:
    budgets = [known for row in rows if (known := budget(row, name))]
    least, most = min(budgets), max(budgets)
    equal = most <= (1 + _EQUAL) * least
    show = _SHOW[name]
    if equal:
        why = f"equal {name}: every run had {show(least)}" + (", as requested" if asked else "")
        return Axis(name=name, why=why, limit=least)
    why = f"equal {name}: results are read at {show(least)}, the smallest budget of any run"
    if asked:
        why += ", as requested"
    elif name == "samples":
        why += f" (the largest is {show_number(most)}); at equal steps a larger batch would have seen more data"
    return Axis(name=name, why=why, limit=least, equal=False)


def at_axis(rows: Sequence[Row], axis: Axis, curve: Callable[[Row], Curve]) -> list[Row]:
    """The rows with their outcomes as they were at the limit; an outcome that is not known there is dropped."""
    if axis.limit is None:
        return list(rows)
    if axis.equal:
        return [_without_early(row, axis.limit) if axis.name == "samples" else row for row in rows]
    return [_read(row, axis, axis.limit, curve) for row in rows]


def _without_early(row: Row, limit: float) -> Row:
    """Without the training's own figures where they were last printed early: `[0/640 (0%)]` is that of one batch."""
    logged = row.figures.get("samples")
    if logged is None or logged >= _LOGGED * limit:
        return row
    early = {"loss"} | ({"accuracy"} if row.summary.accuracy_of == "train" else set())
    return replace(row, figures={name: value for name, value in row.figures.items() if name not in early})


def _read(row: Row, axis: Axis, limit: float, curve: Callable[[Row], Curve]) -> Row:
    reached = budget(row, axis.name)
    if reached is not None and reached <= (1 + _EQUAL) * limit:
        return row
    names, figures = outcomes(row), dict(row.figures)
    read = curve(row) if names else Curve()
    for name in names:
        value = read.value_at(axis.name, limit, name)
        if value is None:
            del figures[name]
        else:
            figures[name] = value
    return replace(row, figures=figures)
