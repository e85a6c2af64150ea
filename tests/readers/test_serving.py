"""Serving benchmarks as their tools print them, in several versions."""

import json
from pathlib import Path

import pytest
from reading import holds, json_summaries, one, summaries

BLOCK = """============ Serving Benchmark Result ============
Successful requests:                     48
Benchmark duration (s):                  31.40
Total input tokens:                      49152
Total generated tokens:                  6144
Request throughput (req/s):              1.53
Output token throughput (tok/s):         195.67
Total Token throughput (tok/s):          1761.02
---------------Time to First Token----------------
Mean TTFT (ms):                          512.25
Median TTFT (ms):                        498.10
P99 TTFT (ms):                           901.77
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          21.50
Median TPOT (ms):                        21.31
P99 TPOT (ms):                           24.02
---------------Inter-token Latency----------------
Mean ITL (ms):                           21.49
Median ITL (ms):                         20.02
P99 ITL (ms):                            60.33
==================================================
"""
FIGURES = {
    "requests": 48, "wall_s": 31.4, "input_tokens": 49152, "output_tokens": 6144, "requests_per_s": 1.53,
    "output_tokens_per_s": 195.67, "total_tokens_per_s": 1761.02, "ttft_mean_ms": 512.25, "ttft_p50_ms": 498.1,
    "ttft_p99_ms": 901.77, "tpot_mean_ms": 21.5, "tpot_p50_ms": 21.31, "tpot_p99_ms": 24.02, "itl_mean_ms": 21.49,
    "itl_p50_ms": 20.02, "itl_p99_ms": 60.33,
}  # fmt: skip


def test_the_block_of_vllm() -> None:
    summary = one(BLOCK)
    holds(summary, {**FIGURES, "status": "completed", "engine": "vllm"})
    assert "accuracy" not in summary and "tokens_per_s" not in summary


@pytest.mark.parametrize(
    "dress",
    [
        lambda line: f"    {line}",
        lambda line: f"\x1b[32m{line}\x1b[0m",
        lambda line: f"{line}\r",
        lambda line: f"[rank0]: {line}",
        lambda line: f"> {line}",
        lambda line: f"2025-06-01 08:01:02,123 - INFO - {line}",
        lambda line: f"INFO 06-01 08:01:02 [serve.py:612] {line}",
        lambda line: f"bench-1  | {line}",
        lambda line: f"{line}  ",
    ],
    ids=["indented", "coloured", "crlf", "ranked", "quoted", "dated", "logged", "composed", "padded"],
)
def test_what_stands_round_a_line_does_not_matter(dress) -> None:  # type: ignore[no-untyped-def]
    holds(one("\n".join(dress(line) for line in BLOCK.splitlines()) + "\n"), FIGURES)


def test_newer_blocks_count_failures_and_peaks() -> None:
    more = BLOCK.replace(
        "Benchmark duration (s):                  31.40\n",
        "Failed requests:                         2\nMaximum request concurrency:             16\n"
        "Request rate configured (RPS):           4.00\nBenchmark duration (s):                  31.40\n",
    ).replace(
        "Total Token throughput (tok/s):          1761.02\n",
        "Peak output token throughput (tok/s):    384.00\nPeak concurrent requests:                16.00\n"
        "Total token throughput (tok/s):          1761.02\n",
    )
    holds(one(more), {**FIGURES, "requests_failed": 2, "params": {"concurrency": 16, "request_rate": 4.0}})


