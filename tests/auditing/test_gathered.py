"""Findings of one cause are one finding with its list."""

from __future__ import annotations

import json

from conftest import Assay


def test_runs_that_all_had_a_neighbour_are_one_finding_and_one_run_keeps_its_own(assay: Assay) -> None:
    for name in ("a", "b", "c"):
        assay("run", "-q", "--name", name, "--", "echo", "loss 0.5")
    for run in assay.run_dirs():
        summary = json.loads((run / "summary.json").read_text())
        beside = [] if summary["name"] == "c" else ["4711 other"]
        (run / "summary.json").write_text(json.dumps({**summary, "beside": beside}))
    found = json.loads(assay("audit", "--json", str(assay.runs)).stdout)
    contended = [one for one in found if one["code"] == "contended"]
    assert [one["message"] for one in contended] == ["another Assay run was active on this machine (in 2 runs)"]
    assert len(contended[0]["evidence"]) == 2 and "run" not in contended[0]
    alone = assay("show", "a").stdout.decode()
    assert "another Assay run was active on this machine\n" in alone
