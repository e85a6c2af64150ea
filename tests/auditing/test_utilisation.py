"""An MFU above 100 % in a sentence: impossible, unless it is a comparison or the author says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged

RAISED = (
    "Our run reaches an MFU of 120 %.",
    "We get 137% MFU on 8 GPUs.",
    "The model FLOPs utilization is 104.5 %.",
    "MFU: 112 %",
    "On the cluster the MFU reached about 108 %, with a batch size of 64.",
)
NOT_RAISED = (
    "Our run reaches an MFU of 58.3 %.",
    "The MFU is 100 % of what we expected.",
    "MFU improved by 120 %.",
    "The new kernel has a 120 % MFU improvement.",
    "MFU is 120 % of that of the baseline.",
    "With an MFU of 45 %, the speedup is 120 %.",
    "The throughput is 120 % of that with an MFU of 40 %.",
    "An MFU above 110 % is impossible.",
    "The tool printed an MFU of 120 %. Of course that is wrong.",
    "If the peak were 100 TFLOPS, the MFU would be 130 %.",
    "MFU 1.2",
    "The GPU utilisation is 120 %.",
)


@pytest.mark.parametrize("sentence", RAISED)
def test_an_mfu_above_all_is_doubted_without_a_log(tmp_path: Path, sentence: str) -> None:
    found = judged(tmp_path, f"# Results\n\n{sentence}\n")
    assert [one.code for one in found if one.code == "impossible-figure"] == ["impossible-figure"]


@pytest.mark.parametrize("sentence", NOT_RAISED)
def test_a_comparison_and_a_doubt_are_left_alone(tmp_path: Path, sentence: str) -> None:
    found = judged(tmp_path, f"# Results\n\n{sentence}\n")
    assert not [one for one in found if one.code == "impossible-figure"]
