"""What a study runs: a command, or a workload as its target starts it, with its compile step and configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from assay.errors import UsageError
from assay.facts.secret_table import is_private
from assay.strictyaml import Document
from assay.study import fields, template
from assay.study.grid import points
from assay.systems import ways
from assay.systems.target import Recipe, Target, present

#: names a command may use without their being settings
GIVEN = ("seed", "repeat", "run", "config")


@dataclass(frozen=True, kw_only=True)
class Config:
    """A configuration file of which every run gets a copy, with settings written into it."""

    path: Path
    values: Mapping[str, str]  # dotted key: template


@dataclass(frozen=True, kw_only=True)
class Compile:
    """A step of its own before the command: skipped, and said to be cached, where what it makes is there."""

    command: tuple[str, ...]
    makes: object = None  # as the file has it

    def as_json(self) -> dict[str, object]:
        return {"command": list(self.command), "makes": self.makes}


def command_of(document: Document, settings: list[str]) -> list[str]:
    given = document.value
    if ("workload" in given) == ("command" in given):
        raise document.error(("command",), "a study has a `command` or a `workload`", "write one of the two")
    if "command" in given:
        try:
            words = template.split(given["command"])
            template.check(words, [*settings, *GIVEN])
        except UsageError as problem:
            raise document.error(("command",), problem.message, problem.hint) from None
        return words
    placed = _placed(given.get("on"))
    own = [setting for setting in settings if setting not in placed]
    recipe, name = recipe_of(document), str(given["workload"])
    assert recipe is not None
    if "target" not in given:  # its own default says where it runs
        recipe = replace(recipe, given={})
    try:
        return ways.command_of(recipe, own, name)
    except ways.NoWay as problem:
        fixed = problem.key in (given.get("set") or {})
        raise document.error(("set" if fixed else "grid", problem.key), problem.message, problem.hint) from None
    except UsageError as problem:  # there is no such interpreter
        raise document.error(("mode",), problem.message, problem.hint) from None


def target_of(document: Document) -> Target:
    try:
        return ways.target_called(fields.word(document, "target") or "cpu")
    except ways.NoWay as problem:
        raise document.error((problem.key,), problem.message, problem.hint) from None


def recipe_of(document: Document) -> Recipe | None:
    """How the target starts the workload; None where the study brings its own command."""
    name, target = document.value.get("workload"), target_of(document)
    if name is None:
        return None
    try:
        return ways.recipe_of(target, str(name), fields.word(document, "mode"))
    except ways.NoWay as problem:
        raise document.error((problem.key,), problem.message, problem.hint) from None


def _placed(on: object) -> list[str]:
    """Settings that say where and how wide, and are none of the workload's own."""
    return template.names_in([str(value) for value in on.values()]) if isinstance(on, dict) else []


def compile_of(document: Document) -> Compile | None:
    given, recipe = document.value.get("compile"), recipe_of(document)
    if given is None and recipe is not None and recipe.compile:
        given = {"command": present(recipe.compile, names(document)), "makes": recipe.makes}
    if given is None:
        return None
    if not isinstance(given, dict):
        given = {"command": given}
    document.check_keys(("compile",), given, ("command", "makes"))
    try:
        words = template.split(given.get("command"))
        template.check(words, [*names(document), *GIVEN])
    except UsageError as problem:
        raise document.error(("compile",), problem.message, problem.hint) from None
    return Compile(command=tuple(words), makes=given.get("makes"))


def config_of(document: Document) -> Config | None:
    given = document.value.get("config")
    if given is None:
        return None
    given = fields.mapping(document, "config", ("file", "set"))
    path = (document.path.parent / str(given.get("file"))).absolute()
    if not path.is_file():
        raise document.error(("config", "file"), f"no file called `{given.get('file')}`")
    if is_private(path.as_posix()):
        message = f"`{given.get('file')}` is not copied into a run: files of this name hold secrets"
        raise document.error(("config", "file"), message, "give the command its path instead")
    recipe, settings = recipe_of(document), names(document)
    known = {key: text for key, text in recipe.config.items() if present([(text,)], settings)} if recipe else {}
    values = {**known, **(given.get("set") or {})} if isinstance(given.get("set") or {}, dict) else None
    if values is None or any(isinstance(value, (dict, list)) for value in values.values()):
        raise document.error(("config", "set"), "`set` is lines of `key.in.the.file: value`")
    return Config(path=path, values={key: template.show(value) for key, value in values.items()})


def names(document: Document) -> list[str]:
    """Every setting of the study."""
    fixed = document.value.get("set")
    varied = dict.fromkeys(name for point in points(document) for name in point)
    return [*(fixed if isinstance(fixed, dict) else {}), *varied]
