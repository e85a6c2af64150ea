"""No file outside of `systems/` names a vendor in its code: what is special about one is data of its `System`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "assay"
VENDOR = re.compile(
    r"(?i)cerebras|graphcore|sambanova|sambaflow|groq|wafer|poptorch|poplar|popart|\bipus?\b|ipuof|\brdus?\b|csctl|cszoo"
)
#: each with its reason
ALLOWED = {
    "facts/secret_table.py": "names of keys of services in the cloud, one of which bears a vendor's name",
    "language/words/en.py": "words by which people count devices, whoever makes them",
    "launchers/places.py": "`ipus` is an option of sbatch where Slurm was built with it, and a key of places.yaml",
    "launchers/slurm_request.py": "the same option, on its way to sbatch",
}


def words_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every text and name of a file's code, with its line; not what documents it."""
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and id(node) not in documents:
            if isinstance(node.value, (str, bytes)):
                yield line, node.value if isinstance(node.value, str) else node.value.decode("latin-1")
        elif isinstance(node, ast.Name):
            yield line, node.id
        elif isinstance(node, ast.Attribute):
            yield line, node.attr
        elif isinstance(node, (ast.arg, ast.keyword)):
            yield line, node.arg or ""
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield line, node.name
        elif isinstance(node, ast.alias):
            yield line, f"{node.name} {node.asname or ''}"
        elif isinstance(node, ast.ImportFrom):
            yield line, node.module or ""


def named_in(path: Path) -> list[str]:
    shown = path.relative_to(SOURCE)
    tree = ast.parse(path.read_text())
    return [f"{shown}:{line}: {VENDOR.search(word)[0]}" for line, word in words_of(tree) if VENDOR.search(word)]  # type: ignore[index]


def outside() -> list[Path]:
    """The vendor's own folder and the programs that run on its hardware may name it."""
    return [path for path in sorted(SOURCE.rglob("*.py")) if path.relative_to(SOURCE).parts[0] != "systems"]


def test_no_vendor_is_named_outside_of_its_folder() -> None:
    found = [one for path in outside() if str(path.relative_to(SOURCE)) not in ALLOWED for one in named_in(path)]
    assert found == []


def test_what_is_allowed_is_needed() -> None:
    assert [name for name in ALLOWED if not named_in(SOURCE / name)] == []


def test_a_name_in_code_is_found_and_one_in_a_docstring_is_not() -> None:
    tree = ast.parse('"""Of Cerebras."""\nif run.system == "groq":\n    poptorch = 1\n')
    assert [word for _, word in words_of(tree) if VENDOR.search(word)] == ["groq", "poptorch"]
