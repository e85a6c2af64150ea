"""The walks of docs/architecture.md lead where they say: a person can read the code along them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "assay"
MOST = 12
_TEXT = (
    (ROOT / "docs" / "architecture.md").read_text().partition("<!-- walks -->")[2].partition("<!-- end of walks -->")[0]
)
WALKS = {part.partition("\n")[0]: re.findall(r"(?m)^\d+\. (.*)$", part) for part in _TEXT.split("### ")[1:]}


def _file(step: str) -> str:
    return step.split("`")[1]


def _module(file: str) -> str:
    return "assay." + file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imports(file: str) -> set[str]:
    """Every module that a file names in an import statement, late ones too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((SOURCE / file).read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
    return found


def test_a_run_an_import_an_audit_and_a_study_can_be_followed() -> None:
    assert [name.partition(":")[0] for name in WALKS] == ["A run", "An import", "An audit", "A study"]


@pytest.mark.parametrize("steps", WALKS.values(), ids=WALKS)
def test_a_walk_names_few_files_and_each_leads_to_the_next(steps: list[str]) -> None:
    assert 2 < len(steps) <= MOST
    known = {_module(_file(steps[0]))}
    for step in steps:
        reached = _module(_file(step)) in known or "started as a process" in step
        assert reached, f"no file before `{_file(step)}` imports it"
        known |= _imports(_file(step))
