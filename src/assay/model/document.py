"""The documents that are made from the model: a table of fields for people, a JSON schema for programs.

python -m assay.model.document docs/      writes both again
"""

from __future__ import annotations

import dataclasses
import json
import sys
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import get_args, get_origin, get_type_hints

from assay.model.event import KINDS
from assay.model.record import Record
from assay.model.request import Request
from assay.model.summary import Summary

_PLAIN: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_BEGIN, _END = "<!-- fields -->\n", "<!-- end of fields -->"


def table(cls: type[Record]) -> str:
    """One row per field: its name in JSON, its type, its meaning."""
    hints = get_type_hints(cls)
    rows = ["| field | type | meaning |", "|---|---|---|"]
    for field in _fields(cls):
        rows.append(f"| `{_key(field)}` | {_words(hints[field.name])} | {field.metadata['doc']} |")
    return "\n".join(rows) + "\n"


def schema(cls: type[Record]) -> dict[str, object]:
    """JSON schema of one record; fields that it does not name are allowed, since a newer version may have them."""
    hints = get_type_hints(cls)
    properties = {
        _key(field): {**_schema(hints[field.name]), "description": field.metadata["doc"]} for field in _fields(cls)
    }
    return {"type": "object", "properties": properties}


def _fields(cls: type[Record]) -> list[dataclasses.Field[object]]:
    return [field for field in dataclasses.fields(cls) if field.name not in (cls.rest, "extra")]


def _key(field: dataclasses.Field[object]) -> str:
    return field.metadata.get("key") or field.name


def _options(annotation: object) -> list[object]:
    if get_origin(annotation) in (types.UnionType, typing.Union):
        return [one for one in get_args(annotation) if one is not type(None)]
    return [annotation]


def _schema(annotation: object) -> dict[str, object]:
    options = [_one(option) for option in _options(annotation)]
    return options[0] if len(options) == 1 else {"anyOf": options}


def _one(annotation: object) -> dict[str, object]:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is tuple:
        return {"type": "array", "items": _schema(inner[0])}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(inner[1])}
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return schema(annotation)
    return {"type": _PLAIN[annotation]} if annotation in _PLAIN else {}


def _words(annotation: object) -> str:
    """`number`, `list of string`, `names with a number each`, `Failure`."""
    options = _options(annotation)
    if len(options) > 1:
        return "value"  # true or false, a number, or text
    (only,) = options
    origin, inner = get_origin(only), get_args(only)
    if origin is tuple:
        one = _words(inner[0])
        return "list of objects" if "," in one else f"list of {one}s"
    if origin is not None:
        return f"names, each with a {_words(inner[1])}"
    return _PLAIN.get(only) or str(getattr(only, "__name__", only)).lower()


def write(folder: Path) -> None:
    """Put the table into formats.md and the schema beside it."""
    page = folder / "formats.md"
    before, _, rest = page.read_text().partition(_BEGIN)
    page.write_text(before + _BEGIN + table(Summary) + _END + rest.partition(_END)[2])
    (folder / "schema.json").write_text(json.dumps(whole_schema(), indent=1) + "\n")


def whole_schema() -> dict[str, object]:
    """The schema of summaries, run.json and events."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Records of Assay: summary.json, run.json, and one line of events/*.jsonl by its kind",
        "$defs": {
            "summary": schema(Summary),
            "request": schema(Request),
            **{f"event-{kind}": schema(cls) for kind, cls in KINDS.items()},
        },
    }


if __name__ == "__main__":
    write(Path(sys.argv[1]))
