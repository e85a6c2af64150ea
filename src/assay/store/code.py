"""The code of a run, beside run.json and for its owner alone: the diff of a dirty tree, and the text of the script."""

from __future__ import annotations

import json
from typing import Any

from assay.store.files import try_read
from assay.store.layout import RunDir, write_json

#: what moves to code.json, by the part of run.json that it belongs to
_PRIVATE = {"git": "diff", "script": "text"}


def write_asked(run: RunDir, facts: dict[str, Any]) -> None:
    """run.json for everyone who may read the folder, and code.json before it."""
    code: dict[str, Any] = {}
    for part, name in _PRIVATE.items():
        inner = facts.get(part)
        if isinstance(inner, dict) and name in inner:
            code[part] = {name: inner[name]}
            facts = {**facts, part: {key: value for key, value in inner.items() if key != name}}
    if code:
        write_json(run.code_json, code, mode=0o600)
    write_json(run.run_json, facts)


def with_code(run: RunDir, asked: dict[str, Any]) -> dict[str, Any]:
    """run.json with the code put back, where this user may read it. Older runs have it in run.json."""
    try:
        code = json.loads(try_read(run.path, run.code_json.name) or b"null")
    except (ValueError, RecursionError):
        return asked
    for part, name in _PRIVATE.items():
        inner = code.get(part) if isinstance(code, dict) else None
        if isinstance(inner, dict) and isinstance(inner.get(name), str) and isinstance(asked.get(part), dict):
            asked = {**asked, part: {**asked[part], name: inner[name]}}
    return asked
