"""Lies on pages of runs that the rules of sentences found and the resolver does not find yet: its next targets."""

from __future__ import annotations

from pathlib import Path

import pytest

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    targets = set((_HERE / "not_found_yet.txt").read_text(encoding="utf-8").splitlines())
    for item in items:
        if item.nodeid.rpartition("tests/auditing/")[2] in targets:
            item.add_marker(pytest.mark.xfail(strict=False, reason="not found yet"))
