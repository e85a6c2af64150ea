"""Places: where runs can go, from a user's places.yaml.

    graphcore:
      launcher: slurm
      ipus: 1
      setup: [source ~/venvs/poptorch/bin/activate]

Every launcher is a place by its own name, too: `--on local`, `--on slurm,nodes=3,procs=2`.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from assay import plugins
from assay.errors import UsageError, did_you_mean
from assay.model.request import PlaceFacts
from assay.spec import check_variable, parse_setting
from assay.store.owner import outsider
from assay.strictyaml import Document, Where, load
from assay.units import parse_seconds

LAUNCHER_NAMES = ("local", "torchrun", "slurm", "pbs")
#: the place that needs no name
HERE = "local"


@dataclass(frozen=True, kw_only=True)
class Place:
    """A place with what to ask for there. Everything but the launcher may be left to the scheduler's defaults."""

    name: str
    launcher: str
    # how much
    nodes: int = 1
    procs: int | None = None  # processes a node, started by torchrun
    tasks: int | None = None  # tasks in all, started by srun inside the job
    tasks_per_node: int | None = None
    cpus: int | None = None  # a task
    gpus: int | None = None  # a node
    memory: str | None = None
    time: str | None = None
    # what kind
    partition: str | None = None
    account: str | None = None
    gres: str | None = None
    ipus: int | None = None
    select: str | None = None  # PBS: `1:system=polaris`; `nodes` changes the number of nodes in it
    arrange: str | None = None  # PBS: what `-l place=` says
    filesystems: tuple[str, ...] = ()  # PBS: what `-l filesystems=` says, as `home:eagle`
    exclusive: bool = False
    throttle: int | None = None  # of the jobs that are submitted together, the most that run at once
    # how
    modules: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    login: bool = False  # the job's shell reads the profile first, as a login does
    env: Mapping[str, str] = field(default_factory=dict)
    extra: tuple[str, ...] = ()  # more words for sbatch or qsub
    tasks_with: tuple[str, ...] = ()  # more words for the srun that starts `tasks`
    per_node: tuple[str, ...] = ()  # what starts one process on each node
    python: str | None = None  # an interpreter that has Assay there, where ours is not to be seen
    requeue: bool = True

    def facts(self) -> dict[str, object]:
        """What a run keeps of it: all that is not the default."""
        default = Place(name=self.name, launcher=self.launcher)
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        kept = {k: v for k, v in found.items() if k in ("name", "launcher") or v != getattr(default, k)}
        return {
            k: list(v) if isinstance(v, tuple) else dict(v) if isinstance(v, Mapping) else v for k, v in kept.items()
        }

    @property
    def task_cpus(self) -> int | None:
        """What a task needs: a CPU for each of its processes, unless the place says."""
        return self.cpus or (None if self.tasks else self.procs)

    @property
    def time_s(self) -> float | None:
        return None if self.time is None else parse_seconds(self.time)


_KINDS: dict[str, str] = {one.name: str(one.type) for one in fields(Place)}
KEYS = tuple(name for name in _KINDS if name != "name")


def launcher_names() -> tuple[str, ...]:
    """Ours, and those that other packages register."""
    return (*LAUNCHER_NAMES, *(one.name for one in plugins.registered("assay.launchers")))


def places_file(chosen: str | Path | None = None) -> Path | None:
    """`--places`, else `$ASSAY_PLACES`, else ./places.yaml, else ~/.config/assay/places.yaml, where there is one."""
    named = chosen or os.environ.get("ASSAY_PLACES")
    if named:
        return Path(named)
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    here = Path("places.yaml")
    who = outsider(here) if here.is_file() else None
    if who is not None:
        message = f"`{here.absolute()}` may have been written by {who}, and its set-up lines would run as you"
        raise UsageError(message, "read the file, and if you trust it: export ASSAY_PLACES=./places.yaml")
    return next((path for path in (here, home / "assay/places.yaml") if path.is_file()), None)


def load_places(chosen: str | Path | None = None) -> dict[str, Place]:
    """Those of the user's file, and one for each launcher."""
    found = {name: Place(name=name, launcher=name) for name in launcher_names()}
    path = places_file(chosen)
    if path is not None:
        document = load(path)
        for name, given in document.value.items():
            if isinstance(given, dict) and "endpoint" in given:
                continue  # a server to be asked, not a place to run on: endpoints.py
            found[name] = _place(document, name, given)
    return found


