"""The page a student hands in: Markdown, with its figures beside it and the lines that prove it quoted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.audit.finding import Finding
from assay.store.layout import write_whole
from assay.views.charts.base import Chart
from assay.views.charts.draw import inline, save
from assay.views.comparison_files import as_markdown
from assay.views.report import words
from assay.views.report.data import ReportData
from assay.views.report.sections import sections

_WIDTH = 640


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
            save(_still(charts[one["id"]], data, one["run"]), path)
            shown[one["id"]] = f"{folder.name}/{path.name}"
    write_whole(target, _page(data, chart_sections, shown).encode("utf-8", "replace"))


def _still(chart: Chart, data: ReportData, run: str) -> Chart:
    """Drawn at one width, with its rows inside; of one run where the page would let people choose."""
    datasets = data.datasets
    if run:
        datasets = {name: _only(columns, run) for name, columns in datasets.items() if "run" in columns}
    return {**inline(chart, datasets), "width": _WIDTH}


def _only(columns: dict[str, list[Any]], run: str) -> dict[str, list[Any]]:
    keep = [index for index, name in enumerate(columns["run"]) if name == run]
    return {name: [values[index] for index in keep] for name, values in columns.items()}


def _page(data: ReportData, chart_sections: list[dict[str, Any]], shown: dict[str, str]) -> str:
    lines = [f"# {_text(data.title)}", "", _text(words.asked(data)), ""]
    lines += [f"- {_text(sentence)}" for sentence in words.found(data)]
    if data.comparison:
        lines += ["", "## Comparison", "", as_markdown(data.comparison).rstrip()]
    for section in chart_sections:
        lines += ["", f"## {section['title']}", "", *(f"{_text(text)}" for text in section["says"])]
        for one in section["charts"]:
            lines += ["", f"![{_text(one['caption'])}]({shown[one['id']]})", "", f"*{_text(one['caption'])}*"]
    lines += ["", "## Findings", ""]
    lines += [line for one in data.findings for line in _finding(one)] or [
        "The audit has nothing to say against these runs."
    ]
    lines += ["", "## How it was measured", "", *(f"- {name}: {_text(value)}" for name, value in words.measured(data))]
    lines += ["", "To repeat it:", "", *_fenced(words.repeat(data))]
    return "\n".join(lines) + "\n"


def _finding(one: Finding) -> list[str]:
    quoted = "\n".join(f"{proof.source}:{proof.line}: {proof.text}" for proof in one.evidence)
    return [
        f"**{one.severity}**: `{one.code}` {_text(one.message)}",
        "",
        *_fenced(quoted),
        "",
        f"→ {_text(one.hint)}",
        "",
    ]


def _fenced(text: str) -> list[str]:
    """A fence longer than any in the text: what is quoted cannot end it."""
    longest = max((len(run) for run in _backticks(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, text, fence]


def _backticks(text: str) -> list[str]:
    import re

    return re.findall(r"`+", text)


def _text(text: str) -> str:
    """What came from a log is text: no tag, no link, no table begins in it."""
    escaped = text.replace("\\", "\\\\").replace("<", "&lt;").replace("[", "\\[").replace("|", "\\|")
    return " ".join(escaped.split())
