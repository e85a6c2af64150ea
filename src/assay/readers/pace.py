"""A rate on a separate line: that of the whole training if it is the only one and comes after the training.

    Epoch 3/3, Loss: 0.5070, Accuracy: 81.20%
    Training time: 6.05 s
    Throughput: 1015.5 samples/s

The trap: a script may print such a line after every epoch, and then each belongs to its epoch.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.model.values import number

_RATES = {"samples_per_s": "samples_per_s_avg"}
_FEWEST_LINES = 2  # of training before it


class Pace:
    """Rates without a step, an epoch or a loss beside them."""

    def __init__(self) -> None:
        self._trained = 0  # lines of training so far
        self._alone: list[Mapping[str, object]] = []

    def take(self, facts: Mapping[str, object]) -> None:
        if facts.keys() <= _RATES.keys():
            self._alone = [*self._alone[-1:], dict(facts)]
        elif "loss" in facts or "train_loss" in facts:
            self._trained += 1
            if self._alone:
                self._alone = [{}, {}]  # it was of what came before

    def average(self) -> dict[str, object]:
        if len(self._alone) != 1 or self._trained < _FEWEST_LINES:
            return {}
        return {_RATES[name]: value for name, value in self._alone[0].items() if number(value) is not None}
