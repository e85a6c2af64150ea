"""Settings that a page shows above a log rather than says: an excerpt of code, a table of names and values.

    ```python                                | parameter     | value |         | learning rate | epochs |
    epochs = 20                              |---------------|-------|         |---------------|--------|
    ```                                      | epochs        | 20    |         | 0.03          | 20     |

The trap: a whole script holds defaults that a command line changes, and a table of results holds many runs. So only an
excerpt is read and a table of one run, and not where it is called the default; what is said in words comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from assay.ingest.page import Page
from assay.ingest.parts import CODE, HEADING, PROSE, TABLE, Part, table_rows
from assay.ingest.statements import Statement, is_only, statements
from assay.language.cues import has
from assay.language.kinds import METRICS
from assay.language.tables import head

_EXCERPT = 15  # lines; more is a program
_RESULTS = METRICS - {"steps"}
_COMMENT = re.compile(r"(?:#|//).*$")


def shown_settings(page: Page, after: int, before: int, *, after_log: bool) -> list[Statement]:
    """Between two lines; a setting that is given two values is given none.

    `after_log`: what stands right below another log, with no word between them, belongs to that one.
    """
    code = {id(part) for part in page.excerpts(after, before)}
    found: list[Statement] = []
    words: list[str] = []  # the last that were said
    for kind, group in groupby(
        page.parts_between(after, before), key=lambda part: CODE if id(part) in code else part.kind
    ):
        block = list(group)
        called = [*words, *(part.line.text for part in block)]
        is_mine = not (after_log and not words) and not any(has(text, "not_mine") for text in called)
        words = [part.said for part in block if part.kind in (PROSE, HEADING)][-1:] or words
        if is_mine and kind in (CODE, TABLE):
            found += _of_code(block) if kind == CODE else _of_table(block)
    values = {one.name: {two.value for two in found if two.name == one.name} for one in found}
    return [one for one in found if len(values[one.name]) == 1]


def _of_code(block: list[Part]) -> Iterator[Statement]:
    if len(block) > _EXCERPT:
        return
    for part in block:
        text = _COMMENT.sub("", part.line.text).rstrip().removeprefix("+")  # a diff: `-` is what it was before
        if text.startswith("-"):
            continue
        if is_only(text):
            yield from statements(text, part.number)


def _of_table(block: list[Part]) -> Iterator[Statement]:
    rows = table_rows(block)
    if all(len(cells) == 2 for _, cells in rows):
        pairs = [(part, name, value) for part, (name, value) in rows]
    elif len(rows) == 2 and len(rows[0][1]) == len(rows[1][1]):
        (_, names), (part, cells) = rows
        pairs = [(part, name, value) for name, value in zip(names, cells, strict=True)]
    else:
        return
    if any(head(name).name in _RESULTS for _, name, _ in pairs):
        return  # it tells how a run ended: it may stand below it as well as above
    for part, name, value in pairs:
        text = f"{name} = {value}"
        if is_only(text):
            yield from statements(text, part.number)
