"""A user can correct us: which figure comes first, what it is called, what the output says when it is read again."""

from __future__ import annotations

import json
import sys

import pytest
from conftest import Assay

SCRIPT = """
import sys
size = int(sys.argv[2])
for step in range(3):
    print(f"step {step} loss: {size / (step + 1):.3f} gap: {size * 2:.1f} ms")
print(f"val_bpb: {1 / size:.6f}")
"""


@pytest.fixture
def made(assay: Assay) -> Assay:
    for size in ("1", "2", "4"):
        assay("run", "-q", "--name", f"s{size}", "--", sys.executable, assay.script(SCRIPT, "t.py"), "--size", size)
    return assay


def test_a_figure_that_nobody_foresaw_comes_first_everywhere(made: Assay) -> None:
    assert all(run["objective"]["name"] == "val_bpb" and run["objective"]["better"] == "lower" for run in made.ls())
    assert "val_bpb" in made("ls").stdout.decode().splitlines()[0]
    assert b"result    val_bpb 0.25 " in made("show", "last").stdout
    found = made("compare").stdout.decode()
    assert found.startswith("val_bpb is lowest with size 4: 0.25")  # by the loss it would be size 1


def test_a_metric_is_named_with_or_without_its_unit_and_with_its_direction(made: Assay) -> None:
    listed = json.loads(made("ls", "--json", "--metric", "gap").stdout)
    assert [run["name"] for run in listed] == ["s1", "s2", "s4"]
    assert listed[0]["objective"] == {"name": "gap_ms", "value": 2.0, "better": "lower", "why": "you chose it"}
    upward = json.loads(made("ls", "--json", "--metric", "gap_ms:max").stdout)
    assert [run["name"] for run in upward] == ["s4", "s2", "s1"]
    assert made("compare", "--metric", "gap:max").stdout.startswith(b"gap_ms is highest with size 4")
    assert b"result    loss 1.333" in made("show", "--metric", "loss", "last").stdout
    unknown = made("ls", "--metric", "val_bpd")
    assert unknown.returncode == 2 and b"did you mean `val_bpb`" in unknown.stderr


def test_a_figure_goes_by_another_name_for_once_and_for_good(made: Assay) -> None:
    once = json.loads(made("ls", "--json", "--rename", "val_bpb=bits").stdout)
    assert once[0]["metrics"]["bits"] == 1.0 and once[0]["objective"]["name"] == "bits"
    (made.folder / "assay.toml").write_text('[rename]\nval_bpb = "val_loss"\n')
    shown = json.loads(made("show", "last", "--json").stdout)[0]
    assert shown["val_loss"] == 0.25 and "val_bpb" not in shown["metrics"]
    (made.folder / "assay.toml").write_text("[rename]\nval_bpb = 3\n")
    assert made("ls").returncode == 2


def test_a_recorded_output_is_read_again(made: Assay) -> None:
    before = made.ls()[-1]
    folder = next(path for path in made.run_dirs() if path.name.startswith("s4"))
    log = folder / "output.log"
    log.write_text(log.read_text().replace("val_bpb: 0.25", "val_bpb: 0.75"))
    done = made("ingest", "--again", "s4")
    assert done.returncode == 0 and done.stdout.startswith(b"s4: val_bpb 0.75")
    after = json.loads(made("show", "s4", "--json").stdout)[0]
    assert after["metrics"]["val_bpb"] == 0.75 and after["loss"] == before["loss"]
    assert (after["wall_s"], after["exit_code"]) == (before["wall_s"], 0)


def test_a_run_of_which_nothing_was_read_says_how_to_report(assay: Assay) -> None:
    assert b"no figures were read; print them as `name: value`" in assay("run", "--", "true").stderr
