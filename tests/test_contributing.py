"""What CONTRIBUTING.md shows how to add works as it stands there."""

from __future__ import annotations

import re
import subprocess
import types
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay
from judged import recorded

from assay.auditing import rules
from assay.auditing.audit import judge, load
from assay.cli.start import start
from assay.launchers import LAUNCHERS, places

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


def shown(part: str) -> list[str]:
    """The blocks of Python under a heading."""
    (section,) = re.findall(rf"(?s)^## {part}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE)
    return re.findall(r"(?s)```python\n(.*?)```", section)


def loaded(source: str, name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    exec(source, vars(module))
    return module


def test_the_rule_finds_an_idle_gpu_and_leaves_a_busy_one_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, line = shown("A rule")
    rule = eval(line, {"Rule": rules.Rule, "idle": loaded(source, "idle")})
    monkeypatch.setattr("assay.auditing.audit.RULES", (*rules.RULES, rule))
    found = []
    for name, busy_pct in (("idle", 1.0), ("busy", 80.0)):
        run = recorded(tmp_path, name, [_looked(at_s, busy_pct) for at_s in range(1, 30)])
        cases, _ = load([str(run)], tmp_path)
        found.append([one.message for one in judge(cases) if one.code == "idle-gpu"])
    assert found == [["the GPU was busy for 1 % of the run"], []]


def _looked(at_s: int, busy_pct: float) -> dict[str, Any]:
    figures = {"gpu_util_pct": busy_pct, "gpu_mem_bytes": 1 << 30}
    return {"kind": "sample", "from": "probe:gpu", "at_s": float(at_s), "gpu": 0, **figures}


def test_the_launcher_starts_a_run_politely(
    assay: Assay, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (source,) = shown("A launcher")
    monkeypatch.setitem(LAUNCHERS, "polite", loaded(source, "polite").Polite)
    monkeypatch.setattr(places, "LAUNCHER_NAMES", (*places.LAUNCHER_NAMES, "polite"))
    monkeypatch.chdir(assay.folder)
    monkeypatch.setenv("ASSAY_RUNS", str(assay.runs))
    assert start(["run", "--on", "polite", "--", "nice"]) == 0
    assert capfdbinary.readouterr().out == b"19\n"
    assert assay.summary()["status"] == "completed"


def test_the_workload_runs_alone_and_under_the_recorder(assay: Assay) -> None:
    (source,) = shown("A workload")
    script = assay.script(source, "sorting.py")
    words = [PYTHON, script, "batch_size=1000", "--max-steps", "3"]
    alone = subprocess.run(words, capture_output=True, check=True, env=assay.environment())
    assert b"sorted 3000 numbers in " in alone.stdout
    assert assay("run", "--", *words).returncode == 0
    summary = assay.summary()
    assert (summary["samples"], summary["steps"], summary["params"]["batch_size"]) == (3000, 3, 1000)
    assert set(summary["phases"]) >= {"load", "train"}
    wrong = assay("run", "--", PYTHON, script, "batch_sise=1000")
    assert (wrong.returncode, b"did you mean `batch_size`?" in wrong.stderr) == (2, True)


def test_the_commands_of_the_page_are_there() -> None:
    made = (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"`?make ([a-z-]+)", TEXT)):
        assert re.search(rf"(?m)^{target}:", made), target
    for path in re.findall(r"`((?:src|tests|bench|docs)/[\w./-]+)`", TEXT):
        assert (ROOT / path).exists(), path
