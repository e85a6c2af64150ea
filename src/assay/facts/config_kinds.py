"""What a configuration file holds, as plain values: YAML, JSON, TOML, INI, Python, and files of flags.

The trap: a configuration in Python may do anything when it is run. It is only read: what is assigned once, straight
away and as a literal is a setting, and everything else in it is unknown.
"""

from __future__ import annotations

import ast
import json
import shlex
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

from assay import looseyaml
from assay.errors import AssayError
from assay.language.arguments import pairs
from assay.spec import typed

#: reading YAML is slow, and the command waits
_MOST_YAML_BYTES = 1 << 16
_KINDS = {
    ".yaml": "yaml", ".yml": "yaml", ".json": "json", ".toml": "toml", ".ini": "ini", ".cfg": "ini", ".py": "python",
}  # fmt: skip
#: absl's file of flags, and argparse's
FLAGS = "flags"
#: where ml_collections has its assignments
_GET_CONFIG = "get_config"
_Plain = tuple[list[str], object]


def kind_of(path: str) -> str | None:
    return _KINDS.get(Path(path).suffix.lower()) if len(path) < 1000 and "\0" not in path else None


def parsed(content: bytes, kind: str, name: str) -> object:
    """Plain values; None for a file that is not what its name says."""
    try:
        if kind == "json":
            return json.loads(content)
        if kind == "yaml":
            return looseyaml.load(content, name) if len(content) <= _MOST_YAML_BYTES else None
        if kind == "toml":
            return dict(import_module("tomllib").loads(content.decode()))  # from Python 3.11 on
        if kind == "python":
            return _assigned(ast.parse(content))
        return _flags(content.decode()) if kind == FLAGS else _ini(content.decode())
    except (AssayError, ValueError, SyntaxError, RecursionError, MemoryError, ImportError):
        return None


def _ini(text: str) -> dict[str, object]:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False, delimiters=("=", ":"))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except configparser.Error as problem:
        raise ValueError(problem.message) from None
    sections = {name: {key: typed(value) for key, value in parser.items(name)} for name in parser.sections()}
    return {**{key: typed(value) for key, value in parser.defaults().items()}, **sections}


def _flags(text: str) -> dict[str, object]:
    """`--lr=0.1` a line, as on a command line; `#` and `//` begin a comment."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "//"))]
    words = [word for line in lines for word in shlex.split(line)]
    return {
        flag.lstrip("-+"): typed(value) if isinstance(value, str) else value
        for flag, value in pairs(words)
        if flag.lstrip("-") not in ("flagfile", "undefok")
    }


def _assigned(module: ast.Module) -> dict[str, object]:
    """Values assigned in the file, its classes and `get_config`: `lr = 0.1`, `model = dict(depth=3)`."""
    found: dict[str, object] = {}
    for names, value in _straight(module.body):
        within: dict[str, object] = found
        for name in names[:-1]:
            inner = within.setdefault(name, {})
            if not isinstance(inner, dict):
                break
            within = inner
        else:
            within[names[-1]] = value
    return found


def _straight(body: list[ast.stmt]) -> Iterator[_Plain]:
    """What is assigned once and for all; what a loop, a condition or a later line may change is left out."""
    changed = {
        ".".join(names)
        for statement in body
        if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.ClassDef, ast.FunctionDef))
        for node in ast.walk(statement)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store) and (names := _names(node))
    }
    last: dict[str, _Plain] = {}
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            last |= {".".join(names): (names, value) for names, value in _straight(statement.body)}
        elif isinstance(statement, ast.FunctionDef) and statement.name == _GET_CONFIG:
            inside = [(names[1:], value) for names, value in _straight(statement.body) if len(names) > 1]
            last |= {".".join(names): (names, value) for names, value in inside}
        for names, value in _targets(statement):
            key = ".".join(names)
            last.pop(key, None)
            if value is not None and key not in changed and not names[-1].startswith("_"):
                last[key] = names, value
    yield from last.values()


def _targets(statement: ast.stmt) -> Iterator[_Plain]:
    if isinstance(statement, ast.Assign):
        targets, value = statement.targets, statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets, value = [statement.target], statement.value
    else:
        return
    for target in targets:
        if names := _names(target):
            yield names, _literal(value)


def _names(target: ast.expr) -> list[str]:
    """The parts of `config.optim.lr`; empty if it is not a plain name."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Attribute) and (outer := _names(target.value)):
        return [*outer, target.attr]
    return []


def _literal(value: ast.expr) -> object:
    """None for all that would have to be run; `dict(lr=0.1)` is as good as a literal."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict" and not value.args:
        inner = {one.arg: _literal(one.value) for one in value.keywords if one.arg is not None}
        return {name: one for name, one in inner.items() if one is not None}
    try:
        found: object = ast.literal_eval(value)
    except (ValueError, TypeError):
        return None
    return list(found) if isinstance(found, tuple) else found


def merged(first: Mapping[str, object], under: str) -> Mapping[str, object]:
    """The values under a name of several parts: `optim.adam`."""
    tree: Mapping[str, object] = first
    for name in reversed([part for part in under.split(".") if part]):
        tree = {name: tree}
    return tree
