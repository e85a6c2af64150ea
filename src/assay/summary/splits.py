"""Which part of the data a quoted figure belongs to: training, validation and test are kept apart.

A person quotes the accuracy of the test set; where none was measured, that of the validation set; else that of the
training batches. Each figure stays under its own name, too.
"""

from __future__ import annotations

from functools import cache

TRAIN, VAL, TEST = "train", "val", "test"
#: how a part is called in a sentence
PARTS = {TRAIN: "training", VAL: "validation", TEST: "test"}
_ACCURACY = ("accuracy", "acc", "top1", "accuracy_top1", "accuracy_1", "accuracy1")
#: from the one a person would quote first to the last
_ACCURACIES = (
    (TEST, tuple(f"test_{name}" for name in _ACCURACY)),
    (VAL, tuple(f"{part}_{name}" for part in ("eval", "val", "valid") for name in _ACCURACY)),
    (TRAIN, tuple(f"train_{name}" for name in _ACCURACY)),
)
#: without the name of a part, and not quite by the name of accuracy
_BARE = ("accuracy_1", "accuracy1", "accuracy_top1", "top1")
#: a loss, and what else programs call it
LOSSES = {
    "loss": ("train_loss", "lm_loss", "total_loss", "step_loss"),
    "val_loss": ("eval_loss", "valid_loss"),
}


@cache
def told_as(name: str, of: str | None) -> tuple[str, ...]:
    """Names under which a log may print a figure: `test_accuracy` for the accuracy of the test set."""
    if name == "accuracy":
        return ("accuracy", *(other for part, names in _ACCURACIES if of in (None, part) for other in names), *_BARE)
    return (name, *LOSSES.get(name, ()))


def quoted_losses(best: dict[str, float]) -> dict[str, float]:
    """The last loss of each part that has no figure under the plain name."""
    found: dict[str, float] = {}
    for name, others in LOSSES.items():
        other = next((other for other in others if other in best), None)
        if name not in best and other is not None:
            found[name] = best[other]
    return found


def quoted_accuracy(best: dict[str, float], of: str | None) -> dict[str, object]:
    """The accuracy that a person would quote, and its part of the data. `of` is the part of the plain `accuracy`."""
    plain = best.get("accuracy")
    for part, names in _ACCURACIES:
        if plain is not None and of == part:
            break
        name = next((name for name in names if name in best), None)
        if name is not None and (plain is None or part != TRAIN):
            return {"accuracy": best[name], "accuracy_of": part}
        if plain is not None and of is None and part == TEST:
            break  # what is called accuracy and no more is of the test set, unless a test is named
    if plain is not None:
        return {"accuracy": plain, "accuracy_of": of}
    bare = next((best[name] for name in _BARE if name in best), None)
    return {} if bare is None else {"accuracy": bare}
