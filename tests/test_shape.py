"""Files and functions stay small enough to be read at once."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "assay"
MOST_LINES, MOST_IN_FUNCTION = 300, 50
#: a kernel is one function: the language of Triton has no smaller ones
KERNELS = {
    "workloads/kernels/gpu/attention.py _attention_backward",
    "workloads/kernels/gpu/attention8.py _attention_backward",
}
#: still to be split
LONG = {"readers/generic.py"}


def _files() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), path.read_text()


def test_no_file_is_longer_than_a_person_reads_at_once() -> None:
    assert {name for name, text in _files() if text.count("\n") > MOST_LINES} <= LONG


def test_no_function_is_longer_than_a_screen() -> None:
    long = {
        f"{name} {node.name}"
        for name, text in _files()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno >= MOST_IN_FUNCTION
    }
    assert long <= KERNELS


def test_no_bench_hides_a_module_that_python_brings() -> None:
    """The folder of a script comes first where it imports."""
    benches = {path.stem for path in (SOURCE.parent.parent / "bench").glob("*.py")}
    assert "table" in benches
    assert not benches & sys.stdlib_module_names
