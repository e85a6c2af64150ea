"""Result files of aiperf 0.13 and guidellm 0.8, shortened: one run a benchmark, each figure under the name it deserves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reading import holds, json_summaries


def spread(mean: float, p50: float, p99: float, unit: str = "ms") -> dict[str, Any]:
    return {"unit": unit, "avg": mean, "p50": p50, "p90": (p50 + p99) / 2, "p99": p99, "std": 1.0}


AIPERF = {
    "schema_version": "1.4",
    "aiperf_version": "0.13.0",
    "request_throughput": {"unit": "requests/sec", "avg": 12.8},
    "request_latency": spread(609.0, 606.0, 633.0),
    "request_count": {"unit": "requests", "avg": 16.0},
    "time_to_first_token": spread(213.1, 212.0, 225.4),
    "inter_token_latency": spread(20.8, 20.6, 21.6),
    "output_token_throughput": {"unit": "tokens/sec", "avg": 256.1},
    "output_token_throughput_per_user": spread(48.0, 48.0, 49.0, "tokens/sec/user"),
    "inter_chunk_latency": spread(20.8, 19.8, 64.6),
    "benchmark_duration": {"unit": "sec", "avg": 1.245},
    "total_isl": {"unit": "tokens", "avg": 1024.0},
    "total_osl": {"unit": "tokens", "avg": 320.0},
    "decode_duration": spread(395.9, 392.0, 400.0),
    "osl_mismatch_count": {"unit": "requests", "avg": 0.0},
    "total_token_throughput": {"unit": "tokens/sec", "avg": 1075.8},
    "input_token_throughput": {"unit": "tokens/sec", "avg": 819.7},
    "active_decode_throughput": spread(381.6, 413.1, 1416.3, "tokens/sec"),
    "active_prefill_throughput": spread(2366.5, 2297.3, 2518.0, "tokens/sec"),
    "effective_latency": spread(622.3, 619.9, 640.0),
    "input_config": {
        "models": {"items": [{"name": "org/Some-7B"}]},
        "datasets": [{"name": "main", "prompts": {"isl": {"mean": 64.0}, "osl": {"mean": 20.0}}}],
        "phases": [
            {"kind": "warmup", "requests": 2, "concurrency": 4},
            {"kind": "profiling", "requests": 16, "concurrency": 8},
        ],
    },
}


def found(mean: float, median: float, p99: float, **more: float) -> dict[str, Any]:
    known = {"mean": mean, "median": median, "percentiles": {"p50": median, "p90": p99, "p99": p99}, **more}
    return {"successful": known, "errored": {"mean": 0.0}, "total": {**known, "mean": 99.0}}


GUIDELLM = {
    "metadata": {"version": 2, "guidellm_version": "0.8.1"},
    "config": {
        "spec": {
            "backend": {"kind": "openai_http", "model": "org/Some-7B"},
            "data": [{"kind": "synthetic_text", "prompt_tokens": 64, "output_tokens": 20}],
        }
    },
    "benchmarks": [
        {
            "config": {"strategy": {"type_": "concurrent", "streams": 8}},
            "duration": 1.28,
            "metrics": {
                "request_totals": {"successful": 16, "errored": 2, "incomplete": 0, "total": 18},
                "requests_per_second": found(12.5, 3.4, 319.0),
                "request_latency": found(0.595, 0.591, 0.617),
                "prompt_token_count": found(10.4, 10.0, 15.0, total_sum=167.0),
                "output_token_count": found(20.0, 20.0, 20.0, total_sum=320.0),
                "time_to_first_token_ms": found(231.6, 213.3, 290.9),
                "time_per_output_token_ms": found(29.7, 29.4, 30.8),
                "inter_token_latency_ms": found(19.1, 19.9, 20.2),
                "output_tokens_per_second": found(249.7, 177.1, 6026.0),
                "tokens_per_second": found(380.0, 182.2, 12292.0),
            },
            "requests": {
                "successful": [{"request_latency": 0.58, "time_to_first_token_ms": 202.7, "output_tokens": 20}] * 3
            },
        },
        {
            "config": {"strategy": {"type_": "constant", "rate": 4.0}},
            "metrics": {"request_totals": {"successful": 9}, "time_to_first_token_ms": found(40.0, 39.0, 60.0)},
        },
    ],
}  # fmt: skip


def read(folder: Path, document: dict[str, Any]) -> list[dict[str, Any]]:
    file = folder / "result.json"
    file.write_text(json.dumps(document))
    return json_summaries(file, folder / "runs")


def test_aiperf_reports_the_run_and_its_gaps_are_those_between_pieces(tmp_path: Path) -> None:
    (summary,) = read(tmp_path, AIPERF)
    holds(summary, {
        "requests": 16, "requests_per_s": 12.8, "output_tokens_per_s": 256.1, "prompt_tokens_per_s": 819.7,
        "total_tokens_per_s": 1075.8, "wall_s": 1.245, "input_tokens": 1024, "output_tokens": 320,
        "ttft_p50_ms": 212.0, "tpot_p50_ms": 20.6, "tpot_p99_ms": 21.6, "itl_p99_ms": 64.6, "e2e_p50_ms": 606.0,
        "model": "org/Some-7B", "params": {"client": "aiperf", "concurrency": 8, "input_len": 64, "output_len": 20},
    })  # fmt: skip
    assert "latency_ms" not in summary


def test_guidellm_is_a_run_a_benchmark_and_none_a_request(tmp_path: Path) -> None:
    closed, opened = read(tmp_path, GUIDELLM)
    holds(closed, {
        "requests": 16, "requests_failed": 2, "requests_per_s": 12.5, "output_tokens_per_s": 249.7,
        "total_tokens_per_s": 380.0, "wall_s": 1.28, "input_tokens": 167, "output_tokens": 320, "ttft_p50_ms": 213.3,
        "tpot_p50_ms": 19.9, "tpot_p99_ms": 20.2, "e2e_mean_ms": 595.0, "e2e_p99_ms": 617.0, "model": "org/Some-7B",
        "params": {"client": "guidellm", "concurrency": 8, "input_len": 64, "output_len": 20},
    })  # fmt: skip
    assert opened["params"]["request_rate"] == 4.0 and "concurrency" not in opened["params"]
