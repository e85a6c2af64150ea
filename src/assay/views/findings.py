"""Findings as text: what is wrong, the lines that show it, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.auditing.case import Case
from assay.auditing.rules import RULES
from assay.model.finding import SEVERITIES, Finding
from assay.text import counted, csv_table, printable
from assay.views.terminal import UNLIMITED, folded, middle_cut, painted, shortened

_COLOURS = {"wrong": "bold red", "doubtful": "yellow", "note": "cyan"}
_MOST_LINES = 5
_INDENT, _WIDEST = 11, 160
#: a shorter line is not what a message quotes whole
_A_WORD = 20
_SEVERITIES = (
    "wrong: the evidence contradicts it. doubtful: it does not support it. note: worth knowing. "
    "The exit code is 1 if something is wrong."
)


def findings_text(
    findings: Sequence[Finding], cases: Sequence[Case], *, colour: bool = False, room: int = UNLIMITED
) -> str:
    """Grouped by source, the gravest first."""
    return "".join(f"{line}\n" for line in _lines(findings, cases, colour, room))


def _lines(findings: Sequence[Finding], cases: Sequence[Case], colour: bool, room: int) -> Iterator[str]:
    for source in dict.fromkeys(finding.source for finding in findings):
        yield painted(middle_cut(clean(source), room), "bold", colour)
        for finding in (one for one in findings if one.source == source):
            yield from _finding(finding, colour, room)
        yield ""
    for line in (_closing(findings, cases),):
        yield from folded(line, room)


def _finding(finding: Finding, colour: bool, room: int) -> Iterator[str]:
    """What is wrong, the lines that show it, and what to do."""
    first, *rest = folded(f"  {finding.severity:<9}{finding.code}  {clean(finding.message)}", room, _INDENT)
    severity = painted(f"{finding.severity:<9}", _COLOURS[finding.severity], colour)
    yield first.replace(f"{finding.severity:<9}{finding.code}", severity + painted(finding.code, "bold", colour), 1)
    yield from rest
    for shown in _evidence_lines(finding):
        for line in folded(f"{' ' * _INDENT}{shown}", room, _INDENT + 2):
            yield painted(shortened(line, room), "dim", colour)
    yield from folded(f"{' ' * _INDENT}→ {clean(finding.hint)}", room, _INDENT + 2)


def _evidence_lines(finding: Finding) -> list[str]:
    shown = []
    for one in finding.evidence[:_MOST_LINES]:
        elsewhere = one.source != finding.source
        place = f"{one.source}:{one.line}" if elsewhere else f"line {one.line}"
        place = place if one.line else one.source if elsewhere else ""
        text = shortened(clean(one.text), _WIDEST)
        if place and len(text) > _A_WORD and clean(finding.message).endswith(text.strip()):
            shown.append(place)  # the message quotes the line already
        else:
            shown.append(f"{place}{': ' if place else ''}{text}")
    more = len(finding.evidence) - _MOST_LINES
    return [*shown, *([f"… and {more} more lines"] if more > 0 else [])]


def _closing(findings: Sequence[Finding], cases: Sequence[Case]) -> str:
    runs = sum(len(case.runs) for case in cases)
    judged = {run.id for case in cases for run in case.runs}
    recorded = len({run.id for case in cases for run in case.beside if run.is_fresh} - judged)
    sources = counted(len(cases), "source")
    what = (counted(runs, "run") + (f" in {sources}" if len(cases) > 1 else "")) if runs else sources
    what += f", checked against {counted(recorded, 'recorded run')}" if recorded else ""
    if findings:
        wrong, doubtful, notes = (sum(one.severity == name for one in findings) for name in SEVERITIES)
        return f"{wrong} wrong, {doubtful} doubtful, {counted(notes, 'note')}: {what}"
    claims = any(run.claims for case in cases for run in case.runs)
    if not runs and not recorded and not claims:
        return f"nothing to check: no run in {counted(len(cases), 'source')}"
    return f"No problems found in {what}"


def rules_text() -> str:
    """Every code with what it says."""
    width = max(len(rule.code) for rule in RULES)
    lines = [f"{rule.code:<{width}}  {rule.says}" for rule in RULES]
    return "\n".join([*lines, "", _SEVERITIES, ""])


def csv_text(findings: Sequence[Finding]) -> str:
    rows: list[list[object]] = [["source", "severity", "code", "message", "lines", "hint", "run"]]
    for one in findings:
        lines = " ".join(str(proof.line) for proof in one.evidence)
        rows.append([one.source, one.severity, one.code, one.message, lines, one.hint, one.run])
    return csv_table(rows)


def clean(text: str) -> str:
    """On one line."""
    return printable(text, " ")
