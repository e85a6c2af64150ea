"""A study file, read strictly: what to run, which settings, how often, where, and what counts as success.

Paths in it are relative to the file. See docs/studies.md, and the commented studies in examples/.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.comparing import WISHES
from assay.comparing.margins import Wanted, wanted
from assay.errors import UsageError, did_you_mean
from assay.spec import Value
from assay.store.find import condition
from assay.strictyaml import Document, Where, load
from assay.study import fields, template, what
from assay.study.grid import Point, points
from assay.study.what import GIVEN, Compile, Config
from assay.systems.ways import takes

KEYS = (
    "study", "about", "workload", "command", "compile", "set", "grid", "exclude", "repeat", "until", "seeds", "order",
    "warmup",
    "on", "target", "mode", "config", "env", "cwd", "interval", "limits", "jobs", "success", "compare", "tags",
    "params",
)  # fmt: skip
#: what people coming from other tools call a key
_MEANT = {
    "name": "study", "title": "study", "question": "about", "description": "about", "cmd": "command", "run": "command",
    "script": "command", "program": "command", "matrix": "grid", "sweep": "grid", "parameters": "grid", "vary": "grid",
    "parallel": "jobs", "workers": "jobs", "max_parallel": "jobs", "timeout": "limits", "place": "on",
}  # fmt: skip
LIMITS = ("time", "total", "failures", "first_failures")
#: the most repeats with `until`, if the file gives no limit
MOST_UNTIL = 30
ORDERS = ("shuffled", "interleaved", "listed")


@dataclass(frozen=True, kw_only=True)
class Study:
    """The whole file, checked. Nothing else has been read."""

    name: str
    document: Document
    command: tuple[str, ...]
    compile: Compile | None
    fixed: Point
    points: tuple[Point, ...]
    repeat: int
    seeds: tuple[int, ...] | None
    order: str
    warmup: int
    on: str | Mapping[str, object] | None
    target: str | None
    mode: str | None
    config: Config | None
    env: Mapping[str, str]
    cwd: Path
    interval_s: float
    timeout_s: float | None
    total_s: float | None
    failures: int | None
    first_failures: int | None  # so many that failed, and none that has completed
    jobs: int | None
    success: tuple[str, ...]
    compare: Mapping[str, object]
    tags: tuple[str, ...]
    until: Wanted | None = None  # repeats are made until a figure is known so well
    params: Mapping[str, Value] = field(default_factory=dict)  # recorded with each run, and used by nothing
    workload: str | None = None  # a built-in one
    setup: tuple[str, ...] = ()  # set-up lines of its target, run before each job at a place
    validates: bool = False  # its runs are lowered for the hardware, and not run on it
    about: str = ""
    varied: tuple[str, ...] = field(default=())

    def template_id(self) -> list[object]:
        """What makes two cells of one name different besides their settings."""
        config = None if self.config is None else [str(self.config.path.name), sorted(self.config.values.items())]
        compiled = None if self.compile is None else self.compile.as_json()
        more = [compiled, sorted(self.env.items()), config, self.target, self.mode]
        return [list(self.command), *(more if any(more) else [])]


def load_study(path: Path, until: str | None = None) -> Study:
    """Read and check a file; an error names its line. `until` comes from the command line and overrides the file."""
    document = load(path)
    if until is not None:
        document.value["until"] = until
    return study_of(document)


def study_of(document: Document) -> Study:
    """The study that a document describes, from a file or from the command line."""
    given = document.value
    document.check_keys((), given, KEYS, _MEANT)
    fixed = _single_values(document, "set")
    found = points(document)
    _check_settings(document, fixed, found)
    command = what.command_of(document, [*fixed, *dict.fromkeys(name for point in found for name in point)])
    fixed, found = _switched(document, command, fixed, found)
    repeat, seeds = _repeats(document, command)
    limits, recipe = fields.mapping(document, "limits", LIMITS), what.recipe_of(document)
    study = Study(
        name=fields.word(document, "study") or document.path.stem,
        about=fields.word(document, "about") or "",
        workload=fields.word(document, "workload") if recipe is not None and recipe.settings is not None else None,
        validates=recipe is not None and recipe.validates,
        setup=what.setup_of(recipe, _folder(document)),
        document=document,
        command=tuple(command),
        compile=what.compile_of(document),
        fixed=fixed,
        points=tuple(found),
        varied=tuple(dict.fromkeys(name for point in found for name in point)),
        repeat=repeat,
        until=_until(document),
        seeds=seeds,
        order=fields.choice(document, "order", ORDERS),
        warmup=fields.count(document, ("warmup",), given.get("warmup", 0), least=0),
        on=_on(document),
        target=what.target_of(document).name if "target" in given else None,
        mode=fields.word(document, "mode"),
        config=what.config_of(document),
        env={**(recipe.env if recipe else {}), **fields.variables(document, "env")},
        cwd=_folder(document),
        interval_s=fields.seconds(document, ("interval",), given.get("interval", 0.5)) or 0.5,
        timeout_s=fields.seconds(document, ("limits", "time"), limits.get("time")),
        total_s=fields.seconds(document, ("limits", "total"), limits.get("total")),
        failures=_limit(document, limits, "failures"),
        first_failures=_limit(document, limits, "first_failures"),
        jobs=fields.count(document, ("jobs",), given["jobs"]) if "jobs" in given else None,
        success=_conditions(document),
        compare=fields.mapping(document, "compare", WISHES),
        tags=tuple(fields.strings_list(document, "tags")),
        params=_single_values(document, "params"),
    )
    _check_use(document, study)
    return study


def _until(document: Document) -> Wanted | None:
    given = fields.word(document, "until")
    if given is None:
        return None
    try:
        found = wanted(given)
    except UsageError:
        found = None
    if found is None or (found.figure is None and not found.amount.relative):  # a bare 5 is ± 5 of what?
        hint = "write --until 1%, or name a metric: --until 'samples_per_s_avg 1%'"
        raise document.error(("until",), f"`until: {given}` does not give the width of an interval", hint)
    return found


def _limit(document: Document, limits: Mapping[str, object], name: str) -> int | None:
    return fields.count(document, ("limits", name), limits[name]) if name in limits else None


def _single_values(document: Document, key: str) -> Point:
    """`set` and `params`: one value each."""
    given = document.value.get(key) or {}
    if not isinstance(given, dict):
        raise document.error((key,), f"`{key}` must be lines of `setting: value`")
    for name, value in given.items():
        if isinstance(value, (dict, list)) or value is None:
            hint = "several values belong under `grid`" if isinstance(value, list) else None
            raise document.error((key, name), f"`{name}` must be a single number or word", hint)
    return dict(given)


def _switched(document: Document, command: list[str], fixed: Point, found: list[Point]) -> tuple[Point, list[Point]]:
    """Settings that turn a flag on and off are true or false, as a program that prints them says it."""
    flags = template.flags_in(command)

    def switched(point: Point, key: str) -> Point:
        try:
            return {name: template.is_on(name, value) if name in flags else value for name, value in point.items()}
        except UsageError as problem:
            raise document.error((key,), problem.message, problem.hint) from None

    return switched(fixed, "set"), [switched(point, "grid") for point in found]


def _check_settings(document: Document, fixed: Point, found: list[Point]) -> None:
    for name in dict.fromkeys(name for point in found for name in point):
        if name in fixed:
            raise document.error(("set", name), f"`{name}` is in `set` and in the grid", "keep one of them")
        if name in GIVEN:
            hint = "list seeds under `seeds`" if name == "seed" else "choose another name"
            raise document.error(("grid", name), f"`{name}` cannot be a setting of the grid", hint)
    for name, value in {(name, value) for point in found for name, value in point.items()}:
        if "\0" in str(value):
            raise document.error(("grid", name), f"a value of `{name}` contains a NUL byte")


def _repeats(document: Document, command: list[str]) -> tuple[int, tuple[int, ...] | None]:
    given = document.value
    seeds = given.get("seeds")
    otherwise = len(seeds) if isinstance(seeds, list) and seeds else MOST_UNTIL if "until" in given else 1
    repeat = fields.count(document, ("repeat",), given.get("repeat", otherwise))
    used = "seed" in template.names_in(command)
    if seeds is None:
        return repeat, tuple(range(1, repeat + 1)) if used else None
    if not used:
        hint = "write {seed} where the program takes its seed"
        raise document.error(("seeds",), "the command does not use `{seed}`", hint)
    if isinstance(seeds, int) and not isinstance(seeds, bool):
        return repeat, tuple(range(seeds, seeds + repeat))
    if not isinstance(seeds, list) or any(isinstance(one, bool) or not isinstance(one, int) for one in seeds):
        raise document.error(("seeds",), "`seeds` must be a list of whole numbers, or the first of them")
    if len(seeds) != repeat:
        raise document.error(
            ("seeds",), f"there are {len(seeds)} seeds for {repeat} repeats", "give one seed for each repeat"
        )
    return repeat, tuple(seeds)


def _on(document: Document) -> str | dict[str, object] | None:
    given = document.value.get("on")
    if given is None or isinstance(given, str):
        return given
    if not isinstance(given, dict):
        raise document.error(("on",), "`on` must be the name of a place, or `place:` with what to ask for there")
    return dict(given)


def _check_use(document: Document, study: Study) -> None:
    """A setting that nothing uses would vary only on paper."""
    used = [*study.command, *study.env.values()]
    used += study.config.values.values() if study.config else []
    used += study.compile.command if study.compile else []
    if isinstance(study.on, dict):
        used += [str(value) for value in study.on.values()]
    names = template.names_in(used)
    for name in [*study.fixed, *study.varied]:
        if name not in names:
            where: Where = ("set", name) if name in study.fixed else ("grid", name)
            recipe = what.recipe_of(document)
            hint = f"write {{{name}}} where the program takes it"
            if recipe is not None:
                hint = f"it takes: {', '.join(takes(recipe))}"
            raise document.error(
                where, f"the command does not use `{name}`, so every value would give the same run", hint
            )
    known = [*study.fixed, *study.varied, *GIVEN]
    for name in names:
        if name not in known:
            raise document.error((), f"`{{{name}}}` is not a setting of this study", did_you_mean(name, known))
    if study.config is None and "config" in names:
        raise document.error(
            ("command",), "the command uses `{config}`, but there is no `config`", "name the file: config: {file: …}"
        )


def _conditions(document: Document) -> tuple[str, ...]:
    found = tuple(fields.strings_list(document, "success"))
    for text in found:
        try:
            condition(text)
        except UsageError as problem:
            raise document.error(("success",), problem.message, problem.hint) from None
    return found


def _folder(document: Document) -> Path:
    given = document.value.get("cwd")
    path = (document.path.parent / str(given or ".")).absolute()
    if not path.is_dir():
        raise document.error(("cwd",), f"`{given}` is not a folder")
    return path.resolve()


def settings(study: Study, point: Mapping[str, Value]) -> dict[str, Value]:
    """All settings of a point: those that vary and those that do not."""
    return {**study.fixed, **point}
