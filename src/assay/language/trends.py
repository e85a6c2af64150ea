"""How a figure went on its way: `the loss fell in every epoch`, `the best accuracy came in epoch 4`.

Only what stands in one piece of a sentence is put together: one metric, and one way it went or one moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.language import modality as mood
from assay.language.kinds import SETTINGS
from assay.language.lex import Token, lex
from assay.language.numbers import NONE, PERCENT, Number
from assay.language.plainly import UNTIL, is_plain
from assay.language.sentences import clauses, sentences
from assay.language.vocabulary import words

_METRICS = {"loss": "loss", "val_loss": "loss", "test_loss": "loss", "accuracy": "accuracy"}
_SPLITS = {"val_loss": "val", "test_loss": "test"}
_UNITS = {"epochs": "epoch", "steps": "step"}
_EACH, _THROUGHOUT = words("EACH"), words("THROUGHOUT_WORDS")
_SINCE, _BREAKS = words("SINCE"), words("BREAKS") | {",", ":", "(", ")", "while", "whereas"}
_RELATIVE = frozenset({"which", "where", "when", "whenever", "whose", "if", "unless"})
_FAR = 1e-12


@dataclass(frozen=True, kw_only=True)
class Trend:
    """A curve went up (1) or down (-1): on the whole, at every epoch (`each`), or to the end (`throughout`)."""

    metric: str
    split: str
    unit: str
    sign: int
    each: bool
    throughout: bool
    since: float | None  # the moment from which on; -1 the last epoch
    modality: str


@dataclass(frozen=True, kw_only=True)
class Extreme:
    """A curve was at its highest (1) or lowest (-1) at a moment."""

    metric: str
    split: str
    unit: str
    sign: int
    moment: float
    modality: str


@dataclass(frozen=True, kw_only=True)
class Level:
    """A curve had a value at a moment."""

    metric: str
    split: str
    unit: str
    number: Number
    moment: float
    about: bool
    modality: str


Claim = Trend | Extreme | Level


@lru_cache(maxsize=1 << 13)
def trends_of(text: str, decimal_comma: bool = False) -> tuple[Claim, ...]:
    """What a paragraph says about curves."""
    found: list[Claim] = []
    for sentence in sentences(text):
        tokens = lex(sentence, decimal_comma)
        for clause in clauses(tokens):
            how = mood.modality(clause, tokens)
            if not _compares_runs(clause):
                found += _in_pieces(tokens, clause, how)
    return tuple(found)


def _compares_runs(clause: Sequence[Token]) -> bool:
    """`the loss fell when the batch grew`: of one run against another, and no curve."""
    if any("than" in token.roles for token in clause):
        return True
    return any(token.term in SETTINGS and token.term not in _UNITS for token in clause)


def _in_pieces(tokens: Sequence[Token], clause: Sequence[Token], how: str) -> Iterator[Claim]:
    """A piece without a metric of its own goes on with that of the piece before."""
    for piece in _pieces(clause):
        terms = [token for token in piece if token.term in _METRICS]
        if len(terms) != 1 or any("not" in token.roles for token in piece):
            continue
        if not is_plain(tokens, terms[0].start, of_a_curve=True):
            continue
        metric = _METRICS[terms[0].term]
        split = _SPLITS.get(terms[0].term, "") or next(
            (str(token.roles["split"]) for token in piece if "split" in token.roles), ""
        )
        yield from _claims(piece, metric, split, how)


def _pieces(clause: Sequence[Token]) -> Iterator[list[Token]]:
    piece: list[Token] = []
    for token in clause:
        if token.text in _BREAKS:
            yield piece
            piece = []
        else:
            piece.append(token)
    yield piece


def _claims(piece: Sequence[Token], metric: str, split: str, how: str) -> Iterator[Claim]:
    moments = list(_moments(piece))
    unit = moments[0][0] if moments else ""
    figures = [token for token in piece if _is_figure(token)]
    signs = {_sign(token, metric) for token in piece} - {0}
    extremes = {_extreme(token, metric) for token in piece} - {0}
    if extremes and len(moments) == 1 and not moments[0][2] and len(extremes) == 1:
        yield Extreme(metric=metric, split=split, unit=unit, sign=extremes.pop(), moment=moments[0][1], modality=how)
    elif len(signs) == 1 and not extremes and not figures and len(moments) < 2:
        said = {token.text for token in piece}
        if said & _RELATIVE:
            return  # `after every epoch in which the loss fell`: of some of them
        each, throughout = bool(said & _EACH), bool(said & _THROUGHOUT)
        if said & UNTIL and moments and moments[0][1] < 0:
            throughout, moments = True, []  # `until the last epoch`
        since = moments[0][1] if moments and not each and (moments[0][1] < 0 or _begins(piece)) else None
        if moments and since is None and not each:
            return  # `until the fourth epoch`, `in epoch 3`: only a part of the way
        if each or throughout or since is not None:
            yield Trend(
                metric=metric, split=split, unit=unit, sign=signs.pop(), each=each, throughout=throughout,
                since=since, modality=how,
            )  # fmt: skip
    elif len(figures) == 1 and len(moments) == 1 and not signs and not extremes and not _is_bound(piece):
        yield Level(
            metric=metric, split=split, unit=unit, number=figures[0].number or _none(), moment=moments[0][1],
            about=any("about" in token.roles for token in piece), modality=how,
        )  # fmt: skip


def _begins(piece: Sequence[Token]) -> bool:
    """`after epoch 4`, `from the third epoch on`."""
    at = next(n for n, token in enumerate(piece) if token.term in _UNITS)
    return any(token.text in _SINCE for token in piece[max(0, at - 3) : at])


def _none() -> Number:
    raise AssertionError("a figure has a number")


def _is_bound(piece: Sequence[Token]) -> bool:
    return any(token.roles.keys() & {"at_least", "at_most", "average", "factor"} - {"average"} for token in piece)


def _is_figure(token: Token) -> bool:
    """`82.8 %`, `0.912`: with a decimal or a unit, unlike the number of an epoch."""
    one = token.number
    return one is not None and not token.rate and one.upper is None and (one.unit == PERCENT or _has_decimals(one))


def _has_decimals(one: Number) -> bool:
    return one.unit == NONE and abs(one.value - round(one.value)) > _FAR


def _moments(piece: Sequence[Token]) -> Iterator[tuple[str, float, bool]]:
    """(epoch or step, its number, whether it is a span): `epoch 4`, `the last epoch`, `after 3 epochs`."""
    for at, token in enumerate(piece):
        unit = _UNITS.get(token.term, "")
        before = piece[at - 1] if at else None
        after = piece[at + 1] if at + 1 < len(piece) else None
        if not unit:
            continue
        if after is not None and after.number is not None and _is_count(after.number):
            yield unit, after.number.value, False
        elif before is not None and "order" in before.roles and before.number is None:
            yield unit, float(str(before.roles["order"])), False
        elif before is not None and before.number is not None and _is_count(before.number):
            since = at > 1 and piece[at - 2].text in _SINCE
            yield unit, before.number.value if since else float("nan"), True


def _is_count(one: Number) -> bool:
    return one.unit == NONE and one.upper is None and abs(one.value - round(one.value)) < _FAR


def _sign(token: Token, metric: str) -> int:
    """Which way the figure went; better is less of a loss."""
    if token.number is not None or token.term in _METRICS:
        return 0
    for role, sign in (("up", 1), ("down", -1)):
        if role in token.roles:
            about = str(token.roles[role])
            if about in ("better", "worse") and metric == "loss":
                return -sign
            return sign if about in ("", "better", "worse") else 0
    return 0


def _extreme(token: Token, metric: str) -> int:
    kind = str(token.roles.get("best", ""))
    low = -1 if metric == "loss" else 1
    return {"better": low, "worse": -low, "+": 1, "-": -1}.get(kind, 1 if token.text in _PEAKS else 0)


_PEAKS = words("PEAKS")
