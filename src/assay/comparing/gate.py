"""Is it worse by more than this? Runs against a baseline, setting by setting, for a check that may fail or pass.

Each limit is tested from both sides at 5 %: a check fails only where a change beyond the limit is shown, and passes
only where one is ruled out. In between the data cannot say. Failures are corrected for all limits and settings (Holm).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.comparing.comparison import Comparison
from assay.comparing.figures import Figure, figure
from assay.comparing.groups import Group, show_setting
from assay.comparing.margins import Amount
from assay.comparing.rows import but_warmups, rows_of
from assay.comparing.varying import value_of, varying
from assay.comparing.verdict import Verdict
from assay.errors import UndecidedError, UsageError, did_you_mean
from assay.model.summary import Summary
from assay.stats import LEVEL, Scale, holm, repeats_needed

#: a setting that every run has here: which side it is on
SIDE, NOW, BASELINE = "side", "now", "baseline"
Outcome = Literal["failed", "passed", "undecided"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One limit in one combination of settings. `p_beyond` is corrected for all checks; `p_within` need not be."""

    limit: Amount
    settings: str  # empty where nothing else varies
    verdict: Verdict
    p_beyond: float | None
    p_within: float | None
    drift: bool = False  # it would be decided if no drift of the machine had to be reckoned with

    @property
    def outcome(self) -> Outcome:
        if self.p_beyond is not None and self.p_beyond < 1 - LEVEL:
            return "failed"
        if self.p_within is not None and self.p_within < 1 - LEVEL:
            return "passed"
        # a figure that never varies is the same or it is not
        never = self.verdict.kind == "identical" and not self.verdict.difference.delta
        return "passed" if never else "undecided"

    @property
    def needed(self) -> int | None:
        """How many runs of each would decide whether a change of this size breaks the limit; None if unknown."""
        one, base = self.verdict, self.verdict.means[1]
        if not one.sd or one.freedom < 1:
            return None
        limit = self.limit.value / (100 if one.figure.points and not self.limit.relative else 1)
        allowed = limit if one.figure.points or not self.limit.relative else limit * abs(base)
        found = repeats_needed(one.difference.delta - allowed, (one.sd, one.freedom))
        return None if found is None else max(found, max(one.n) + 1)


@dataclass(frozen=True, kw_only=True)
class Gate:
    checks: list[Check]
    notes: list[str]

    @property
    def outcome(self) -> Outcome:
        outcomes = {check.outcome for check in self.checks}
        return "failed" if "failed" in outcomes else "undecided" if "undecided" in outcomes else "passed"

    @property
    def exit_code(self) -> int:
        return {"passed": 0, "failed": 1, "undecided": UndecidedError.exit_code}[self.outcome]


def sided(now: Sequence[Summary], baseline: Sequence[Summary]) -> list[Summary]:
    """All runs, each with the side that it is on as a setting."""
    return [
        summary.replace(params={**summary.params, SIDE: side})
        for side, summaries in ((NOW, now), (BASELINE, baseline))
        for summary in summaries
    ]


def settings_within(summaries: Iterable[Summary]) -> list[str]:
    """What varies on one side: runs are held against the baseline of the same. What differs between the sides is what
    the check is about."""
    rows = rows_of(but_warmups(summaries)).rows
    sides = [[row for row in rows if row.settings[SIDE].value == side] for side in (NOW, BASELINE)]
    names = [name for name in varying(rows) if name not in (SIDE, "name", "code")]
    return [name for name in names if any(len({value_of(row, name) for row in side}) > 1 for side in sides)]


def gate(found: Comparison, limits: Sequence[Amount]) -> Gate:
    """Every limit in every combination of settings that both sides have."""
    cells, notes = _cells(found)
    alone = [_check(found, limit, name, *pair) for limit in limits for name, pair in cells.items()]
    corrected = holm([check.p_beyond for check in alone])
    checks = [
        Check(
            limit=check.limit, settings=check.settings, verdict=check.verdict, p_beyond=p, p_within=check.p_within,
            drift=check.drift,
        )
        for check, p in zip(alone, corrected, strict=True)
    ]  # fmt: skip
    return Gate(checks=checks, notes=[*notes, *_other_machine(found)])


