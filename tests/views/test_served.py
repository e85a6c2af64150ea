"""What a person sees of serving and of a job."""

from pathlib import Path

from conftest import Assay

BLOCK = """============ Serving Benchmark Result ============
Successful requests:                     48
Failed requests:                         2
Benchmark duration (s):                  31.40
Output token throughput (tok/s):         195.67
Mean TTFT (ms):                          512.25
P99 TTFT (ms):                           901.77
==================================================
"""
SEFF = """Job ID: 4711
State: TIMEOUT (exit code 0)
Nodes: 2
Cores per node: 16
CPU Efficiency: 50.10% of 2-04:00:00 core-walltime
Memory Efficiency: 19.53% of 64.00 GB
"""


def test_a_benchmark_is_shown_with_its_rates_and_latencies(assay: Assay, tmp_path: Path) -> None:
    log = tmp_path / "bench.log"
    log.write_text(BLOCK)
    assay("ingest", log)
    shown = assay("show", "last").stdout.decode()
    assert "48 requests, 2 failed · 195.67 output tokens/s" in shown
    assert "TTFT      512.25 ms mean, 901.77 ms p99" in shown
    assert "how = None" not in shown


def test_a_job_is_shown_with_what_it_asked_for_and_used(assay: Assay, tmp_path: Path) -> None:
    log = tmp_path / "seff.txt"
    log.write_text(SEFF)
    assay("ingest", log)
    shown = assay("show", "last").stdout.decode()
    assert "job-4711" in shown and "error     time-limit" in shown
    assert "4711 · asked for 32 CPUs, 2 nodes, 64 GiB · used 50 % of the CPU time and 20 % of the memory" in shown
