"""Whether a sentence says no more than is understood: what adds a condition may be true under that condition alone.

The V100 draws the most power.                   plain
For small models the V100 is the fastest.        not: nothing on the page is called `small models`
Trial 2 was the best before we tuned it.         not: nobody knows when that was
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.language.kinds import METRICS
from assay.language.lex import Token
from assay.language.vocabulary import words

#: cues of which a claim itself is made
_CLAIMED = frozenset(
    {"up", "down", "factor", "best", "average", "split", "scope", "than", "compared", "about", "same", "clearly",
     "slightly", "at_least", "at_most"}
)  # fmt: skip
_PLAIN, _SINCE, _CONDITIONS = words("PLAIN"), words("SINCE"), words("CONDITIONS")
_BREAKS, _WHEN = words("BREAKS") | {",", ";", ":", "(", ")"}, _CONDITIONS | words("WHEN")
_MOMENTS = frozenset({"epochs", "steps"})
_FIGURES = METRICS - _MOMENTS
#: before the moment up to which something is so; the last one is the end
UNTIL, _END = words("UNTIL"), words("END")


def is_plain(
    tokens: Sequence[Token],
    place: int,
    known: Callable[[Token], bool] = lambda token: False,
    *,
    of_a_curve: bool = False,
) -> bool:
    """Of a claim that stands at `place`: all words up to the end of its piece, and the first word of the next piece.
    `known` are the names that things have on the page; only of a curve an epoch is one of its moments."""
    ended = False
    for at, token in enumerate(tokens):
        if ended:
            return token.text not in _WHEN
        if token.start > place and token.text in _BREAKS and token.number is None:
            ended = True
        elif not (known(token) or _is_understood(token) or (of_a_curve and _is_moment(tokens[at : at + 4]))):
            return False
    return True


def _is_understood(token: Token) -> bool:
    if token.number is not None or token.is_mark or token.text in _PLAIN or token.term in _FIGURES:
        return True
    if token.term or token.roles.keys() & {"order", "larger"} or token.text in _WHEN:
        return False  # it is about a setting that the rows do not have, about some of them, or about a condition
    return bool(token.roles.keys() & _CLAIMED) or (token.text.endswith("ly") and len(token.text) > 4)


def _is_moment(tokens: Sequence[Token]) -> bool:
    """`epoch 4`, `the third epoch`, `after the first epoch`."""
    first = tokens[0]
    if first.text in UNTIL:
        return any(token.term in _MOMENTS or token.text in _END for token in tokens[1:])
    begins = "order" in first.roles or first.text in _SINCE
    return first.term in _MOMENTS or (begins and any(token.term in _MOMENTS for token in tokens[1:]))


def has_condition(tokens: Sequence[Token]) -> bool:
    """`3 times faster after we fixed the loader`, `on the larger model`: it holds where no one can look."""
    if {"first", "last"} <= {token.text for token in tokens}:
        return True  # `between the first and the last epoch`: of one run
    return any(
        "larger" in token.roles or (token.text in _CONDITIONS and not _is_counted(tokens[at + 1 : at + 4]))
        for at, token in enumerate(tokens)
    )


def _is_counted(tokens: Sequence[Token]) -> bool:
    """`after 10 epochs`, `after the last epoch`."""
    return any(token.number is not None or token.term in _MOMENTS for token in tokens)
