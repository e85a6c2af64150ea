"""`wrong-arithmetic` in tables: a column of means against the repeats beside it.

| lr  | run 1 | run 2 | run 3 | mean |
| 0.1 | 93.4  | 93.0  | 93.9  | 94.4 |     wrong: no mean lies above all of its repeats
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.auditing.case import Table
from assay.language.lex import lex
from assay.language.numbers import Number
from assay.language.tables import cell_number
from assay.language.vocabulary import words
from assay.model.finding import WRONG, Evidence, Finding

CODE = "wrong-arithmetic"
_REPEATS = words("REPEATS")
_FEWEST = 2
#: beside the digits that are given: how a mean of rounded figures may have been rounded
_ROUNDED = 1.2


def check(table: Table) -> Iterator[Finding]:
    means = [at for at, text in enumerate(table.head) if _is_mean(text)]
    repeats = [at for at, text in enumerate(table.head) if _is_repeat(text)]
    if len(means) != 1 or len(repeats) < _FEWEST:
        return
    for line, cells in table.rows:
        if len(cells) != len(table.head):
            continue
        held = [cell_number(cells[at], "", table.decimal_comma) for at in repeats]
        said = cell_number(cells[means[0]], "", table.decimal_comma)
        known = [one for one in held if one is not None]
        if said is not None and len(known) == len(held) and not _fits(said, known):
            mean = sum(one.value for one in known) / len(known)
            yield Finding(
                code=CODE,
                severity=WRONG,
                message=f"the table gives {cells[means[0]].strip()} as the mean, and that of its repeats is {mean:.6g}",
                hint="work the column out again",
                source=table.source,
                evidence=(Evidence(source=table.source, line=line, text=" | ".join(cells)),),
            )


def _fits(said: Number, repeats: Sequence[Number]) -> bool:
    """The mean or the median, as far as the digits go; with or without the first repeat, which may be a warm-up."""
    slack = _ROUNDED * (said.slack + max(one.slack for one in repeats))
    for several in (repeats, repeats[1:]):
        values = sorted(one.value for one in several)
        middle = (values[len(values) // 2] + values[(len(values) - 1) // 2]) / 2
        if any(abs(one - said.value) <= slack for one in (sum(values) / len(values), middle)):
            return True
    return False


def _is_mean(text: str) -> bool:
    tokens = [token for token in lex(text) if not token.is_mark]
    return len(tokens) == 1 and tokens[0].roles.get("average") == "mean"


def _is_repeat(text: str) -> bool:
    """`run 1`, `Seed 42`, `#2`, `fold 3`."""
    plain = text.strip().strip("*_`").lower().replace("#", "run ").replace("_", " ")
    name = plain.rstrip("0123456789").strip()
    return name in _REPEATS and plain[-1:].isdigit()
