"""Text from elsewhere inside Markdown: it can be read there, and begins nothing."""

from __future__ import annotations

import re

from assay.views.charts.base import Table


def plain_text(text: str) -> str:
    """What came from a log is text: no tag, no link, no table begins in it."""
    escaped = text.replace("\\", "\\\\").replace("<", "&lt;").replace("[", "\\[").replace("|", "\\|")
    return " ".join(escaped.split())


def quoted(text: str, most: int = 160) -> str:
    """As code on one line, in as many backticks as it takes."""
    text = " ".join(text.split())
    text = text if len(text) <= most else f"{text[: most - 1]}…"
    ticks = "`" * (_longest(text) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def table(content: Table) -> list[str]:
    """`heads` and `rows` as lines; the first column is words, the others are numbers."""
    heads, rows = content["heads"], content["rows"]
    marks = [":---", *["---:"] * (len(heads) - 1)]
    return ["", *(f"| {' | '.join(plain_text(str(cell)) for cell in row)} |" for row in [heads, marks, *rows]), ""]


def fenced(text: str) -> list[str]:
    """A fence longer than any in the text: what is quoted cannot end it."""
    fence = "`" * max(3, _longest(text) + 1)
    return [fence, text, fence]


def _longest(text: str) -> int:
    return max((len(ticks) for ticks in re.findall(r"`+", text)), default=0)
