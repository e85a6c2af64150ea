"""What an import found, what it did not understand, and why."""

from __future__ import annotations

from assay.ingest.ingest import Report
from assay.views.table import columns_for, print_table

_MOST_ROWS = 60


def print_report(report: Report) -> None:
    summaries = [summary for one in report.files for summary in one.summaries]
    if summaries:
        shown = [{**summary, "where": _where(summary)} for summary in summaries[-_MOST_ROWS:]]
        print_table(shown, [column for column in columns_for(shown) if column.field not in ("id", "started")])
        if len(summaries) > _MOST_ROWS:
            print(f"… and {len(summaries) - _MOST_ROWS} before them")
    for one in report.files:
        if one.why:
            print(f"{one.name}: {one.why}")
    new = sum(one.new for one in report.files)
    known = len(summaries) - new
    files = len(report.files) + len(report.problems)
    known_text = f", {known} known already" if known else ""
    print(f"{len(summaries)} runs in {files} file{'s' if files != 1 else ''}: {new} new{known_text}")
    if summaries:
        print("next    assay ls | assay show ID")


def _where(summary: dict[str, object]) -> str:
    lines = summary.get("lines")
    return f"{summary.get('source')}:{lines[0]}-{lines[1]}" if isinstance(lines, list) else str(summary.get("source"))
