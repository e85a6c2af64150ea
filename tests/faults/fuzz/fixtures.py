"""What is spoilt: the pages of tests/seeds, and every sample of a log, page or study that stands in a test."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[2]
#: shorter texts are names and messages
_LEAST = 120


@cache
def pages() -> list[bytes]:
    return [path.read_bytes() for path in sorted((TESTS / "seeds").glob("*.md"))]


@cache
def samples(folder: str) -> list[bytes]:
    """The long texts in the tests of one folder: what its tests feed to readers, parsers and commands."""
    found = []
    for path in sorted((TESTS / folder).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and len(node.value) >= _LEAST:
                value = node.value
                found.append(value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value)
    return found


@cache
def logs() -> list[bytes]:
    return [*pages(), *samples("readers"), *samples("ingest"), *samples("auditing")]