def test_sglang_names_its_backend_and_the_whole_request() -> None:
    text = BLOCK.replace(
        "Successful requests: ",
        "Backend:                                 sglang-oai\nTraffic request rate:                    inf\n"
        "Max request concurrency:                 32\nSuccessful requests: ",
    ).replace(
        "---------------Time to First Token----------------\n",
        "Input token throughput (tok/s):          1565.35\nConcurrency:                             15.2\n"
        "----------------End-to-End Latency----------------\nMean E2E Latency (ms):                   3240.10\n"
        "Median E2E Latency (ms):                 3201.40\nP90 E2E Latency (ms):                    4000.10\n"
        "P99 E2E Latency (ms):                    4402.00\n---------------Time to First Token----------------\n",
    )
    summary = one(text)
    holds(summary, {**FIGURES, "engine": "sglang", "prompt_tokens_per_s": 1565.35, "e2e_mean_ms": 3240.1,
                    "e2e_p50_ms": 3201.4, "e2e_p90_ms": 4000.1, "e2e_p99_ms": 4402.0})  # fmt: skip
    assert summary["params"] == {"concurrency": 32}


def test_two_blocks_are_two_runs_and_the_servers_averages_none() -> None:
    line = "(APIServer pid=7) INFO 06-01 08:01:02 [loggers.py:123] Engine 000: Avg prompt throughput: 12.0 tokens/s, Avg generation throughput: 240.2 tokens/s, Running: 10 reqs\n"
    found = summaries(BLOCK + line * 3 + BLOCK.replace("512.25", "610.50") + line)
    assert [run["ttft_mean_ms"] for run in found] == [512.25, 610.5]
    assert summaries(line * 5) == []


def test_a_template_is_no_run() -> None:
    import re

    assert summaries(re.sub(r"(?<=: {5})( *)[\d.]+$", r"\1xxx.xx", BLOCK, flags=re.M), "page.md") == []


def test_a_namespace_says_what_was_asked() -> None:
    text = (
        "Namespace(backend='vllm', dataset_name='random', num_prompts=50, random_input_len=1024, random_output_len=128, "
        "sonnet_input_len=550, request_rate=8.0, max_concurrency=16, model='org/Some-7B', seed=0)\n" + BLOCK
    )
    holds(
        one(text),
        {
            "model": "org/Some-7B", "engine": "vllm", "requests": 48, "requests_failed": 2,
            "params": {"num_prompts": 50, "input_len": 1024, "output_len": 128, "request_rate": 8.0, "concurrency": 16},
        },
    )  # fmt: skip


def test_no_request_that_succeeds_is_a_failure() -> None:
    assert (
        one(BLOCK.replace("requests:                     48", "requests:                     0"))["status"] == "failed"
    )


def test_the_command_above_a_block_is_a_claim() -> None:
    page = (
        "## On 8xH100\n\n```bash\nvllm bench serve \\\n  --model org/Some-7B \\\n  --num-prompts 48 \\\n  --request-rate 4 "
        "\\\n  --random-input-len 1024 --random-output-len 128\n```\n\nIt gave:\n\n```\n" + BLOCK + "```\n"
    )
    summary = one(page, "page.md")
    holds(summary, {**FIGURES, "model": "org/Some-7B", "engine": "vllm", "device": "H100", "system": "cuda",
                    "claims": {"num_prompts": 48, "request_rate": 4.0, "input_len": 1024}})  # fmt: skip
    assert "num_prompts" not in summary.get("params", {})


def test_throughput_and_latency_of_vllm() -> None:
    old = one("Throughput: 10.20 requests/s, 5222.40 tokens/s\n")
    holds(old, {"requests_per_s": 10.2, "total_tokens_per_s": 5222.4})
    new = one("INFO done\nThroughput: 10.20 requests/s, 5222.40 total tokens/s, 2611.20 output tokens/s\n"
              "Total num prompt tokens:  25600\nTotal num output tokens:  25600\n")  # fmt: skip
    holds(
        new,
        {"total_tokens_per_s": 5222.4, "output_tokens_per_s": 2611.2, "input_tokens": 25600, "output_tokens": 25600},
    )
    slow = one("Avg latency: 1.5 seconds\n10% percentile latency: 1.4 seconds\n50% percentile latency: 1.49 seconds\n"
               "90% percentile latency: 1.6 seconds\n99% percentile latency: 1.75 seconds\n")  # fmt: skip
    holds(slow, {"latency_ms": 1500.0, "latency_p50_ms": 1490.0, "latency_p90_ms": 1600.0, "latency_p99_ms": 1750.0})


