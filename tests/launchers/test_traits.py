"""Launchers say what they can do: no one else knows them by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay as package
from assay.launchers import LAUNCHERS, traits_of
from assay.launchers.base import Traits
from assay.launchers.places import HERE, LAUNCHER_NAMES

SOURCE = Path(package.__file__).parent
#: readers have one that is called like a launcher
ELSEWHERE = ("launchers/", "readers/", "serving/")


def _names(node: ast.expr) -> Iterator[object]:
    for one in ast.walk(node):
        if isinstance(one, ast.Constant):
            yield one.value


def _compared(tree: ast.AST) -> list[int]:
    """Lines that ask whether something is called like a launcher."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        and any(name in LAUNCHERS for side in (node.left, *node.comparators) for name in _names(side))
    ]


def test_no_one_else_compares_the_name_of_a_launcher() -> None:
    files = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py")}
    found = {where: _compared(ast.parse(path.read_text())) for where, path in files.items()}
    assert {where: lines for where, lines in found.items() if lines and not where.startswith(ELSEWHERE)} == {}


def test_the_check_finds_what_it_looks_for() -> None:
    assert _compared(ast.parse('a == "slurm"\nb in (None, "local")\nc == "pear"')) == [1, 2]


def test_the_names_that_places_may_give_are_those_of_the_table() -> None:
    assert tuple(LAUNCHERS) == LAUNCHER_NAMES and HERE in LAUNCHERS


@pytest.mark.parametrize("name", LAUNCHERS)
def test_every_launcher_goes_by_the_name_it_has_in_the_table(name: str) -> None:
    assert LAUNCHERS[name]().name == name


def test_what_no_launcher_is_known_of_can_do_nothing() -> None:
    assert traits_of(None) == traits_of("dreams") == Traits()
    assert traits_of("slurm").queues and not traits_of("torchrun").queues
