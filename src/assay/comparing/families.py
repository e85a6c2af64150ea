"""Which groups can be compared in a figure, and how each pair of them comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assay.comparing.figures import OUTCOME, TOTAL, Figure
from assay.comparing.groups import Group
from assay.comparing.judged import Judged
from assay.comparing.margins import Amount
from assay.comparing.order import Orders
from assay.comparing.outliers import Odd
from assay.comparing.pairs import Pairs
from assay.comparing.served import is_one_server, unequal_requests
from assay.stats import mean
from assay.units import show_number

#: budgets this near to each other are the same work
_SAME_WORK = 0.01
#: systems that one and the same script runs on
_ONE_PROGRAM = (None, "generic", "cpu", "cuda")


@dataclass(frozen=True, kw_only=True)
class Families:
    """Figures of the `guarded` kinds are compared only between equal amounts of work."""

    groups: Sequence[Group]
    guarded: Sequence[str] = (TOTAL,)
    margins: Sequence[Amount] = ()
    _orders: Orders = field(default_factory=Orders, repr=False, compare=False)
    _found: dict[str, dict[int, Pairs]] = field(default_factory=dict, repr=False, compare=False)

    def judged(self, one: Figure, group: Group, other: Group) -> Judged | None:
        """None where the two are not compared."""
        family = self.family(one, group, other)
        return None if family is None else family.judged(group, other)

    def family(self, one: Figure, group: Group, other: Group) -> Pairs | None:
        """All groups that two are judged among; None where they are not compared."""
        families = self._of(one)
        family = families.get(id(group))
        return family if family is not None and family is families.get(id(other)) else None

    def margin(self, one: Figure) -> Amount | None:
        """The margin given for this figure, else for all; None if there is none."""
        named = [amount for amount in self.margins if amount.figure == one.name]
        return next(iter([*named, *(amount for amount in self.margins if amount.figure is None)]), None)

    def outliers(self, one: Figure) -> list[Odd]:
        """The runs of all groups that lie far from the others of theirs."""
        made = {id(family): family for family in self._of(one).values()}
        return [found for family in made.values() for found in family.outliers]

    def _of(self, one: Figure) -> dict[int, Pairs]:
        if one.name not in self._found:
            self._found[one.name] = self._families(one)
        return self._found[one.name]

    def refusal(self, one: Figure, group: Group, other: Group) -> str:
        """Why two groups are not compared; empty where they can be."""
        if group.simulated != other.simulated:
            return "not compared: one of them is simulated"
        found = unequal_requests(one.name, group, other, one_server=self._one_server)
        if not found and one.kind in self.guarded:
            found = _unequal_work(group, other)
        return found or (_other_task(group, other) if one.kind == OUTCOME else "")

    @cached_property
    def _one_server(self) -> bool:
        return is_one_server(self.groups)

    def _families(self, one: Figure) -> dict[int, Pairs]:
        """The family of each group that knows the figure, by the identity of the group."""
        families: list[list[Group]] = []
        for group in self.groups:
            if not group.sample(one.name):
                continue
            fitting = next((known for known in families if not self.refusal(one, group, known[0])), None)
            if fitting is None:
                families.append([group])
            else:
                fitting.append(group)
        made = [
            Pairs(figure=one, groups=known, orders=self._orders, margin=self.margin(one)) for known in families
        ]  # fmt: skip
        return {id(group): pairs for pairs in made for group in pairs.groups}


def _other_task(group: Group, baseline: Group) -> str:
    """Losses on two systems cannot be compared, unless both are known to train the same model.

    One program is run on a CPU and on a GPU; a vendor's system has different programs.
    """
    ours, theirs = (set(map(_platform, one.systems)) for one in (group, baseline))
    models = group.models | baseline.models
    if ours == theirs or (len(models) == 1 and None not in models):
        return ""
    both = f"{'/'.join(sorted(ours))} against {'/'.join(sorted(theirs))}"
    return f"not compared: {both}, and nothing shows that both did the same task"


def _platform(system: str | None) -> str:
    return "cpu or gpu" if system in _ONE_PROGRAM else str(system)


def _unequal_work(group: Group, baseline: Group) -> str:
    for unit in ("samples", "steps"):
        ours, theirs = group.sample(unit), baseline.sample(unit)
        if ours and theirs:
            a, b = mean(ours), mean(theirs)
            same = abs(a - b) <= _SAME_WORK * max(a, b)
            return "" if same else f"not compared: {show_number(round(a))} against {show_number(round(b))} {unit}"
    made = [{row.summary.requests for row in one.rows} for one in (group, baseline)]
    if None not in made[0] | made[1] and made[0] != made[1]:
        counts = [" or ".join(show_number(count) for count in sorted(filter(None, one))) for one in made]
        return f"not compared: {counts[0]} against {counts[1]} requests"
    return ""
