"""Rules judge claims, cues and figures: how people write is known to `language/` alone."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.auditing import rules

FOLDER = Path(rules.__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
PATTERNS = {"re", "regex", "sre_compile", "sre_parse", "fnmatch", "glob", "string"}


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name.partition(".")[0] for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module).partition(".")[0]


def _holds_a_pattern(value: object) -> bool:
    held = [*vars(value).values()] if hasattr(value, "__dict__") and not isinstance(value, type) else []
    slots = [getattr(value, name, None) for name in getattr(type(value), "__slots__", ())]
    inside = list(value) if isinstance(value, (tuple, list, set, frozenset)) else []
    inside += list(value.values()) if isinstance(value, dict) else []
    return any(isinstance(one, re.Pattern) for one in (value, *held, *slots, *inside))


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_imports_no_patterns(name: str) -> None:
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    assert not PATTERNS & set(_imported(tree))


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_holds_no_pattern_that_another_module_made(name: str) -> None:
    module = importlib.import_module(f"assay.auditing.rules.{name}" if name != "__init__" else "assay.auditing.rules")
    assert [key for key, value in vars(module).items() if not key.startswith("__") and _holds_a_pattern(value)] == []
