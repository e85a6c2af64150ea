"""Figures that cannot all be true, and figures that can."""

from __future__ import annotations

import pytest
from serving_runs import case, run

from assay.auditing.rules.serving import impossible_figure

RAISED = {
    "a median above its p99": {"itl_p50_ms": 26.1, "itl_p99_ms": 21.3},
    "a p90 above its p99": {"ttft_p50_ms": 10.0, "ttft_p90_ms": 30.0, "ttft_p99_ms": 29.0},
    "a first token after the whole request": {"ttft_p50_ms": 900.0, "e2e_p50_ms": 700.0},
    "more output than tokens": {"output_tokens_per_s": 900.0, "total_tokens_per_s": 700.0},
    "an MFU above 1": {"mfu": 1.27},
}
NOT_RAISED = {
    "percentiles in order": {"itl_p50_ms": 20.0, "itl_p90_ms": 20.0, "itl_p99_ms": 26.1},
    "a mean above the p90": {"ttft_mean_ms": 90.0, "ttft_p50_ms": 10.0, "ttft_p90_ms": 30.0},
    "rounding": {"output_tokens_per_s": 700.1, "total_tokens_per_s": 700.0},
    "an MFU": {"mfu": 0.47},
    "an MFU in per cent": {"mfu": 47.0},
    "nothing": {},
}


@pytest.mark.parametrize("name", RAISED)
def test_what_cannot_be_is_doubted(name: str) -> None:
    (found,) = impossible_figure(case(run(**RAISED[name])))
    assert found.code == "impossible-figure" and found.evidence


@pytest.mark.parametrize("name", NOT_RAISED)
def test_what_can_be_is_left_alone(name: str) -> None:
    assert not list(impossible_figure(case(run(**NOT_RAISED[name]))))