def check_figures(limits: Sequence[Amount], summaries: Iterable[Summary]) -> None:
    """A figure that no run has is most often misspelt."""
    names = [str(limit.figure) for limit in limits]
    rows = rows_of(summaries, extra=names).rows
    known = {name for row in rows for name in row.figures}
    for name in names:
        if name not in known:
            raise UsageError(f"no run reports `{name}`", did_you_mean(name, known))


def _cells(found: Comparison) -> tuple[dict[str, tuple[Group, Group]], list[str]]:
    """Both sides of each combination of settings."""
    if "code" in found.by:
        hint = "choose one: --where code=HASH, or name the runs; assay ls --columns name,code shows them"
        raise UndecidedError("one side holds runs of several versions of the program", hint)
    place = found.by.index(SIDE)
    sides: dict[str, dict[str, Group]] = {}
    for group in found.groups:
        settings = [show_setting(value) for at, value in enumerate(group.key) if at != place and value is not None]
        names = [name for at, name in enumerate(found.by) if at != place and group.key[at] is not None]
        label = ", ".join(f"{name} {value}" for name, value in zip(names, settings, strict=True))
        sides.setdefault(label, {})[str(group.key[place])] = group
    both = {name: (one[NOW], one[BASELINE]) for name, one in sides.items() if len(one) == 2}
    if not both:
        raise UndecidedError("no runs have the settings of the baseline", "compare runs of the same settings")
    return both, [f"Only one side has runs with {name}: not checked" for name, one in sides.items() if len(one) < 2]


def _check(found: Comparison, limit: Amount, settings: str, now: Group, baseline: Group) -> Check:
    one = next((known for known in found.columns if known.name == limit.figure), figure(str(limit.figure)))
    if not now.sample(one.name) or not baseline.sample(one.name):
        where = f" with {settings}" if settings else ""
        raise UndecidedError(f"`{one.name}` is not reported on both sides{where}", "compare runs that report it")
    verdict, family = found.between(one, now, baseline), found.families.family(one, now, baseline)
    if family is None or max(verdict.n) < 2:  # noise known from elsewhere is not evidence about this program
        return Check(limit=limit, settings=settings, verdict=verdict, p_beyond=None, p_within=None)
    ps = _from_both_sides(found, limit, one, family.scale, now, baseline)
    beyond, within = max((p for p, _ in ps), default=None), max((p for _, p in ps), default=None)
    drift = len(ps) > 1 and min(ps[-1]) < 1 - LEVEL <= min(max(p for p, _ in ps), max(p for _, p in ps))
    return Check(limit=limit, settings=settings, verdict=verdict, p_beyond=beyond, p_within=within, drift=drift)


def _from_both_sides(
    found: Comparison, limit: Amount, one: Figure, scale: Scale, now: Group, baseline: Group
) -> list[tuple[float, float]]:
    """(that the change is within the limit, that it is beyond it), refuted at these levels."""
    judged = found.families.judged(one, now, baseline)
    bound = limit.bound(one, scale, baseline.sample(one.name).mean)
    estimates = [limit.widened(one, scale, estimate) for estimate in (judged.estimates if judged else ())]
    pairs = [(estimate.below(bound), estimate.above(bound)) for estimate in estimates]
    return pairs if limit.value < 0 else [(above, below) for below, above in pairs]


def _other_machine(found: Comparison) -> list[str]:
    """Warn if speeds come from different machines: any difference may be due to the machine."""
    hosts: dict[object, set[str]] = {NOW: set(), BASELINE: set()}
    for row in found.rows:
        if row.summary.host:
            hosts[row.settings[SIDE].value].add(row.summary.host)
    if not all(hosts.values()) or hosts[NOW] == hosts[BASELINE]:
        return []
    there, here = (", ".join(sorted(hosts[side])) for side in (BASELINE, NOW))
    return [f"The baseline was run on another machine ({there}, these on {here}): it may explain a difference in speed"]
