"""Keras's bars: which belong to `fit`, and which to an `evaluate` after it.

    Epoch 3/3
    40/40 ━━━━━━━━━━━━━━━━━━━━ 0s 1ms/step - accuracy: 0.9174 - loss: 0.1653 - val_accuracy: 0.9246 - val_loss: 0.1507
    8/8 ━━━━━━━━━━━━━━━━━━━━ 0s 1ms/step - accuracy: 0.9046 - loss: 0.1807

The trap: `evaluate` prints the same names without naming the part of the data. A bar that begins again after an epoch's
last one, with no new epoch named, is no training.
"""

from __future__ import annotations

from assay.readers.counted import KERAS_BAR
from assay.readers.split import TEST, of_part


class Fit:
    """Follows the bars from one epoch's name to the next."""

    def __init__(self) -> None:
        self._in_fit = False
        self._last: tuple[int, int, bool] | None = None  # done, of how many, with validation

    def begin(self) -> None:
        """An epoch is named: the bars that follow belong to its training."""
        self._in_fit, self._last = True, None

    def takes(self, text: str, facts: dict[str, object]) -> bool:
        """Rename the figures of a test's bar; returns whether the line was a bar."""
        found = KERAS_BAR.match(text)
        if found is None or ("ms/step" not in text and "s/step" not in text and "s/epoch" not in text):
            return False
        done, total, validated = int(found["done"]), int(found["total"]), any(name.startswith("val_") for name in facts)
        if self._in_fit and self._last is not None and not validated:
            before, before_total, before_validated = self._last
            full = before == before_total
            self._in_fit = not full or (total == before_total and done == before and not before_validated)
        self._last = (done, total, validated)
        if not self._in_fit:
            facts.pop("step", None)
            for name in list(facts):
                facts[of_part(name, TEST)] = facts.pop(name)
        return True
