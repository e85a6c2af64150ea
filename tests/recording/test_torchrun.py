"""The real torchrun with two processes: what each of them did, and what they come to together."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from conftest import Assay

SCRIPT = Path(__file__).parents[1] / "scripts" / "two_ranks.py"
LAST = re.compile(rb"\[rank (\d)\] step 10/10 loss ([\d.]+) ([\d.]+) samples/s")


@pytest.mark.slow
def test_the_ranks_of_torchrun_are_kept_apart_and_added_up(assay: Assay) -> None:
    pytest.importorskip("torch")
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    done = assay("run", "--", *torchrun, str(SCRIPT))
    assert done.returncode == 0
    printed = {int(rank): (float(loss), float(rate)) for rank, loss, rate in LAST.findall(done.stdout)}
    summary = assay.summary()
    assert summary["loss"] == printed[0][0] and summary["steps"] == 10
    assert summary["samples_per_s"] == pytest.approx(printed[0][1] + printed[1][1], abs=0.01)
    assert summary["params"]["num_procs"] == summary["claims"]["num_procs"] == 2
    assert [row["rank"] for row in summary["ranks"]] == [0, 1]
    assert [part["rank"] for part in summary["parts"]] == [0, 1]
    assert summary["ranks"][0]["waiting_s"] > 0.05 > summary["ranks"][1]["waiting_s"]
    assert b"rank 1 is the slowest" in done.stderr
    shown = assay("show", "last").stdout.decode()
    assert f"loss of rank 0 = {printed[0][0]}" in shown and "(rank 1)" in shown
