"""Lines that are objects: JSON lines, Python dictionaries, and those that NVIDIA puts a mark before.

    {'loss': 0.512, 'learning_rate': 4.6e-05, 'epoch': 0.24}                             Hugging Face Trainer
    {"epoch": 3, "train": {"loss": 0.31}, "val": {"loss": 0.35, "acc": 0.9}}
    DLLL {"timestamp": "1604413860.1", "type": "LOG", "step": [0, 10], "data": {"train.loss": 7.01}}

The trap: an evaluation in the middle of a training is of that moment, not of the whole run.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Mapping

from assay.model.values import number
from assay.readers.named import canonical, measured
from assay.readers.settings import SETTING_NAMES, setting_value
from assay.readers.sizes import PEAK, named_bytes
from assay.readers.told import Told
from assay.reading.reader import figure
from assay.reading.shapes import NUMBER, Recipe, follow

_MEMBER = re.compile(rf"""["'](?P<name>[^"'\\]{{1,60}})["']\s*:\s*(?P<value>{NUMBER.pattern})(?=\s*[,}}])""")
MARK = "DLLL "
_FEWEST_SETTINGS = 2  # one name that is a setting elsewhere says nothing

#: what Hugging Face logs stands behind the bar that it is drawn over
_BAR_BEFORE = re.compile(r"[^{%]{0,60}(?<!\d)\d+%\|[^|{]*\|[^\]{]*\]?\s*")
#: `train | step: 100 | output: {'loss': 6.91}`: what stands before it counts
OBJECT_BEHIND = re.compile(r"\{['\"]\w")
_BAR_DONE = re.compile(r"%\|[^|]*\|\s*(?P<done>\d+)/\d+")


def behind_bar(text: str) -> tuple[str, str, str]:
    """(the bar that it is drawn over, other words before it, the object)."""
    bar = _BAR_BEFORE.match(text) if "%|" in text else None
    text = text[bar.end() :] if bar else text
    behind = None if text[0] == "{" else OBJECT_BEHIND.search(text)
    before, text = (text[: behind.start()], text[behind.start() :]) if behind else ("", text)
    return bar[0] if bar else "", before, text


def done_of(bar: str) -> dict[str, object]:
    """The step that a bar has come to."""
    found = _BAR_DONE.search(bar)
    return {"step": int(found["done"])} if found else {}


def parse_object(text: str) -> dict[str, object] | None:
    """A JSON object or a Python dictionary; None where the text is neither."""
    value = _parse(text)
    return value if isinstance(value, dict) else None


def read_object(text: str) -> Told | None:
    """A bare object; None if it is not one, or is not about a run."""
    value = parse_object(text)
    return None if value is None else told_of(value)


def told_of(value: Mapping[str, object], *, fewest_settings: int = _FEWEST_SETTINGS) -> Told | None:
    """What an object reports about a run; None if nothing."""
    facts = _figures(value)
    if not any(measured(name) for name in facts):
        known = settings_of(value)
        return Told(settings=known) if len(known) >= fewest_settings else None
    completed = "train_s" in facts  # Hugging Face's last word
    if completed and "samples_per_s" in facts:
        facts.setdefault("samples_per_s_avg", facts["samples_per_s"])  # over all of its seconds
    if completed or not any(name in facts for name in ("epoch", "step", "global_step")):
        return Told(results=facts, completed=completed)
    return Told(facts=facts)


def read_nvidia(value: Mapping[str, object]) -> Told | None:
    """`DLLL`: the settings first, then figures at a step, or at an epoch and a step; at no step, of the whole run."""
    data, step = value.get("data"), value.get("step")
    if not isinstance(data, dict):
        return None
    t = figure(str(value.get("timestamp", "")))
    if step == "PARAMETER":
        return Told(settings=settings_of({str(key).rpartition("/")[2]: one for key, one in data.items()}), t=t)
    facts = _figures(data)
    if not any(measured(name) for name in facts):
        return None
    steps = step if isinstance(step, list) else [None, step]
    counted = {name: one for name, one in zip(("epoch", "step"), steps, strict=False) if number(one) is not None}
    facts = {**counted, **facts, **({"step": counted["step"]} if "step" in counted else {})}
    return Told(results=facts, t=t) if step == [] else Told(facts=facts, t=t)


def _figures(value: Mapping[str, object]) -> dict[str, object]:
    """Its numbers, those of objects inside it under both names."""
    facts: dict[str, object] = {}
    for key, one in value.items():
        if isinstance(one, dict):
            facts.update((canonical(f"{key}_{inner}"), number) for inner, number in _numbers(one))
    facts.update((canonical(key), number) for key, number in _numbers(value))
    sizes = [(number, named_bytes(key)) for key, number in _numbers(value)]
    facts.update((PEAK, number * factor) for number, factor in sizes if factor is not None)
    facts.pop("", None)
    return facts


def _numbers(value: Mapping[str, object]) -> list[tuple[str, int | float]]:
    found: list[tuple[str, int | float]] = []
    for key, one in value.items():
        number = figure(one) if isinstance(one, str) else one
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            found.append((str(key), number))
    return found


def settings_of(value: Mapping[str, object]) -> dict[str, object]:
    known = {SETTING_NAMES.get(str(key).lower()): setting_value(str(key), str(one)) for key, one in value.items()}
    return {name: one for name, one in known.items() if name and one is not None}


def recipe_of(text: str, facts: dict[str, object], kind: str) -> Recipe | None:
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


def _literal(text: str) -> object:
    """Without Python's own remarks on how the text is written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)


def _parse(text: str) -> object:
    for parse in (json.loads, _literal):
        try:
            return parse(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    return None
