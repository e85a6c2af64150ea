"""What a study runs: a command, or a workload as its target starts it, with its compile step and configuration."""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import UsageError, did_you_mean
from assay.strictyaml import Document
from assay.study import fields, template
from assay.study.grid import points
from assay.targets import TARGETS
from assay.targets.base import Recipe, Target, present

#: names a command may use without their being settings
GIVEN = ("seed", "repeat", "run", "config")


@dataclass(frozen=True, kw_only=True)
class Config:
    """A configuration file of which every run gets a copy, with settings written into it."""

    path: Path
    values: Mapping[str, str]  # dotted key: template


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
    name, target = str(given["workload"]), target_of(document)
    placed = _placed(given.get("on"))
    own = [setting for setting in settings if setting not in placed]
    if target.recipes:
        return _by_recipe(document, target, name, own)
    workloads = known_workloads()
    if name not in workloads:
        hint = did_you_mean(name, workloads) if workloads else "this installation has none"
        raise document.error(("workload",), f"no workload called `{name}`", hint)
    _check_settings(document, name, workloads[name], own)
    device = [] if "device" in own or "target" not in given else [f"device={target.name}"]
    return [sys.executable, "-m", workloads[name], *(f"{one}={{{one}}}" for one in own), *device, "seed={seed}"]


def _check_settings(document: Document, workload: str, module: str, given: list[str]) -> None:
    """A workload declares its settings, and can be asked for them without loading torch."""
    known = [one.name for one in dataclasses.fields(importlib.import_module(module).Settings)]
    for name in given:
        if name not in known:
            where = ("set", name) if name in (document.value.get("set") or {}) else ("grid", name)
            raise document.error(where, f"`{workload}` has no setting called `{name}`", did_you_mean(name, known))


def target_of(document: Document) -> Target:
    name = fields.word(document, "target") or "cpu"
    if name not in TARGETS:
        raise document.error(("target",), f"no target called `{name}`", did_you_mean(name, TARGETS))
    return TARGETS[name]


def recipe_of(document: Document) -> Recipe | None:
    """How the target starts the workload, where it has a way of its own."""
    name = document.value.get("workload")
    return target_of(document).recipes.get(str(name)) if name is not None else None


def _by_recipe(document: Document, target: Target, name: str, settings: list[str]) -> list[str]:
    if name not in target.recipes:
        raise document.error(("workload",), f"`{name}` has no way to start on {target.name}",
                             did_you_mean(name, target.recipes))  # fmt: skip
    recipe = target.recipes[name]
    mode = fields.word(document, "mode")
    if mode is not None and mode not in ("execute", *recipe.modes):
        choices = ("execute", *recipe.modes)
        raise document.error(
            ("mode",), f"no mode called `{mode}` for {name} on {target.name}", did_you_mean(mode, choices)
        )
    return [*present(recipe.command, settings), *recipe.modes.get(mode or "execute", ())]


def _placed(on: Any) -> list[str]:
    """Settings that say where and how wide, and are none of the workload's own."""
    return template.names_in([str(value) for value in on.values()]) if isinstance(on, dict) else []


def known_workloads() -> dict[str, str]:
    """Names and modules of the built-in workloads, where they are installed."""
    try:
        found: dict[str, str] = importlib.import_module("assay.workloads").WORKLOADS
    except ImportError:
        return {}
    return dict(found)


def compile_of(document: Document) -> dict[str, Any] | None:
    """A step of its own before the command: skipped, and said to be cached, where what it makes is there."""
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
    return {"command": words, "makes": given.get("makes")}


def config_of(document: Document) -> Config | None:
    given = document.value.get("config")
    if given is None:
        return None
    given = fields.mapping(document, "config", ("file", "set"))
    path = (document.path.parent / str(given.get("file"))).absolute()
    if not path.is_file():
        raise document.error(("config", "file"), f"no file called `{given.get('file')}`")
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