def test_one_batch_of_sglang_without_its_warm_up() -> None:
    text = (
        "Warmup ...\nPrefill. latency: 0.20000 s, throughput:   5120.00 token/s\n"
        "Decode.  median latency: 0.00900 s, median throughput:    111.11 token/s\n"
        "Total. latency:  0.400 s, throughput:   2600.00 token/s\nBenchmark ...\n"
        "Prefill. latency: 0.10000 s, throughput:  10240.00 token/s\nDecode.  latency: 0.00810 s, throughput:    123.46 token/s\n"
        "Decode.  median latency: 0.00800 s, median throughput:    125.00 token/s\n"
        "Total. latency:  0.356 s, throughput:   2966.29 token/s\n"
    )
    holds(one(text), {"engine": "sglang", "prompt_tokens_per_s": 10240.0, "output_tokens_per_s": 125.0,
                      "total_tokens_per_s": 2966.29, "latency_ms": 356.0, "itl_p50_ms": 8.0})  # fmt: skip


def test_trtllm_bench_with_streaming() -> None:
    text = """===========================================================
= PYTORCH BACKEND
===========================================================
Model:                  org/Some-8B
Model Path:             None
TensorRT-LLM Version:   0.20.0rc3

===========================================================
= REQUEST DETAILS
===========================================================
Number of requests:             512
Number of concurrent requests:  63.2
Average Input Length (tokens):  1024.0000
Average Output Length (tokens): 256.0000
===========================================================
= PERFORMANCE OVERVIEW
===========================================================
Request Throughput (req/sec):                     20.5000
Total Output Throughput (tokens/sec):             5248.0000
Total Token Throughput (tokens/sec):              26240.0000
Total Latency (ms):                               24975.6100
Average request latency (ms):                     3080.1000
Per User Output Throughput [w/ ctx] (tps/user):   83.1000
Per GPU Output Throughput (tps/gpu):              2624.0000
Average time-to-first-token [TTFT] (ms):          140.2000
Average time-per-output-token [TPOT] (ms):        11.5300

-- Request Latency Breakdown (ms) -----------------------

[Latency] P50    : 3070.5
[Latency] P90    : 3300.1
[Latency] P95    : 3400.1
[Latency] P99    : 3500.7
[Latency] MINIMUM: 2900.1
[Latency] MAXIMUM: 3600.2
[Latency] AVERAGE: 3080.1
"""
    summary = one(text)
    holds(summary, {"model": "org/Some-8B", "engine": "TensorRT-LLM", "requests": 512, "requests_per_s": 20.5,
                    "output_tokens_per_s": 5248.0, "total_tokens_per_s": 26240.0, "e2e_mean_ms": 3080.1, "wall_s": 24.97561,
                    "e2e_p50_ms": 3070.5, "e2e_p99_ms": 3500.7, "ttft_mean_ms": 140.2, "tpot_mean_ms": 11.53,
                    "params": {"input_len": 1024, "output_len": 256, "num_prompts": 512}})  # fmt: skip
    assert "latency_ms" not in summary


AIPERF_CSV = """Metric,avg,min,max,p1,p5,p10,p25,p50,p75,p90,p95,p99,std
Inter Token Latency (ms),11.23,8.80,13.17,9.1,10.2,10.6,10.9,11.2,11.37,11.73,11.9,12.48,0.45
Output Token Throughput Per User (tokens/sec/user),89.23,75.93,113.60,77,80,84,88,89,90.29,90.91,95,102.28,3.70
Request Latency (ms),"1,487.30",267.07,769.57,270,300,400,450,"1,480.10",536.17,580.83,600,"1,715.99",79.60
Time to First Token (ms),18.26,11.22,106.32,11.3,12,12.5,14,15.5,16.62,27.76,40,68.82,12.07

Metric,Value
Output Token Throughput (tokens/sec),"10,944.03"
Request Count,711.00
Request Throughput (requests/sec),255.54
"""


