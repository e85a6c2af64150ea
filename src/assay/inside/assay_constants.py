"""Run a Python script with other values for constants at its top: the file itself stays as it is.

    python assay_constants.py LR=0.1 EPOCHS=3 -- train.py --batch-size 32        … -- -m package.train

The script runs as `__main__`, with its own arguments, folder and lines in a traceback. A constant that cannot be set
for certain is refused: silence would be a comparison of two equal runs. Processes that the script starts anew (by
`spawn`, or by a launcher that repeats `python -m`) come through here again, by the name of this module.

Standard library alone, Python 3.8 and up: it runs inside the measured program.
"""

from __future__ import annotations

import ast
import json
import os
import symtable
import sys
import types
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_AGAIN = "ASSAY_CONSTANTS"
_TRUE, _FALSE = ("true", "on", "yes", "1"), ("false", "off", "no", "0")
#: with these a script may reach a global by a name that is not in its text
_INDIRECT = frozenset(("globals", "vars", "locals", "exec"))
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_INNER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_UNKNOWN = object()


class Constants:
    """The names that a script gives a value to at its top, and whether that is the value which holds."""

    def __init__(self, tree: ast.Module) -> None:
        self.statements: dict[str, ast.Assign | ast.AnnAssign] = {}  # the first statement of a name at the top
        self.lines: dict[str, list[int]] = {}  # every line in which the module's own name gets a value
        self.used: set[str] = set()
        for one in _top(tree):
            if isinstance(one, (ast.Assign, ast.AnnAssign)) and one.value is not None:
                for name in _names(one):
                    self.statements.setdefault(name, one)
        self._walk(tree)
        self.indirect = bool(self.used & _INDIRECT)

    def _walk(self, tree: ast.Module) -> None:
        todo: list[tuple[ast.AST, bool, frozenset[str]]] = [(tree, True, frozenset())]
        while todo:
            node, here, declared = todo.pop()  # the module's own scope? names that are global in this one
            for child in ast.iter_child_nodes(node):
                inner, names = here, declared
                if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
                    self.used.add(child.id)
                elif isinstance(child, ast.Name):
                    self._gets(child.id, child, here or child.id in declared)
                elif isinstance(child, _SCOPES):
                    self._gets(child.name, child, here or child.name in declared)
                    inner, names = False, frozenset(_declared(child))
                elif isinstance(child, _INNER):
                    inner = False
                elif isinstance(child, (ast.Import, ast.ImportFrom)):
                    for one in child.names:
                        self._gets(one.asname or one.name.partition(".")[0], child, here)
                elif isinstance(child, ast.ExceptHandler) and child.name:
                    self._gets(child.name, child, here)
                todo.append((child, inner, names))

    def _gets(self, name: str, node: ast.expr | ast.stmt | ast.excepthandler, ours: bool) -> None:
        if ours:
            self.lines.setdefault(name, []).append(node.lineno)

    def why_not(self, name: str) -> str:
        """Why the value at the top is not simply the one that holds; empty where it is."""
        lines = sorted(self.lines.get(name, ()))
        if not lines:
            return f"the script assigns no `{name}`"
        if len(lines) > 1:
            return "it is assigned in line " + " and in line ".join(map(str, lines))
        statement = self.statements.get(name)
        if statement is None:
            return f"line {lines[0]} assigns it inside other code"
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if len(targets) > 1 or not isinstance(targets[0], ast.Name):
            return f"line {lines[0]} assigns it together with others"
        if self.value(name) is _UNKNOWN:
            return f"line {lines[0]} computes it"
        if name not in self.used and not self.indirect:
            return "nothing in the script uses it"
        return ""

    def value(self, name: str) -> object:
        """The literal that stands there."""
        try:
            return ast.literal_eval(self.statements[name].value or "")
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return _UNKNOWN


def constants_of(tree: ast.Module) -> dict[str, tuple[object, int]]:
    """{name: (value, line)} of the constants that hold: literals, assigned once at the top, and used."""
    found = Constants(tree)
    held = [name for name in found.statements if not name.startswith("_") and not found.why_not(name)]
    return {name: (found.value(name), found.statements[name].lineno) for name in held}


def why_not(source: bytes, name: str) -> str:
    """Why a constant of this source cannot be set; empty where it can be."""
    try:
        found = Constants(ast.parse(source))
    except (SyntaxError, ValueError) as problem:
        return f"the script is no Python that can be read here ({problem})"
    reason = found.why_not(name)
    return reason or ("" if found.indirect or _is_read(source, name) else "what reads it has a variable of that name")


def value_like(before: object, text: str) -> object:
    """A text as the kind of value that stood there; ValueError where it is not one."""
    if isinstance(before, bool):
        if text.lower() not in _TRUE + _FALSE:
            raise ValueError(f"`{text}` is neither true nor false")
        return text.lower() in _TRUE
    if isinstance(before, str):
        return text
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        if before is None:
            return text
        raise ValueError(f"`{text}` is not a value like {before!r}") from None
    if isinstance(before, (int, float)):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"`{text}` is not a number")
        return float(value) if isinstance(before, float) else value
    if before is not None and not isinstance(value, type(before)):
        raise ValueError(f"`{text}` is not a value like {before!r}")
    return value


