"""Which groups are worth choosing among, over speed, energy, quality and memory together (the Pareto set)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparing.families import Families
from assay.comparing.figures import Figure
from assay.comparing.groups import Group
from assay.comparing.models.base import Model
from assay.stats import mean
from assay.text import listing

#: one figure of each kind, the first that every group knows
_KINDS = (
    ("samples_per_s", "tokens_per_s", "inferences_per_s", "requests_per_s", "step_ms", "train_s", "wall_s"),
    ("j_per_sample", "energy_j"),
    ("accuracy", "test_loss", "val_loss", "loss"),
    ("memory_bytes_max", "gpu_mem_bytes_max", "pss_bytes_max", "rss_bytes_max"),
)
#: groups: a longer list of trade-offs would not be read
_MOST = 12


@dataclass(frozen=True, kw_only=True)
class Dominated:
    """`by` is shown better in `better`, and no worse in any other figure by its mean."""

    group: str
    by: str
    better: list[str]


def tradeoff_model(columns: Sequence[Figure], families: Families) -> list[Model]:
    """The trade-off between groups; none if only one metric is known, or if no difference is significant."""
    groups = [one for one in families.groups if not one.simulated]
    figures = _figures(columns, groups)
    if len(figures) < 2 or not 2 <= len(groups) <= _MOST:
        return []
    signs = {
        (id(a), id(b)): [_sign(one, a, b, families) for one in figures] for a in groups for b in groups if a is not b
    }
    out = [found for one in groups if (found := _dominated(one, groups, figures, signs)) is not None]
    kept = [one.label for one in groups if one.label not in {found.group for found in out}]
    conflict = any({1, -1} <= set(found) for found in signs.values())
    if not out and not conflict:
        return []
    names = listing([one.noun for one in figures])
    return [
        Model(
            kind="tradeoff", title=f"trade-offs between {names}", holds=True,
            says=_says(out, kept, groups, figures, signs),
            figures={
                "over": [one.name for one in figures], "pareto": kept,
                "dominated": [{"group": one.group, "by": one.by, "better_in": one.better} for one in out],
            },
        )
    ]  # fmt: skip


def _figures(columns: Sequence[Figure], groups: Sequence[Group]) -> list[Figure]:
    known = {one.name: one for one in columns if one.better and all(group.sample(one.name) for group in groups)}
    first = [next((known[name] for name in names if name in known), None) for names in _KINDS]
    found = [one for one in first if one is not None]
    # memory and energy of a client say nothing about the server that it measured
    return found[:1] if found and found[0].name == "requests_per_s" else found


def _sign(one: Figure, a: Group, b: Group, families: Families) -> int:
    """1 where the first is shown to be better, -1 where the second is, 0 where neither is."""
    judged = families.judged(one, a, b)
    if judged is None or not judged.significant:
        return 0
    return 1 if one.better * (mean(a.sample(one.name)) - mean(b.sample(one.name))) > 0 else -1


def _dominated(
    group: Group, groups: Sequence[Group], figures: Sequence[Figure], signs: dict[tuple[int, int], list[int]]
) -> Dominated | None:
    """Drop a group only if another is better, and also no worse by its mean where no difference is shown."""
    for other in groups:
        if other is group or 1 not in signs[id(other), id(group)]:
            continue
        means = [one.better * (mean(other.sample(one.name)) - mean(group.sample(one.name))) for one in figures]
        if min(means) >= 0:
            better = [one.noun for one, sign in zip(figures, signs[id(other), id(group)], strict=True) if sign > 0]
            return Dominated(group=group.label, by=other.label, better=better)
    return None


def _says(
    out: Sequence[Dominated], kept: Sequence[str], groups: Sequence[Group], figures: Sequence[Figure],
    signs: dict[tuple[int, int], list[int]],
) -> list[str]:  # fmt: skip
    says = []
    if len(kept) == 1:
        says.append(f"{kept[0]} is at least as good as every other in all of them")
    elif len(groups) == 2:
        (a, b), found = groups, signs[id(groups[0]), id(groups[1])]
        first = listing([one.noun for one, sign in zip(figures, found, strict=True) if sign > 0])
        second = listing([one.noun for one, sign in zip(figures, found, strict=True) if sign < 0])
        says.append(f"neither is best at everything: {a.label} is better in {first}, {b.label} in {second}")
    else:
        says.append(f"the choice is between {listing(kept)}: none of them is shown to be worse all round")
    for one in out if len(kept) > 1 else []:
        rest = ", and on average no worse in the rest" if len(one.better) < len(figures) else ""
        says.append(f"{one.group} is out: {one.by} is better in {listing(one.better)}{rest}")
    return says
