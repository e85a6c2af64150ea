"""Many pages at once: one row for each person or team, by the folder that holds their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.auditing.audit import judge
from assay.auditing.case import Case, Run, together
from assay.auditing.rules import RULES, figures
from assay.auditing.rules.evidence import repeats
from assay.model.finding import DOUBTFUL, NOTE, Finding

#: a run that so many show is the course's own sample, more likely than not
_MANY = 3


@dataclass(frozen=True, kw_only=True)
class Row:
    """What one of them ran, what they claimed, and what is wrong."""

    who: str
    files: int
    runs: dict[str, int]  # by system
    claims: list[str]
    findings: list[Finding]

    def count(self, severity: str) -> int:
        return sum(one.severity == severity for one in self.findings)

    def as_dict(self) -> dict[str, object]:
        return {
            "who": self.who,
            "files": self.files,
            "runs": self.runs,
            "claims": self.claims,
            "findings": [one.as_dict() for one in self.findings],
        }


def rows_of(cases: Sequence[Case], words: Sequence[str]) -> list[Row]:
    """Each folder is judged by itself; what two of them say against each other stands in the rows of both."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(_who(case.name, words), []).append(case)
    rows = {who: _row(who, group) for who, group in sorted(groups.items())}
    owners = {source: who for who, group in groups.items() for case in group for source in _sources(case)}
    for finding in _between(groups):
        for who in dict.fromkeys(owners[one.source] for one in finding.evidence if one.source in owners):
            own = next(one.source for one in finding.evidence if owners.get(one.source) == who)
            rows[who].findings.append(replace(finding, source=own))  # in each row, the page that is theirs
    return list(rows.values())


def _who(source: str, words: Sequence[str]) -> str:
    """The first folder below the one that was named; a file that stands there alone is its own row."""
    for word in words:
        try:
            return Path(source).relative_to(word).parts[0]
        except (ValueError, IndexError):
            continue
    return Path(source).name


def _sources(case: Case) -> set[str]:
    return {case.name, *(run.source for run in case.runs), *(one.source for one in case.sentences)}


def _row(who: str, group: list[Case]) -> Row:
    runs = [run for case in group for run in case.runs]
    logs = [run for run in runs if not run.is_prose]
    runs = [run for run in runs if not run.is_prose or not any(repeats(run, log) for log in logs)]
    said = [f"{run.system} {name}={value}" for run in runs for name, value in run.claims.items()]
    return Row(
        who=who,
        files=len(group),
        runs=dict(Counter(run.system for run in runs)),
        claims=list(dict.fromkeys(said)),
        findings=judge(group),
    )


def _between(groups: dict[str, list[Case]]) -> Iterator[Finding]:
    """Only what needs two people to see: a claim against a claim, and one run in the pages of two."""
    owners = {source: who for who, group in groups.items() for case in group for source in _sources(case)}
    whole = together("all", [case for group in groups.values() for case in group])
    for rule in RULES:
        if rule.code in ("conflicting-claims", "same-figures"):
            for finding in rule.check(whole):
                if len({owners.get(one.source) for one in finding.evidence}) > 1:
                    yield finding
    yield from _shared(groups)


def _shared(groups: dict[str, list[Case]]) -> Iterator[Finding]:
    """One run, to the last digit of its seconds, under the names of two; who ran it we cannot know."""
    holders: dict[object, dict[str, Run]] = {}
    for who, group in groups.items():
        for run in (run for case in group for run in case.runs if not run.is_fresh):
            print_of = figures.fingerprint(run)
            if print_of is not None:
                holders.setdefault(print_of, {}).setdefault(who, run)
    for runs in holders.values():
        if len(runs) > 1 and len({tuple(sorted(run.claims.items())) for run in runs.values()}) == 1:
            names = sorted(runs)
            yield Finding(
                code=figures.CODE,
                severity=DOUBTFUL if len(names) < _MANY else NOTE,
                message=f"the pages of {', '.join(names[:-1])} and {names[-1]} show the same run: "
                + ("shared, or copied?" if len(names) < _MANY else "the course's sample output?"),
                hint="state whose run it is; a run counts once, however many pages show it",
                source=runs[names[0]].source,
                evidence=tuple(runs[who].proof("reported_s", "train_s", "samples_per_s_avg", "loss") for who in names),
            )
