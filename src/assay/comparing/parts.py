"""The figures of one moment by the part of the data that they are of, under the same names whoever printed them."""

from __future__ import annotations

from collections.abc import Mapping

from assay.model.event import Metric
from assay.model.summary import Summary
from assay.summary.splits import PARTS, TRAIN, told_as


def by_part(values: dict[str, float], event: Metric, summary: Summary) -> None:
    """`eval_accuracy` becomes `val_accuracy`; `accuracy` is of the part that the run's own is quoted of."""
    _losses(values, summary)
    of, said = summary.accuracy_of, event.values.get("accuracy_of")
    part = said if isinstance(said, str) else TRAIN if event.origin == "reader" and "loss" in values else of
    plain = values.pop("accuracy", None)
    for one in PARTS:
        known = [
            values.pop(name) for name in told_as("accuracy", one)[1:] if name.startswith(_FIRST[one]) and name in values
        ]
        figure = known[0] if known else plain if part == one else None
        if figure is not None:
            values[f"{one}_accuracy"] = figure / 100 if figure > 1 else figure
    quoted = values.get(f"{of}_accuracy") if of else plain
    if quoted is not None:
        values["accuracy"] = quoted / 100 if quoted > 1 else quoted


_FIRST = {"train": ("train",), "val": ("val", "eval"), "test": ("test",)}


def _losses(values: dict[str, float], summary: Summary) -> None:
    """Under the plain name where the summary takes it for that, too."""
    for name, quoted in (("loss", summary.loss), ("val_loss", summary.val_loss)):
        other = next((one for one in told_as(name, None)[1:] if one in values), None)
        if name not in values and other is not None and summary.metrics.get(other) == quoted:
            values[name] = values.pop(other)


def drawn(values: Mapping[str, float]) -> dict[str, float]:
    """What a chart shows of a moment: an accuracy under the name of its part, not twice."""
    parted = any(f"{part}_accuracy" in values for part in PARTS)
    return {name: value for name, value in values.items() if name != "accuracy" or not parted}
