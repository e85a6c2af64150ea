"""The plan of a study: its runs in order, what each will be asked to do, and what that may cost."""

from __future__ import annotations

import hashlib
import json
import random
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay import systems
from assay.errors import UsageError
from assay.launchers.places import HERE, Place, adjusted, find_place
from assay.spec import Value, parse_setting, program_name
from assay.study.file import Study, settings
from assay.study.template import fill


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One planned run of the study: a cell and the number of its repeat. Warm-ups count from -1 downwards."""

    cell: str
    settings: Mapping[str, Value]
    varied: Mapping[str, Value]
    repeat: int
    seed: int | None
    place: Place
    called: str = "run"  # where nothing varies
    number: int = 0  # of its cell, in the order of the file

    @property
    def key(self) -> tuple[str, int, int | None]:
        return self.cell, self.repeat, self.seed

    @property
    def warmup(self) -> bool:
        return self.repeat < 0


def plan(study: Study, places: Mapping[str, Place], on: str | None = None) -> list[Unit]:
    """Every run in the order it is to be done. `on` is the place of the command line, which wins."""
    cells = [replace(_cell(study, point, places, on), number=at) for at, point in enumerate(study.points)]
    rounds = [_round(study, cells, repeat) for repeat in range(study.repeat)]
    if study.order == "listed":
        units = [unit for same in zip(*rounds, strict=True) for unit in same]
    else:
        units = [unit for one in rounds for unit in one]
    if study.order == "shuffled":
        units = [unit for one in rounds for unit in _shuffled(one, f"{study.name}:{one[0].repeat}")]
    return [*_warmups(study, units), *units]


def _cell(study: Study, point: Mapping[str, Value], places: Mapping[str, Place], on: str | None) -> Unit:
    """Its first repeat, of which the others are made."""
    chosen = settings(study, point)
    place = _place(study, places, chosen, on)
    given = study.document.value
    called = str(given.get("study") or given.get("workload") or program_name(study.command))
    cell = _cell_id(study, chosen)
    return Unit(cell=cell, settings=chosen, varied=point, repeat=0, seed=None, place=place, called=called)


def _round(study: Study, cells: Sequence[Unit], repeat: int) -> list[Unit]:
    seed = study.seeds[repeat] if study.seeds else None
    return [replace(cell, repeat=repeat, seed=seed) for cell in cells]


def _shuffled(units: list[Unit], name: str) -> list[Unit]:
    """The same order whenever the study is taken up again, and another one for each repeat."""
    order = list(units)
    random.Random(name).shuffle(order)
    return order


def _warmups(study: Study, units: list[Unit]) -> list[Unit]:
    return [replace(units[0], repeat=-1 - index) for index in range(study.warmup)]


def _cell_id(study: Study, chosen: Mapping[str, Value]) -> str:
    """(study, command template, settings): the same whatever the order of the lines in the file."""
    content = json.dumps([study.name, study.template_id(), sorted((k, repr(v)) for k, v in chosen.items())])
    return hashlib.sha256(content.encode()).hexdigest()[:12]


def _place(study: Study, places: Mapping[str, Place], chosen: Mapping[str, Value], on: str | None) -> Place:
    given = study.on
    asked = dict(given) if isinstance(given, Mapping) else {}
    name = on or (given if isinstance(given, str) else str(asked.get("place", HERE)))
    asked.pop("place", None)
    name, _, more = name.partition(",")
    try:
        place = find_place(places, name)
    except UsageError as problem:
        if on:
            raise
        raise study.document.error(("on",), problem.message, problem.hint) from None
    filled = {key: _filled(value, chosen) for key, value in asked.items()}
    if study.target is not None:
        target = systems.targets()[study.target]
        wanted = dict(target.request.get(place.launcher, {}))
        if place.gres or "gres" in filled:
            wanted = {key: value for key, value in wanted.items() if key not in target.same_as_gres}
        bare = Place(name=place.name, launcher=place.launcher)
        place = adjusted(place, {k: v for k, v in wanted.items() if getattr(place, k) == getattr(bare, k)})
        place = replace(place, setup=(*place.setup, *study.setup))
    place = adjusted(place, filled, study.document, ("on",))
    return adjusted(place, dict(parse_setting(text) for text in more.split(",") if text))


def _filled(value: object, chosen: Mapping[str, Value]) -> object:
    """`nodes: "{nodes}"` takes the setting itself, as a number where it is one."""
    if isinstance(value, list):
        return [_filled(one, chosen) for one in value]
    if not isinstance(value, str):
        return value
    if value.startswith("{") and value.endswith("}") and value[1:-1] in chosen:
        return chosen[value[1:-1]]
    return fill([value], chosen)[0]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What is still to be done, in seconds of runs, from runs of this study that were measured; None: none yet."""

    runs: int
    seconds: float | None
    node_seconds: float | None
    measured: int  # how many runs the estimate rests on


def estimate(todo: Sequence[Unit], done: Mapping[str, Sequence[float]]) -> Cost:
    """Each run takes as long as earlier ones of its cell did, else as those of the study, at the median."""
    every = [wall_s for walls in done.values() for wall_s in walls]
    if not every:
        return Cost(runs=len(todo), seconds=None, node_seconds=None, measured=0)
    typical = statistics.median(every)
    each = [(statistics.median(done[unit.cell]) if done.get(unit.cell) else typical) for unit in todo]
    node_s = sum(wall_s * unit.place.nodes for wall_s, unit in zip(each, todo, strict=True))
    return Cost(runs=len(todo), seconds=sum(each), node_seconds=node_s, measured=len(every))
