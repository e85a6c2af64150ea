"""What is known from elsewhere: failures with their remedies, and how far two equal runs lie apart."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class KnownFailure:
    """What a log says where it goes wrong, what that means, and what to do."""

    pattern: str  # a regular expression for the message, linear in the text
    code: str  # one of the error codes of a summary
    hint: str  # the remedy
    #: a line that ends a run by itself, outside of any traceback; empty where the message alone does not
    alone: str = ""
    #: in lower case: a line that `alone` fits holds one of these
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class KnownSpread:
    """`sd` is in the figure's own unit (0.0053 of accuracy are 0.53 points), or `relative`: a share of the mean.

    Outside of `low` to `high` something else was run, or it diverged.
    """

    figure: str
    sd: float
    runs: int
    of: str
    #: what a model, data set, program or log of the same task is called: letters and digits alone
    task: str
    relative: bool = False
    low: float = float("-inf")
    high: float = float("inf")
    seen: str = ""  # what the runs came to

    @property
    def source(self) -> str:
        return f"{self.of}: {self.seen}"

    @property
    def pair(self) -> float:
        """Two single runs with the same settings differ by at most this, 19 times in 20."""
        return 1.96 * 2**0.5 * self.sd

    def difference(self, a: float, b: float) -> float:
        """Between two runs, in the unit of `sd`."""
        return abs(a - b) / (abs(a + b) / 2) if self.relative else abs(a - b)

    def is_called(self, word: str) -> bool:
        """`BERT-large` is `bertlarge`."""
        return self.task in plain(word)


def plain(word: str) -> str:
    """Letters and digits alone, in lower case."""
    return "".join(letter for letter in word.lower() if letter.isalnum())
