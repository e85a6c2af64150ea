"""Who may import whom: the list in docs/architecture.md, against which every import statement is held."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE, WORKLOADS = ROOT / "src" / "assay", ROOT / "workloads" / "src" / "assay_workloads"
#: the package's own `__init__` loads the library when it is first used
ALLOWED = {("__init__", "api"), ("__init__", "facts")}


def layers() -> dict[str, int]:
    """Each part and its rank, from the list in the document; parts on one line may not import each other."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    block = re.search(r"<!-- layers -->\n```\n(.*?)```", text, re.DOTALL)
    assert block is not None, "docs/architecture.md has lost its list of layers"
    ranks = {}
    for rank, line in enumerate(reversed(block[1].strip().splitlines())):
        ranks |= dict.fromkeys(line.split("#")[0].split(), rank)
    return ranks


def modules(source: Path) -> dict[str, Path]:
    found = {}
    for path in source.rglob("*.py"):
        if "inside" in path.relative_to(source).parts:
            continue  # stands for the package itself, inside a measured program
        parts = (source.name, *path.relative_to(source).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


OURS, THEIRS = modules(SOURCE), modules(WORKLOADS)
MODULES = {**OURS, **THEIRS}


def imports(name: str, path: Path, *, types: bool = False) -> Iterator[str]:
    """Every module of ours that a file imports, at its top or late; with `types`, also what a type checker reads."""
    tree = ast.parse(path.read_text())
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test) and not types
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name in MODULES and one.name != "assay")
        elif isinstance(node, ast.ImportFrom):
            yield from _from(name, path, node)


def _from(name: str, path: Path, node: ast.ImportFrom) -> Iterator[str]:
    base = node.module or ""
    if node.level:
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for _ in range(node.level - 1):
            package = package.rpartition(".")[0]
        base = f"{package}.{base}" if base else package
    for one in node.names:
        inner = f"{base}.{one.name}"
        if inner in MODULES:
            yield inner
        elif base in MODULES and base != "assay":
            yield base


def part(module: str) -> str:
    """`comparing` of `assay.comparing.rows`."""
    return module.split(".")[1] if "." in module else "__init__"


def test_every_part_has_its_place_in_the_list() -> None:
    assert {part(name) for name in OURS} - {"__init__", "__main__"} == set(layers())


def test_imports_only_go_down() -> None:
    ranks, wrong = layers(), []
    for name, path in OURS.items():
        for target in imports(name, path):
            pair = part(name), part(target)
            if pair[0] == pair[1] or pair in ALLOWED or pair[0] == "__main__":
                continue
            if ranks.get(pair[1], 99) >= ranks.get(pair[0], -1):
                wrong.append(f"{name} imports {target}")
    assert wrong == []


def test_no_two_modules_import_each_other_not_even_late_or_for_their_types() -> None:
    graph = {
        name: {one for one in imports(name, path, types=True) if (part(name), part(one)) not in ALLOWED and one != name}
        for name, path in MODULES.items()
    }
    done: set[str] = set()
    for name in graph:
        assert not (loop := _loop(graph, name, done)), " → ".join(loop)


def _loop(graph: dict[str, set[str]], start: str, done: set[str]) -> list[str]:
    """A way from a module back to itself; empty where there is none. Depth first, without recursion."""
    path: list[str] = []
    todo: list[tuple[str, bool]] = [(start, True)]
    while todo:
        name, enters = todo.pop()
        if not enters:
            path.pop()
            done.add(name)
        elif name in path:
            return [*path[path.index(name) :], name]
        elif name not in done:
            path.append(name)
            todo.append((name, False))
            todo += [(one, True) for one in graph.get(name, ())]
    return []


def test_measuring_is_never_needed_for_reading() -> None:
    for name, path in OURS.items():
        if part(name) in ("comparing", "auditing", "views", "ingest", "summary"):
            assert not any(part(target) == "recording" for target in imports(name, path)), name


def test_a_workload_imports_only_the_file_that_any_program_may() -> None:
    for name, path in THEIRS.items():
        assert [target for target in imports(name, path) if target in OURS] == [], name
