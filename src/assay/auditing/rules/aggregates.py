"""What is said of a whole column: its mean, how many of its rows are above a bound, and how well more devices scale.

| run | time  |     The average time is 39.2 s.                wrong: no row is below 40.8 s
| 1   | 41.2  |     Four of the five runs took over 41 s.      wrong: three did
| 2   | 40.8  |     The efficiency with 8 GPUs is 95 %.        wrong: 412 s / (8 × 63.9 s) is 81 %
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.auditing.case import Case, Sentence
from assay.auditing.grid import Column, Grid, grids_beside
from assay.auditing.language import runs_counted
from assay.auditing.meant import PARALLEL
from assay.auditing.named import is_plain_of, mentions, piece_at
from assay.auditing.rules.pairs import same_kind
from assay.language.lex import Token, lex
from assay.language.modality import DONE
from assay.language.numbers import PERCENT, Number
from assay.language.said import Said, Value
from assay.language.vocabulary import words
from assay.model.finding import DOUBTFUL, WRONG, Finding

_ALL, _EFFICIENCY, _OTHERS = words("ALL_OF_THEM"), words("EFFICIENCY"), words("OTHER_EFFICIENCY")
_OFF = 1.5  # points of efficiency, beyond the digits that are given
_LEAST_ROWS = 3


def check(case: Case) -> Iterator[Finding]:
    for sentence in (one for one in case.sentences if not one.cut):
        own = grids_beside(case, sentence)
        for said in sentence.said() if own else ():
            if said.modality != DONE:
                continue
            tokens = lex(said.text, sentence.decimal_comma)
            yield from _means(sentence, said, tokens, own)
            yield from _extremes(sentence, said, tokens, own)
            yield from _counted(sentence, tokens, own)
            yield from _efficient(sentence, tokens, own)
            yield from _totals(sentence, said, tokens, own)


def _means(sentence: Sentence, said: Said, tokens: Sequence[Token], own: list[Grid]) -> Iterator[Finding]:
    for value in said.values:
        if value.bound or value.denied or value.modality != DONE or value.is_setting or value.was:
            continue
        piece = piece_at(tokens, value.start)
        if not any(token.roles.get("average") == "mean" for token in piece) or any(one.term == "seed" for one in piece):
            continue  # the repeats of one row are no column
        if any(one.is_setting for one in said.values):
            continue  # of the runs with that setting
        columns = [(grid, one) for grid in own for one in grid.columns if _is_of(value, one)]
        columns = [(grid, one) for grid, one in columns if not mentions(grid, piece) and not one.average]
        if not columns or not is_plain_of(columns[0][0], tokens, value.start):
            continue
        whole = any(token.text in _ALL for token in piece)
        against = [_mean_against(grid, one, value, piece, whole) for grid, one in columns]
        counted = runs_counted(said)
        if all(against) and against[0] and counted in (0, len(columns[0][0].rows)):
            found = _finding(sentence, columns[0][0], against[0], range(len(columns[0][0].rows)))
            yield found if whole or counted else replace(found, severity=DOUBTFUL)


def _is_of(value: Value, column: Column) -> bool:
    if not same_kind(value.name, column.metric) or (value.split and column.split not in ("", value.split)):
        return False
    if value.scope and value.scope not in (column.scope, *column.title.lower().split()):
        return False  # `the mean time of a step`, beside a column of whole runs
    return len([one for one in column.values if one is not None]) >= _LEAST_ROWS


def _mean_against(grid: Grid, column: Column, value: Value, piece: Sequence[Token], whole: bool) -> str:
    """The right mean, where all rows are meant, or no choice of rows has such a one."""
    known = [one for one in column.values if one is not None]
    mean, said, slack = sum(known) / len(known), *column.read(value)
    slack = max(1.2 * slack, 0.05 * said if value.about else 0.0) + max(column.slacks)
    counted = any(token.number is not None and token.number.value == len(grid.rows) for token in piece)
    outside = said + slack < min(known) or said - slack > max(known)
    if abs(said - mean) <= slack or not (outside or whole or counted):
        return ""
    return f"the mean of the column `{column.title}` is {column.shown(mean)}"


def _extremes(sentence: Sentence, said: Said, tokens: Sequence[Token], own: list[Grid]) -> Iterator[Finding]:
    """`the lowest latency is 2.1 ms`, where no row has such a one and the lowest is 4.1 ms."""
    for value in said.values:
        piece = piece_at(tokens, value.start)
        signs = {token.roles["best"] for token in piece if token.roles.get("best") in ("+", "-")}
        if len(signs) != 1 or value.bound or value.denied or value.modality != DONE or value.is_setting or value.was:
            continue
        columns = [(grid, one) for grid in own if not grid.runs for one in grid.columns if _is_of(value, one)]
        if len(columns) != 1 or any(mentions(columns[0][0], piece)) or any(token.text == "per" for token in piece):
            continue
        grid, column = columns[0]
        if not is_plain_of(grid, tokens, value.start):
            continue
        said_value, slack = column.read(value)
        slack = max(1.2 * slack, 0.05 * said_value if value.about else 0.0) + max(column.slacks)
        if any(cell is not None and abs(cell - said_value) <= slack for cell in column.values):
            continue
        known = [(cell, at) for at, cell in enumerate(column.values) if cell is not None]
        best, at = max(known) if signs == {"+"} else min(known)
        word = "highest" if signs == {"+"} else "lowest"
        yield _finding(sentence, grid, f"the {word} `{column.title}` is {column.shown(best)}", (at,))


def _counted(sentence: Sentence, tokens: Sequence[Token], own: list[Grid]) -> Iterator[Finding]:
    """`five of the six are above 80 %`, of a grid with six rows."""
    for at in range(len(tokens) - 4):
        few, of, many = tokens[at].number, tokens[at + 1].text, tokens[at + 3].number or tokens[at + 2].number
        if few is None or of not in ("of", "out") or many is None or few.value > many.value:
            continue
        bound = next((n for n in range(at + 3, len(tokens)) if tokens[n].roles.keys() & {"at_least", "at_most"}), None)
        figure = next((one.number for one in tokens[bound or 0 :] if bound and one.number), None)
        if bound is None or figure is None:
            continue
        above = "at_least" in tokens[bound].roles
        alike = (one for one in own if len(one.rows) == many.value)
        for grid in (one for one in alike if is_plain_of(one, tokens, figure.start)):
            counts = {_how_many(column, figure, above) for column in grid.columns if _may_be(column, figure)}
            if counts and few.value not in counts and len(counts) == 1:
                message = f"that is true of {counts.pop()} of the {len(grid.rows)} rows"
                yield _finding(sentence, grid, message, range(len(grid.rows)))


def _may_be(column: Column, figure: Number) -> bool:
    return (column.metric == "accuracy") == (figure.unit == PERCENT)


def _how_many(column: Column, figure: Number, above: bool) -> int:
    known = [one for one in column.values if one is not None]
    return sum(one > figure.value if above else one < figure.value for one in known)


def _efficient(sentence: Sentence, tokens: Sequence[Token], own: list[Grid]) -> Iterator[Finding]:
    """`the parallel efficiency at 8 GPUs is 95 %`, from the rows of 1 and of 8."""
    shares = [token.number for token in tokens if token.number is not None and token.number.unit == PERCENT]
    if len(shares) != 1 or not any(token.text in _EFFICIENCY for token in tokens):
        return
    if any(token.roles.keys() & {"at_least", "at_most", "not"} or token.text in _OTHERS for token in tokens):
        return
    for grid in own:
        rows = list(dict.fromkeys(one.row for one in mentions(grid, tokens)))
        found = [share for one in grid.columns for share in _shares(grid, one, rows[-1])] if rows else []
        if len(rows) > 2 or not found or not is_plain_of(grid, tokens, shares[0].start):
            continue
        slack = max(1.2 * shares[0].slack, _OFF if shares[0].slack < 1 else shares[0].slack)
        if any("about" in token.roles for token in tokens):
            slack = max(slack, 0.05 * shares[0].value)
        if not any(abs(one - shares[0].value) <= slack for one in found):
            yield _finding(sentence, grid, f"the figures give an efficiency of {found[0]:.0f} %", (0, rows[-1]))
            return


def _shares(grid: Grid, column: Column, row: int) -> Iterator[float]:
    """Against every row with fewer: strong scaling by time or rate, and weak scaling by time."""
    name = next((one for one in PARALLEL if all(one in each.keys for each in grid.rows)), "")
    timed = column.metric == "time"
    if not name or not (timed or column.metric.endswith("_per_s") or column.metric == "rate"):
        return
    many, new = grid.rows[row].keys[name], column.values[row]
    for other, old in zip(grid.rows, column.values, strict=True):
        few = other.keys[name]
        if old and new and 0 < few < many:
            yield 100 * (old / new if timed else new / old) * few / many
            if timed:
                yield 100 * old / new


def _finding(sentence: Sentence, grid: Grid, message: str, rows: Sequence[int]) -> Finding:
    return Finding(
        code="wrong-arithmetic",
        severity=WRONG,
        message=message,
        hint="work it out again from the figures of the page",
        source=sentence.source,
        evidence=(sentence.evidence(), *(grid.evidence(at) for at in list(rows)[:6])),
    )


_MOST_SUMMED = 10


def _totals(sentence: Sentence, said: Said, tokens: Sequence[Token], own: Sequence[Grid]) -> Iterator[Finding]:
    """`Altogether that is 60.5 hours`, where no rows of the only column of times come to that."""
    columns = [(grid, one) for grid in own if not grid.runs for one in grid.columns if one.metric == "time"]
    for value in said.values:
        if value.name != "time" or value.average != "total" or value.bound or value.denied or value.scope:
            continue
        if len(columns) != 1 or len(said.values) > 1 or not is_plain_of(columns[0][0], tokens, value.start):
            continue
        grid, column = columns[0]
        known = [one for one in column.values if one is not None]
        slack = max(1.2 * value.number.slack, 0.05 * value.number.value if value.about else 0.0)
        slack += sum(column.slacks)
        if len(known) != len(column.values) or not 2 <= len(known) <= _MOST_SUMMED or mentions(grid, tokens):
            continue
        sums = {0.0}
        for one in known:
            sums |= {held + one for held in sums}
        if not any(abs(one - value.number.value) <= slack for one in sums):
            right = f"the rows of the column `{column.title}` add up to {column.shown(sum(known))}"
            found = _finding(sentence, grid, right, range(len(known)))
            more = value.number.value > sum(known)  # what else was done need not be in the table
            yield replace(found, severity=DOUBTFUL) if more else found
