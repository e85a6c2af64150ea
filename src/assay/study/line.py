"""A study that is given as words on a command line, or by a program, instead of as a file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from assay.errors import UsageError
from assay.spec import RunSpec, Value, parse_setting, typed
from assay.strictyaml import Document, Where
from assay.study.file import MOST_UNTIL
from assay.systems.target import Recipe

#: so many different combinations that fail before any run completes are enough to see that none will
_HOPELESS = 3
#: combinations of a workload's settings that are tried on its parser before anything starts
_MOST_CHECKED = 1_000


class CommandLine(Document):
    """What is wrong with it has no line."""

    def error(self, where: Where, message: str, hint: str | None = None) -> UsageError:
        return UsageError(message, hint)


@dataclass(frozen=True, kw_only=True)
class Words:
    """What to run and how often. `spec` has the command, and the manner of each run."""

    spec: RunSpec
    workload: str | None = None  # instead of the command
    target: str | None = None
    mode: str | None = None
    config: str | None = None
    settings: Mapping[str, Value] = field(default_factory=dict)  # of the workload
    takes_seed: bool = False
    grid: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    repeat: int | None = None
    until: str | None = None
    budget: str | None = None
    warmup: int = 0
    place: str | None = None


def document_of(words: Words) -> CommandLine:
    """The same as a study file would say it."""
    spec, cells = words.spec, math.prod(len(values) for values in words.grid.values())
    seed = words.settings.get("seed")
    repeat = words.repeat or (MOST_UNTIL if words.until else 1)
    value: dict[str, object] = {
        "study": spec.name,
        "workload": words.workload,
        "command": list(spec.command) if words.workload is None else None,
        "target": words.target,
        "mode": words.mode,
        "config": {"file": words.config} if words.config else None,
        "set": {name: one for name, one in words.settings.items() if name != "seed"},
        "grid": {name: list(values) for name, values in words.grid.items()},
        "repeat": repeat,
        "until": words.until,
        "seeds": seed if seed is not None else [0] if words.takes_seed and repeat == 1 else None,
        "warmup": words.warmup or None,
        "on": words.place,
        "env": dict(spec.env),
        "cwd": str(spec.cwd) if spec.cwd else None,
        "interval": spec.interval_s if spec.interval_s != RunSpec.interval_s else None,
        "limits": _limits(spec, cells * repeat + words.warmup, cells)
        | ({"total": words.budget} if words.budget else {}),
        "tags": list(spec.tags),
        "params": dict(spec.params),
    }
    kept = {key: one for key, one in value.items() if one not in (None, {}, [])}
    return CommandLine(path=Path.cwd() / "command line", value=kept, lines={})


def _limits(spec: RunSpec, runs: int, cells: int) -> dict[str, object]:
    found: dict[str, object] = {} if spec.timeout_s is None else {"time": spec.timeout_s}
    return {**found, "first_failures": min(cells, _HOPELESS)} if runs > 1 else found


def grid_of(texts: Sequence[str]) -> dict[str, list[Value]]:
    """`batch_size=16,32,64`, as often as it was given."""
    found: dict[str, list[Value]] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        name, values = name.strip(), [value.strip() for value in rest.split(",")]
        if not equals or not name or "" in values:
            raise UsageError(f"`--grid {text}` is not NAME=A,B,…", "write --grid batch_size=16,32,64")
        if name in found:
            raise UsageError(f"`{name}` is in the grid twice", f"write all its values at once: --grid {text},…")
        found[name] = [typed(value) for value in values]
    return found


def settings_of(recipe: Recipe, words: Sequence[str], *, given: bool = True) -> dict[str, Value]:
    """What the words set. A program of ours is asked whether it would take them, before a run is made; `given` are
    those that its target always sets."""
    if recipe.settings is None:
        return dict(parse_setting(word) for word in words)
    kind = recipe.settings()
    try:
        found, known = kind.read(words), [one.name for one in fields(kind)]
        always = [f"{k}={v}" for k, v in recipe.given.items() if given and k in known and k not in found]
        kind.rehearse([*always, *words])
    except ValueError as problem:
        raise UsageError(str(problem), getattr(problem, "hint", None)) from None
    return found


def check_points(recipe: Recipe, points: Sequence[Mapping[str, Value]], *, given: bool = True) -> None:
    """A combination that a program of ours would refuse is refused now."""
    if recipe.settings is not None:
        for point in points[:_MOST_CHECKED]:
            settings_of(recipe, [f"{name}={value}" for name, value in point.items()], given=given)
