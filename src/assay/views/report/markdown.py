"""The page a student hands in: Markdown, with its figures beside it and the lines that prove it quoted."""

from __future__ import annotations

from pathlib import Path

from assay.model.finding import Finding
from assay.store.layout import write_whole
from assay.views.charts.base import Section
from assay.views.charts.draw import save, still
from assay.views.comparison_files import as_markdown
from assay.views.markup import fenced, plain_text, table
from assay.views.report import words
from assay.views.report.data import ReportData
from assay.views.report.sections import sections


def write_markdown(data: ReportData, target: Path, ending: str) -> None:
    """`report.md` and `report-figures/`; the page is written last, so that it never points to a missing figure."""
    chart_sections, charts = sections(data)
    folder = target.with_name(f"{target.stem}-figures")
    if charts:
        folder.mkdir(exist_ok=True)
    shown = {}
    for section in chart_sections:
        for one in section["charts"]:
            path = folder / f"{one['id']}.{ending}"
            save(still(charts[one["id"]], data.datasets, one["run"]), path)
            shown[one["id"]] = f"{folder.name}/{path.name}"
    write_whole(target, _page(data, chart_sections, shown).encode("utf-8", "replace"))


def _page(data: ReportData, chart_sections: list[Section], shown: dict[str, str]) -> str:
    lines = [f"# {plain_text(data.title)}", "", *(f"- {plain_text(sentence)}" for sentence in words.found(data))]
    lines += ["", plain_text(words.asked(data))]
    if data.comparison:
        lines += ["", "## Comparison", "", as_markdown(data.comparison).rstrip()]
    for section in chart_sections:
        lines += ["", f"## {section['title']}", "", *(f"{plain_text(text)}" for text in section["says"])]
        for one in section["charts"]:
            lines += ["", f"![{plain_text(one['caption'])}]({shown[one['id']]})", "", f"*{plain_text(one['caption'])}*"]
        lines += table(section["latency"]) if section["latency"] else []
    lines += ["", "## Findings", ""]
    lines += [line for one in data.findings for line in _finding(one)] or [
        "The audit has nothing to say against these runs."
    ]
    lines += [
        "",
        "## How it was measured",
        "",
        *(f"- {name}: {plain_text(value)}" for name, value in words.measured(data)),
    ]
    lines += ["", "To repeat it:", "", *fenced(words.repeat(data))]
    return "\n".join(lines) + "\n"


def _finding(one: Finding) -> list[str]:
    quoted = "\n".join(f"{proof.source}:{proof.line}: {proof.text}" for proof in one.evidence)
    return [
        f"**{one.severity}**: `{one.code}` {plain_text(one.message)}",
        "",
        *fenced(quoted),
        "",
        f"→ {plain_text(one.hint)}",
        "",
    ]
