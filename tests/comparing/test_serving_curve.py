"""Throughput against latency: where the knee is, and which load stays within a limit."""

from __future__ import annotations

import random
from collections.abc import Sequence

from making import compared, run

from assay.comparing.models.base import Model
from assay.model.summary import Summary


def server(
    loads: Sequence[int], *, slots: int, url: str = "a", noise: float = 0.0, limit_ms: float = 0.0
) -> list[Summary]:
    """A server that answers `slots` requests at once in 1 s each, and lets the others wait; three runs of each load."""
    found, draw = [], random.Random(1)
    for load in loads:
        for _ in range(3):
            off = 1 + draw.uniform(-noise, noise)
            e2e_ms = 1000 * max(1.0, load / slots) * off
            rate = load / (e2e_ms / 1e3)
            settings = {"url": url, "concurrency": load, **({"ttft_limit_ms": limit_ms} if limit_ms else {})}
            found.append(
                run(settings=settings, requests_per_s=rate, output_tokens_per_s=100 * rate, e2e_p50_ms=e2e_ms,
                    ttft_p99_ms=e2e_ms - 900)
            )  # fmt: skip
    return found


def models(runs: list[Summary]) -> list[Model]:
    return [one for one in compared(runs).models if one.kind == "serving"]


def test_the_knee_is_where_requests_begin_to_wait() -> None:
    (found,) = models(server([1, 2, 4, 8, 16, 32], slots=8, noise=0.01))
    assert found.holds and found.figures["knee"] == 8
    assert found.says[0].startswith("the knee is at a concurrency of 8: 801.1 output tokens/s, 100 % of the highest")
    assert len([one for one in found.says if one.startswith("concurrency 16: ")]) == 1


def test_a_server_that_is_not_full_has_no_knee_yet() -> None:
    (found,) = models(server([1, 2, 4], slots=64))
    assert not found.holds and "try higher loads" in found.says[0]


def test_a_server_that_is_full_from_the_start_is_said_to_be() -> None:
    (found,) = models(server([4, 8, 16], slots=2))
    assert not found.holds and "the knee is at a concurrency of 4 or below" in found.says[0]


def test_two_loads_show_no_knee() -> None:
    (found,) = models(server([1, 8], slots=4))
    assert "no knee can be seen in 2 loads" in found.says[0]


def test_noise_is_no_knee() -> None:
    (found,) = models(server([7, 8, 9], slots=8, noise=0.4))
    assert found.figures["knee"] is None


def test_the_highest_load_within_a_limit_is_named() -> None:
    (found,) = models(server([1, 2, 4, 8, 16], slots=4, limit_ms=500.0))
    assert "p99 TTFT stays within 500 ms up to a concurrency of 4 (400 output tokens/s)" in found.says
    (found,) = models(server([8, 16], slots=4, limit_ms=500.0))
    assert "p99 TTFT exceeds 500 ms even at a concurrency of 8 (1,100 ms in the slowest run)" in found.says


def test_each_server_has_a_separate_curve() -> None:
    loads = [1, 2, 4, 8, 16]
    found = models([*server(loads, slots=2, url="metis"), *server(loads, slots=8, url="sophia")])
    assert {one.title.partition("(")[2]: one.figures["knee"] for one in found} == {"url metis)": 2, "url sophia)": 8}


def test_one_load_has_no_curve() -> None:
    assert models(server([4], slots=4)) == []
