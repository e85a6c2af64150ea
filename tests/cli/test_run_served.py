"""`assay run --serve "COMMAND --port {port}" endpoint …`: server and client are two runs, and the server stops."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay, wait_for
from known import SERVER, serving_known

KNOWN = f"{PYTHON} {SERVER} --port {{port}}"
SHORT = ("model=known", "requests=6", "warmup=1", "input_len=8", "output_len=4")


def summaries(assay: Assay) -> list[dict[str, Any]]:
    """Of all runs: that of the server first, since it began first."""
    paths = sorted(assay.run_dirs(), key=lambda path: path.name.rpartition("-20")[2])
    return [json.loads((path / "summary.json").read_bytes()) for path in paths]


def test_the_server_is_a_separate_run_and_its_use_is_kept_with_the_latency(assay: Assay) -> None:
    done = assay("run", "--serve", f"{KNOWN} --ready-after 0.3", "endpoint", *SHORT, "model=known/ttft=200")
    assert done.returncode == 0, done.stderr
    server, client = summaries(assay)
    own = {path.name for path in assay.run_dirs()}  # the two are measured together on purpose
    assert not own & {one.partition(" ")[2] for run in (server, client) for one in run.get("beside", [])}
    assert (server["status"], client["status"], client["requests"]) == ("completed", "completed", 6)
    assert set(server["phases"]) == {"start", "serve"} and server["phases"]["serve"] > 1
    assert client["metrics"]["server_memory_bytes_max"] > 1e6 and client["metrics"]["server_cpu_s"] >= 0
    assert client["metrics"]["server_start_s"] == pytest.approx(server["phases"]["start"])
    assert b"during the measurement, the server" in done.stderr and b"TTFT" in done.stdout
    shown = assay("show", client["id"]).stdout.decode().splitlines()
    assert client["name"] == "endpoint-in8-out4-requests6"  # of eight settings, the most telling
    (server_line,) = [line for line in shown if line.startswith("  server ")]
    assert server_line.startswith("  server    ready after ") and " of CPU time during the measurement" in server_line
    (latencies,) = [line for line in shown if "ttft_mean_ms = " in line]  # a program reports many figures at once
    assert "e2e_p99_ms = " in latencies and latencies.rstrip().endswith("s after the start")


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
        (["--serve", "no-such-server {port}", "endpoint"], "was ready: cannot start `no-such-server`"),
        (["--serve", "true", "endpoint"], "the address of the server is unknown"),
        (["--serve", "true {port}", "mnist"], "--serve works only with the workload `endpoint`"),
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


def test_a_server_that_never_answers_has_failed(assay: Assay) -> None:
    assert assay("run", "--serve", "sleep 60 {port}", "endpoint", "ready_s=0.5").returncode == 125
    (server,) = summaries(assay)
    assert (server["status"], server["error"]["code"]) == ("failed", "no-answer")


def test_a_server_that_ends_under_load_fails_the_command(assay: Assay) -> None:
    done = assay("run", "--serve", f"{KNOWN} --dies-after 5", "endpoint", *SHORT, "warmup=0")
    assert done.returncode == 1
    assert b"the server ended during the measurement: device lost" in done.stderr
    server, client = summaries(assay)
    assert (server["status"], client["status"]) == ("failed", "completed")
    assert client["requests"] + client["requests_failed"] == 6 and client["requests_failed"]


def test_a_model_that_is_listed_and_still_loads_is_waited_for(assay: Assay) -> None:
    done = assay("run", "--serve", f"{KNOWN} --loads-for 1", "endpoint", *SHORT)
    assert done.returncode == 0, done.stderr
    server, client = summaries(assay)
    assert client["requests_failed"] == 0 and server["phases"]["start"] > 0.5


@pytest.mark.slow  # it is given ten seconds to end by itself
def test_a_server_that_does_not_listen_to_sigterm_is_killed(assay: Assay) -> None:
    done = assay("run", "--serve", f"{KNOWN} --deaf", "endpoint", *SHORT)
    assert done.returncode == 0, done.stderr
    assert b"did not end within 10 s of SIGTERM, so it was killed" in done.stderr
    assert [one["status"] for one in summaries(assay)] == ["completed", "completed"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_is_asked_to_end_takes_the_server_along(assay: Assay, number: signal.Signals) -> None:
    with assay.start("run", "--serve", "sleep 600 {port}", "endpoint", stderr=subprocess.PIPE) as command:
        begun = lambda: any(b'"start"' in path.read_bytes() for path in assay.runs.glob("*/events/*.jsonl"))  # noqa: E731
        wait_for(begun, "the server")
        command.send_signal(number)
        command.communicate(timeout=60)
    assert command.returncode == 128 + number
    (server,) = summaries(assay)
    assert server["status"] == "interrupted"


def test_a_command_that_is_killed_leaves_no_server_and_keeps_what_was_measured(assay: Assay) -> None:
    words = ("--serve", KNOWN, "endpoint", "model=known/ttft=50", "requests=1000000", "warmup=0")
    with assay.start("run", *words, "input_len=8", "output_len=4") as command:
        read = lambda: b"".join(path.read_bytes() for path in assay.runs.glob("endpoint-*/events/*.jsonl"))  # noqa: E731
        wait_for(lambda: b'"index":3' in read() or b'"index": 3' in read(), "a few answers")
        command.kill()
    wait_for(lambda: len(list(assay.runs.glob("*/summary.json"))) == 2, "both runs to end")
    server, client = summaries(assay)
    assert (server["status"], client["status"]) == ("interrupted", "interrupted")
    assert client["requests"] >= 3


@pytest.mark.slow  # it is given five seconds to end by itself
def test_a_server_that_does_not_listen_is_killed_after_a_command_that_was_killed(assay: Assay, tmp_path: Path) -> None:
    log = tmp_path / "answers"
    words = ("--serve", f"{KNOWN} --deaf --log {log}", "endpoint", *SHORT, "requests=1000000", "model=known/ttft=50")
    with assay.start("run", *words) as command:
        wait_for(lambda: log.exists() and log.read_text().count("\n") > 3, "a few answers")
        command.kill()
    wait_for(lambda: len(list(assay.runs.glob("*/summary.json"))) == 2, "both runs to end")
    server, _ = summaries(assay)
    assert (server["status"], server["exit_code"]) == ("interrupted", 128 + signal.SIGKILL)


def test_a_grid_that_was_stopped_can_be_resumed_with_a_new_server(assay: Assay) -> None:
    words = ("--serve", KNOWN, "--grid", "concurrency=1,2", "endpoint", *SHORT)
    assert assay("run", *words).returncode == 0
    done = assay("run", "--resume", *words)
    assert done.returncode == 0, done.stderr
    assert sorted("requests" in one for one in summaries(assay)) == [False, False, True, True]  # none was run again