def test_the_csv_of_aiperf_is_one_run() -> None:
    holds(one(AIPERF_CSV, "profile_export_aiperf.csv"),
          {"itl_mean_ms": 11.23, "itl_p50_ms": 11.2, "itl_p90_ms": 11.73, "itl_p99_ms": 12.48, "e2e_mean_ms": 1487.3,
           "e2e_p50_ms": 1480.1, "e2e_p99_ms": 1715.99, "ttft_mean_ms": 18.26, "ttft_p50_ms": 15.5, "ttft_p99_ms": 68.82,
           "output_tokens_per_s": 10944.03, "requests": 711, "requests_per_s": 255.54})  # fmt: skip


def test_the_table_of_genai_perf_in_any_drawing() -> None:
    rows = [
        ("Statistic", "avg", "min", "max", "p99", "p90", "p50"), ("Time to first token (ms)", "55.1", "50", "60", "59.9", "58", "55"),
        ("Inter token latency (ms)", "9.5", "9", "10", "9.99", "9.9", "9.4"), ("Request latency (ms)", "1,204.5", "1", "2", "1,300", "1,250", "1,200"),
        ("Output token throughput (per sec)", "812.4", "N/A", "N/A", "N/A", "N/A", "N/A"), ("Request throughput (per sec)", "6.3", "N/A", "N/A", "N/A", "N/A", "N/A"),
    ]  # fmt: skip
    expected = {"ttft_mean_ms": 55.1, "ttft_p50_ms": 55.0, "itl_p99_ms": 9.99, "e2e_p99_ms": 1300.0,
                "output_tokens_per_s": 812.4, "requests_per_s": 6.3}  # fmt: skip
    drawn = "\n".join("│ " + " │ ".join(row) + " │" for row in rows)
    barred = "\n".join(
        ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * 7, *("| " + " | ".join(row) + " |" for row in rows[1:])]
    )
    holds(one(drawn), expected)
    holds(one(f"# Results\n\n{barred}\n", "page.md"), expected)


@pytest.mark.parametrize("form", ["object", "list", "lines"])
def test_results_as_json(tmp_path: Path, form: str) -> None:
    result = {
        "date": "20250601-080102", "backend": "vllm", "model_id": "org/Some-7B", "num_prompts": 48, "request_rate": "inf",
        "max_concurrency": 16, "duration": 31.4, "completed": 48, "total_input_tokens": 49152, "total_output_tokens": 6144,
        "request_throughput": 1.53, "request_goodput": None, "output_throughput": 195.67, "total_token_throughput": 1761.02,
        "mean_ttft_ms": 512.25, "median_ttft_ms": 498.1, "std_ttft_ms": 80.1, "p99_ttft_ms": 901.77, "mean_tpot_ms": 21.5,
        "median_tpot_ms": 21.31, "p99_tpot_ms": 24.02, "mean_itl_ms": 21.49, "median_itl_ms": 20.02, "p99_itl_ms": 60.33,
        "mean_e2el_ms": 3240.1, "p99_e2el_ms": 4402.0, "input_lens": [1024] * 48,
    }  # fmt: skip
    other = {**result, "mean_ttft_ms": 600.0}
    texts = {"object": json.dumps(result, indent=2), "list": json.dumps([result, other]),
             "lines": json.dumps(result) + "\n" + json.dumps(other) + "\n"}  # fmt: skip
    file = tmp_path / f"vllm.{'jsonl' if form == 'lines' else 'json'}"
    file.write_text(texts[form])
    found = json_summaries(file, tmp_path / "runs")
    assert len(found) == (1 if form == "object" else 2)
    holds(found[0], {**FIGURES, "model": "org/Some-7B", "engine": "vllm", "e2e_mean_ms": 3240.1, "e2e_p99_ms": 4402.0,
                     "params": {"num_prompts": 48, "concurrency": 16}})  # fmt: skip
    assert "request_rate" not in found[0]["params"]


