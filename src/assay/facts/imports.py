"""Which files a script brings with it, found by its import statements: nothing is run, and nothing is parsed whole.

Python's own parser takes 10 to 20 ms for a thousand lines, so that only the import statements are cut out and parsed.
One in a text or in a branch that is not taken counts, too: what matters is that the same files give the same answer.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_IMPORT = re.compile(r"(?m)^[ \t]*((?:import[ \t]|from[ \t]*[.\w])[^\n(\\]*(?:\\\r?\n[^\n(\\]*|\([^()]*\))*)")
#: `python train.py`, `source env.sh`, `exec ./run.py`: the word that ends like a script
_SCRIPT_WORD = re.compile(r"(?<![\w./~$-])([\w./-]{1,300}\.(?:py|sh|bash))(?![\w./-])")
_CHANGES_TO = re.compile(r"(?m)(?:^|[\s;&(])cd[ \t]+([\w./-]{1,300})")
_STANDARD = sys.stdlib_module_names
#: as many import statements as anyone writes into a file
_MOST = 500


@dataclass(frozen=True, kw_only=True)
class Imported:
    """A module as a statement names it; `level` counts the dots of a relative import."""

    name: str
    level: int = 0


def imported(text: str) -> list[Imported]:
    """What a module imports, in order; `from a import b` names `a`, and `a.b` in case that is a module."""
    found: dict[Imported, None] = {}
    for cut in list(_IMPORT.finditer(text))[:_MOST]:
        for one in _of_statement(cut[1].strip()):
            found.setdefault(one)
    return list(found)


def _of_statement(statement: str) -> Iterator[Imported]:
    try:
        body = ast.parse(statement).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in body:
        if isinstance(node, ast.Import):
            yield from (Imported(name=alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module:
                yield Imported(name=module, level=node.level)
            for alias in node.names:
                if alias.name != "*":
                    yield Imported(name=f"{module}.{alias.name}".lstrip("."), level=node.level)


class Finder:
    """Where modules lie. Each top-level name is looked up once: on a shared file system every look takes a while."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = list(dict.fromkeys(roots))
        self._homes: dict[str, Path | None] = {}

    def files_of(self, module: Imported, importer: Path) -> list[Path]:
        """Its file and those of the packages it lies in; none where it is not among these folders."""
        parts = module.name.split(".")
        if module.level:
            home: Path | None = importer.parents[min(module.level, len(importer.parents)) - 1]
        else:
            home = self._home(parts[0])
        return list(_along(home, parts)) if home is not None else []

    def _home(self, name: str) -> Path | None:
        if name == "assay":
            return None  # that is us, and our version is recorded
        if name not in self._homes:
            roots = self._roots[:1] if name in _STANDARD else self._roots
            self._homes[name] = next((root for root in roots if _is_module(root, name)), None)
        return self._homes[name]


def _is_module(root: Path, name: str) -> bool:
    return os.path.isfile(root / f"{name}.py") or os.path.isdir(root / name)


def _along(home: Path, parts: Sequence[str]) -> Iterator[Path]:
    """`a/__init__.py`, `a/b/__init__.py`, `a/b/c.py`: as many of them as there are."""
    here = home
    for part in parts:
        module = here / f"{part}.py"
        here = here / part
        package = here / "__init__.py"
        if os.path.isfile(package):
            yield package
        elif os.path.isfile(module):
            yield module
            return
        elif not os.path.isdir(here):
            return


def search_path(script: Path, cwd: Path, environment: Mapping[str, str], top: Path | None) -> list[Path]:
    """Where Python looks for a person's own modules: beside the script, PYTHONPATH, where it was started, and in the
    repository, which may be installed in place. What is installed is not among them: its version is recorded."""
    given = [cwd / word for word in environment.get("PYTHONPATH", "").split(os.pathsep) if word]
    roots = [script.parent, *given, cwd, *([top, top / "src"] if top else [])]
    return [root for root in roots if not {"site-packages", "dist-packages"} & set(root.parts)]


def named_scripts(text: str, folders: Sequence[Path]) -> list[Path]:
    """The scripts that a shell script names and that exist, as seen from these folders or those it changes to."""
    entered = [folder / word for word in _CHANGES_TO.findall(text)[:10] for folder in folders]
    places = list(dict.fromkeys([*folders, *entered]))
    found: dict[Path, None] = {}
    for word in list(dict.fromkeys(_SCRIPT_WORD.findall(text)))[:100]:
        path = next((folder / word for folder in places if os.path.isfile(folder / word)), None)
        if path is not None:
            found.setdefault(path)
    return list(found)
