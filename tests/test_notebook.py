"""The example notebook runs from top to bottom, and shows what it says."""

from __future__ import annotations

import ast
import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from assay.errors import AssayError

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "examples" / "notebook.ipynb"


def _cells() -> list[str]:
    found = json.loads(NOTEBOOK.read_text())["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]


def _run(cell: str, names: dict[str, object]) -> object:
    """As a notebook does: every statement, and the value of the last one where it has one."""
    *before, last = ast.parse(cell).body
    shown = isinstance(last, ast.Expr)
    exec(compile(ast.Module([*before] if shown else [*before, last], []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None


@pytest.mark.slow
def test_the_notebook_runs_and_shows_runs_a_comparison_and_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sklearn")
    (tmp_path / "examples").mkdir()
    shutil.copy(ROOT / "examples" / "digits.py", tmp_path / "examples")
    shutil.copytree(ROOT / "tests" / "seeds", tmp_path / "tests" / "seeds")
    monkeypatch.chdir(tmp_path / "examples")
    names: dict[str, object] = {}
    values = []
    for cell in _cells():
        if "to_frame" in cell and importlib.util.find_spec("pandas") is None:
            with pytest.raises(AssayError, match="needs pandas"):
                _run(cell, names)
        else:
            values.append(_run(cell, names))
    tables = [value._repr_html_() for value in values if type(value).__module__.startswith("assay.")]
    assert [table.count("<table") for table in tables] == [1, 2, 1]  # a comparison has its verdicts, too
    listed, compared, audited = tables
    assert listed.count("completed") == 6
    assert "<th>verdict</th>" in compared and "64" in compared
    assert "setting-not-in-effect" in audited
    assert "in effect: batch_size=64" in capsys.readouterr().out
