"""A report for programs: everything it says as plain values."""

from __future__ import annotations

from assay.views.comparison_files import as_dict as comparison_dict
from assay.views.report import words
from assay.views.report.data import ReportData


def as_dict(data: ReportData) -> dict[str, object]:
    return {
        "title": data.title,
        "asked": words.asked(data),
        "found": words.answer(data),
        "caveats": words.caveats(data),
        "comparison": comparison_dict(data.comparison) if data.comparison else None,
        "findings": [one.as_dict() for one in data.findings],
        "runs": [record.summary.as_json() for record in data.records],
        "measured": dict(words.measured(data)),
        "data": data.datasets,
    }
