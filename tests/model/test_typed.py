"""A summary is read by its fields: a name that is none fails when the types are checked, not at midnight."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.model.summary import Summary

SOURCE = Path(__file__).parents[2] / "src" / "assay"
#: what holds a summary is called so, or comes from one of these
NAMES = ("summary", "lean")
MAKERS = ("load_summary", "summarise", "sum_up", "summary_of")


def modules() -> list[Path]:
    found = sorted(SOURCE.rglob("*.py"))
    return [path for path in found if path.relative_to(SOURCE).parts[0] not in ("model", "serving")]


def is_summary(node: ast.expr) -> bool:
    """`summary`, `row.summary`, `load_summary(run)`."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in MAKERS
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in NAMES


def by_key(tree: ast.AST) -> Iterator[ast.expr]:
    """`summary["loss"]`, `summary.get(…)`, `"loss" in summary`, `{**summary}`, `getattr(summary, …)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and any(map(is_summary, read_by_key(node))):
            yield node


def read_by_key(node: ast.expr) -> list[ast.expr]:
    """What this piece of code looks into by a name."""
    if isinstance(node, ast.Subscript):
        return [node.value]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [node.func.value] if node.func.attr in ("get", "items", "keys", "pop", "update") else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.args[:1] if node.func.id in ("getattr", "dict", "vars") else []
    if isinstance(node, ast.Compare):
        return node.comparators if isinstance(node.ops[0], (ast.In, ast.NotIn)) else []
    if isinstance(node, ast.Dict):
        return [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
    return []


def loosely_typed(tree: ast.AST) -> Iterator[ast.expr]:
    """Where something that is called a summary is said to be a dictionary."""
    for node in ast.walk(tree):
        name = node.arg if isinstance(node, ast.arg) else ""
        if isinstance(node, ast.AnnAssign):
            name = node.target.id if isinstance(node.target, ast.Name) else getattr(node.target, "attr", "")
        annotation = node.annotation if isinstance(node, (ast.arg, ast.AnnAssign)) else None
        if name in (*NAMES, "summaries") and annotation is not None and "dict[str" in ast.unparse(annotation):
            yield annotation


@pytest.mark.parametrize("name", ["__getitem__", "get", "items", "keys", "__contains__", "__iter__"])
def test_a_summary_is_no_dictionary(name: str) -> None:
    assert not hasattr(Summary(), name)


def test_no_module_reads_a_summary_by_key() -> None:
    found = [f"{path.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node)}"
             for path in modules() for node in by_key(ast.parse(path.read_text()))]  # fmt: skip
    assert found == []


def test_no_summary_is_said_to_be_a_dictionary() -> None:
    found = [f"{path.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node)}"
             for path in modules() for node in loosely_typed(ast.parse(path.read_text()))]  # fmt: skip
    assert found == []


@pytest.mark.parametrize(
    "text", ['summary["loss"]', 'row.summary.get("loss")', '"loss" in summary', "{**one.summary}", "summary.items()",
             'load_summary(run)["id"]', 'getattr(summary, "loss")'],
)  # fmt: skip
def test_such_a_reading_is_seen(text: str) -> None:
    assert len(list(by_key(ast.parse(text)))) == 1


def test_a_loose_type_is_seen() -> None:
    assert len(list(loosely_typed(ast.parse("def show(summary: dict[str, Any]) -> None: ...")))) == 1
    assert len(list(loosely_typed(ast.parse("class Run:\n    summaries: list[dict[str, Any]]")))) == 1


def test_a_figure_is_found_by_its_name_wherever_it_stands() -> None:
    one = Summary.of(
        {
            "loss": 0.5, "tags": ["a", "b"], "error": {"code": "crashed", "message": "x"}, "dreams": {"deep": 2},
            "params": {"lr": 0.1, "epochs": 3}, "claims": {"lr": 0.2, "seed": 7}, "metrics": {"f1": 0.9, "val/f1": 0.8},
            "phases": {"queue": 12.0}, "warmup": False,
        }
    )  # fmt: skip
    names = ("loss", "lr", "claims.lr", "f1", "metrics.val/f1", "phases.queue", "queue", "error.code", "dreams.deep")
    assert [one.value(name) for name in names] == [0.5, 0.1, 0.2, 0.9, 0.8, 12.0, 12.0, "crashed", 2]
    assert (one.value("tags"), one.value("warmup"), one.value("accuracy"), one.value("value")) == (
        ("a", "b"),
        False,
        None,
        None,
    )
    assert (one.figure("epochs"), one.reported("epochs"), one.figure("tags")) == (3, None, None)
    assert {"loss", "lr", "seed", "f1", "queue", "dreams"} <= one.names and "accuracy" not in one.names
