"""The page a student hands in: Markdown, with its figures beside it and the lines that prove it quoted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from assay.comparing.comparison import Comparison
from assay.model.finding import Finding
from assay.store.layout import write_whole
from assay.text import visible
from assay.views.charts.draw import save, still
from assay.views.comparison_files import TABLE_NOTE, as_markdown, table_rows
from assay.views.markup import fenced, plain_text, table
from assay.views.report import words
from assay.views.report.data import ReportData
from assay.views.report.document import Document, Numbered, Part, document
from assay.views.report.findings import Kind, kinds_of, proofs
from assay.views.report.html import told_blocks

#: where the picture of a figure is
Place = Callable[[Numbered], str]


def write_markdown(data: ReportData, target: Path, ending: str) -> None:
    """`report.md` and `report-figures/`; the page is written last, so that it never points to a missing figure."""
    page = document(data)
    folder = target.with_name(f"{target.stem}-figures")
    figures = list(page.figures())
    if figures:
        folder.mkdir(exist_ok=True)
    for one in figures:
        save(still(one.chart, data.datasets, one.run), folder / f"{one.id}.{ending}")
    text = markdown(page, lambda one: f"{folder.name}/{one.id}.{ending}")
    write_whole(target, text.encode("utf-8", "replace"))


def markdown(page: Document, place: Place) -> str:
    return visible("\n".join(_lines(page, place))) + "\n"


def _lines(page: Document, place: Place) -> Iterator[str]:
    data = page.data
    yield from (
        f"# {plain_text(data.title)}",
        "",
        plain_text(words.asked(data)),
        "",
        f"## {'Answer' if len(data.records) > 1 else 'Result'}",
        "",
    )
    yield from (f"- {plain_text(sentence)}" for sentence in page.answer)
    yield from _figure(page.main, place) if page.main else ()
    if data.comparison:
        yield from ("", *table_rows(data.comparison), "", f"*Table 1. {_note(data.comparison)}*")
    if page.caveats:
        yield from ("", "## Caveats", "", *(f"- {plain_text(line)}" for line in [*page.caveats, *page.notes]))
    if data.comparison:
        yield from _differences(data.comparison, data)
    for part in page.parts:
        yield from _part(part, place)
    yield from ("", "## Findings", "")
    yield from [line for kind in kinds_of(data.findings) for line in _kind(kind)] or ["The audit found no problems."]
    yield from ("", "## How it was measured", "")
    yield from (f"- {name}: {plain_text(value)}" for name, value in words.measured(data))
    yield from ("", "To repeat it:", "", *fenced(words.repeat(data)))


def _differences(found: Comparison, data: ReportData) -> Iterator[str]:
    """As the page has them, then what each setting's time went into."""
    blocks = [(one["title"], one["lines"]) for one in told_blocks(found)] + words.models(data)
    said = as_markdown(found, ["target", "time"]).rstrip()
    yield from ("", "## Differences") if blocks or said else ()
    for title, lines in blocks:
        yield from ("", f"### {plain_text(title)}", "", *(f"- {plain_text(line)}" for line in lines))
    yield from ("", "### Time", "", said) if said else ()


def _note(found: Comparison) -> str:
    return f"{TABLE_NOTE} {plain_text(found.axis.why[:1].upper() + found.axis.why[1:])}."


def _part(part: Part, place: Place) -> Iterator[str]:
    yield from ("", f"## {part.title}")
    for text in part.says:
        yield from ("", plain_text(text))
    for one in part.figures:
        yield from _figure(one, place)
    yield from table(part.table) if part.table else ()


def _figure(one: Numbered, place: Place) -> Iterator[str]:
    yield from ("", f"![{plain_text(one.alt)}]({place(one)})", "", f"*{one.label} {plain_text(one.caption)}*")


def _kind(kind: Kind) -> Iterator[str]:
    for one in kind.first:
        yield from _finding(one)
    if kind.more:
        yield from (f"{len(kind.more)} more of this kind:", "", *(f"- {plain_text(line)}" for line in kind.more), "")


def _finding(one: Finding) -> list[str]:
    return [
        f"**{one.severity}**: `{one.code}` {plain_text(one.message)}",
        "",
        *fenced("\n".join(proofs(one))),
        "",
        f"→ {plain_text(one.hint)}",
        "",
    ]
