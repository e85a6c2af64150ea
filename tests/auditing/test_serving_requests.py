"""Requests of one run: failures, a cold start, a queue that grows, and which tokens are counted."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judged import judged
from serving_runs import case, run

from assay.auditing.case import Run
from assay.auditing.rules.requests import more_than_answers
from assay.model.event import event_of
from assay.model.finding import DOUBTFUL

BLOCK = """
```
============ Serving Benchmark Result ============
Successful requests:                     48
Total input tokens:                      6144
Total generated tokens:                  6144
Output token throughput (tok/s):         195.67
Peak output token throughput (tok/s):    {peak}
Total Token throughput (tok/s):          391.34
Mean TTFT (ms):                          512.25
==================================================
```
"""


def asked(waits_ms: list[float], *, opened: bool = False, **facts: Any) -> Run:
    """A run whose requests waited so long for their first token, sent a second apart."""
    more = {"late_ms": 0.1} if opened else {}
    events = [
        event_of({"kind": "request", "index": at, "sent_mono_s": float(at), "ttft_ms": ms, "e2e_ms": ms + 50, **more})
        for at, ms in enumerate(waits_ms)
    ]
    return replace(run(**facts), events=events)


def even(count: int, ms: float = 100.0) -> list[float]:
    draw = random.Random(7)
    return [ms * draw.uniform(0.8, 1.3) for _ in range(count)]


RAISED = {
    "a cold model": (asked([4000.0, *even(30)]), "first measured request waited 4,000 ms"),
    "a rate above the server's": (asked([100 + 20 * at for at in range(60)], opened=True), "faster than the server"),
    "a rate above the server's, as another client tells it": (
        run(params={"request_rate": 20, "output_len": 128}, requests=200, requests_per_s=7.0, tpot_p99_ms=20.0),
        "20 requests/s were sent and 7 answered",
    ),
}
NOT_RAISED = {
    "a warm model": asked(even(30)),
    "one slow request in the middle": asked([*even(10), 4000.0, *even(10)]),
    "a closed loop that slows down": asked([100 + 20 * at for at in range(60)]),
    "an open loop that keeps up": asked(even(60), opened=True),
    "a slow quarter that passes": asked([*even(15), *even(15, 400.0), *even(30)], opened=True),
    "the last answers of a short test": run(
        params={"request_rate": 20, "output_len": 512}, requests=100, requests_per_s=7.0, tpot_p99_ms=20.0
    ),
    "all at once": run(params={"request_rate": float("inf"), "output_len": 9}, requests=99, requests_per_s=7.0),
    "a training": run(requests=None, output_tokens=None),
}


@pytest.mark.parametrize("name", RAISED)
def test_a_time_that_covers_more_than_the_answer_is_doubted(name: str) -> None:
    made, message = RAISED[name]
    (found,) = more_than_answers(case(made))
    assert (found.code, found.severity) == ("time-covers-more", DOUBTFUL)
    assert message in found.message and found.evidence


@pytest.mark.parametrize("name", NOT_RAISED)
def test_a_time_of_answers_alone_is_left_alone(name: str) -> None:
    assert not list(more_than_answers(case(NOT_RAISED[name])))


FAILED = BLOCK.format(peak="250.00").replace("48\n", "48\nFailed requests: {failed}\n")


@pytest.mark.parametrize(
    ("sentence", "failed", "raised"),
    [
        ("The server answers after 512.25 ms on average.", 12, True),
        ("The server answers after 0.512 s on average.", 12, True),
        ("The server answers after 512.25 ms on average; 12 requests failed.", 12, False),
        ("The server is fast.", 12, False),
        ("We tried forty eight requests on two servers.", 12, False),
        ("The server answers after 512.25 ms on average.", 0, False),
    ],
)
def test_a_page_that_quotes_latencies_and_no_failures_is_doubted(
    tmp_path: Path, sentence: str, failed: int, raised: bool
) -> None:
    found = judged(tmp_path, f"# Serving\n\n{sentence}\n{FAILED.format(failed=failed)}")
    assert [one.code for one in found] == (["unequal-work"] if raised else [])
    assert not raised or "12 of 60 requests failed" in found[0].message


def test_a_log_that_prints_its_failures_is_left_alone(tmp_path: Path) -> None:
    assert judged(tmp_path, {"bench.log": FAILED.format(failed=12).replace("```", "")}) == []


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("The server generates 391.34 tokens per second.", "doubtful"),
        ("We measured a throughput of 391.34 tok/s.", "note"),
        ("We measured a throughput of 195.67 tok/s.", None),
        ("The total throughput was 391.34 tokens/s.", None),
    ],
)
def test_tokens_of_another_kind_than_the_page_says_are_named(tmp_path: Path, sentence: str, said: str | None) -> None:
    found = judged(tmp_path, f"# Serving\n\n{sentence}\n{BLOCK.format(peak='250.00')}")
    assert [(one.code, one.severity) for one in found] == ([("mislabelled-unit", said)] if said else [])


def test_a_peak_below_its_mean_is_impossible(tmp_path: Path) -> None:
    (found,) = judged(tmp_path, f"# Serving\n{BLOCK.format(peak='150.00')}")
    assert found.code == "impossible-figure"
    assert any("Peak output token throughput" in one.text for one in found.evidence)


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("vLLM at 16 requests/s", False),
        ("We sent 16 requests/s.", False),
        ("With an arrival rate of 16 requests/s the server kept up.", False),
        ("The load was 16 requests/s.", False),
        ("The server answered 4 requests/s.", False),
        ("The server answered 16 requests/s.", True),
        ("Each user saw 25 tokens/s.", False),
        ("The server generated 25 tokens/s.", True),
    ],
)
def test_what_was_sent_and_what_one_user_saw_is_no_misquoted_rate(tmp_path: Path, sentence: str, wrong: bool) -> None:
    block = BLOCK.format(peak="250.00").replace("Output token", "Request throughput (req/s):    4.00\nOutput token", 1)
    found = judged(tmp_path, f"# Serving\n{block}\n{sentence}\n")
    assert [one.code for one in found] == (["misquoted-figure"] if wrong else [])


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("Each token takes 20 ms, so 128 tokens take about 2.6 s after the first.", False),
        ("A user waits 2.6 s for the whole answer.", False),
        ("The benchmark took 31.4 s.", False),
        ("The benchmark took 2.6 s.", True),
        ("All requests took 2.6 s.", True),
    ],
)
def test_the_time_of_an_answer_is_not_that_of_the_benchmark(tmp_path: Path, sentence: str, wrong: bool) -> None:
    duration = "Benchmark duration (s):                  31.40\nTotal input"
    block = BLOCK.format(peak="250.00").replace("Total input", duration, 1)
    found = judged(tmp_path, f"# Serving\n{block}\n{sentence}\n")
    assert [one.code for one in found] == (["misquoted-figure"] if wrong else [])
