"""What a Python script declares of its settings: flags, their long names and defaults, and constants at its top.

parser.add_argument("-b", "--batch-size", default=32)      @click.option("--amp/--no-amp", default=True)
flags.DEFINE_float("lr", 0.1, "…")                         def main(lr: float = typer.Option(0.1)): …
@dataclass class Config: depth: int = 3                    LR = 0.1

The source is read and never imported: what would have to be run is unknown. A flag that is declared twice with
different defaults, as by two subcommands, has none.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeGuard

from assay.facts.configs import CALLED, literal
from assay.inside.assay_constants import constants_of
from assay.model.values import Value

_MOST_BYTES = 1 << 18
_MOST_FILES = 12
_MOST_CONSTANTS = 100
_LONGEST = 60
_SWITCHES = {"store_true": False, "store_false": True, "BooleanOptionalAction": None, "count": 0}
#: what a function with settings is given to
_RUNNERS = ("run", "Fire", "command", "cli", "callback")
_OPTIONS = ("Option", "Argument", "option", "argument", "field", "Field")


@dataclass(frozen=True, kw_only=True)
class Default:
    """A value that holds unless someone chooses another, and where it stands: `train.py:12`."""

    value: Value
    place: str


@dataclass(kw_only=True)
class Declared:
    """`names` is the long name of every flag; `switches` stand alone; `positional` are the names of bare words."""

    names: dict[str, str] = field(default_factory=dict)
    switches: set[str] = field(default_factory=set)
    positional: list[str] = field(default_factory=list)
    flags: dict[str, Default | None] = field(default_factory=dict)  # by long name; None without a known default
    constants: dict[str, Default] = field(default_factory=dict)

    def long(self, flag: str) -> str | None:
        """`batch-size` for `-b`, `--batch-size` and, as argparse allows, `--batch`; None where it is not declared."""
        if flag in self.names:
            return self.names[flag]
        fitting = {name for known, name in self.names.items() if flag.startswith("--") and known.startswith(flag)}
        return fitting.pop() if len(fitting) == 1 else None

    def add(self, name: str, value: object, place: str) -> None:
        """The default of a flag; two that differ are none."""
        made = Default(value=value, place=place) if _is_setting(value) else None
        before = self.flags.get(name, made)
        self.flags[name] = made if made is not None and before is not None and before.value == made.value else None

    @property
    def defaults(self) -> Mapping[str, Default]:
        """Of flags and constants; a constant of a flag's name is only what the flag is filled with."""
        flags = {name: one for name, one in self.flags.items() if one is not None}
        taken = {name.lower().replace("-", "_") for name in self.flags}
        return {**flags, **{name: one for name, one in self.constants.items() if name.lower() not in taken}}


def declared_by(script: Path) -> Declared:
    """By a script, and where it has no parser itself by the files beside it that it imports; nothing where it cannot be
    read."""
    found, tree = Declared(), _tree(script)
    if tree is None:
        return found
    constants = constants_of(tree)
    for name, (value, line) in list(constants.items())[:_MOST_CONSTANTS]:
        if _is_setting(value):
            found.constants[name] = Default(value=value, place=f"{script.name}:{line}")
    _Parsers(found, script.name, {name: value for name, (value, _) in constants.items()}).visit(tree)
    if not found.flags:
        for path in _imported(tree, script.parent):
            if (inner := _tree(path)) is not None:
                known = {name: value for name, (value, _) in constants_of(inner).items()}
                _Parsers(found, path.name, known).visit(inner)
    return found