def test_statistics_inside_objects(tmp_path: Path) -> None:
    exported = {
        "request_throughput": {"unit": "requests/sec", "avg": 6.3},
        "time_to_first_token": {"unit": "ms", "avg": 55.1, "p50": 55.0, "p99": 59.9, "min": 50.0},
        "inter_token_latency": {"unit": "ms", "avg": 9.5, "p99": 9.99},
        "request_latency": {"unit": "ms", "avg": 1204.5, "p90": 1250.0, "p99": 1300.0},
        "output_token_throughput": {"unit": "tokens/sec", "avg": 812.4},
        "output_token_throughput_per_user": {"unit": "tokens/sec/user", "avg": 99.4, "p99": 101.0},
        "request_count": {"unit": "count", "avg": 100},
        "input_config": {"model_names": ["org/Some-7B"], "concurrency": 8},
    }
    file = tmp_path / "profile_export_genai_perf.json"
    file.write_text(json.dumps(exported, indent=1))
    (summary,) = json_summaries(file, tmp_path / "runs")
    holds(summary, {"ttft_mean_ms": 55.1, "ttft_p50_ms": 55.0, "ttft_p99_ms": 59.9, "itl_p99_ms": 9.99, "requests": 100,
                    "e2e_p90_ms": 1250.0, "output_tokens_per_s": 812.4, "requests_per_s": 6.3, "model": "org/Some-7B",
                    "params": {"concurrency": 8}})  # fmt: skip


def test_llama_bench_in_every_form(tmp_path: Path) -> None:
    table = (
        "ggml_cuda_init: found 1 CUDA devices:\n  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes\n"
        "| model         |     size | params | backend    | threads | type_k | test          |             t/s |\n"
        "| ------------- | -------: | -----: | ---------- | ------: | -----: | ------------: | --------------: |\n"
        "| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA       |       8 |   q8_0 |         pp512 | 5000.12 ± 12.10 |\n"
        "| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA       |       8 |   q8_0 |         tg128 |   140.50 ± 0.42 |\n"
        "| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA       |       8 |   q8_0 |   pp512+tg128 |   610.00 ± 1.00 |\n"
        "| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA       |       8 |   q8_0 | pp512 @ d4096 | 3000.00 ± 1.00 |\n"
        "\nbuild: 1234567 (4321)\n"
    )
    for name, text in (("a.log", table), ("a.md", f"# Bench\n\n{table}"), ("b.md", f"# Bench\n\n```\n{table}```\n")):
        found = summaries(text, name)
        assert len(found) == 4, name
        holds(found[0], {"model": "llama 7B Q4_0", "engine": "llama.cpp", "prompt_tokens_per_s": 5000.12,
                         "params": {"input_len": 512, "threads": 8}})  # fmt: skip
        holds(found[1], {"output_tokens_per_s": 140.5, "params": {"output_len": 128}})
        holds(found[2], {"total_tokens_per_s": 610.0})
        assert "input_len" not in found[1]["params"]
    rows = [{"build_commit": "1234567", "gpu_info": "NVIDIA GeForce RTX 4090", "model_type": "llama 7B Q4_0", "n_threads": 8,
             "n_gpu_layers": 99, "n_prompt": prompt, "n_gen": gen, "avg_ns": 1, "avg_ts": rate, "stddev_ts": 0.1}
            for prompt, gen, rate in ((512, 0, 5000.12), (0, 128, 140.5))]  # fmt: skip
    csv = ",".join(rows[0]) + "\n" + "\n".join(",".join(f'"{one}"' for one in row.values()) for row in rows) + "\n"
    for name, text in (
        ("x.json", json.dumps(rows, indent=2)),
        ("x.jsonl", "\n".join(map(json.dumps, rows))),
        ("x.csv", csv),
    ):
        (tmp_path / name).write_text(text)
        found = json_summaries(tmp_path / name, tmp_path / "runs")
        assert len(found) == 2, name
        holds(found[0], {"prompt_tokens_per_s": 5000.12, "device": "NVIDIA GeForce RTX 4090",
                         "params": {"ngl": 99, "input_len": 512, "threads": 8}})  # fmt: skip
        holds(found[1], {"output_tokens_per_s": 140.5, "params": {"output_len": 128}})


