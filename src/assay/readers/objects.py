"""Lines that are objects: JSON lines, Python dictionaries, and those that MLPerf and NVIDIA put a mark before.

    {'loss': 0.512, 'learning_rate': 4.6e-05, 'epoch': 0.24}                             Hugging Face Trainer
    {"epoch": 3, "train": {"loss": 0.31}, "val": {"loss": 0.35, "acc": 0.9}}
    :::MLLOG {"namespace": "", "time_ms": 1592234701000, "key": "eval_accuracy", "value": 0.7591, "metadata": {…}}
    DLLL {"timestamp": "1604413860.1", "type": "LOG", "step": [0, 10], "data": {"train.loss": 7.01}}

The trap: MLPerf's figure has its name in one member and its value in another.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Any, NamedTuple

from assay.model.values import number
from assay.readers.base import figure
from assay.readers.named import canonical, measured
from assay.readers.recipes import NUMBER, Recipe, follow
from assay.readers.settings import SETTING_NAMES, setting_value

_MEMBER = re.compile(rf"""["'](?P<name>[^"'\\]{{1,60}})["']\s*:\s*(?P<value>{NUMBER.pattern})(?=\s*[,}}])""")
MARKS = (":::MLLOG ", "DLLL ")
_FEWEST_SETTINGS = 2  # one name that is a setting elsewhere says nothing


class Told(NamedTuple):
    """What one object says."""

    facts: dict[str, Any]
    settings: dict[str, Any]
    final: bool = False
    completed: bool = False
    t: float | None = None


def read_object(text: str) -> Told | None:
    """A bare object; None where it is none, or says nothing of a run."""
    value = _parse(text)
    if not isinstance(value, dict):
        return None
    facts = _figures(value)
    if not any(measured(name) for name in facts):
        known = _settings(value)
        return Told({}, known) if len(known) >= _FEWEST_SETTINGS else None
    final = any(name.startswith(("train_runtime", "train_s", "eval_", "test_")) for name in facts)
    return Told(facts, {}, final, completed="train_s" in facts)  # Hugging Face's last word


def read_marked(text: str) -> Told | None:
    """An object of MLPerf's or NVIDIA's logger, wherever in the line it begins."""
    mark = next((mark for mark in MARKS if mark in text), None)
    value = _parse(text[text.index(mark) + len(mark) :].strip()) if mark else None
    if not isinstance(value, dict):
        return None
    return _mlperf(value) if mark == MARKS[0] else _nvidia(value)


def _mlperf(value: dict[str, Any]) -> Told | None:
    key, one = str(value.get("key", "")), value.get("value")
    time_ms, about = value.get("time_ms"), value.get("metadata")
    t = known / 1000 if (known := number(time_ms)) is not None else None
    about = about if isinstance(about, dict) else {}
    if key == "run_stop":
        return Told({}, {}, completed=about.get("status") == "success", t=t)
    settings = _settings({key: one})
    if settings:
        return Told({}, settings, t=t)
    facts = _figures({key: one, "epoch": about.get("epoch_num"), "step": about.get("step_num")})
    return Told(facts, {}, t=t) if any(measured(name) for name in facts) else None


def _nvidia(value: dict[str, Any]) -> Told | None:
    data, step = value.get("data"), value.get("step")
    if not isinstance(data, dict):
        return None
    t = figure(str(value.get("timestamp", "")))
    if step == "PARAMETER":
        return Told({}, _settings(data), t=t)
    facts = _figures(data)
    if not any(measured(name) for name in facts):
        return None
    if isinstance(step, list):
        counted = {name: one for name, one in zip(("epoch", "step"), step, strict=False) if number(one) is not None}
        facts = {**counted, **facts, **({"step": counted["step"]} if "step" in counted else {})}
    return Told(facts, {}, final=step == [], t=t)


def _figures(value: dict[str, Any]) -> dict[str, Any]:
    """Its numbers, those of objects inside it under both names."""
    facts: dict[str, Any] = {}
    for key, one in value.items():
        if isinstance(one, dict):
            facts.update((canonical(f"{key}_{inner}"), number) for inner, number in _numbers(one))
    facts.update((canonical(key), number) for key, number in _numbers(value))
    facts.pop("", None)
    return facts


def _numbers(value: dict[str, Any]) -> list[tuple[str, int | float]]:
    found: list[tuple[str, int | float]] = []
    for key, one in value.items():
        number = figure(one) if isinstance(one, str) else one
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            found.append((str(key), number))
    return found


def _settings(value: dict[str, Any]) -> dict[str, Any]:
    known = {SETTING_NAMES.get(str(key).lower()): setting_value(str(key), str(one)) for key, one in value.items()}
    return {name: one for name, one in known.items() if name and one is not None}


def recipe_of(text: str, facts: dict[str, Any], kind: str) -> Recipe | None:
    """How to read the like of a flat object; None where its members do not give back what was read of it."""
    places = {found.start(): place for place, found in enumerate(NUMBER.finditer(text))}
    figures: list[tuple[str, int, float]] = []
    whole: list[tuple[str, int]] = []
    for found in _MEMBER.finditer(text):
        name, place = canonical(found["name"]), places.get(found.start("value"), -1)
        if name and found["value"].lstrip("+-").isdigit():
            whole.append((name, place))
        elif name:
            figures.append((name, place, 1.0))
    recipe = Recipe(tuple(figures), tuple(whole), kind)
    return recipe if text.count("{") == 1 and recipe.holds and follow(recipe, text) == facts else None


def _literal(text: str) -> Any:
    """Without Python's own remarks on how the text is written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)


def _parse(text: str) -> Any:
    for parse in (json.loads, _literal):
        try:
            return parse(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    return None