def with_values(source: bytes, path: str, texts: dict[str, str]) -> tuple[types.CodeType, dict[str, object]]:
    """(the code with other values, the values); ValueError where one cannot be set."""
    tree, values = ast.parse(source, path), {}
    found = Constants(tree)
    for name, text in texts.items():
        reason = why_not(source, name)
        if reason:
            raise ValueError(f"`{name}` of {path} cannot be set: {reason}")
        statement = found.statements[name]
        values[name] = value_like(found.value(name), text)
        new = ast.parse(repr(values[name]), mode="eval").body
        for node in ast.walk(new):
            ast.copy_location(node, statement.value or statement)
        statement.value = new
    return compile(tree, path, "exec", dont_inherit=True), values


def _top(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements of the module itself, and below `if __name__ == "__main__":`."""
    for one in tree.body:
        yield one
        if isinstance(one, ast.If) and getattr(getattr(one.test, "left", None), "id", "") == "__name__":
            yield from one.body


def _names(statement: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]


def _declared(scope: ast.AST) -> list[str]:
    """Names that a function or class writes to as the module's."""
    return [name for one in ast.walk(scope) if isinstance(one, ast.Global) for name in one.names]


def _is_read(source: bytes, name: str) -> bool:
    """Whether any part of the script that reads this name means the module's."""
    todo = [symtable.symtable(source, "script", "exec")]
    while todo:
        table = todo.pop()
        todo += table.get_children()
        if name in table.get_identifiers():
            symbol = table.lookup(name)
            if symbol.is_referenced() and (table.get_type() == "module" or symbol.is_global()):
                return True
    return False


def _located(target: list[str]) -> tuple[str, str | None, str]:
    """(path, package, the folder that imports begin with)"""
    if target[0] != "-m":
        return target[0], None, os.path.dirname(os.path.realpath(target[0]))
    import importlib.util

    sys.path[0] = os.getcwd()
    name = target[1]
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        name += ".__main__"
        spec = importlib.util.find_spec(name)
    if spec is None or not spec.has_location:
        raise ValueError(f"there is no module `{target[1]}`")
    return spec.origin, name.rpartition(".")[0], sys.path[0]


def _tell(values: dict[str, object]) -> None:
    """Report what is in effect, and leave no package of ours behind: the script may have its own of that name."""
    import assay

    assay.params(**{name: one if isinstance(one, (bool, int, float)) else str(one) for name, one in values.items()})
    for name in [name for name in sys.modules if name.partition(".")[0] == "assay"]:
        del sys.modules[name]


def _prepare(name: str) -> tuple[types.CodeType, types.ModuleType]:
    """(code, module): this process as one that was started with the script alone."""
    if name == "__main__" and "--" in sys.argv:
        at = sys.argv.index("--")
        texts, target = dict(word.split("=", 1) for word in sys.argv[1:at]), sys.argv[at + 1 :]
        os.environ[_AGAIN] = json.dumps([texts, target[: 2 if target[0] == "-m" else 1]])
        arguments = target[2 if target[0] == "-m" else 1 :]
    else:  # started anew, by the name of this module
        texts, target = json.loads(os.environ[_AGAIN])
        arguments = sys.argv[1:]
    path, package, sys.path[0] = _located(target)
    with open(path, "rb") as file:
        code, values = with_values(file.read(), path, texts)
    if name == "__main__":
        _tell(values)
    sys.argv[:] = [path, *arguments]
    module = types.ModuleType("__main__")
    module.__file__, module.__package__, module.__spec__ = path, package, _Found("assay_constants", None)
    _Found.package = package or ""
    return code, module


class _Found(ModuleSpec):
    """Where a fresh child of the script looks for its main module: here."""

    package = ""

    @property
    def parent(self) -> str:
        return self.package


def _main(name: str) -> types.ModuleType:
    try:
        code, module = _prepare(name)
    except (ValueError, OSError, SyntaxError) as problem:
        sys.stderr.write(f"error: {problem}\n")
        sys.exit(2)
    sys.modules[name] = module
    if name != "__main__":
        module.__name__ = name
    else:
        sys.excepthook = _without_us
    exec(code, module.__dict__)
    return module


def _without_us(kind: type[BaseException], problem: BaseException, trace: types.TracebackType | None) -> None:
    """As Python prints it, from the script's own first line."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    sys.__excepthook__(kind, problem.with_traceback(trace), trace)


if __name__ in ("__main__", "__mp_main__"):
    _ours = sys.modules[__name__]  # kept: the functions here need it while the script stands in its place
    _script = _main(__name__)
    if __name__ == "__mp_main__":
        globals().update(_script.__dict__)  # what was pickled by name is looked for here