@pytest.mark.parametrize("mark", ["llama_print_timings: ", "llama_perf_context_print: ", "common_perf_print: "])
def test_timings_of_llama_cpp(mark: str) -> None:
    lines = [
        "       load time =     812.34 ms", "prompt eval time =     149.65 ms /    23 tokens (    6.51 ms per token,   153.69 tokens per second)",
        "       eval time =    1210.11 ms /    99 runs   (   12.22 ms per token,    81.81 tokens per second)",
        "      total time =    1402.20 ms /   122 tokens",
    ]  # fmt: skip
    text = "".join(f"{mark}{line}\n" for line in lines)
    holds(one(text), {"engine": "llama.cpp", "input_tokens": 23, "prompt_tokens_per_s": 153.69, "output_tokens": 99,
                      "output_tokens_per_s": 81.81, "wall_s": 1.4022})  # fmt: skip
    assert len(summaries(text * 2)) == 2


def test_answers_of_ollama() -> None:
    text = (
        "$ ollama run --verbose some:7b\nOf course. An eval rate of 12 is fine.\n\ntotal duration:       1m2.5s\n"
        "load duration:        43.1ms\nprompt eval count:    26 token(s)\nprompt eval duration: 300ms\n"
        "prompt eval rate:     86.67 tokens/s\neval count:           298 token(s)\neval duration:        4.1s\n"
        "eval rate:            72.68 tokens/s\n"
    )
    holds(one(text), {"engine": "ollama", "wall_s": 62.5, "input_tokens": 26, "prompt_tokens_per_s": 86.67,
                      "output_tokens": 298, "output_tokens_per_s": 72.68})  # fmt: skip


MLPERF = """================================================
MLPerf Results Summary
================================================
SUT name : LWIS_Server
Scenario : {scenario}
Mode     : PerformanceOnly
{rate}
Result is : {verdict}
  Min duration satisfied : Yes
  Min queries satisfied : Yes

================================================
Additional Stats
================================================
Min latency (ns)                : 400000
Max latency (ns)                : 900000
Mean latency (ns)               : 500000
50.00 percentile latency (ns)   : 490000
90.00 percentile latency (ns)   : 600000
99.00 percentile latency (ns)   : 800000
99.90 percentile latency (ns)   : 850000

================================================
Test Parameters Used
================================================
samples_per_query : 1
target_qps : 2000
target_latency (ns): 15000000
"""


def test_mlperf_by_scenario() -> None:
    offline = one(
        MLPERF.format(scenario="Offline", rate="Samples per second: 13594.4", verdict="VALID"), "mlperf_log_summary.txt"
    )
    holds(offline, {"samples_per_s": 13594.4, "latency_ms": 0.5, "latency_p99_ms": 0.8, "status": "completed",
                    "params": {"scenario": "Offline"}})  # fmt: skip
    single = one(MLPERF.format(scenario="SingleStream", rate="90th percentile latency (ns) : 600000", verdict="VALID"))
    assert single["latency_p90_ms"] == 0.6 and "samples_per_s" not in single
    server = one(MLPERF.format(scenario="Server", rate="Scheduled samples per second : 1999.01", verdict="INVALID"))
    assert "samples_per_s" not in server and server["error"]["code"] == "threshold"


