"""Servers that were given other work, and servers that were not."""

from __future__ import annotations

import pytest
from serving_runs import case, run

from assay.auditing.rules.serving import unequal_work

LOAD = {"concurrency": 8, "input_len": 512, "output_len": 256}
METIS, SOPHIA = {**LOAD, "url": "metis"}, {**LOAD, "url": "sophia"}
RAISED = {
    "the homework": [run(params=METIS, output_tokens=20_600), run(params=SOPHIA, output_tokens=15_400)],
    "other prompts": [run(params=METIS, input_tokens=51_200), run(params=SOPHIA, input_tokens=30_000)],
    "engines": [run(engine="vllm", output_tokens=25_600), run(engine="sglang", output_tokens=20_000)],
    "answers that ended early": [run(params=METIS, metrics={"stopped_early": 12})],
}
NOT_RAISED = {
    "equal lengths": [run(params=METIS), run(params=SOPHIA)],
    "almost equal lengths": [run(params=METIS, output_tokens=12_900), run(params=SOPHIA)],
    "one server at two lengths": [
        run(params={**METIS, "output_len": 64}, output_tokens=6_400), run(params=METIS, output_tokens=25_600),
    ],
    "repeats of one server": [run(params=METIS, output_tokens=20_600), run(params=METIS, output_tokens=15_400)],
    "other models": [run(params=METIS, output_tokens=20_600), run(params=SOPHIA, model="gpt", output_tokens=9_000)],
    "other loads": [
        run(params={**METIS, "concurrency": 1}, output_tokens=20_600), run(params=SOPHIA, output_tokens=9_000),
    ],
    "trainings": [run(requests=None, output_tokens=None, samples=5), run(requests=None, output_tokens=None)],
}  # fmt: skip


@pytest.mark.parametrize("name", RAISED)
def test_unequal_work_is_doubted(name: str) -> None:
    (found,) = unequal_work(case(*RAISED[name]))
    assert found.code == "unequal-work" and found.evidence


def test_both_lengths_are_named() -> None:
    (found,) = unequal_work(case(*RAISED["the homework"]))
    assert "206 output tokens a request" in found.message and "154" in found.message


@pytest.mark.parametrize("name", NOT_RAISED)
def test_equal_work_is_left_alone(name: str) -> None:
    assert not list(unequal_work(case(*NOT_RAISED[name])))
