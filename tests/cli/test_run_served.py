"""`assay run --serve "COMMAND --port {port}" endpoint …`: server and client are two runs, and the server stops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay
from known import SERVER, serving_known

KNOWN = f"{PYTHON} {SERVER} --port {{port}}"
SHORT = ("model=known", "requests=6", "warmup=1", "input_len=8", "output_len=4")


def summaries(assay: Assay) -> list[dict[str, Any]]:
    """Of all runs: that of the server first, since it began first."""
    paths = sorted(assay.run_dirs(), key=lambda path: path.name.rpartition("-20")[2])
    return [json.loads((path / "summary.json").read_bytes()) for path in paths]


def test_the_server_is_a_run_of_its_own_and_what_it_used_stands_beside_the_latency(assay: Assay) -> None:
    done = assay("run", "--serve", f"{KNOWN} --ready-after 0.3", "endpoint", *SHORT, "model=known/ttft=200")
    assert done.returncode == 0, done.stderr
    server, client = summaries(assay)
    assert (server["status"], client["status"], client["requests"]) == ("completed", "completed", 6)
    assert set(server["phases"]) == {"start", "serve"} and server["phases"]["serve"] > 1
    assert client["metrics"]["server_memory_bytes_max"] > 1e6 and client["metrics"]["server_cpu_s"] >= 0
    assert client["metrics"]["server_start_s"] == pytest.approx(server["phases"]["start"])
    assert b"meanwhile the server" in done.stderr and b"TTFT" in done.stdout


def test_a_grid_of_loads_is_measured_on_one_server(assay: Assay) -> None:
    done = assay("run", "-q", "--serve", KNOWN, "--grid", "concurrency=1,2", "endpoint", *SHORT, "model=known/ttft=200")
    assert done.returncode == 0, done.stderr
    server, *clients = summaries(assay)
    assert "requests" not in server and sorted(run["params"]["concurrency"] for run in clients) == [1, 2]
    assert all(run["metrics"]["server_cpu_s"] >= 0 for run in clients)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--serve", "sh -c 'echo no GPU; exit 3' {port}", "endpoint"], "ended before it was ready: no GPU"),
        (["--serve", "sleep 60 {port}", "endpoint", "ready_s=0.5"], "did not answer within 0.5 s"),
        (["--serve", "true", "endpoint"], "where the server will answer is not known"),
        (["--serve", "true {port}", "mnist"], "--serve starts a server for `endpoint`"),
    ],
)
def test_a_server_that_cannot_be_asked_is_said_so_and_ends(assay: Assay, words: list[str], message: str) -> None:
    done = assay("run", *words)
    assert done.returncode == 125
    assert message in done.stderr.decode()


def test_a_port_that_is_taken_is_not_taken_for_the_new_server(assay: Assay, tmp_path: Path) -> None:
    with serving_known(tmp_path) as other:
        done = assay("run", "--serve", KNOWN.replace("{port}", str(other.port)), "endpoint", f"url={other.url}")
    assert done.returncode == 125 and b"answers at" in done.stderr
    assert assay.run_dirs() == []
