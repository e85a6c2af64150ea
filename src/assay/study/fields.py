"""Keys of a study file by type; each is read with its line, so that an error names the line."""

from __future__ import annotations

from typing import Any

from assay.errors import AssayError, UsageError, did_you_mean
from assay.spec import check_variable
from assay.strictyaml import Document, Where
from assay.study.template import show
from assay.units import parse_seconds


def word(document: Document, key: str) -> str | None:
    value = document.value.get(key)
    if isinstance(value, (dict, list)):
        raise document.error((key,), f"`{key}` must be a single word or line")
    return None if value is None else str(value)


def choice(document: Document, key: str, choices: tuple[str, ...]) -> str:
    value = str(document.value.get(key, choices[0]))
    if value not in choices:
        raise document.error((key,), f"no {key} called `{value}`", did_you_mean(value, choices))
    return value


def count(document: Document, where: Where, value: Any, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10_000:
        raise document.error(where, f"`{where[-1]}` must be a whole number from {least} to 10,000, not `{value}`")
    return value


def seconds(document: Document, where: Where, value: Any) -> float | None:
    if value is None:
        return None
    try:
        return parse_seconds(str(value))
    except AssayError as problem:
        raise document.error(where, problem.message, problem.hint) from None


def mapping(document: Document, key: str, known: tuple[str, ...] | None) -> dict[str, Any]:
    given = document.value.get(key) or {}
    if not isinstance(given, dict):
        raise document.error((key,), f"`{key}` must be lines of `name: value`")
    if known is not None:
        document.check_keys((key,), given, known)
    return given


def variables(document: Document, key: str) -> dict[str, str]:
    given = mapping(document, key, None)
    for name, value in given.items():
        try:
            check_variable(name)
        except UsageError as problem:
            raise document.error((key, name), problem.message, problem.hint) from None
        if isinstance(value, (dict, list)):
            raise document.error((key, name), f"`{name}` must be a single word or line")
    return {name: "" if value is None else show(value) for name, value in given.items()}


def strings_list(document: Document, key: str) -> list[str]:
    given = document.value.get(key)
    values = given if isinstance(given, list) else [] if given is None else [given]
    if any(isinstance(value, (dict, list)) for value in values):
        raise document.error((key,), f"`{key}` must be a word or a list of words")
    return [str(value) for value in values]
