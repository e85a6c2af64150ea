"""One self-contained file: opens offline, asks no one for anything."""

from __future__ import annotations

import time

from assay import __version__
from assay.comparing.comparison import Comparison
from assay.views.answer import title
from assay.views.charts.base import Section, packed
from assay.views.comparison import best_words, figure_lines, heading, key_cells
from assay.views.report import words
from assay.views.report.data import ReportData
from assay.views.report.sections import sections
from assay.views.table import cell, columns_for
from assay.views.web.assets import chart_scripts, policy, templates, text_of


def html(data: ReportData) -> str:
    chart_sections, charts = sections(data)
    scripts = chart_scripts({name: packed(columns) for name, columns in data.datasets.items()}, charts)
    return (
        templates()
        .get_template("report.html")
        .render(
            title=data.title,
            style=text_of("style.css"),
            scripts=scripts,
            policy=policy(scripts),
            asked=words.asked(data),
            found=words.found(data),
            table=comparison_table(data.comparison) if data.comparison else None,
            verdicts=[*verdict_blocks(data.comparison), *_notes(data.comparison)] if data.comparison else [],
            chart_sections=chart_sections,
            findings=data.findings,
            runs=_runs(data),
            measured=words.measured(data),
            repeat=words.repeat(data),
            sections=_contents(data, chart_sections),
            version=__version__,
            made=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        )
    )


def _notes(found: Comparison) -> list[dict[str, str | list[str]]]:
    """What was left out, runs that lie far off, and where settings come from."""
    return [{"title": "Notes", "lines": found.notes}] if found.notes else []


def _contents(data: ReportData, chart_sections: list[Section]) -> list[dict[str, str]]:
    listed = [{"id": "compare", "title": "comparison"}] if data.comparison else []
    listed += [{"id": one["id"], "title": one["title"].lower()} for one in chart_sections]
    last = {"findings": "findings", "runs": "every run", "how": "how it was measured"}
    return listed + [{"id": name, "title": title} for name, title in last.items()]


def comparison_table(found: Comparison) -> dict[str, object]:
    """The live page shows it too."""
    heads = [{"text": name, "number": False} for name in found.by or ["runs"]] + [{"text": "n", "number": True}]
    heads += [{"text": heading(found, one).replace("\n", " "), "number": True} for one in found.columns]
    rows = []
    for group in found.groups:
        keys = [
            {"text": text, "mark": "", "number": False, "best": False, "interval": ""}
            for text in key_cells(found, group)
        ]
        keys[0]["mark"] = "simulated" if group.simulated else ""
        count = {"text": str(len(group.rows)), "mark": "", "number": True, "best": False, "interval": ""}
        figures = []
        for one in found.columns:
            first, second = figure_lines(found, group, one)
            best = bool(first) and found.winner(one.name) == group.label
            figures.append({"text": first, "mark": "", "number": True, "best": best, "interval": second})
        rows.append([*keys, count, *figures])
    note = "Mean ± standard deviation over runs, 95 % interval of the mean beneath; ★: significantly best. "
    note += f"{found.axis.why[:1].upper()}{found.axis.why[1:]}."
    return {"heads": heads, "rows": rows, "note": note}


def verdict_blocks(found: Comparison) -> list[dict[str, str | list[str]]]:
    """One for each figure; the live page shows them too."""
    blocks: list[dict[str, str | list[str]]] = []
    for name in dict.fromkeys(verdict.figure.name for verdict in found.verdicts):
        verdicts = [verdict for verdict in found.verdicts if verdict.figure.name == name]
        at = f" {found.axis.at}" if verdicts[0].figure.kind == "outcome" and found.axis.at else ""
        lines = [f"{verdict.group}: {verdict.text}" for verdict in verdicts]
        lines += [best_words(best) for best in found.bests if best.figure.name == name]
        blocks.append(
            {"title": f"{verdicts[0].figure.noun}{at}, against {title(found, found.baseline)}", "lines": lines}
        )
    return blocks


def _runs(data: ReportData) -> dict[str, object]:
    summaries = [record.summary for record in data.records]
    columns = columns_for(summaries, settings=True)
    return {
        "heads": [column.heading for column in columns],
        "rows": [[cell(summary, column) for column in columns] for summary in summaries],
    }
