"""One self-contained file: opens offline, asks no one for anything, and runs no script unless it is interactive."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TypedDict

from assay import __version__
from assay.comparing.best import Best
from assay.comparing.comparison import Comparison
from assay.comparing.figures import Figure
from assay.spec import short_id
from assay.text import capital
from assay.views.answer import telling, title
from assay.views.charts.base import packed
from assay.views.charts.draw import svg
from assay.views.comparison import figure_lines, heading, key_cells
from assay.views.judging import best_words, spelled_out
from assay.views.report import words
from assay.views.report.data import ReportData
from assay.views.report.document import Document, document
from assay.views.report.findings import kinds_of, proofs
from assay.views.table import cell, columns_for
from assay.views.web.assets import chart_scripts, policy, templates, text_of
from assay.views.written.page import data_names

#: metrics that have room in a table on paper
_MOST_COLUMNS = 5


class Block(TypedDict):
    """What is said of one metric."""

    title: str
    lines: list[str]


def html(data: ReportData, *, interactive: bool = False) -> str:
    """Charts are drawn here, once; an `interactive` page brings their rows and Vega to draw them again."""
    page = document(data, still=not interactive)
    scripts = _scripts(page) if interactive else []
    found = data.comparison
    first = main_columns(found) if found else []
    rest = [one for one in found.columns if one not in first] if found else []
    blocks, models = told_blocks(found) if found else [], words.models(data)
    differences = "Differences" if blocks or models or page.notes else "Other metrics" if rest else ""
    return (
        templates()
        .get_template("report.html")
        .render(
            title=data.title,
            style=text_of("style.css"),
            scripts=scripts,
            policy=policy(scripts),
            asked=words.asked(data),
            page=page,
            drawn=_drawn(page) if not interactive else {},
            table=comparison_table(found, first) if found else None,
            others=[comparison_table(found, some) for some in _pieces(rest)] if found else [],
            differences=differences,
            folded=bool(found and found.verdicts and not spelled_out(found)),
            verdicts=blocks,
            models=models,
            findings=kinds_of(data.findings),
            proofs=proofs,
            runs=_runs(data),
            measured=words.measured(data),
            repeat=words.repeat(data),
            sections=_contents(page, differences),
            version=__version__,
            made=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        )
    )


def _drawn(page: Document) -> dict[str, str]:
    """Every figure by its id."""
    rows = page.data.datasets
    return {one.id: svg(one.chart, rows, one.run, name=one.id, alt=one.alt) for one in page.figures()}


def _scripts(page: Document) -> list[str]:
    charts = {one.id: one.chart for one in page.figures()}
    used = data_names(list(charts.values()))
    return chart_scripts({name: packed(rows) for name, rows in page.data.datasets.items() if name in used}, charts)


def _contents(page: Document, differences: str) -> list[dict[str, str]]:
    listed = [{"id": "compare", "title": differences}] if differences else []
    listed += [{"id": one.id, "title": one.title} for one in page.parts]
    last = {"findings": "Findings", "runs": "All runs", "how": "How it was measured"}
    return listed + [{"id": name, "title": text} for name, text in last.items()]


def main_columns(found: Comparison) -> list[Figure]:
    """What fits on page one: the metrics of the answer, then others that most settings have, in their order."""
    told, judged = {best.figure.name for best in telling(found)}, {verdict.figure.name for verdict in found.verdicts}
    known = {one.name: sum(bool(group.sample(one.name)) for group in found.groups) for one in found.columns}
    wanted = [one for one in found.columns if 2 * known[one.name] > len(found.groups)] or found.columns
    first = sorted(wanted, key=lambda one: (one.name not in told, one.name not in judged))[:_MOST_COLUMNS]
    return [one for one in found.columns if one in first]


def _pieces(columns: Sequence[Figure]) -> list[Sequence[Figure]]:
    """As many as paper has room for: a wider table would make the whole page small."""
    return [columns[at : at + _MOST_COLUMNS] for at in range(0, len(columns), _MOST_COLUMNS)]


def comparison_table(found: Comparison, columns: Sequence[Figure] | None = None) -> dict[str, object]:
    """The live page shows it too."""
    columns = found.columns if columns is None else columns
    heads = [{"text": name, "number": False} for name in found.by or ["runs"]] + [{"text": "n", "number": True}]
    heads += [{"text": heading(found, one).replace("\n", " "), "number": True} for one in columns]
    rows = []
    for group in found.groups:
        keys = [
            {"text": text, "mark": "", "number": False, "best": False, "interval": ""}
            for text in key_cells(found, group)
        ]
        keys[0]["mark"] = "simulated" if group.simulated else ""
        count = {"text": str(len(group.rows)), "mark": "", "number": True, "best": False, "interval": ""}
        figures = []
        for one in columns:
            first, second = figure_lines(found, group, one)
            best = bool(first) and found.winner(one.name) == group.label
            figures.append({"text": first, "mark": "", "number": True, "best": best, "interval": second})
        rows.append([*keys, count, *figures])
    return {"heads": heads, "rows": rows, "note": table_note(found)}


def table_note(found: Comparison) -> str:
    """What the cells are, and at which budget results are read."""
    if len(found.rows) == 1:
        return "One run, so nothing is known about how much runs vary."
    several = any(len(group.rows) > 1 for group in found.groups)
    cells = "Mean ± standard deviation over n runs, with the 95 % interval of the mean. " if several else ""
    best = "★: significantly best. " if any(found.winner(one.name) for one in found.columns) else ""
    return f"{cells}{best}{capital(found.axis.why)}."


def told_blocks(found: Comparison) -> list[Block]:
    """Those of the metrics that a report spells out."""
    listed = spelled_out(found)
    return verdict_blocks(found, [best for best in telling(found) if best.figure.name in listed])


def verdict_blocks(found: Comparison, only: Sequence[Best] | None = None) -> list[Block]:
    """One for each metric, or for some; the live page shows them too."""
    blocks: list[Block] = []
    names = dict.fromkeys(verdict.figure.name for verdict in found.verdicts)
    for name in names if only is None else [best.figure.name for best in only]:
        verdicts = [verdict for verdict in found.verdicts if verdict.figure.name == name]
        at = f" {found.axis.at}" if verdicts[0].figure.kind == "outcome" and found.axis.at else ""
        lines = [f"{verdict.group}: {verdict.text}" for verdict in verdicts]
        lines += [best_words(best) for best in found.bests if best.figure.name == name]
        about = f"{capital(verdicts[0].figure.noun)}{at}, against {title(found, found.baseline)}"
        blocks.append(Block(title=about, lines=lines))
    return blocks


def _short(field: str, text: str) -> str:
    """An id by its end, by which `assay show` finds it, too."""
    return short_id(text) if field == "id" else text


def _runs(data: ReportData) -> dict[str, object]:
    summaries = [record.summary for record in data.records]
    columns = columns_for(summaries, settings=True)
    return {
        "heads": [{"text": column.heading, "number": column.right} for column in columns],
        "rows": [[_short(column.field, cell(summary, column)) for column in columns] for summary in summaries],
    }
