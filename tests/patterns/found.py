"""Every regular expression of the project: those compiled on import, and those written inside functions."""

from __future__ import annotations

import ast
import copy
import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import assay

ROOT = Path(assay.__file__).parent
_FUNCTIONS = ("compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split")
_AT_ONE_PLACE = {"match", "fullmatch"}
Place = tuple[str, int]
#: what systems bring as text is compiled by these, when it is first needed
_PUT_TOGETHER_LATE = (
    ("assay.systems", "kit"),
    ("assay.ingest.naming", "_patterns"),
    ("assay.reading.copies", "_cuts"),
    ("assay.reading.prompts", "_launch"),
)


@dataclass(frozen=True, kw_only=True)
class Found:
    """A pattern, where it is written, and the methods that the project calls on it."""

    where: str
    pattern: str | bytes
    flags: int
    methods: frozenset[str]
    run: Callable[[str, Any], object]  # with one of the methods, on a text


@dataclass(frozen=True, kw_only=True)
class Search:
    """What was found, and calls whose pattern could not be worked out: no test knows what they do."""

    found: list[Found]
    unknown: list[str]
    not_imported: list[str]


def every_pattern() -> Search:
    """Import all of the project, watch what is compiled, then read its source for what is not."""
    seen: dict[Place, list[re.Pattern[Any]]] = {}
    not_imported = _import_all(seen)
    found: list[Found] = []
    unknown: list[str] = []
    uses = _Uses()
    for path in sorted(ROOT.rglob("*.py")):
        tree = ast.parse(path.read_text())
        unknown += [*_odd_imports(path, tree), *_unlisted(path, tree)]
        for call in _calls(tree):
            if path.parent.name == "systems" and ast.unparse(call) == "re.compile(text)":
                continue  # only to see whether it is one
            patterns = seen.get((str(path), call.lineno)) or _late(path, call) or _evaluated(path, call)
            if not patterns:
                unknown.append(f"{path.relative_to(ROOT)}:{call.lineno}: {ast.unparse(call)[:80]}")
            for pattern in patterns or []:
                methods = uses.of(path, tree, call, pattern)
                found.append(_plain(f"{path.relative_to(ROOT)}:{call.lineno}", pattern, methods))
    return Search(found=found, unknown=unknown, not_imported=not_imported)


def _late(path: Path, call: ast.Call) -> list[re.Pattern[Any]]:
    """Those that are made when a text first needs them: their module lists them."""
    if path.name != "secret_table.py" or ast.unparse(call) != "re.compile(pattern)":
        return []
    return [re.compile(pattern) for pattern in sys.modules["assay.facts.secret_table"].LATE]


def _plain(where: str, pattern: re.Pattern[Any], methods: frozenset[str]) -> Found:
    run = partial(_asked, pattern)
    return Found(where=where, pattern=pattern.pattern, flags=pattern.flags, methods=methods, run=run)


def _asked(one: Any, method: str, text: Any) -> object:
    return sum(1 for _ in one.finditer(text)) if method == "search" else getattr(one, method)(text)


def _import_all(seen: dict[Place, list[re.Pattern[Any]]]) -> list[str]:
    """Names of modules that need a package which is not here; whatever is compiled goes to `seen`."""
    compiles = re.compile

    def watched(pattern: Any, flags: Any = 0) -> re.Pattern[Any]:
        caller = sys._getframe(1)
        made: re.Pattern[Any] = compiles(pattern, flags)
        if caller.f_code.co_filename.startswith(str(ROOT)):
            seen.setdefault((caller.f_code.co_filename, caller.f_lineno), []).append(made)
        return made

    for name in [name for name in sys.modules if name == "assay" or name.startswith("assay.")]:
        del sys.modules[name]
    re.compile = watched  # type: ignore[assignment]
    missing = []
    try:
        importlib.import_module("assay")
        for module in pkgutil.walk_packages([str(ROOT)], "assay."):
            try:
                if not module.name.endswith("__main__"):
                    importlib.import_module(module.name)
            except ImportError:
                missing.append(module.name)
        for module_name, function in _PUT_TOGETHER_LATE:
            getattr(sys.modules[module_name], function)()
    finally:
        re.compile = compiles
    return missing


def _odd_imports(path: Path, tree: ast.Module) -> Iterator[str]:
    """`from re import search` would hide a pattern from all this."""
    for node in _nodes(tree):
        hidden = isinstance(node, ast.ImportFrom) and node.module in ("re", "regex", "sre_compile")
        renamed = isinstance(node, ast.Import) and any(one.name in ("re", "regex") and one.asname for one in node.names)
        if hidden or renamed:
            yield f"{path.relative_to(ROOT)}:{node.lineno}: patterns under another name"


