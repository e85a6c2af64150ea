"""One row for each person or team: what they ran, what they claimed, what is wrong, with lines."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence

from assay.audit.finding import Finding
from assay.audit.people import Row
from assay.views.findings import clean, safe


def print_rows(rows: Sequence[Row]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("who", "files", "runs", "claims", "wrong", "doubtful", "notes", "what is wrong or doubtful"):
        table.add_column(
            heading, justify="right" if heading in ("files", "claims", "wrong", "doubtful", "notes") else "left"
        )
    for row in rows:
        counts = [str(row.count(name) or "") for name in ("wrong", "doubtful", "note")]
        said = "\n".join(_line(one) for one in row.findings if one.severity != "note")
        table.add_row(
            *(Text(clean(cell)) for cell in (row.who, str(row.files), _runs(row), str(row.claims), *counts)),
            Text(said),
        )
    Console(highlight=False, width=None if sys.stdout.isatty() else 200).print(table)


def print_csv(rows: Sequence[Row]) -> None:
    writer = csv.writer(sys.stdout)
    writer.writerow(["who", "files", "runs", "claims", "severity", "code", "message", "source", "lines"])
    for row in rows:
        start = [safe(row.who), row.files, _runs(row), row.claims]
        findings: list[Finding | None] = [*row.findings] or [None]
        for one in findings:
            if one is None:
                writer.writerow([*start, "", "", "", "", ""])
            else:
                lines = " ".join(str(proof.line) for proof in one.evidence)
                writer.writerow([*start, one.severity, one.code, safe(one.message), safe(one.source), lines])


def _runs(row: Row) -> str:
    return ", ".join(f"{count} {system}" for system, count in sorted(row.runs.items()))


def _line(finding: Finding) -> str:
    places = ", ".join(str(one.line) for one in finding.evidence[:3] if one.line)
    return clean(f"{finding.code}: {finding.message}" + (f" (line {places})" if places else ""))
