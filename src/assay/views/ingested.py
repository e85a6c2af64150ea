"""What an import found, what it did not understand, and why."""

from __future__ import annotations

from typing import Any

from assay.ingest.ingest import Report
from assay.quantities import short_name
from assay.text import printable
from assay.views.table import Column, columns_for, print_table, show_any

_MOST_ROWS = 60
_MOST_WHYS = 10
_WHERE = Column(field="where", heading="where", right=False)


def print_report(report: Report) -> None:
    summaries = [summary for one in report.files for summary in one.summaries]
    if summaries:
        shown = [_row(summary) for summary in summaries[-_MOST_ROWS:]]
        columns = [column for column in columns_for(shown) if column.field not in ("id", "started", "how", "system")]
        print_table(shown, [*columns[:2], *_settings_columns(shown), *columns[2:], _WHERE])
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


def _row(summary: dict[str, Any]) -> dict[str, Any]:
    lines = summary.get("lines")
    where = f"{summary.get('source')}:{lines[0]}-{lines[1]}" if isinstance(lines, list) else str(summary.get("source"))
    return {
        **summary,
        "where": where,
        "in_effect": _settings(summary.get("params")),
        "claimed": _settings(summary.get("claims")),
    }


def _settings(values: Any) -> str | None:
    return ", ".join(f"{short_name(name)} {show_any(value)}" for name, value in (values or {}).items()) or None


def _settings_columns(rows: list[dict[str, Any]]) -> list[Column]:
    """What ran and what was said of it, side by side: the difference is what to look for."""
    columns = (
        Column(field="in_effect", heading="in effect", right=False),
        Column(field="claimed", heading="claimed", right=False),
    )
    return [column for column in columns if any(row[column.field] for row in rows)]


def _print_whys(report: Report) -> None:
    """What gave less than it could first; then those without a run, of which a folder may hold thousands."""
    whys = [(bool(one.summaries), f"{printable(one.name)}: {one.why}") for one in report.files if one.why]
    for _, text in sorted(whys, key=lambda why: not why[0])[:_MOST_WHYS]:
        print(text)
    if len(whys) > _MOST_WHYS:
        print(f"… and {_count(len(whys) - _MOST_WHYS, 'file')} more without a run")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
