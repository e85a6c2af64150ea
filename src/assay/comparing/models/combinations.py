"""Runs that differ in one setting only, because a model of it does not cover the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparing.groups import Group, show_setting
from assay.comparing.rows import Row
from assay.comparing.varying import follows, value_of, varying
from assay.model.values import Value

#: runs that differ in these are never on one line, even if each value of the setting had its own
_ALWAYS = ("system", "device", "model", "num_procs", "num_nodes", "num_tasks")


@dataclass(frozen=True, kw_only=True)
class Combination:
    """`label` names the other settings, where there are several combinations of them."""

    label: str
    rows: list[Row]

    def title(self, text: str) -> str:
        return f"{text} ({self.label})" if self.label else text


def combinations_of(groups: Sequence[Group], over: str) -> list[Combination]:
    """The real runs that know a setting, by all else that varies among them."""
    rows = [row for one in groups for row in one.rows if over in row.settings and not row.simulated]
    names = [name for name in varying(rows) if name not in (over, "name")]
    others = [name for name in names if name in _ALWAYS or not follows(rows, name, over)]
    found: dict[tuple[Value | None, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(value_of(row, name) for name in others), []).append(row)
    return [
        Combination(
            label=", ".join(f"{name} {show_setting(value)}" for name, value in zip(others, key, strict=True)), rows=made
        )
        for key, made in found.items()
    ]
