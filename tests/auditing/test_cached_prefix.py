"""Prompts that a cache answered, and prompts that it did not."""

from __future__ import annotations

import pytest
from serving_runs import case, run

from assay.auditing.rules.serving import cached_prefix

ASKED = {"concurrency": 1, "input_len": 4096}


def told(ttft_ms: float, tpot_ms: float = 20.0, **params: object):  # type: ignore[no-untyped-def]
    return run(ttft_p50_ms=ttft_ms, tpot_p50_ms=tpot_ms, params={**ASKED, **params}, input_tokens=409_600)


RAISED = {
    "the server says so": [run(input_tokens=51_200, metrics={"tokens_cached": 40_000})],
    "the first token collapses": [told(490.0), told(10.0)],
}
NOT_RAISED = {
    "a few shared tokens": [run(input_tokens=51_200, metrics={"tokens_cached": 1_600})],
    "no cache reported": [run(input_tokens=51_200)],
    "repeats": [told(490.0), told(450.0)],
    "a server that is faster altogether": [told(490.0, 40.0), told(10.0, 4.0)],
    "another load": [told(490.0, concurrency=64), told(10.0)],
    "prompts of our own client": [told(490.0, asks_for="max_tokens"), told(10.0, asks_for="max_tokens")],
}


@pytest.mark.parametrize("name", RAISED)
def test_an_answer_from_a_cache_is_doubted(name: str) -> None:
    (found,) = cached_prefix(case(*RAISED[name]))
    assert found.code == "cached-prefix" and found.evidence


@pytest.mark.parametrize("name", NOT_RAISED)
def test_new_prompts_are_left_alone(name: str) -> None:
    assert not list(cached_prefix(case(*NOT_RAISED[name])))
