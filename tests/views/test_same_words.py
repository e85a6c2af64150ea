"""One comparison says the same in the terminal, in Markdown, in a report and on the live page."""

from __future__ import annotations

import html as markup

import pytest

from assay.comparing.comparison import Comparison, Wish, compare
from assay.model.request import Request
from assay.model.summary import Summary
from assay.views.answer import answers
from assay.views.comparison import print_comparison
from assay.views.comparison_files import as_markdown
from assay.views.report.data import ReportData, RunRecord
from assay.views.report.html import html
from assay.web.compared import Member, compared

#: one that wins, two that may be noise, one that was run once
FIGURES = {8: (900.0, 905.0, 910.0), 16: (500.0, 520.0, 495.0), 32: (505.0, 515.0, 490.0), 64: (300.0,)}


def summaries() -> list[Summary]:
    return [
        Summary.of({"id": f"{batch}-{at}", "name": f"bs{batch}", "status": "completed", "system": "cpu",
                    "params": {"batch_size": batch}, "steps": 100, "samples": 6400, "samples_per_s_avg": rate,
                    "accuracy": 0.9 + at / 100})
        for batch, rates in FIGURES.items()
        for at, rate in enumerate(rates)
    ]  # fmt: skip


def in_terminal(found: Comparison, capsys: pytest.CaptureFixture[str]) -> str:
    print_comparison(found)
    return capsys.readouterr().out


def in_report(found: Comparison) -> str:
    records = [RunRecord(summary=one, asked=Request(), events=[]) for one in summaries()]
    data = ReportData(title="t", records=records, comparison=found, why_not="", findings=[], datasets={})
    return markup.unescape(html(data))


def on_the_page() -> str:
    members = [Member(folder=one.id, summary=one, asked=Request(), events=[]) for one in summaries()]
    return str(compared(members, Wish()))


def test_every_verdict_and_answer_is_the_same_sentence_in_all_four(capsys: pytest.CaptureFixture[str]) -> None:
    found = compare(summaries(), lambda summary: (), Wish())
    sentences = [*answers(found), *(verdict.text for verdict in found.verdicts)]
    assert len(sentences) > 5 and len({verdict.kind for verdict in found.verdicts}) > 1
    shown = {
        "terminal": in_terminal(found, capsys),
        "markdown": as_markdown(found),
        "report": in_report(found),
        "page": on_the_page(),
    }
    plain = {where: " ".join(text.split()) for where, text in shown.items()}
    missing = [(where, one) for where, text in plain.items() for one in sentences if " ".join(one.split()) not in text]
    assert not missing
