"""Target, workload, mode and settings as the template of a command: the one place, for studies and `assay run`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from assay import looseyaml, systems
from assay.errors import AssayError, UsageError, did_you_mean
from assay.systems.target import Recipe, Target, present
from assay.workloads import known_workloads, missing_workload, module_of, python_of

#: the mode that needs no word
EXECUTE = "execute"


class NoWay(UsageError):
    """There is no such way to start it; `key` is what is off: target, workload, mode or a setting."""

    def __init__(self, key: str, message: str, hint: str | None) -> None:
        super().__init__(message, hint)
        self.key = key


def target_called(name: str) -> Target:
    known = systems.targets()
    if name not in known:
        raise NoWay("target", f"no target called `{name}`", _choose(name, known))
    return known[name]


def recipe_of(target: Target, workload: str, mode: str | None = None) -> Recipe:
    """How this target starts this workload in this mode."""
    recipes = recipes_of(target)
    if workload not in recipes:
        if not target.recipes and (problem := missing_workload(workload)) is not None:
            raise NoWay("workload", problem.message, problem.hint)
        message = f"`{workload}` cannot run on {target.name}"
        raise NoWay("workload", message if target.recipes else f"no workload called `{workload}`",
                    _choose(workload, recipes))  # fmt: skip
    modes = {EXECUTE: recipes[workload], **recipes[workload].modes}
    if (mode or EXECUTE) not in modes:
        raise NoWay("mode", f"no mode called `{mode}` for {workload} on {target.name}", _choose(str(mode), modes))
    return modes[mode or EXECUTE]


def in_form_of(recipe: Recipe, config: Path | None) -> Recipe:
    """The way that fits what the configuration file holds: a release may have moved its settings."""
    if config is None or not recipe.forms:
        return recipe
    try:
        content = looseyaml.load(config.read_bytes(), str(config))
    except (OSError, AssayError):
        return recipe  # copying the file will report what is wrong with it
    return next((form for key, form in recipe.forms.items() if isinstance(content, dict) and key in content), recipe)


def recipes_of(target: Target) -> Mapping[str, Recipe]:
    """The vendor's; a processor or a GPU runs the built-in workloads themselves."""
    if target.recipes:
        return target.recipes
    return {name: _built_in(name, module, target.name) for name, module in known_workloads().items()}


def _built_in(name: str, module: str, device: str) -> Recipe:
    return Recipe(
        command=("-m", module),
        given={"device": device},
        settings=lambda: module_of(name).Settings,
        python=lambda: python_of(name),
    )


def command_of(recipe: Recipe, settings: Sequence[str], workload: str) -> list[str]:
    """Its words, for these settings; `{name}` stands where a value will."""
    words = present(recipe.command, settings)
    if recipe.settings is not None:
        known = [one.name for one in fields(recipe.settings())]
        for name in settings:
            if name not in known:
                raise NoWay(name, f"`{workload}` has no setting called `{name}`", did_you_mean(name, known))
        words += [f"{name}={{{name}}}" for name in settings if name != "seed"]
        always = [name for name in recipe.given if name in known and name not in settings]
        words += [f"{name}={recipe.given[name]}" for name in always] + ["seed={seed}"]
    return [recipe.python(), *words] if recipe.python is not None else words


def takes(recipe: Recipe) -> list[str]:
    """The settings that it understands."""
    if recipe.settings is not None:
        return [one.name for one in fields(recipe.settings())]
    from string import Formatter

    parts: list[str | tuple[str, ...]] = [*recipe.command, *recipe.compile, *recipe.config.values()]
    texts = [word for part in parts for word in ((part,) if isinstance(part, str) else part)]
    names = [name for text in texts for _, name, _, _ in Formatter().parse(text) if name]
    return [name for name in dict.fromkeys(names) if name not in ("run", "config")]


def _choose(word: str, known: Mapping[str, object]) -> str:
    """All there are: they are few, and one who asks wants to know."""
    close = did_you_mean(word, known) or ""
    every = "choose one of: " + ", ".join(known)
    return f"{close} {every}" if close.startswith("did") else every
