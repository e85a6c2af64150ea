"""How large the project may be: the table in docs/architecture.md is an upper bound, and its total never goes up.

python tests/test_budget.py         # lower every bound of the table to what is there now
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE, WORKLOADS = ROOT / "src" / "assay", ROOT / "workloads" / "src" / "assay_workloads"
TABLE = ROOT / "docs" / "architecture.md"
#: the most that the rows of `assay`, and those of everything, may add up to: lowered as the code shrinks, never raised
MOST_OF_ASSAY, MOST_OF_ALL = 77_172, 136_878
#: a table this far above the code is no bound any more
LOOSE = 3_000
MOST_IN_FILE, MOST_IN_FUNCTION = 900, 80
#: a kernel is one function: the language of Triton has no smaller ones
KERNELS = {
    "assay_workloads/kernels/gpu/attention.py _attention_backward",
    "assay_workloads/kernels/gpu/attention8.py _attention_backward",
}
_PAGE, _DATA = (".js", ".css", ".html"), (".toml", ".json", ".yaml", ".txt")
_NATIVE = (".py", ".cpp", ".cu", ".cuh", ".h")


def measured() -> dict[str, tuple[int, int]]:
    """(lines, files) of each row."""
    python = list(SOURCE.rglob("*.py"))
    folders = sorted({path.relative_to(SOURCE).parts[0] for path in python if path.parent != SOURCE})
    found = {f"`{name}/`": _size(path for path in python if (SOURCE / name) in path.parents) for name in folders}
    found["files beside them"] = _size(path for path in python if path.parent == SOURCE)
    found["the browser's part"] = _size(_of(SOURCE, _PAGE))
    found["TOML and other data"] = _size(_of(SOURCE, _DATA))
    found["`tests/`"] = _size((ROOT / "tests").rglob("*.py"))
    found["`bench/`"] = _size((ROOT / "bench").rglob("*.py"))
    found["`workloads/src/`"] = _size(_of(WORKLOADS, _NATIVE))
    found["`workloads/tests/`"] = _size(_of(ROOT / "workloads" / "tests", _NATIVE))
    return found


def _of(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.suffix in endings and "vendor" not in path.parts)


def _size(paths: Iterable[Path]) -> tuple[int, int]:
    lines = [path.read_text(encoding="utf-8").count("\n") for path in paths]
    return sum(lines), len(lines)


_ROW = re.compile(r"(?m)^\| (?P<name>[^|\n]+?) \| (?P<lines>[\d,]+) \| (?P<files>\d+) \|$")


def bounds() -> dict[str, tuple[int, int]]:
    _, _, rest = TABLE.read_text().partition("<!-- budget -->")
    rows = _ROW.finditer(rest.partition("<!-- end of budget -->")[0])
    return {row["name"]: (int(row["lines"].replace(",", "")), int(row["files"])) for row in rows}


def _of_assay(rows: dict[str, tuple[int, int]]) -> int:
    return sum(lines for name, (lines, _) in rows.items() if not name.startswith(("`tests", "`bench", "`workloads")))


def test_every_part_keeps_to_its_row() -> None:
    table = bounds()
    over = {
        name: f"{lines} lines in {files} files, and {table.get(name, (0, 0))} in the table"
        for name, (lines, files) in measured().items()
        if lines > table.get(name, (0, 0))[0] or files > table.get(name, (0, 0))[1]
    }
    assert not over, f"make something smaller, or take the room from another row of {TABLE.name}: {over}"
    assert set(table) <= set(measured()), "a row for what is no longer there"


def test_the_total_never_goes_up() -> None:
    table = bounds()
    assert _of_assay(table) <= MOST_OF_ASSAY
    assert sum(lines for lines, _ in table.values()) <= MOST_OF_ALL


def test_the_table_follows_the_code_down() -> None:
    held, there = (sum(lines for lines, _ in rows.values()) for rows in (bounds(), measured()))
    assert held - there <= LOOSE, "lower the table, and the totals in this file: python tests/test_budget.py"


def _python() -> Iterator[tuple[str, str]]:
    for root in (SOURCE, WORKLOADS):
        for path in sorted(root.rglob("*.py")):
            yield path.relative_to(root.parent).as_posix(), path.read_text()


def test_no_file_holds_more_than_a_topic() -> None:
    assert [name for name, text in _python() if text.count("\n") > MOST_IN_FILE] == []


def test_no_function_is_longer_than_two_screens() -> None:
    long = {
        f"{name} {node.name}"
        for name, text in _python()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno >= MOST_IN_FUNCTION
    }
    assert long <= KERNELS


def test_no_bench_hides_a_module_that_python_brings() -> None:
    """The folder of a script comes first where it imports."""
    benches = {path.stem for path in (ROOT / "bench").glob("*.py")}
    assert "table" in benches
    assert not benches & sys.stdlib_module_names


def lower() -> None:
    """Write what is there now into every row that is higher."""
    there = measured()

    def row(found: re.Match[str]) -> str:
        lines, files = there.get(found["name"], (0, 0))
        lines, files = min(lines, int(found["lines"].replace(",", ""))), min(files, int(found["files"]))
        return f"| {found['name']} | {lines:,} | {files} |" if found["name"] in there else ""

    before, mark, rest = TABLE.read_text().partition("<!-- budget -->")
    table, end, after = rest.partition("<!-- end of budget -->")
    TABLE.write_text(before + mark + re.sub(r"\n{2,}(?=\|)", "\n", _ROW.sub(row, table)) + end + after)
    print(f"MOST_OF_ASSAY, MOST_OF_ALL = {_of_assay(bounds()):_}, {sum(lines for lines, _ in bounds().values()):_}")


if __name__ == "__main__":
    lower()