def test_a_table_of_a_page_is_a_run_to_a_row() -> None:
    page = """# Load test

| Concurrency | Mean TTFT (ms) | P99 TTFT (ms) | Mean TPOT (ms) | Output throughput (tok/s) | Req/s |
|---:|---:|---:|---:|---:|---:|
| 1 | 45.1 | 60.2 | 8.1 | 120.4 | 0.9 |
| **16** | 80.3 | 140.9 | 11.2 | 1,310.7 | 10.2 |
"""
    found = summaries(page, "page.md")
    assert [run["params"]["concurrency"] for run in found] == [1, 16]
    holds(found[1], {"ttft_mean_ms": 80.3, "ttft_p99_ms": 140.9, "tpot_mean_ms": 11.2, "output_tokens_per_s": 1310.7,
                     "requests_per_s": 10.2})  # fmt: skip


def test_plain_percentiles_need_units_and_company() -> None:
    found = one("Requests per second: 812.4\np50 latency: 12.5 ms\np90 latency: 20 ms\np99 latency: 0.0481 s\n")
    holds(found, {"requests_per_s": 812.4, "latency_p50_ms": 12.5, "latency_p90_ms": 20.0, "latency_p99_ms": 48.1})
    assert summaries("p99 latency: 12.5\n") == []


def test_a_training_log_stays_what_it_is() -> None:
    text = "".join(f"step {i} loss {2 - i / 10} throughput: {100 + i} samples/s latency: 5 ms\n" for i in range(8))
    (run,) = summaries(text)
    assert run["loss"] == pytest.approx(1.3) and "ttft_mean_ms" not in run


def test_llmperf_on_the_terminal() -> None:
    part = "    p25 = 0.1\n    p50 = {0}\n    p90 = 0.3\n    p99 = 0.35\n    mean = {1}\n    stddev = 0.01\n"
    text = (
        "\\Results for token benchmark for org/Some-70B queried with the openai api.\n\n"
        "inter_token_latency_s\n" + part.format(0.005, 0.0054) + "ttft_s\n" + part.format(0.22, 0.228)
        + "end_to_end_latency_s\n" + part.format(0.8, 0.815) + "request_output_throughput_token_per_s\n" + part.format(180, 184)
        + "Number Of Errored Requests: 1\nOverall Output Throughput: 441.8\nNumber Of Completed Requests: 149\n"
        "Completed Requests Per Minute: 180.0\n"
    )  # fmt: skip
    holds(one(text), {"model": "org/Some-70B", "itl_mean_ms": 5.4, "itl_p50_ms": 5.0, "ttft_p50_ms": 220.0, "ttft_p99_ms": 350.0,
                      "e2e_mean_ms": 815.0, "output_tokens_per_s": 441.8, "requests": 149, "requests_failed": 1,
                      "requests_per_s": 3.0})  # fmt: skip


def test_batches_of_llama_cpp() -> None:
    text = (
        "|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |    S t/s |\n"
        "|-------|--------|------|--------|----------|----------|----------|----------|----------|----------|\n"
        "|   128 |    128 |    1 |    256 |    0.108 |  1186.64 |    3.079 |    41.57 |    3.187 |    80.32 |\n"
        "|   128 |    128 |    2 |    512 |    0.198 |  1295.19 |    5.029 |    50.90 |    5.227 |    97.95 |\n"
    )
    first, second = summaries(text)
    holds(first, {"prompt_tokens_per_s": 1186.64, "output_tokens_per_s": 41.57, "total_tokens_per_s": 80.32})
    holds(second, {"params": {"batch_size": 2, "input_len": 128, "output_len": 128}})


