"""What a printed name and value are: a setting or a figure, a number, a word, an object."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Mapping

from assay.core.names import part_named
from assay.core.numbers import tokens
from assay.quantities import COUNT, MACHINE, named

_EMPTY = frozenset(("", "none", "null", "n/a", "-"))


def is_setting(name: str) -> bool:
    """Whether a name is that of a setting that many programs have."""
    known = named(name) or named(name.rpartition(".")[2])
    return known is not None and known.settable


def setting_name(name: str) -> str:
    """The canonical name of a setting, else its own; one of the evaluation is not one of the training."""
    known = named(name)
    if known is None and "." in name:
        head, _, last = name.rpartition(".")
        known = named(last) if part_named(head.replace(".", " ")) not in ("val", "test") else None
    return known.name if known is not None and known.settable else slug(name)


def slug(name: str) -> str:
    return re.sub(r"[\s\-]+", "_", name.strip().strip("-'\"`*")).strip("_")


def setting_value(text: str) -> object:
    """A setting as a value: a number, a truth, or text without its quotes; None where it is nothing."""
    text = text.strip().rstrip(",").strip("'\"`")
    if text.lower() in _EMPTY:
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    found = list(tokens(text)) if len(text) < 40 else []
    if len(found) == 1 and found[0].number is not None and not found[0].number.unit.base:
        value = found[0].number.value
        return int(value) if value.is_integer() and "." not in text and "e" not in text.lower() else value
    return text[:300]


def is_plain_value(value: str) -> bool:
    return 0 < len(value) <= 80 and len(value.split()) <= 3


def is_outcome(key: str) -> bool:
    """Whether it is what a training prints of itself, and no setting: a loss, an accuracy, a rate."""
    known = named(key)
    if known is not None:
        return not known.settable and known.kind not in (COUNT, MACHINE)
    return bool(
        re.search(
            r"(?:^|_)(?:[a-z0-9]{0,12}loss|acc\w{0,12}|accuracy|f1|auc|bleu|rouge\w{0,6}|ppl|perplexity|reward|return|r?mse|mae|map\d{0,4}|bpb|wer|mcc|iou|dice|per_s|score)(?:_|$)",
            key,
        )
    )


def parse_object(text: str) -> dict[str, object] | None:
    """A JSON object or a Python dictionary; None where the text is neither."""
    for parse in (json.loads, _literal):
        try:
            value = parse(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            value = value[-1]  # a history: its last entry
        return value if isinstance(value, dict) else None
    return None


def _literal(text: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)


def flattened(value: Mapping[str, object], head: str = "") -> dict[str, object]:
    """The members of an object, those of inner ones as `outer.inner`; lists are left out."""
    found: dict[str, object] = {}
    for key, one in value.items():
        name = f"{head}.{key}" if head else str(key)
        if isinstance(one, dict) and len(found) < 1000:
            found.update(flattened(one, name))
        elif not isinstance(one, (list, dict)):
            found[name] = one
    return found