def _tree(script: Path) -> ast.Module | None:
    try:
        if script.suffix != ".py" or script.stat().st_size > _MOST_BYTES:
            return None
        return ast.parse(script.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _imported(tree: ast.Module, folder: Path) -> list[Path]:
    """Files beside a script that it imports."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
            names += [f"{node.module}.{one.name}" if node.module else one.name for one in node.names]
    paths = (folder / (name.replace(".", "/") + ".py") for name in dict.fromkeys(names) if name)
    return [path for path in paths if path.is_file()][:_MOST_FILES]


def _is_setting(value: object) -> TypeGuard[Value]:
    """A number, a switch or a short word: a text of several lines is a help or a query."""
    if isinstance(value, str):
        return 0 < len(value) <= _LONGEST and value.isprintable()
    return isinstance(value, (bool, int, float))


class _Parsers(ast.NodeVisitor):
    """Walks one file and adds what its parsers, commands and dataclasses declare."""

    def __init__(self, found: Declared, file: str, constants: Mapping[str, object]) -> None:
        self.found, self.file, self.constants = found, file, constants
        self.parsed: set[str] = set()  # functions and classes that something turns into a command line

    def visit_Module(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (_called(node) in _RUNNERS or "pars" in _called(node).lower()):
                self.parsed.update(
                    inner.id for one in node.args for inner in ast.walk(one) if isinstance(inner, ast.Name)
                )
        self.generic_visit(tree)

    def visit_Call(self, call: ast.Call) -> None:
        name, said = _called(call), {one.arg: one.value for one in call.keywords if one.arg}
        words = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if name in ("add_argument", "option", "argument") and words:
            self._flag(words, said, call.lineno)
        elif name.startswith("DEFINE_") and words and len(call.args) > 1:
            self.found.names[f"--{words[0]}"] = words[0]
            self.found.add(words[0], self._value(call.args[1]), self._place(call.lineno))
            if name in ("DEFINE_bool", "DEFINE_boolean"):
                self.found.switches.update((f"--{words[0]}", f"--no{words[0]}"))
        elif name == "set_defaults":
            for key, value in said.items():
                self.found.flags.pop(key.replace("_", "-"), None)
                self.found.flags.pop(key, None)
                self.found.add(key, self._value(value), self._place(call.lineno))
        self.generic_visit(call)

    def _flag(self, words: list[str], said: Mapping[str, ast.expr], line: int) -> None:
        flags = [flag for word in words for flag in word.split("/") if flag.startswith("-")]
        if not flags:
            self.found.positional.append(words[0] if "nargs" not in said else "")
            return
        long = next((flag for flag in flags if flag.startswith("--")), flags[0]).lstrip("-")
        self.found.names.update(dict.fromkeys(flags, long))
        action = said.get("action")
        kind = action.value if isinstance(action, ast.Constant) else getattr(action, "attr", getattr(action, "id", ""))
        switch = kind in _SWITCHES or any("/" in word for word in words) or self._value(said.get("is_flag")) is True
        if switch:
            self.found.switches.update(flags)
        value = self._value(said["default"]) if "default" in said else _SWITCHES.get(str(kind)) if switch else None
        if kind == "store_false":  # `--no-amp` turns `amp` off
            off = self._value(said.get("dest")) or (long[3:] if long.startswith("no-") else None)
            long, value = str(off or long), value if off else None
        self.found.add(long, value, self._place(line))

    def visit_FunctionDef(self, function: ast.FunctionDef) -> None:
        decorated = any(_called(one) in _RUNNERS for one in function.decorator_list if isinstance(one, ast.Call))
        if function.name in self.parsed or decorated:
            every = [*function.args.posonlyargs, *function.args.args]
            given = list(zip(every[len(every) - len(function.args.defaults) :], function.args.defaults, strict=True))
            given += [
                (one, value)
                for one, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
                if value
            ]
            for one, value in given:
                self._field(one.arg, value, one.lineno)
        self.generic_visit(function)

    def visit_ClassDef(self, kind: ast.ClassDef) -> None:
        decorators = {
            _called(one) if isinstance(one, ast.Call) else getattr(one, "attr", getattr(one, "id", ""))
            for one in kind.decorator_list
        }
        if "dataclass" in decorators and (kind.name in self.parsed or CALLED.search(kind.name)):
            for one in kind.body:
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.value is not None:
                    self._field(one.target.id, one.value, one.lineno)
        self.generic_visit(kind)

    def _field(self, name: str, value: ast.expr, line: int) -> None:
        """`lr: float = 0.1`, `lr: float = typer.Option(0.1, "--lr")`, `lr: float = field(default=0.1)`."""
        flags, default = [f"--{name}", f"--{name.replace('_', '-')}"], value
        if isinstance(value, ast.Call) and _called(value) in _OPTIONS:
            flags += [word for one in value.args if (word := str(self._value(one))).startswith("-")]
            named = [one.value for one in value.keywords if one.arg == "default"]
            default = next(iter([*named, *value.args]), value)
        self.found.names.update(dict.fromkeys(flags, name))
        made = self._value(default)
        if isinstance(made, bool):
            self.found.switches.update(flag for flag in self.found.names if self.found.names[flag] == name)
        self.found.add(name, made, self._place(line))

    def _value(self, value: ast.expr | None) -> object:
        if isinstance(value, ast.Name):
            return self.constants.get(value.id)
        return literal(value) if value is not None else None

    def _place(self, line: int) -> str:
        return f"{self.file}:{line}"


def _called(call: ast.expr) -> str:
    """The last part of what is called."""
    function = call.func if isinstance(call, ast.Call) else call
    return getattr(function, "attr", getattr(function, "id", ""))
