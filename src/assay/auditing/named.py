"""Which rows of a grid a piece of a sentence names: by a word, by a setting, or by their place: `the third run`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.auditing.grid import Grid, joined
from assay.language.kinds import METRICS
from assay.language.lex import Token
from assay.language.numbers import NONE
from assay.language.plainly import is_plain
from assay.language.vocabulary import words

_EQUAL, _LONGEST = 1e-6, 5
_CORES = words("CORES")
_RUNS, _BREAKS = words("RUNS"), words("BREAKS") | {",", ";", ":", "(", ")", "while", "whereas", "although"}


@dataclass(frozen=True, kw_only=True)
class Mention:
    """A row, and where in the sentence it is named."""

    row: int
    start: int


def mentions(grid: Grid, tokens: Sequence[Token]) -> list[Mention]:
    """In the order of the sentence; a number that two rows have names neither."""
    return [Mention(row=row, start=token.start) for at, token in enumerate(tokens) for row in _rows(grid, tokens, at)]


def _rows(grid: Grid, tokens: Sequence[Token], at: int) -> Iterator[int]:
    token = tokens[at]
    if at and _label_length(grid.labels, tokens, at - 1) > 1:
        return  # the 16 of `ViT-B/16`
    if token.number is None or token.text in grid.labels:
        begins = _label_length(grid.labels, tokens, at)  # of most words, no row is called so
        found = [n for n, row in enumerate(grid.rows) if begins and _label_length(row.labels, tokens, at)]
        found = found or list(_ordered(grid, tokens, at))
    else:
        found = list(_valued(grid, tokens, at))
    if len(found) == 1:
        yield found[0]


def _label_length(labels: frozenset[str], tokens: Sequence[Token], at: int) -> int:
    """Of how many tokens the longest label is that begins here; 0 if none does."""
    text, found = "", 0
    for length, token in enumerate(tokens[at : at + _LONGEST], start=1):
        text += joined(token.text)
        if text in labels and joined(token.text):
            found = length
    return found


def _ordered(grid: Grid, tokens: Sequence[Token], at: int) -> Iterator[int]:
    """`the third run`, and `the slowest run was the third`."""
    order = tokens[at].roles.get("order")
    if order is None or not grid.noun:
        return
    nouns = {grid.noun} | _RUNS
    ends = at + 1 == len(tokens) or tokens[at + 1].is_mark
    if not (ends and any(token.text in nouns for token in tokens[:at])) and not (
        at + 1 < len(tokens) and tokens[at + 1].text in nouns
    ):
        return
    wanted = len(grid.rows) if order == -1 else int(str(order))
    yield from (n for n in range(len(grid.rows)) if n + 1 == wanted)


def _valued(grid: Grid, tokens: Sequence[Token], at: int) -> Iterator[int]:
    token = tokens[at]
    one = token.number
    if one is None or one.unit != NONE or token.rate or one.upper is not None or one.sign:
        return
    before, after = tokens[at - 1] if at else None, tokens[at + 1] if at + 1 < len(tokens) else None
    link = tokens[at - 2] if at > 1 and before is not None and before.text in ("=", "of", ":", "size") else None
    near = [other for other in (before, link, after) if other is not None]
    if grid.noun and any(other.text in (grid.noun, grid.noun + "s") for other in near[:1]):
        yield from (n for n, row in enumerate(grid.rows) if row.order == one.value)
        return
    terms = {"cpus" if other.text in _CORES else other.term for other in near if other.term or other.text in _CORES}
    if terms & METRICS:
        return
    for name in {key for row in grid.rows for key in row.keys}:
        values = [row.keys.get(name) for row in grid.rows]
        if len(set(values)) < len(values) or (terms and name not in terms) or (not terms and one.in_words):
            continue
        for n, value in enumerate(values):
            if value is not None and any(abs(value - said) <= _EQUAL * abs(value) for said in one.readings):
                yield n


def piece_at(tokens: Sequence[Token], place: int) -> list[Token]:
    """The piece of a sentence that a place is in: between commas, conjunctions and brackets."""
    piece: list[Token] = []
    for token in tokens:
        if token.text in _BREAKS and not token.number:
            if any(one.start <= place < one.end for one in piece):
                return piece
            piece = []
        else:
            piece.append(token)
    return piece


def is_plain_of(grid: Grid, tokens: Sequence[Token], place: int) -> bool:
    """Whether all that is said up to the end of a piece is understood, the names and settings of the rows included."""
    keys = {name for row in grid.rows for name in row.keys}
    titles = {word for column in grid.columns for word in column.title.lower().split()}
    mine = {
        token.start for at in range(len(tokens)) for token in tokens[at : at + _label_length(grid.labels, tokens, at)]
    }
    mine |= {token.start for at, token in enumerate(tokens) if list(_ordered(grid, tokens, at))}

    def known(token: Token) -> bool:
        counted = token.text in _CORES and "cpus" in keys
        named = token.term in keys or token.text in (grid.noun, f"{grid.noun}s", *titles)
        return token.start in mine or counted or named

    return is_plain(tokens, place, known)
