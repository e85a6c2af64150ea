"""What a study runs: a command, or a workload as its target starts it, with its compile step and configuration."""

from __future__ import annotations

import shlex
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
    added: tuple[str, ...] = ()  # keys that the target knows: the file may lack them


@dataclass(frozen=True, kw_only=True)
class Compile:
    """A separate step before the command; if its result exists, it is skipped and recorded as cached."""

    command: tuple[str, ...]
    makes: object = None  # as the file has it

    def as_json(self) -> dict[str, object]:
        return {"command": list(self.command), "makes": self.makes}


def command_of(document: Document, settings: list[str]) -> list[str]:
    given = document.value
    if ("workload" in given) == ("command" in given):
        raise document.error(("command",), "a study needs a `command` or a `workload`", "write one of the two")
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
        recipe = ways.recipe_of(target, str(name), fields.word(document, "mode"))
        return ways.in_form_of(recipe, _config_file(document))
    except ways.NoWay as problem:
        raise document.error((problem.key,), problem.message, problem.hint) from None


def setup_of(recipe: Recipe | None, cwd: Path) -> tuple[str, ...]:
    """The lines of shell that a target needs before its jobs."""
    return tuple(line.replace("{cwd}", shlex.quote(str(cwd))) for line in recipe.setup) if recipe else ()


def _config_file(document: Document) -> Path | None:
    given = document.value.get("config")
    file = given.get("file") if isinstance(given, dict) else None
    return None if file is None else (document.path.parent / str(file)).absolute()


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
    path = _config_file(document)
    if path is None or not path.is_file():
        raise document.error(("config", "file"), f"there is no file `{given.get('file')}`")
    if is_private(path.as_posix()):
        message = f"`{given.get('file')}` cannot be copied into a run, because files with this name contain secrets"
        raise document.error(("config", "file"), message, "give the command its path instead")
    recipe, settings = recipe_of(document), names(document)
    known = {key: text for key, text in recipe.config.items() if present([(text,)], settings)} if recipe else {}
    values = {**known, **(given.get("set") or {})} if isinstance(given.get("set") or {}, dict) else None
    if values is None or any(isinstance(value, (dict, list)) for value in values.values()):
        raise document.error(("config", "set"), "`set` must be lines of `key.in.the.file: value`")
    shown = {key: template.show(value) for key, value in values.items()}
    return Config(path=path, values=shown, added=tuple(known))


def names(document: Document) -> list[str]:
    """Every setting of the study."""
    fixed = document.value.get("set")
    varied = dict.fromkeys(name for point in points(document) for name in point)
    return [*(fixed if isinstance(fixed, dict) else {}), *varied]
