"""Servers at unequal work are not judged, and the comparison says what would make them comparable."""

from __future__ import annotations

from typing import Any

import pytest
from making import compared, run

from assay.model.summary import Summary


def served(url: str, **more: Any) -> Summary:
    settings = {"url": url, "concurrency": 8, **more.pop("settings", {})}
    figures = {"ttft_p50_ms": 40.0, "ttft_p99_ms": 90.0, "tpot_p50_ms": 8.0, "e2e_p50_ms": 900.0}
    base = {"requests": 100, "output_tokens": 12_800, "input_tokens": 51_200, "requests_per_s": 9.0}
    return run(settings={name: value for name, value in settings.items() if value}, **{**base, **figures, **more})


def told(one: Summary, other: Summary) -> dict[str, str]:
    """Why each figure of the second is not compared with the first."""
    found = compared([one, other], baseline="url=metis")
    return {one.figure.name: one.text for one in found.verdicts if one.text.startswith("not compared")}


def test_answers_of_other_lengths_are_compared_in_what_a_length_does_not_change() -> None:
    found = told(served("metis", output_tokens=20_600), served("sophia", output_tokens=15_400))
    assert found.keys() == {"e2e_p50_ms", "requests_per_s"}
    assert found["e2e_p50_ms"] == (
        "not compared: 154 against 206 output tokens per request; ask both for the same output_len"
    )


def test_prompts_of_other_lengths_have_another_time_to_the_first_token() -> None:
    found = told(served("metis"), served("sophia", input_tokens=10_000))
    assert "100 against 512 prompt tokens per request" in found["ttft_p50_ms"] and "tpot_p50_ms" not in found


def test_a_closed_loop_is_not_an_open_one() -> None:
    found = told(served("metis"), served("sophia", settings={"concurrency": None, "request_rate": 4.0}))
    assert "a closed loop against an open one" in found["tpot_p50_ms"] and "ttft_p50_ms" in found


@pytest.mark.parametrize("other", [{"url": "sophia"}, {"url": "metis", "model": "b"}])
def test_servers_under_other_loads_are_not_compared(other: dict[str, str]) -> None:
    """A result of another client may not say which server it is of; its model tells."""
    found = compared([served("metis", model="a"), served(**{"model": "a", **other}, settings={"concurrency": 16})])
    assert {one.text for one in found.verdicts} == {
        "not compared: a concurrency of 16 against 8; give both the same load"
    }


def test_what_another_metric_says_of_every_server_has_no_column() -> None:
    more = {
        "wall_s": 9.0,
        "memory_bytes_max": 26e6,
        "output_tokens_per_s": 1100.0,
        "ttft_mean_ms": 45.0,
        "itl_mean_ms": 8.0,
        "itl_p50_ms": 8.0,
    }
    shown = [one.name for one in compared([served("metis", **more), served("sophia", **more)]).columns]
    assert shown[:4] == ["output_tokens_per_s", "ttft_p50_ms", "ttft_p99_ms", "tpot_p50_ms"]
    assert not {"requests_per_s", "ttft_mean_ms", "itl_mean_ms", "itl_p50_ms"} & set(shown)
    assert not {"wall_s", "memory_bytes_max"} & set(shown)  # they are those of the client
    lone = [one.name for one in compared([served("metis", **more), served("sophia")]).columns]
    assert "requests_per_s" in lone and "output_tokens_per_s" not in lone  # of the second, no token rate is known


def test_a_p99_of_few_requests_is_not_one_of_many() -> None:
    found = told(served("metis"), served("sophia", requests=10, output_tokens=1_280, input_tokens=5_120))
    assert found == {"ttft_p99_ms": "not compared: a p99 of 10 requests against one of 100; send the same number"}


def test_equal_work_is_judged_and_so_are_lengths_that_are_studied_on_one_server() -> None:
    assert told(served("metis"), served("sophia")) == {}
    long = served("metis", settings={"output_len": 256}, output_tokens=25_600)
    found = compared([served("metis", settings={"output_len": 128}), long])
    assert not any(one.text.startswith("not compared") for one in found.verdicts)


def test_calls_of_an_engine_have_the_names_of_requests_beside_a_server_and_not_alone() -> None:
    chip = {"latency_ms": 0.05, "inferences_per_s": 19_253.0, "system": "groq"}
    ours = {"latency_ms": 2.0, "latency_p50_ms": 1.9, "latency_p99_ms": 3.0, "inferences_per_s": 500.0, "model": "bert"}
    found = compared([run(**chip), run(**ours), served("metis", e2e_mean_ms=910.0)])
    assert {"e2e_mean_ms", "e2e_p50_ms", "requests_per_s"} <= {one.name for one in found.columns}
    rows = {row.summary.latency_ms: row.figures for row in found.rows}
    assert rows[0.05]["e2e_mean_ms"] == 0.05 and rows[2.0]["e2e_p99_ms"] == 3.0
    assert "the calls of 2 runs are one at a time" in " ".join(found.notes)
    assert "one of them generates text" in " ".join(one.text for one in found.verdicts)
    alone = compared([run(**chip), run(**ours)])
    assert not any(one.name.startswith("e2e") for one in alone.columns)


@pytest.mark.parametrize("batch", [8, 64])
def test_calls_of_many_inputs_are_no_requests(batch: int) -> None:
    many = run(latency_ms=2.0, inferences_per_s=4000.0, settings={"inference_batch": batch})
    found = compared([many, served("metis", e2e_mean_ms=910.0)])
    assert all("e2e_mean_ms" not in row.figures for row in found.rows if row.summary.latency_ms)
