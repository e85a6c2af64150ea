"""A page that is being written: its Markdown and its charts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.reading.html import ANSWER_BEGINS as BEGINS
from assay.reading.html import ANSWER_ENDS as ENDS
from assay.views.charts.base import Chart, Columns
from assay.views.markup import plain_text, quoted
from assay.views.written.draft import Command, Figure, Text, figures, parse

#: where a chart stands in the Markdown, until it is known what becomes of it
PLACE = "assay-chart:"


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A chart with its data; `run` if it shows one run."""

    chart: Chart
    caption: str
    run: str = ""
    data: dict[str, Columns] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a command of a draft gives: Markdown, and charts to stand after it; how its runs were obtained."""

    markdown: str = ""
    how: str = ""
    charts: list[Placed] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Written:
    """`markdown` names the charts by their place in `charts`."""

    title: str
    markdown: str
    charts: list[Placed]


Answers = Callable[[str], Answer]
Figures = Callable[[Figure], str]


def write(draft: Path, answer: Answers, figure: Figures) -> Written:
    """Every command and figure in its place; the first that cannot be had stops it, and says where it stands."""
    try:
        text = draft.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise AssayError(f"`{draft}` is not text in UTF-8") from None
    parts: list[str] = []
    charts: list[Placed] = []
    for piece in list(parse(text, draft.name)):  # first the whole draft: an open block is told before anything else
        try:
            if isinstance(piece, Text):
                parts.append(_filled(piece.text, figure))
            else:
                parts.append(_answered(piece, answer(piece.text), charts))
        except AssayError as problem:
            if isinstance(piece, Command) and piece.may_fail and not isinstance(problem, UsageError):
                parts.append(f"*Not here: {plain_text(problem.message)}.* *{quoted('assay ' + piece.text, 400)}*")
                continue
            where = f"{draft.name}:{piece.line}: " if isinstance(piece, Command) else f"{draft.name}: "
            raise type(problem)(where + problem.message, problem.hint) from None
    title = re.search(r"(?m)^#\s+(.+)$", "\n".join(parts))
    return Written(title=title[1] if title else draft.stem, markdown="\n".join(parts) + "\n", charts=charts)


def _filled(text: str, figure: Figures) -> str:
    return "".join(part if isinstance(part, str) else figure(part) for part in figures(text))


def _answered(command: Command, found: Answer, charts: list[Placed]) -> str:
    """The answer with its command below, so that a reader can run it again."""
    lines = ["", found.markdown.strip("\n")] if found.markdown.strip() else []
    for one in found.charts:
        lines += ["", f"![{one.caption}]({PLACE}{len(charts)})", ""]
        charts.append(one)
    how = f"{found.how}: " if found.how else ""
    return "\n".join(["", BEGINS, *lines, "", f"*{how}{quoted('assay ' + command.text, 400)}*", "", ENDS, ""])


def renamed(chart: object, names: dict[str, str]) -> object:
    """The same chart on data of other names, so that several charts of one kind can stand on a page."""
    if isinstance(chart, list):
        return [renamed(one, names) for one in chart]
    if not isinstance(chart, dict):
        return chart
    found = {key: renamed(value, names) for key, value in chart.items()}
    data = chart.get("data")
    if isinstance(data, dict) and data.get("name") in names:
        found["data"] = {**data, "name": names[data["name"]]}
    return found


def data_names(chart: object) -> set[str]:
    """What a chart and its layers are drawn from."""
    if isinstance(chart, list):
        return set().union(*map(data_names, chart))
    if not isinstance(chart, dict):
        return set()
    own = chart.get("data")
    named = {str(own["name"])} if isinstance(own, dict) and "name" in own else set()
    return named.union(*map(data_names, chart.values()))
