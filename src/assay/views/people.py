"""One row for each person or team: what they ran, what they claimed, what is wrong, with lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.auditing.people import Row
from assay.model.finding import Evidence, Finding
from assay.text import csv_table
from assay.views.findings import clean
from assay.views.grid import Column, Grid

_MOST_CLAIMS = 4


def rows_text(rows: Sequence[Row], room: int, *, colour: bool = False) -> str:
    headings = ("who", "files", "runs", "claims", "wrong", "doubtful", "notes", "what is wrong or doubtful")
    figures = ("files", "wrong", "doubtful", "notes")
    table = Grid(
        columns=[Column(heading=text, right=text in figures, wrap=text not in figures) for text in headings],
        rows=[_cells(row) for row in rows],
    )
    return "".join(f"{line}\n" for line in table.lines(room, colour=colour))


def _cells(row: Row) -> list[str]:
    counts = [str(row.count(name) or "") for name in ("wrong", "doubtful", "note")]
    said = "\n".join(_line(one) for one in row.findings if one.severity != "note")
    return [*map(clean, (row.who, str(row.files), _runs(row), _claims(row), *counts)), said]


def csv_text(rows: Sequence[Row]) -> str:
    table: list[list[object]] = [["who", "files", "runs", "claims", "severity", "code", "message", "source", "lines"]]
    for row in rows:
        start = [row.who, row.files, _runs(row), "; ".join(row.claims)]
        findings: list[Finding | None] = [*row.findings] or [None]
        for one in findings:
            if one is None:
                table.append([*start, *[""] * 5])
            else:
                lines = " ".join(_place(proof, one) for proof in one.evidence if proof.line)
                table.append([*start, one.severity, one.code, one.message, one.source, lines])
    return csv_table(table)


def _runs(row: Row) -> str:
    return ", ".join(f"{count} {system}" for system, count in sorted(row.runs.items()))


def _claims(row: Row) -> str:
    """The first few; all of them are in the CSV."""
    more = len(row.claims) - _MOST_CLAIMS
    return ", ".join(row.claims[:_MOST_CLAIMS]) + (f" and {more} more" if more > 0 else "")


def _line(finding: Finding) -> str:
    own = ", ".join(str(one.line) for one in finding.evidence[:3] if one.line and one.source == finding.source)
    name = Path(finding.source).name
    others = [_elsewhere(one) for one in finding.evidence[:3] if one.line and one.source != finding.source]
    places = ", ".join([f"{name}{':' if own else ''}{own}", *others])
    return clean(f"{finding.code}: {finding.message} ({places})")


def _elsewhere(proof: Evidence) -> str:
    """In the page of another: whose it is, is the folder."""
    path = Path(proof.source)
    return f"{path.parent.name}/{path.name}:{proof.line}"


def _place(proof: Evidence, finding: Finding) -> str:
    return str(proof.line) if proof.source == finding.source else f"{proof.source}:{proof.line}"
