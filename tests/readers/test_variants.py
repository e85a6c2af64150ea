"""Outputs of known tools in other versions, options and dresses than those the readers were written for.

`variants/` holds the files, and `truth.json` what a careful person reads in each: a list of runs, in order. A list in
place of a value means that any of them is right; settings may stand in `params` or `claims` where `prose` says so.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from reading import json_summaries

VARIANTS = Path(__file__).parent / "variants"
TRUTH: dict[str, list[dict[str, Any]]] = json.loads((VARIANTS / "truth.json").read_text())


def is_right(wanted: object, got: object) -> bool:
    if isinstance(wanted, list):
        return any(is_right(one, got) for one in wanted)
    if isinstance(wanted, str) or not isinstance(got, (int, float)):
        return str(wanted).lower().replace(" ", "") in str(got).lower().replace(" ", "")
    assert isinstance(wanted, (int, float))
    return abs(wanted - got) <= 0.005 * abs(wanted)


def wrong(wanted: dict[str, Any], run: dict[str, Any]) -> list[str]:
    """What the summary of a run has otherwise."""
    said = {**(run.get("claims") or {} if wanted.get("prose") else {}), **(run.get("params") or {})}
    pairs = [(f"params.{name}", value, said.get(name)) for name, value in wanted.get("params", {}).items()]
    asked = run.get("requested") or {}
    pairs += [(f"requested.{name}", value, asked.get(name)) for name, value in wanted.get("requested", {}).items()]
    same = {"e2e_mean_ms": "latency_ms", "e2e_p50_ms": "latency_p50_ms", "e2e_p99_ms": "latency_p99_ms"}
    for name, value in wanted.items():
        if name == "error":
            pairs.append((name, value, (run.get("error") or {}).get("code")))
        elif name not in ("params", "requested", "absent", "prose"):
            pairs.append((name, value, run.get(name, run.get(same.get(name, "")))))
    missed = [f"{name}: {got}, not {value}" for name, value, got in pairs if not is_right(value, got)]
    return missed + [f"{name} is no figure of it" for name in wanted.get("absent", []) if run.get(name) is not None]


@pytest.mark.parametrize("name", TRUTH)
def test_what_a_person_reads_in_it_is_read(name: str, tmp_path: Path) -> None:
    runs = json_summaries(VARIANTS / name, tmp_path)
    assert len(runs) == len(TRUTH[name])
    assert [wrong(wanted, run) for wanted, run in zip(TRUTH[name], runs, strict=True)] == [[] for _ in runs]
