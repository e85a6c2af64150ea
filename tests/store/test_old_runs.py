"""Runs that version 0.1 wrote are read, shown and summed up as they were then."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Assay

from assay.model.event import Event, decode, encode

OLD = Path(__file__).resolve().parents[1] / "fixtures" / "runs-0.1"
RUNS = sorted(path.name for path in OLD.iterdir() if path.is_dir())
#: what a summary may word or name in another way later
_MAY_CHANGE = {"v", "metrics", "energy_source", "problems"}


@pytest.fixture
def old(assay: Assay) -> Assay:
    shutil.copytree(OLD, assay.runs)
    return assay


def summary_of(run: str) -> dict[str, Any]:
    return dict(json.loads((OLD / run / "summary.json").read_text()))


def lines(pattern: str) -> list[bytes]:
    return [line for path in sorted(OLD.glob(pattern)) for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize("run", RUNS)
def test_an_old_run_is_summed_up_as_it_was(old: Assay, run: str) -> None:
    (old.runs / run / "summary.json").unlink()
    (found,) = json.loads(old("show", run, "--json").stdout)
    then = {name: value for name, value in summary_of(run).items() if name not in _MAY_CHANGE}
    assert {name: found.get(name) for name in then} == then


def test_an_old_run_keeps_its_warnings(old: Assay) -> None:
    (run,) = [name for name in RUNS if name.startswith("recorded")]
    (old.runs / run / "summary.json").unlink()
    (found,) = json.loads(old("show", run, "--json").stdout)
    assert found["problems"] == summary_of(run)["problems"]


def test_an_old_run_is_shown_with_its_evidence(old: Assay) -> None:
    shown = {run: old("show", run).stdout.decode() for run in RUNS}
    recorded, failed, parsed = (
        next(text for run, text in shown.items() if run.startswith(name)) for name in ("recorded", "failed", "cerebras")
    )
    assert "accuracy = 0.9" in recorded and "train" in recorded and "exit_code = 0" in recorded
    assert "out-of-memory" in failed and "exit code 1" in failed
    assert "loss = 7.14844" in parsed and "line 37" in parsed


def test_every_line_is_written_back_as_it_was_read() -> None:
    ours = [line for line in lines("*/events/*.jsonl") if line.startswith(b'{"v":1')]
    assert len(ours) > 60
    for line in ours:
        heard: list[str] = []
        event = decode(line, heard.append)
        assert event is not None and heard == []
        assert type(event) is not Event
        assert same(json.loads(encode(event))) == same(json.loads(line))


def test_of_a_line_that_is_wrong_in_part_the_rest_is_written_back() -> None:
    sent = [event for line in lines("*/events/*-sent.jsonl") if (event := decode(line)) is not None]
    assert [same(json.loads(encode(event))) for event in sent] == [
        same({"kind": "metric", "loss": 0.25, "mine": "words"}),
        same({"kind": "dream", "of": 3}),
        same({"kind": "phase"}),
        same({"kind": "metric", "loss": float("inf")}),
    ]


def same(raw: dict[str, Any]) -> str:
    """NaN is not equal to itself, but its text is."""
    return json.dumps(raw, sort_keys=True)
