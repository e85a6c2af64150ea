"""What a superlative is about: one figure of all rows, or something that no column shows.

the fastest per watt, the best accuracy for its memory      weighed by two figures
the fastest that keeps 91 %, the second best                of some of them
32 has the highest accuracy, 256 the lowest                 `the lowest` is said of 256
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.language.kinds import METRICS
from assay.language.lex import Token
from assay.language.numbers import NONE
from assay.language.said import Ranking

_OF_SOME = frozenset({"per", "among", "except", "besides", "second", "other", "next", "excluding"})
_NEAR = 4


def is_of_all(piece: Sequence[Token], ranking: Ranking) -> bool:
    """Whether the piece of a sentence ranks all that there are, by the one figure that it names."""
    after = [token for token in piece if token.start >= ranking.end]
    if any(token.text in _OF_SOME for token in piece) or any(token.text in ("that", "which") for token in after):
        return False
    return not (_is_for_a_figure(after) or _is_of_another(piece, ranking))


def _is_for_a_figure(after: Sequence[Token]) -> bool:
    return any(
        token.text in ("for", "given", "considering") and any(one.term in METRICS for one in after[at : at + _NEAR])
        for at, token in enumerate(after)
    )


def _is_of_another(piece: Sequence[Token], ranking: Ranking) -> bool:
    """A number that is none of the setting that is ranked stands before the superlative."""
    readings = {reading for one in ranking.of for reading in one.readings}
    bare = [
        token.number for token in piece if token.number is not None and token.end <= ranking.start and not token.rate
    ]
    return bool(readings) and any(one.unit == NONE and not readings & set(one.readings) for one in bare)
