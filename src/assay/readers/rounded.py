"""The accuracy that scikit-learn's classification report repeats with two digits.

    Accuracy: 0.9533333333333334
                  precision    recall  f1-score   support
        accuracy                           0.95       450

The trap: the report comes last, so its 0.95 would replace the accuracy that the script printed above it.
"""

from __future__ import annotations

from assay.model.values import number

_DIGITS = 2


class Reported:
    """Remembers the last accuracy of a log."""

    def __init__(self) -> None:
        self._accuracy: float | None = None

    def take(self, facts: dict[str, object]) -> None:
        if "accuracy" in facts:
            self._accuracy = number(facts["accuracy"])

    def repeats(self, text: str, facts: dict[str, object]) -> bool:
        """Whether a row of such a report only rounds the accuracy above it."""
        words = text.split()
        if self._accuracy is None or len(words) != 3 or words[0] != "accuracy" or not words[2].isdigit():
            return False
        share = self._accuracy if self._accuracy <= 1 else self._accuracy / 100
        return facts.keys() == {"accuracy"} and round(share, _DIGITS) == facts["accuracy"]
