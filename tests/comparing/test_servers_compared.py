"""Two servers at one load: all their requests against each other, with the runs that they came in."""

from __future__ import annotations

import random
from typing import Any

import pytest
from making import compared, run

from assay.comparing.comparison import Comparison
from assay.comparing.models.base import Model
from assay.model.summary import Summary
from assay.stats.nested import quantile_ratio
from assay.views.answer import answers
from assay.views.answer_served import by_load
from assay.views.comparison_files import as_markdown
from assay.views.judging import spelled_out

Told = dict[str, list[dict[str, Any]]]


def served(
    url: str,
    ttft_ms: float,
    itl_ms: float,
    *,
    seed: int,
    tokens: int = 20,
    count: int = 60,
    load: int = 8,
    **figures: float,
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
    figures = {"requests_per_s": 5.0, **figures}
    one = run(settings={"url": url, "concurrency": load}, requests=count, output_tokens=tokens * count, **figures)
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
    assert "answers of different lengths" in found.says[0]
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


def test_the_answer_names_each_thing_that_a_server_does_once() -> None:
    figures = {f"{name}_{key}_ms": 5.0 for name in ("ttft", "tpot", "itl", "e2e") for key in ("mean", "p50", "p99")}
    rates = {"requests_per_s": 9.0, "output_tokens_per_s": 900.0, "total_tokens_per_s": 990.0}
    runs = [
        run(settings={"url": url}, requests=100, **{k: v * factor * more for k, v in {**figures, **rates}.items()})
        for url, factor in (("metis", 1.0), ("sophia", 2.0))
        for more in (1.0, 1.01)
    ]
    said = [line.partition(" is ")[0] for line in answers(compared(runs))]
    assert said == [
        "Output token rate", "Median time to first token", "P99 time to first token", "Median time per output token",
        "Median request latency", "P99 request latency",
    ]  # fmt: skip


def over_loads(**wish: Any) -> Comparison:
    """Two servers at three loads, three runs of each."""
    runs = [
        served(
            url, ttft_ms, 20.0, seed=seed, load=load, output_tokens_per_s=rate + seed, e2e_p50_ms=1e5 * load / rate,
            memory_bytes_max=1e6 * load + seed,
        )
        for url, ttft_ms in (("metis", 100.0), ("sophia", 150.0))
        for load, rate in ((1, 100.0), (4, 390.0), (16, 400.0))
        for seed in range(3)
    ]  # fmt: skip
    told = {key: lines for _, events in runs for key, lines in events.items()}
    return compared([summary for summary, _ in runs], told, **wish)


def test_the_answer_over_several_loads_is_the_knee_and_the_difference_at_each_load() -> None:
    said = answers(over_loads())
    assert [line.partition(",")[0] for line in said[:2]] == ["On metis", "On sophia"]
    assert "the knee is at a concurrency of 4: 391 output tokens/s" in said[0]
    assert said[2].startswith("Median TTFT: sophia has 1.") and said[2].endswith("significant at every load.")
    assert not any(line.startswith("Output token rate") for line in said)


def test_several_loads_are_a_line_each_and_not_every_combination_against_one_of_them() -> None:
    found = over_loads()
    assert spelled_out(found) == [] and "tradeoff" not in {one.kind for one in found.models}
    (gathered,) = [one for one in by_load(found.models) if one.kind == "servers"]
    assert gathered.title.startswith("requests of sophia relative to those of metis")
    assert [line.partition(":")[0] for line in gathered.says] == ["concurrency 1", "concurrency 4", "concurrency 16"]
    assert all("median TTFT 1." in line and "(" in line for line in gathered.says)
    assert len(as_markdown(found).splitlines()) < 40


def test_metrics_and_a_baseline_that_someone_chose_are_listed_for_every_combination() -> None:
    assert spelled_out(over_loads(columns=["output_tokens_per_s"])) == ["output_tokens_per_s"]
    assert "output_tokens_per_s" in spelled_out(over_loads(baseline="concurrency 4 · url sophia"))