def _unlisted(path: Path, tree: ast.Module) -> Iterator[str]:
    """`compiled(…)` of anything but what the table of secrets lists."""
    listed = {"pattern", "table.SHAPES", "table.STARTS_ONE", "_PRIVATE_FILE"}
    for node in _nodes(tree):
        asked = (
            path.parent.name == "facts"
            and isinstance(node, ast.Call)
            and ast.unparse(node.func) in ("compiled", "table.compiled")
        )
        if asked and ast.unparse(node.args[0]) not in listed:
            yield f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)[:80]}"


@cache
def _nodes(tree: ast.Module) -> list[ast.AST]:
    return list(ast.walk(tree))


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    for node in _nodes(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr in _FUNCTIONS and _is(node.func.value, "re"):
            yield node


def _evaluated(path: Path, call: ast.Call) -> list[re.Pattern[Any]] | None:
    """A pattern that a function writes, of literals and names of its module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    name = ".".join(("assay", *(parts[:-1] if parts[-1] == "__init__" else parts)))
    known = dict(vars(sys.modules[name])) if name in sys.modules else {"re": re}
    flags = [one.value for one in call.keywords if one.arg == "flags"]
    if isinstance(call.func, ast.Attribute):
        at = {"compile": 1, "search": 2, "match": 2, "fullmatch": 2}.get(call.func.attr)
        flags += call.args[at : at + 1] if at is not None else []
    try:
        written = ast.fix_missing_locations(_Escaped().visit(copy.deepcopy(call.args[0])))
        text = eval(compile(ast.Expression(written), str(path), "eval"), known)
        value = eval(compile(ast.Expression(flags[0]), str(path), "eval"), known) if flags else 0
        return [re.compile(text, value)]
    except NameError:
        return None


class _Escaped(ast.NodeTransformer):
    """What `re.escape` gives is text and no pattern, whatever it was made of."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        is_escape = isinstance(node.func, ast.Attribute) and ast.unparse(node.func) == "re.escape"
        return ast.Constant("escaped") if is_escape else self.generic_visit(node)


class _Uses:
    """How a pattern is asked: one that is only ever matched at a place is not searched for through a text."""

    def __init__(self) -> None:
        self._trees = {path: ast.parse(path.read_text()) for path in ROOT.rglob("*.py")}

    def of(self, path: Path, tree: ast.Module, call: ast.Call, pattern: re.Pattern[Any]) -> frozenset[str]:
        assert isinstance(call.func, ast.Attribute)
        if call.func.attr != "compile":
            return frozenset((call.func.attr if call.func.attr in _AT_ONE_PLACE else "search",))
        name = self._name(tree, call)
        return self.by_name(path, name) if name else frozenset(("search",))

    def by_name(self, path: Path, name: str) -> frozenset[str]:
        methods = self._methods(path, name)
        return frozenset(methods if methods and methods <= _AT_ONE_PLACE else ("search", *(methods & _AT_ONE_PLACE)))

    def _name(self, tree: ast.Module, call: ast.Call) -> str | None:
        for node in tree.body:
            if isinstance(node, ast.Assign) and node.value is call and isinstance(node.targets[0], ast.Name):
                return node.targets[0].id
        return None

    def _methods(self, path: Path, name: str) -> set[str]:
        """Also in other files, by whatever name that is long enough to be this one."""
        methods: set[str] = set()
        for other, tree in self._trees.items():
            if other != path and not _imports(tree, name):
                continue
            asked = {id(node.value) for node in _nodes(tree) if isinstance(node, ast.Attribute)}
            for attribute, value in _attributes(tree, name):
                asked.add(id(value))
                methods |= self._asked_by_attribute(attribute)
            for node in _nodes(tree):
                if isinstance(node, ast.Attribute) and _is(node.value, name):
                    methods.add(node.attr)
                elif _is(node, name) and isinstance(getattr(node, "ctx", None), ast.Load) and id(node) not in asked:
                    methods.add("search")  # handed on: to whom is not followed
        return methods

    def _asked_by_attribute(self, attribute: str) -> set[str]:
        nodes = (node for tree in self._trees.values() for node in _nodes(tree) if isinstance(node, ast.Attribute))
        return {node.attr for node in nodes if isinstance(node.value, ast.Attribute) and node.value.attr == attribute}


def _attributes(tree: ast.Module, name: str) -> Iterator[tuple[str, ast.expr]]:
    """`hot = _HOT` in a class: it is then asked as `reader.hot`."""
    for node in _nodes(tree):
        for one in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(one, (ast.Assign, ast.AnnAssign)) and one.value is not None and _is(one.value, name):
                target = one.targets[0] if isinstance(one, ast.Assign) else one.target
                yield ast.unparse(target), one.value


def _imports(tree: ast.Module, name: str) -> bool:
    return any(isinstance(node, ast.ImportFrom) and any(one.name == name for one in node.names) for node in tree.body)


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
