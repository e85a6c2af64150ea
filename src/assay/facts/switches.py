"""Flags that a script declares as being on or off, so that the word behind one is not taken for its value.

parser.add_argument("--amp", action="store_true")      @click.option("--amp/--no-amp")      is_flag=True
"""

from __future__ import annotations

import ast
from pathlib import Path

_MOST_BYTES = 1 << 18
_DECLARES = ("add_argument", "option")
_ACTIONS = ("store_true", "store_false", "BooleanOptionalAction", "count")


def switches_of(script: Path) -> frozenset[str]:
    """`--amp`; none where the script cannot be read."""
    try:
        content = script.read_bytes()
        if script.suffix != ".py" or len(content) > _MOST_BYTES:
            return frozenset()
        tree = ast.parse(content)
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return frozenset()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _DECLARES:
            words = [str(one.value) for one in node.args if isinstance(one, ast.Constant)]
            flags = [flag for word in words for flag in word.split("/") if flag.startswith("-")]
            if any("/" in word for word in words) or _is_switch(node):
                found.update(flags)
    return frozenset(found)


def _is_switch(call: ast.Call) -> bool:
    said = {one.arg: one.value for one in call.keywords}
    action, is_flag = said.get("action"), said.get("is_flag")
    if isinstance(is_flag, ast.Constant):
        return bool(is_flag.value)
    name = action.value if isinstance(action, ast.Constant) else getattr(action, "attr", getattr(action, "id", ""))
    return name in _ACTIONS
