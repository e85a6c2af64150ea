"""What an import found, what it did not understand, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.model.summary import Summary
from assay.model.values import Setting
from assay.quantities import short_name
from assay.reading.importing import Report
from assay.text import counted, printable
from assay.views.table import Column, columns_for, print_table, show_any

_MOST_ROWS = 60
_MOST_WHYS = 10


def print_report(report: Report) -> None:
    summaries = [summary for one in report.files for summary in one.summaries]
    if summaries:
        shown = summaries[-_MOST_ROWS:]
        columns = [column for column in columns_for(shown) if column.field not in ("id", "started", "how", "system")]
        print_table(shown, [*columns[:2], *_settings_columns(shown), *columns[2:], _WHERE])
        if len(summaries) > _MOST_ROWS:
            print(f"… and {len(summaries) - _MOST_ROWS} before them")
    _print_whys(report)
    new = sum(one.new for one in report.files)
    known = len(summaries) - new
    files = len(report.files)
    if report.problems and not files:
        return  # each was printed as an error
    known_text = f", {known} known already" if known else ""
    print(f"{counted(len(summaries), 'run')} in {counted(files, 'file')}: {new} new{known_text}")
    if summaries:
        print("next    assay ls   assay show last")


def _where(summary: Summary) -> str:
    return f"{summary.source}:{summary.lines[0]}-{summary.lines[1]}" if summary.lines else str(summary.source)


def _settings(values: Mapping[str, Setting]) -> str:
    return ", ".join(f"{short_name(name)} {show_any(value)}" for name, value in values.items())


def _settings_columns(summaries: Sequence[Summary]) -> list[Column]:
    """Settings in effect and settings claimed, side by side, so that differences are visible."""
    found = [_IN_EFFECT] if any(summary.params for summary in summaries) else []
    return [*found, _CLAIMED] if any(summary.claims for summary in summaries) else found


_WHERE = Column(field="where", heading="where", right=False, made=_where)
_IN_EFFECT = Column(field="params", heading="in effect", right=False, made=lambda one: _settings(one.params))
_CLAIMED = Column(field="claims", heading="claimed", right=False, made=lambda one: _settings(one.claims))


def _print_whys(report: Report) -> None:
    """What gave less than it could first; then those without a run, of which a folder may hold thousands."""
    whys = [(bool(one.summaries), f"{printable(one.name)}: {one.why}") for one in report.files if one.why]
    for _, text in sorted(whys, key=lambda why: not why[0])[:_MOST_WHYS]:
        print(text)
    if len(whys) > _MOST_WHYS:
        print(f"… and {counted(len(whys) - _MOST_WHYS, 'file')} more without a run")
