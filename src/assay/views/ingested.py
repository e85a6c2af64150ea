"""What an import found, what it did not understand, and why."""

from __future__ import annotations

from assay.ingest.ingest import Report
from assay.views.table import columns_for, print_table

_MOST_ROWS = 60
_MOST_WHYS = 10


def print_report(report: Report) -> None:
    summaries = [summary for one in report.files for summary in one.summaries]
    if summaries:
        shown = [{**summary, "where": _where(summary)} for summary in summaries[-_MOST_ROWS:]]
        print_table(shown, [column for column in columns_for(shown) if column.field not in ("id", "started")])
        if len(summaries) > _MOST_ROWS:
            print(f"… and {len(summaries) - _MOST_ROWS} before them")
    _print_whys(report)
    new = sum(one.new for one in report.files)
    known = len(summaries) - new
    files = len(report.files) + len(report.problems)
    known_text = f", {known} known already" if known else ""
    print(f"{_count(len(summaries), 'run')} in {_count(files, 'file')}: {new} new{known_text}")
    if summaries:
        print("next    assay ls | assay show ID")


def _print_whys(report: Report) -> None:
    """What gave less than it could first; then those without a run, of which a folder may hold thousands."""
    whys = [(bool(one.summaries), f"{_shown(one.name)}: {one.why}") for one in report.files if one.why]
    for _, text in sorted(whys, key=lambda why: not why[0])[:_MOST_WHYS]:
        print(text)
    if len(whys) > _MOST_WHYS:
        print(f"… and {_count(len(whys) - _MOST_WHYS, 'file')} more without a run")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def _where(summary: dict[str, object]) -> str:
    lines = summary.get("lines")
    return f"{summary.get('source')}:{lines[0]}-{lines[1]}" if isinstance(lines, list) else str(summary.get("source"))
