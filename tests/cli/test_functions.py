"""No part of Assay calls another by command-line words, changes directory or catches what is printed."""

from __future__ import annotations

import ast
from pathlib import Path

import assay as package

SOURCE = Path(package.__file__).parent
BANNED = {"chdir", "fchdir", "redirect_stdout", "redirect_stderr"}
OF_A_COMMAND = {"invoke", "main"}  # a module may call a `main` of its own
START = "cli/start.py"  # where every command line begins
LAUNCHED = "recording/launch.py"  # in the process that becomes the command, just before it does


def _called(tree: ast.AST) -> set[str]:
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {one.id for one in calls if isinstance(one, ast.Name)} & BANNED
    return names | {one.attr for one in calls if isinstance(one, ast.Attribute)} & (BANNED | OF_A_COMMAND)


def test_commands_are_called_by_whoever_typed_them_alone() -> None:
    files = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py")}
    found = {
        where: _called(ast.parse(path.read_text()))
        for where, path in files.items()
        if where not in (START, LAUNCHED) and not where.startswith("serving/")  # programs of their own
    }
    assert {where: names for where, names in found.items() if names} == {}


def test_the_check_finds_what_it_looks_for() -> None:
    assert _called(ast.parse('os.chdir("a")\ncommand.main(["ls"])\nwith redirect_stdout(x): pass')) == {
        "chdir", "main", "redirect_stdout"
    }  # fmt: skip
