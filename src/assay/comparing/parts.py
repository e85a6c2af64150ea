"""The figures of one moment by their part of the data, under common names, whichever program printed them."""

from __future__ import annotations

from collections.abc import Mapping

from assay.model.event import Metric
from assay.model.summary import Summary
from assay.summary.splits import PARTS, TRAIN, told_as


def by_part(values: dict[str, float], event: Metric, summary: Summary) -> None:
    """`eval_accuracy` becomes `val_accuracy`; `accuracy` belongs to the part of the run's accuracy."""
    _losses(values, summary)
    of, said = summary.accuracy_of, event.values.get("accuracy_of")
    part = said if isinstance(said, str) else TRAIN if event.origin == "reader" and "loss" in values else of
    plain = values.pop("accuracy", None)
    if _NAMES.isdisjoint(values):  # most events of a long run
        if plain is None:
            return
        if part in PARTS:
            values[f"{part}_accuracy"] = plain / 100 if plain > 1 else plain
    else:
        _parted(values, plain, part)
    quoted = values.get(f"{of}_accuracy") if of else plain
    if quoted is not None:
        values["accuracy"] = quoted / 100 if quoted > 1 else quoted


def _parted(values: dict[str, float], plain: float | None, part: str | None) -> None:
    for one in PARTS:
        known = [values.pop(name) for name in _NAMED[one] if name in values]
        figure = known[0] if known else plain if part == one else None
        if figure is not None:
            values[f"{one}_accuracy"] = figure / 100 if figure > 1 else figure


_FIRST = {"train": ("train",), "val": ("val", "eval"), "test": ("test",)}
_NAMED = {one: tuple(name for name in told_as("accuracy", one)[1:] if name.startswith(_FIRST[one])) for one in PARTS}
_NAMES = frozenset(name for names in _NAMED.values() for name in names)
_ACCURACIES = frozenset(f"{part}_accuracy" for part in PARTS)
_OTHER_LOSSES = {name: told_as(name, None)[1:] for name in ("loss", "val_loss")}
_LOSS_NAMES = frozenset(name for names in _OTHER_LOSSES.values() for name in names)


def _losses(values: dict[str, float], summary: Summary) -> None:
    """Under the plain name where the summary takes it for that, too."""
    if _LOSS_NAMES.isdisjoint(values):
        return
    for name, quoted in (("loss", summary.loss), ("val_loss", summary.val_loss)):
        other = next((one for one in _OTHER_LOSSES[name] if one in values), None)
        if name not in values and other is not None and summary.metrics.get(other) == quoted:
            values[name] = values.pop(other)


def drawn(values: Mapping[str, float]) -> dict[str, float]:
    """What a chart shows of a moment: an accuracy under the name of its part, not twice."""
    if "accuracy" not in values or _ACCURACIES.isdisjoint(values):
        return dict(values)
    return {name: value for name, value in values.items() if name != "accuracy"}
