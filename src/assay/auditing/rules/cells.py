"""`misquoted-figure` of a row that a sentence names: "trial 5 reached 92.3 %", where its row has 90.3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.auditing.case import Case, Sentence
from assay.auditing.grid import Column, Grid, grids_beside
from assay.auditing.named import is_plain_of, mentions, piece_at
from assay.auditing.rules.pairs import same_kind
from assay.language.lex import Token, lex
from assay.language.modality import DONE
from assay.language.numbers import PERCENT, SECONDS, numbers_in
from assay.language.said import Said, Value
from assay.model.finding import WRONG, Finding

_PLAIN = ("", "max", "mean")


def check(case: Case) -> Iterator[Finding]:
    for sentence in (one for one in case.sentences if not one.cut):
        # figures of runs are held against their logs elsewhere
        own = [grid for grid in grids_beside(case, sentence) if not grid.runs]
        for said in sentence.said() if own else ():
            for value in (one for one in said.values if _is_quoted(one)):
                found = [one for grid in own for one in _held(sentence, said, value, grid)]
                if None not in found:
                    yield from (one for one in found[:1] if one is not None)


def _is_quoted(value: Value) -> bool:
    plain = not (value.bound or value.denied or value.was or value.failed or value.part)
    return plain and value.modality == DONE and not value.is_setting and value.average in _PLAIN


def _held(sentence: Sentence, said: Said, value: Value, grid: Grid) -> Iterator[Finding | None]:
    """A finding or None for every grid that names one row and has the metric."""
    tokens = lex(said.text, sentence.decimal_comma)
    piece = piece_at(tokens, value.start)
    rows = list({one.row for one in mentions(grid, piece)})
    columns = [one for one in grid.columns if _is_of(value, one)]
    columns = [one for one in columns if not value.split or one.split in ("", value.split)]
    if len(rows) != 1 or sum(one.name == value.name for one in said.values) > 1 or value.number.in_words:
        return
    shown = [one for one in columns if one.values[rows[0]] is not None]
    if not shown or _speaks_of_more(piece, value) or not is_plain_of(grid, tokens, value.start):
        return
    slips = [one for one in shown if len(shown) == 1 and _is_slip(one, value, rows[0])]
    if slips and not any(_is_near(one, value, rows[0]) for one in shown):
        yield replace(_finding(sentence, said, value, grid, slips[0], rows[0]), code="mislabelled-unit")
        return
    if any(_is_near(one, value, rows[0]) for one in shown) or _stands_there(grid, rows[0], value):
        yield None
        return
    yield _finding(sentence, said, value, grid, shown[0], rows[0])


def _speaks_of_more(piece: Sequence[Token], value: Value) -> bool:
    return any(_is_of_more(token) for token in piece if not value.scope or token.term != "steps")


def _is_of_more(token: Token) -> bool:
    """`239 tokens/s per watt`, `against 185 for the A100`, `after 3 epochs`: another figure, or another moment."""
    return (
        bool(token.roles.keys() & {"within", "than", "instead"})
        or token.term in ("epochs", "steps")
        or token.text in ("per", "each", "every")
    )


def _is_near(column: Column, value: Value, row: int) -> bool:
    cell = column.values[row] or 0.0
    said, slack = column.read(value)
    slack = max(1.2 * slack, 0.05 * abs(said) if value.about else 0.0) + column.slacks[row] + 1e-9
    return any(abs(cell - one) <= max(slack, 0.003 * abs(cell)) for one in (said, *value.number.others))


def _is_of(value: Value, column: Column) -> bool:
    """The same metric, of the whole or of a step as the column has it."""
    if value.scope == "step" and value.name == "time":
        return column.metric == "step_ms"
    plain = not value.scope or value.scope in (column.scope, *column.title.lower().split())
    return plain and same_kind(value.name, column.metric)


def _is_slip(column: Column, value: Value, row: int) -> bool:
    """The digits of the cell with another unit of time: 171 ms as 171 s."""
    cell, said, digits = column.values[row] or 0.0, value.number.value, value.number.slack
    if value.number.unit != SECONDS or digits > _DIGITS * said or not cell:
        return False
    others = [unit for unit in _UNITS_OF_TIME if abs(unit - column.unit) > 1e-9]
    return any(abs(said - cell / column.unit * unit) <= 1.2 * digits for unit in others)


_UNITS_OF_TIME, _DIGITS = (1e-6, 1e-3, 1.0, 60.0, 3600.0), 0.03


def _stands_there(grid: Grid, row: int, value: Value) -> bool:
    """Some other figure of the row is this one, in whatever unit."""
    said = value.number.value / (100 if value.number.unit == PERCENT else 1)
    printed = [reading for one in numbers_in(grid.rows[row].text) for reading in one.readings]
    slack = 1.2 * max(value.number.slack, value.number.rounded) / (100 if value.number.unit == PERCENT else 1)
    scales = (1.0, 0.01, 1000.0, 0.001, 60.0, 3600.0, 1e6, 1e9, 1024.0**2, 1024.0**3)
    return any(abs(one * scale - said) <= slack + 1e-12 for one in printed for scale in scales)


def _finding(sentence: Sentence, said: Said, value: Value, grid: Grid, column: Column, row: int) -> Finding:
    text = said.text[value.start : value.end]
    shown = column.shown(column.values[row] or 0.0)
    return Finding(
        code="misquoted-figure",
        severity=WRONG,
        message=f"{text} is quoted, and the table shows {shown} (`{column.title}`)",
        hint="quote the figure as the table has it",
        source=sentence.source,
        evidence=(sentence.evidence(), grid.evidence(row)),
    )
