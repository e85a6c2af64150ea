"""Ordinary scripts of many styles, run as their authors would: every figure that they print is what they meant."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Assay, skip_or_fail

from assay.quantities import QUANTITIES

HERE = Path(__file__).parent
SCRIPTS = (
    "plain_torch", "keras_fit", "lightning_fit", "hf_trainer", "fastai_table", "nanogpt_like", "four_ranks", "latency",
    "sklearn_digits", "numpy_pipes", "json_lines", "three_programs", "tqdm_loop", "imagenet_meters",
)  # fmt: skip
NEEDS = {"plain_torch": "torch", "sklearn_digits": "sklearn", "numpy_pipes": "numpy", "tqdm_loop": "tqdm"}
#: what a program reports of its work; what we measure of the machine is for other tests
REPORTED = {
    one.name
    for one in QUANTITIES
    if not one.settable and (one.kind in ("rate", "outcome", "count") or one.name == "train_s")
} - {"samples_per_s_own"}  # fmt: skip


def run_script(assay: Assay, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """(what the script says it printed, what the summary says)."""
    needed = NEEDS.get(name)
    if needed and importlib.util.find_spec(needed) is None:
        skip_or_fail(needed, f"{needed} is not installed")
    path = HERE / f"{name}.py"
    words = [sys.executable, str(path)] if path.exists() else ["sh", str(HERE / f"{name}.sh")]
    assay.env = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONUNBUFFERED": ""}
    done = assay("run", "--", *words)
    assert done.returncode == 0, done.stderr
    return json.loads((assay.folder / "truth.json").read_text()), assay.summary()


def equal(told: object, meant: object) -> bool:
    if isinstance(meant, (int, float)) and isinstance(told, (int, float)):
        return math.isclose(told, meant, rel_tol=1e-6, abs_tol=1e-9)
    return told == meant


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_figure_that_a_script_prints_is_in_the_summary_and_none_is_wrong(assay: Assay, name: str) -> None:
    truth, summary = run_script(assay, name)
    metrics, settings, slowest = truth.pop("metrics", {}), truth.pop("params", {}), truth.pop("slowest_rank", None)
    wrong = {key: (summary.get(key), meant) for key, meant in truth.items() if not equal(summary.get(key), meant)}
    assert not wrong, f"told, meant: {wrong}"
    invented = {key: summary[key] for key in REPORTED & summary.keys() if key not in truth}
    assert not invented
    told = summary.get("metrics", {})
    assert told.keys() == metrics.keys()
    assert not {key: (told[key], meant) for key, meant in metrics.items() if not equal(told[key], meant)}
    assert settings.items() <= summary.get("params", {}).items()
    if slowest is not None:
        assert min(summary["ranks"], key=lambda row: row["samples_per_s"])["rank"] == slowest
        waits = [row["waiting_s"] for row in summary["ranks"]]
        assert len(waits) == 4
        assert max(waits) > min(waits) >= 0