def _place(document: Document, name: str, given: object) -> Place:
    if not isinstance(given, dict):
        raise document.error((name,), f"`{name}` is not a place", "add its launcher: `launcher: slurm`")
    document.check_keys((name,), given, KEYS)
    launcher = given.get("launcher")
    if launcher not in launcher_names():
        where = (name, "launcher") if "launcher" in given else (name,)
        message = f"no launcher called `{launcher}`" if launcher else f"`{name}` has no launcher"
        raise document.error(where, message, did_you_mean(str(launcher), launcher_names()))
    return _filled(Place(name=name, launcher=launcher), given, document, (name,))


def _filled(place: Place, given: Mapping[str, object], document: Document | None, where: Where) -> Place:
    """With these keys set, each checked for what it must be."""
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key in ("launcher", "name"):
            continue
        try:
            values[key] = checked(key, value)
        except UsageError as problem:
            if document is None:
                raise
            raise document.error((*where, key), problem.message, problem.hint) from None
    return replace(place, **values)


def checked(key: str, value: object) -> object:
    """The value as this key needs it, or a message that says what it must be."""
    kind = _KINDS[key]
    if value is None:
        return None if "None" in kind else () if kind.startswith("tuple") else {}
    if kind.startswith("int"):
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1_000_000:
            raise UsageError(f"`{key}` must be a whole number above 0, not `{value}`")
        return value
    if kind == "bool":
        if not isinstance(value, bool):
            raise UsageError(f"`{key}` must be true or false, not `{value}`")
        return value
    if kind.startswith("tuple"):
        words = list(value) if isinstance(value, (list, tuple)) else _split(key, value)
        if any(isinstance(word, (dict, list)) or word is None for word in words):
            raise UsageError(f"`{key}` must be a list of words")
        return tuple(_no_nul(key, str(word)) for word in words)
    if kind.startswith("Mapping"):
        if not isinstance(value, dict) or any(isinstance(one, (dict, list)) for one in value.values()):
            raise UsageError(f"`{key}` must be lines of `NAME: value`")
        return {check_variable(name): _no_nul(key, "" if one is None else str(one)) for name, one in value.items()}
    if isinstance(value, (dict, list)):
        raise UsageError(f"`{key}` must be a single word, not a list")
    text = _no_nul(key, str(value))
    if key == "time":
        parse_seconds(text)
    return text


def _split(key: str, value: object) -> list[object]:
    """A line of set-up is one line; words for a program are words."""
    if key in ("setup", "modules") or not isinstance(value, str):
        return [value]
    try:
        return list(shlex.split(value))
    except ValueError as problem:
        raise UsageError(f"`{key}`: {str(problem).lower()}") from None


def _no_nul(key: str, text: str) -> str:
    if "\0" in text:
        raise UsageError(f"`{key}` contains a NUL byte")
    return text


def place_of(facts: PlaceFacts) -> Place:
    """As it was when a run was sent there, whatever the user's file says now."""
    if facts.launcher not in LAUNCHER_NAMES:
        raise UsageError(f"no launcher called `{facts.launcher}`", did_you_mean(str(facts.launcher), LAUNCHER_NAMES))
    given = {key: value for key, value in facts.as_json().items() if key in KEYS}
    return _filled(Place(name=facts.name or facts.launcher, launcher=facts.launcher), given, None, ())


def find_place(places: Mapping[str, Place], name: str) -> Place:
    if name not in places:
        raise UsageError(f"no place called `{name}`", did_you_mean(name, places))
    return places[name]


def adjusted(place: Place, given: Mapping[str, object], document: Document | None = None, where: Where = ()) -> Place:
    """The place with other resources; unknown ones are refused."""
    for key in given:
        if key not in KEYS or key == "launcher":
            message, hint = f"unknown key `{key}`", did_you_mean(key, [k for k in KEYS if k != "launcher"])
            raise document.error((*where, key), message, hint) if document else UsageError(message, hint)
    return _filled(place, given, document, where)


def parse_place(text: str, places: Mapping[str, Place]) -> Place:
    """Of `--on`: `slurm`, or `slurm,nodes=3,time=10m`."""
    name, *settings = text.split(",")
    place = find_place(places, name.strip())
    return adjusted(place, dict(parse_setting(setting) for setting in settings if setting.strip()))
