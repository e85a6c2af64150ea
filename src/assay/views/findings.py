"""Findings as text: what is wrong, the lines that show it, what to do."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from assay.auditing import language
from assay.auditing.case import Case
from assay.auditing.rules import RULES, arithmetic
from assay.model.finding import SEVERITIES, Finding
from assay.text import counted, printable, safe_cell
from assay.views.terminal import painted

_COLOURS = {"wrong": "bold red", "doubtful": "yellow", "note": "cyan"}
_MOST_LINES = 5
_SEVERITIES = (
    "wrong: the evidence contradicts it. doubtful: it cannot support it. note: worth knowing. Exit 1 when wrong."
)


def findings_text(findings: Sequence[Finding], cases: Sequence[Case], *, colour: bool = False) -> str:
    """Grouped by source, the gravest first."""
    return "".join(f"{line}\n" for line in _lines(findings, cases, colour))


def _lines(findings: Sequence[Finding], cases: Sequence[Case], colour: bool) -> Iterator[str]:
    for source in dict.fromkeys(finding.source for finding in findings):
        yield painted(clean(source), "bold", colour)
        for finding in (one for one in findings if one.source == source):
            severity = painted(f"{finding.severity:<9}", _COLOURS[finding.severity], colour)
            yield f"  {severity}{painted(finding.code, 'bold', colour)}  {clean(finding.message)}"
            for shown in _evidence_lines(finding):
                yield painted(f"           {shown}", "dim", colour)
            yield f"           → {clean(finding.hint)}"
        yield ""
    yield from _holding(cases)
    yield _closing(findings, cases)


def _holding(cases: Sequence[Case]) -> Iterator[str]:
    """What was checked and is right."""
    for case in cases:
        right = arithmetic.checked(case)
        if right:
            said = ", ".join(f"{language.shown(sentence, change)} (line {sentence.line})" for sentence, change in right)
            yield f"right    {said}: follows from the page's own figures"


def _evidence_lines(finding: Finding) -> list[str]:
    shown = []
    for one in finding.evidence[:_MOST_LINES]:
        elsewhere = one.source != finding.source
        place = f"{one.source}:{one.line}" if elsewhere else f"line {one.line}"
        place = place if one.line else one.source if elsewhere else ""
        shown.append(f"{place}{': ' if place else ''}{clean(one.text)[:160]}")
    more = len(finding.evidence) - _MOST_LINES
    return [*shown, *([f"… and {more} more lines"] if more > 0 else [])]


def _closing(findings: Sequence[Finding], cases: Sequence[Case]) -> str:
    runs = sum(len(case.runs) for case in cases)
    judged = {run.id for case in cases for run in case.runs}
    recorded = len({run.id for case in cases for run in case.beside if run.is_fresh} - judged)
    what = f"{counted(runs, 'run')} in {counted(len(cases), 'source')}" if runs else counted(len(cases), "source")
    what += f", checked against {counted(recorded, 'recorded run')}" if recorded else ""
    if findings:
        wrong, doubtful, notes = (sum(one.severity == name for one in findings) for name in SEVERITIES)
        return f"{wrong} wrong, {doubtful} doubtful, {counted(notes, 'note')}: {what}"
    claims = any(run.claims for case in cases for run in case.runs)
    if not runs and not recorded and not claims:
        return f"nothing to check: no run in {counted(len(cases), 'source')}"
    return f"nothing to say against {what}"


def rules_text() -> str:
    """Every code with what it says."""
    width = max(len(rule.code) for rule in RULES)
    lines = [f"{rule.code:<{width}}  {rule.says}" for rule in RULES]
    return "\n".join([*lines, "", _SEVERITIES, ""])


def csv_text(findings: Sequence[Finding]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["source", "severity", "code", "message", "lines", "hint", "run"])
    for one in findings:
        lines = " ".join(str(proof.line) for proof in one.evidence)
        writer.writerow(
            [safe_cell(one.source), one.severity, one.code, safe_cell(one.message), lines, one.hint, one.run or ""]
        )
    return text.getvalue()


def clean(text: str) -> str:
    """On one line."""
    return printable(text, " ")
