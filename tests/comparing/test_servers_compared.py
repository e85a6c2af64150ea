"""Two servers at one load: all their requests against each other, with the runs that they came in."""

from __future__ import annotations

import random
from typing import Any

import pytest
from making import compared, run

from assay.comparing.models.base import Model
from assay.model.summary import Summary
from assay.stats.nested import quantile_ratio

Told = dict[str, list[dict[str, Any]]]


def served(
    url: str, ttft_ms: float, itl_ms: float, *, seed: int, tokens: int = 20, count: int = 60
) -> tuple[Summary, Told]:
    """A run of so many requests, whose times scatter by a tenth, and runs by one in a hundred."""
    draw = random.Random(f"{url} {seed}")
    own, events = draw.gauss(1, 0.01), []
    for index in range(count):
        first = ttft_ms * own * draw.lognormvariate(0, 0.1)
        rest = itl_ms * own * (tokens - 1) * draw.lognormvariate(0, 0.1)
        events.append(
            {"kind": "request", "index": index, "ttft_ms": first, "e2e_ms": first + rest, "tokens_out": tokens}
        )
    events += [{"kind": "request", "index": 0, "warmup": True, "ttft_ms": 9e4, "e2e_ms": 9e4, "tokens_out": 20}]
    events += [{"kind": "request", "index": 0, "fault": "timeout", "ttft_ms": 9e4, "e2e_ms": 9e4}]
    one = run(settings={"url": url, "concurrency": 8}, requests=count, output_tokens=tokens * count, requests_per_s=5.0)
    return one, {one.id: events}


def models(*runs: tuple[Summary, Told]) -> list[Model]:
    told = {key: lines for _, events in runs for key, lines in events.items()}
    return [one for one in compared([summary for summary, _ in runs], told).models if one.kind == "servers"]


def test_a_server_that_is_slower_at_first_and_faster_after_is_said_to_be_both() -> None:
    runs = [served("metis", 100.0, 20.0, seed=seed) for seed in range(3)]
    runs += [served("sophia", 150.0, 10.0, seed=seed) for seed in range(3)]
    (found,) = models(*runs)
    first, token = found.figures["sophia / metis: median TTFT"], found.figures["sophia / metis: median time per token"]
    assert isinstance(first, list) and first[1] < 1.5 < first[2] and first[1] > 1.2
    assert isinstance(token, list) and token[1] < 0.5 < token[2] and token[2] < 0.7
    assert any(one.startswith("median TTFT: sophia has 1.") and "significant" in one for one in found.says)


def test_equal_servers_could_be_noise() -> None:
    (found,) = models(*(served(url, 100.0, 20.0, seed=seed) for url in ("metis", "sophia") for seed in range(3)))
    assert found.holds and all("could be noise" in one for one in found.says)


def test_answers_of_other_lengths_are_compared_by_the_token_alone() -> None:
    runs = [served("metis", 100.0, 20.0, seed=seed, tokens=20) for seed in range(2)]
    runs += [served("sophia", 100.0, 20.0, seed=seed, tokens=26) for seed in range(2)]
    (found,) = models(*runs)
    assert "answers of other lengths" in found.says[0]
    assert not any("request latency" in one for one in found.says[1:])


def test_one_run_of_each_is_not_enough() -> None:
    (found,) = models(served("metis", 100.0, 20.0, seed=1), served("sophia", 150.0, 10.0, seed=1))
    assert not found.holds and "repeat each at least twice" in found.says[0]


def test_runs_of_one_server_are_no_comparison_of_servers() -> None:
    assert models(*(served("metis", 100.0, 20.0, seed=seed) for seed in range(3))) == []


@pytest.mark.parametrize("seed", range(3))
def test_runs_that_differ_widen_the_interval(seed: int) -> None:
    draw = random.Random(seed)
    alike = [[draw.gauss(100, 10) for _ in range(50)] for _ in range(3)]
    apart = [[draw.gauss(middle, 10) for _ in range(50)] for middle in (70, 100, 130)]
    narrow, wide = quantile_ratio(alike, alike, 0.5), quantile_ratio(apart, alike, 0.5)
    assert narrow is not None and wide is not None
    assert wide.high / wide.low > 1.5 * narrow.high / narrow.low and wide.low < 1 < wide.high
