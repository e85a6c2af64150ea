"""Runs that are far from the others of their group: which, how far, and what else happened at the time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from assay.comparing.figures import Figure, show_value
from assay.comparing.groups import Group
from assay.comparing.rows import Row
from assay.model.summary import Summary
from assay.stats import mean
from assay.text import listing

_MOST_NAMED = 5
_FEW_BESIDE = 2
#: share of the time by which a phase must be longer or shorter than in the other runs
_OTHER_SHARE = 0.05
#: share of CPU use that must be missing compared with the others
_LESS_CPU = 0.15


@dataclass(frozen=True, kw_only=True)
class Odd:
    """One run, off by so many standard deviations from the others of its group in one figure; it is kept."""

    figure: Figure
    group: str
    run: str  # its id
    name: str  # and the last letters of its id, which distinguish it from others of that name
    value: float
    others: float  # their mean
    n: int  # how many others
    off_sd: float
    beside: tuple[str, ...]

    @property
    def text(self) -> str:
        usual = f"{show_value(self.figure, self.others)} in the other {self.n} runs of {self.group}"
        found = f"{self.name} is an outlier in {self.figure.noun}: {show_value(self.figure, self.value)}{self._far}"
        why = f" ({listing(self.beside)})" if self.beside else ", and nothing that was recorded explains it"
        return f"{found} {usual}{why}. It is kept"

    @property
    def _far(self) -> str:
        if self.figure.points or not self.others > 0 or not self.value > 0:
            return ", against"
        share = self.value / self.others - 1
        if abs(share) >= 1:
            return f", {self.value / self.others:.2g} times the"
        return f", {100 * abs(share):.2g} % {'above' if share > 0 else 'below'} the"


def said_of_outliers(found: Sequence[Odd]) -> list[str]:
    """A sentence for each run, by the first figure that it is far off in; of many, how many more there are."""
    runs: dict[str, Odd] = {}
    for one in found:
        runs.setdefault(one.run, one)
    named = [one.text for one in runs.values()]
    more = len(named) - _MOST_NAMED
    return named[:_MOST_NAMED] + ([f"{more} more runs are outliers: --json names them"] if more > 0 else [])


def odd(one: Figure, group: Group, place: int, off_sd: float) -> Odd:
    """The run at this place of the group's sample."""
    rows = [row for row in group.rows if one.name in row.figures]
    others = [row for at, row in enumerate(rows) if at != place]
    row = rows[place]
    return Odd(
        figure=one,
        group=group.label,
        run=row.summary.id,
        name=row.summary.handle,
        value=row.figures[one.name],
        others=mean([other.figures[one.name] for other in others]),
        n=len(others),
        off_sd=off_sd,
        beside=tuple(_beside(row, others)),
    )


def _beside(row: Row, others: Sequence[Row]) -> Iterator[str]:
    """What its record holds that theirs do not."""
    summary, rest = row.summary, [other.summary for other in others]
    if summary.beside and not all(other.beside for other in rest):
        more = len(summary.beside) - _FEW_BESIDE
        names = [*summary.beside[:_FEW_BESIDE], *([f"{more} more"] if more > 0 else [])]
        yield f"other measured runs were active: {listing(names)}"
    new = set(summary.throttled) - {why for other in rest for why in other.throttled}
    if new:
        yield f"its GPU was throttled: {', '.join(sorted(new))}"
    if summary.host and all(other.host and other.host != summary.host for other in rest):
        yield f"it ran on {summary.host}, the others did not"
    if summary.compile_cached is False and all(other.compile_cached for other in rest):
        yield "it compiled, the others used a compiled file"
    if summary.pace and summary.pace.steady is False and all(other.pace and other.pace.steady for other in rest):
        yield f"its rate never got steady, it {summary.pace.moves}"
    yield from _phases(summary, rest)
    cpu, usual = summary.cpu_pct_mean, [other.cpu_pct_mean for other in rest if other.cpu_pct_mean]
    if cpu is not None and usual and cpu < (1 - _LESS_CPU) * min(usual):
        yield f"it had {cpu:.0f} % of a core, the others {median(usual):.0f} %"
    if summary.started and all(other.started and other.started > summary.started for other in rest):
        yield "it was the first of its group"


def _phases(summary: Summary, others: Sequence[Summary]) -> Iterator[str]:
    for name, share in summary.phase_shares.items():
        usual = [other.phase_shares.get(name, 0.0) for other in others if other.phase_shares]
        if name not in ("other", "train") and usual and share - max(usual) > _OTHER_SHARE:
            yield f"{name} took {100 * share:.0f} % of its time, {100 * median(usual):.0f} % of theirs"
