"""Many pages at once: one row for each person or team, by the folder that holds their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.audit.audit import judge
from assay.audit.case import Case, together
from assay.audit.finding import Finding
from assay.audit.rules import RULES


@dataclass(frozen=True, kw_only=True)
class Row:
    """What one of them ran, what they claimed, and what is wrong."""

    who: str
    files: int
    runs: dict[str, int]  # by system
    claims: int
    findings: list[Finding]

    def count(self, severity: str) -> int:
        return sum(one.severity == severity for one in self.findings)

    def as_dict(self) -> dict[str, Any]:
        return {
            "who": self.who,
            "files": self.files,
            "runs": self.runs,
            "claims": self.claims,
            "findings": [one.as_dict() for one in self.findings],
        }


def rows_of(cases: Sequence[Case], words: Sequence[str]) -> list[Row]:
    """Each folder is judged by itself; what two folders say against each other is added to the later one."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(_who(case.name, words), []).append(case)
    rows = {who: _row(who, group) for who, group in sorted(groups.items())}
    by_source = {case.name: who for who, group in groups.items() for case in group}
    for finding in _between(list(groups.values())):
        who = by_source.get(finding.source)
        if who is not None and finding not in rows[who].findings:
            rows[who].findings.append(finding)
    return list(rows.values())


def _who(source: str, words: Sequence[str]) -> str:
    """The first folder below the one that was named; a file that stands there alone is its own row."""
    for word in words:
        try:
            return Path(source).relative_to(word).parts[0]
        except (ValueError, IndexError):
            continue
    return Path(source).name


def _row(who: str, group: list[Case]) -> Row:
    runs = [run for case in group for run in case.runs]
    return Row(
        who=who,
        files=len(group),
        runs=dict(Counter(run.system for run in runs)),
        claims=sum(len(run.claims) for run in runs),
        findings=judge(group),
    )


def _between(groups: list[list[Case]]) -> list[Finding]:
    """Only what needs two sources to see: a claim against a claim, a figure that stands in two people's pages."""
    whole = together("all", [case for group in groups for case in group])
    found = [
        finding
        for rule in RULES
        if rule.code in ("conflicting-claims", "same-figures")
        for finding in rule.check(whole)
    ]
    return [finding for finding in found if len({one.source for one in finding.evidence}) > 1]
