"""An event is a typed value everywhere: only the model knows that it is an object of JSON on disk."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "assay"
#: what measured programs import writes plain lines, on the standard library alone
_ALONE = ("serving", "callbacks.py", "inside", "__init__.py")
_EVENT = re.compile(r"(?:^|_)(?:event|sample|beat|phase|metric)$")
_READ = ("get", "pop", "setdefault", "update", "items")


def modules() -> Iterator[Path]:
    for path in sorted(SOURCE.rglob("*.py")):
        top = path.relative_to(SOURCE).parts[0]
        if top != "model" and top not in _ALONE:
            yield path


def offences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and _is_event(node.value) and isinstance(node.slice, ast.Constant):
            if isinstance(node.slice.value, str):
                yield node.lineno, "indexes an event by the name of a key"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _READ and _is_event(node.func.value):
                yield node.lineno, f"calls .{node.func.attr} of an event, as if it were a dictionary"
        elif isinstance(node, ast.Dict):
            keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
            if {"kind", "from"} <= keys:
                yield node.lineno, "makes an event as a dictionary"
        elif isinstance(node, ast.ImportFrom) and any(name.name == "Event" for name in node.names):
            if node.module not in ("assay.model.event", "threading", "multiprocessing"):
                yield node.lineno, f"takes Event from {node.module}"
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id in ("Event", "Events") for target in targets):
                yield node.lineno, "defines an event of its own"


def _is_event(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and _EVENT.search(node.id) is not None


def test_no_module_outside_the_model_reads_an_event_by_its_keys() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line} {what}"
        for path in modules()
        for line, what in offences(ast.parse(path.read_text()))
    ]
    assert found == []


def test_each_way_to_read_an_event_by_its_keys_is_seen() -> None:
    ways = (
        'event["loss"]', 'event.get("loss")', 'first_event.pop("t")', '{"v": 1, "kind": "end", "from": "launcher"}',
        "from assay.events import Event", "Event: TypeAlias = dict[str, Any]",
    )  # fmt: skip
    assert [way for way in ways if not list(offences(ast.parse(way)))] == []
