"""Claims about rows that are named by words or settings: `the H100 is 2.05 times as fast as the A100`.

A claim is wrong where some grid has the rows and the metric it names, and no grid bears it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.auditing.case import Case, Sentence
from assay.auditing.grid import Column, Grid, grids_beside
from assay.auditing.meant import LOW
from assay.auditing.named import Mention, is_plain_of, mentions, piece_at
from assay.auditing.ratios import fits
from assay.auditing.rules.pairs import does_not_follow, same_kind
from assay.language.lex import Token, lex
from assay.language.said import Change, Comparison, Ranking, Said
from assay.language.vocabulary import words
from assay.model.finding import WRONG, Finding

_ROUNDED = 0.005
_OTHER_WORK, _WEIGHED = words("OTHER_WORK"), words("WEIGHED")
_OF_SOME = frozenset({"than", "of"})  # `the best of the large ones`
_MADE_FOR, _ARTICLES = frozenset({"for", "in", "to", "into"}), frozenset({"the", "a", "an"})


def changed(case: Case, sentence: Sentence, said: Said, change: Change) -> Finding | None:
    """A difference between two rows that the sentence names."""
    against: Finding | None = None
    if change.bound < 0:
        return None
    tokens = lex(said.text, sentence.decimal_comma)
    for grid in grids_beside(case, sentence):
        ends = _sides(grid, tokens, change)
        if ends is None or not is_plain_of(grid, tokens, change.start):
            continue
        for column in (one for one in grid.columns if _is_of(change, one)):
            a, b = column.values[ends.old], column.values[ends.new]
            if a is None or b is None or a <= 0 or b <= 0:
                continue
            if _is_so(change, column, a, b, ends.is_plain):
                return None
            pair = (a / 100, b / 100) if change.kind == "points" else (a, b)
            proofs = grid.evidence(ends.old), grid.evidence(ends.new)
            against = against or does_not_follow(sentence, change, pair, proofs)
    return against


@dataclass(frozen=True, kw_only=True)
class Ends:
    """The row that something is set against, and the row it is said of; `is_plain` where nobody can turn them round."""

    old: int
    new: int
    is_plain: bool


def _sides(grid: Grid, tokens: Sequence[Token], change: Change) -> Ends | None:
    """Both named in the piece of the difference; or one is named, and there is one other."""
    piece = piece_at(tokens, change.start)
    if any(token.text in _OTHER_WORK for token in tokens):
        return None  # `waited 3 times longer in the queue`
    named = mentions(grid, piece)
    rows = list(dict.fromkeys(one.row for one in named))
    if len(rows) == 2 and len(named) == 2:
        first, second = named
        between = any(_compares(token) and first.start < token.start < second.start for token in piece)
        plain = between and first.start < change.start < second.start
        return Ends(old=rows[1], new=rows[0], is_plain=plain)
    if len(rows) == 1 and len(grid.rows) == 2 and len(named) == 1 and not any(map(_compares, piece)):
        return Ends(old=1 - rows[0], new=rows[0], is_plain=named[0].start < change.start)
    return None


def _compares(token: Token) -> bool:
    return "than" in token.roles or token.text == "as"


def _is_of(change: Change, column: Column) -> bool:
    if not same_kind(change.name, column.metric) or column.average == "std":
        return False
    return not change.scope or change.scope in (column.scope, *column.title.lower().split())


def _is_so(change: Change, column: Column, old: float, new: float, is_plain: bool) -> bool:
    """Either way round, unless the sentence is plain about what is set against what."""
    if is_plain and _is_reversed(change, column, old, new):
        return False
    if change.kind in ("points", "difference"):
        slack = change.slack + 1.2 * max(column.slacks) + _ROUNDED * (1.0 if change.kind == "points" else max(old, new))
        return abs(abs(new - old) - change.value) <= slack
    return fits(change, old, new) or fits(change, new, old)


def _is_reversed(change: Change, column: Column, old: float, new: float) -> bool:
    """`SGD needs 2.3 s less`, where it needs 2.3 s more."""
    sign = -change.direction if change.name == "speed" and column.is_timed else change.direction
    return bool(sign) and sign * (new - old) < 0 and abs(new - old) > _ROUNDED * old


def ranked(case: Case, sentence: Sentence, said: Said, ranking: Ranking) -> Iterator[Finding]:
    """`trial 2 was the best`, `the V100 draws the most power`: another row is ahead of it in every such column."""
    tokens = lex(said.text, sentence.decimal_comma)
    piece = piece_at(tokens, ranking.start)
    if any(token.text in _OF_SOME for token in piece) or not _is_of_a_column(piece, ranking):
        return
    for grid in grids_beside(case, sentence):
        rows = list(dict.fromkeys(one.row for one in mentions(grid, piece) if _is_ranked(piece, one, ranking)))
        averages = {token.roles["average"] for token in piece if "average" in token.roles}
        columns = [(one, sign) for one in grid.columns if (sign := _weight(grid, one, ranking))]
        columns = [(one, sign) for one, sign in columns if not averages or one.average in averages]
        if len(rows) != 1 or not columns or len(grid.rows) < 2 or not is_plain_of(grid, tokens, ranking.start):
            continue
        found = [_ahead(column, sign, rows[0]) for column, sign in columns]
        if all(best is not None for best in found) and found[0] is not None:
            yield _finding(sentence, grid, columns[0][0], found[0], rows[0])
            return


def _is_ranked(piece: Sequence[Token], one: Mention, ranking: Ranking) -> bool:
    """Not `the fastest library for JSON`, where `json` is a row as well."""
    before = [token.text for token in piece if token.start < one.start and token.text not in _ARTICLES]
    return one.start < ranking.start or not before or before[-1] not in _MADE_FOR


def _is_of_a_column(piece: Sequence[Token], ranking: Ranking) -> bool:
    """Not `the best compromise`, `the slowest to converge`, or `the most popular, with 68,900 tokens/s`."""
    at = next((n for n, token in enumerate(piece) if token.start == ranking.start), len(piece))
    after = piece[at + 1] if at + 1 < len(piece) else None
    if any(token.text in _WEIGHED or token.text.startswith("converg") for token in piece[at:]):
        return False
    if after is not None and after.text == "to":
        return False
    if at < len(piece) and piece[at].text in ("most", "least") and not (after and (after.term or after.rate)):
        return False
    implied = not ranking.name or str(piece[at].roles.get("best", "")).rstrip("+-") if at < len(piece) else ""
    named = any(same_kind(ranking.name, token.term) for token in piece if token.term)
    return bool(implied) or named


def compared(case: Case, sentence: Sentence, said: Said, one: Comparison) -> Iterator[Finding]:
    """`SGD has reached a better accuracy than Adam`: both are named, and the figures are the other way round."""
    tokens = lex(said.text, sentence.decimal_comma)
    piece = piece_at(tokens, one.start)
    than = next((token.start for token in piece if "than" in token.roles), 0)
    if not one.sign or not than:
        return
    for grid in grids_beside(case, sentence):
        named = mentions(grid, piece)
        of, other = ({each.row for each in named if (each.start < than) is before} for before in (True, False))
        if len(of) != 1 or len(other) != 1 or of == other or not is_plain_of(grid, tokens, one.start):
            continue
        own, best = of.pop(), other.pop()
        ways = [(column, _way(one, column)) for column in grid.columns]
        ways = [
            (column, sign) for column, sign in ways if sign and None not in (column.values[own], column.values[best])
        ]
        behind = [sign * ((column.values[own] or 0.0) - (column.values[best] or 0.0)) < 0 for column, sign in ways]
        if behind and all(behind):
            yield _finding(sentence, grid, ways[0][0], best, own)
            return


def _way(one: Comparison, column: Column) -> int:
    if not same_kind(one.name, column.metric):
        return 0
    return one.sign * (-1 if one.name == "speed" and column.is_timed else 1)


def _weight(grid: Grid, column: Column, ranking: Ranking) -> int:
    """1 where the named row should have the largest value of the column, -1 the smallest; 0 if it is not meant."""
    if ranking.name == "speed":
        return (
            (ranking.sign or ranking.better) * (-1 if column.is_timed else 1)
            if same_kind("speed", column.metric)
            else 0
        )
    if ranking.name and not same_kind(ranking.name, column.metric):
        return 0
    if not ranking.name and len(grid.columns) > 1 and column.metric not in ("accuracy", "loss", "val_loss"):
        return 0
    return ranking.sign or ranking.better * (-1 if column.metric in LOW else 1)


def _ahead(column: Column, sign: int, row: int) -> int | None:
    """The best row, where it is not this one."""
    own = column.values[row]
    known = [(value, n) for n, value in enumerate(column.values) if value is not None]
    if own is None or len(known) < len(column.values):
        return None
    best, at = max(known, key=lambda one: sign * one[0])
    return at if sign * (best - own) > 1e-9 else None


def _finding(sentence: Sentence, grid: Grid, column: Column, best: int, own: int) -> Finding:
    shown = [column.shown(column.values[at] or 0.0) for at in (best, own)]
    called = [_called(grid, at) for at in (best, own)]
    return Finding(
        code="wrong-ranking",
        severity=WRONG,
        message=f"the {column.title} of {called[0]} is {shown[0]} and that of {called[1]} {shown[1]}",
        hint="name the one that the figures show, or say which figure is meant",
        source=sentence.source,
        evidence=(sentence.evidence(), grid.evidence(own), grid.evidence(best)),
    )


def _called(grid: Grid, at: int) -> str:
    row = grid.rows[at]
    if row.labels:
        return f"`{max(row.labels, key=len)}`"
    setting = next((f"{name} = {value:g}" for name, value in row.keys.items()), "")
    return setting or f"{grid.noun or 'row'} {row.order or at + 1:g}"