def test_the_latency_report_of_trtllm_bench() -> None:
    text = """===========================================================
= ENGINE DETAILS
===========================================================
Model:                  org/Some-8B
===========================================================
= GENERAL OVERVIEW
===========================================================
Number of requests:             100
Average Input Length (tokens):  128.0000
Average Output Length (tokens): 64.0000
Average request latency (ms):   812.4000
===========================================================
= THROUGHPUT OVERVIEW
===========================================================
Request Throughput (req/sec):             1.2300
Total Token Throughput (tokens/sec):      236.1600
Generation Token Throughput (tokens/sec): 78.7200
===========================================================
= LATENCY OVERVIEW
===========================================================
Total Latency (ms):               81240.0000
Average time-to-first-token (ms): 31.2000
Average inter-token latency (ms): 12.4000
"""
    holds(one(text), {"requests": 100, "e2e_mean_ms": 812.4, "requests_per_s": 1.23, "total_tokens_per_s": 236.16, "wall_s": 81.24,
                      "output_tokens_per_s": 78.72, "ttft_mean_ms": 31.2, "itl_mean_ms": 12.4})  # fmt: skip


def test_a_configuration_deep_inside_an_export(tmp_path: Path) -> None:
    exported = {
        "input_config": {"endpoint": {"model_names": ["org/Some-7B"]}, "loadgen": {"concurrency": 10}},
        "records": {
            "ttft": {"tag": "ttft", "unit": "ms", "header": "Time to First Token", "avg": 18.2, "p99": 68.8},
            "request_latency": {"tag": "request_latency", "unit": "ms", "avg": 487.3, "p50": 480.0},
            "request_throughput": {"unit": "requests/sec", "avg": 20.5},
        },
    }
    file = tmp_path / "profile_export_aiperf.json"
    file.write_text(json.dumps(exported))
    (summary,) = json_summaries(file, tmp_path / "runs")
    holds(summary, {"ttft_mean_ms": 18.2, "ttft_p99_ms": 68.8, "e2e_p50_ms": 480.0, "requests_per_s": 20.5,
                    "model": "org/Some-7B", "params": {"concurrency": 10}})  # fmt: skip


def test_a_variable_in_a_command_names_nothing() -> None:
    page = "```bash\nvllm bench serve --model $MODEL --num-prompts $N --request-rate 4\n```\n\n```\n" + BLOCK + "```\n"
    summary = one(page, "page.md")
    assert "model" not in summary and summary["claims"] == {"request_rate": 4.0}


def test_nanoseconds_of_an_older_genai_perf() -> None:
    text = (
        "                                   LLM Metrics\n"
        "┃                Statistic ┃         avg ┃         min ┃         max ┃         p99 ┃\n"
        "│ Time to first token (ns) │  13,266,974 │  11,818,732 │  18,351,779 │  16,513,479 │\n"
        "│ Request latency (ns)     │ 204,300,000 │ 200,000,000 │ 210,000,000 │ 209,000,000 │\n"
        "│         Num output token │         116 │         115 │         118 │         117 │\n"
        "Output token throughput (per sec): 1,203.15\nRequest throughput (per sec): 10.31\n"
    )
    holds(one(text), {"ttft_mean_ms": 13.266974, "ttft_p99_ms": 16.513479, "e2e_mean_ms": 204.3, "output_tokens_per_s": 1203.15,
                      "requests_per_s": 10.31, "params": {"output_len": 116}})  # fmt: skip


def test_the_older_benchmark_of_tensorrt_llm() -> None:
    text = (
        "[BENCHMARK] model_name gpt_350m world_size 1 batch_size 4 input_length 60 output_length 20 gpu_peak_mem(gb) 4.2 "
        "build_time(s) 25 tokens_per_sec 483.54 percentile99(ms) 42.1 latency(ms) 41.362\n"
    )
    holds(one(text), {"model": "gpt_350m", "output_tokens_per_s": 483.54, "latency_ms": 41.362, "latency_p99_ms": 42.1,
                      "params": {"batch_size": 4, "input_len": 60, "output_len": 20}})  # fmt: skip
