"""`assay run endpoint …` against a server that does what it is told and dates what it does."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from conftest import Assay, wait_for
from known import Known, client, environment, serving_known, words
from known_server import FAULTS

from assay.serving import endpoint
from assay.serving.program import Failure


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Known]:
    with serving_known(tmp_path_factory.mktemp("known")) as server:
        yield server


@pytest.fixture(autouse=True)
def forget(request: pytest.FixtureRequest) -> None:
    """What the server said of an earlier test."""
    if "known" in request.fixturenames:
        request.getfixturevalue("known").answers()


def measured(folder: Path, *settings: str, **options: Any) -> tuple[dict[str, Any], list[dict[str, Any]], Any]:
    """(its result, its requests, the process), heard as a recorder hears them, without one."""
    env = environment(ASSAY_EVENTS=str(folder / "events.jsonl"), **options.pop("env", {}))
    done = client(*settings, env=env, **{"timeout": 90, **options})
    events = [json.loads(line) for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]
    result: dict[str, Any] = {}
    for event in events:
        result.update(event if event["kind"] == "result" else {})
    return result, [one for one in events if one["kind"] == "request"], done


def test_a_recorded_run_has_the_names_that_the_readers_of_other_benchmarks_give(assay: Assay, known: Known) -> None:
    done = assay(
        "run", "endpoint", f"url={known.url}", "concurrency=4", "requests=12", "output_len=16", "input_len=64",
        "ttft_limit_ms=60000", "model=known/itl=2",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    summary, events = assay.summary(), assay.events()
    assert (summary["status"], summary["model"], summary["requests"]) == ("completed", "known/itl=2", 12)
    assert (summary["output_tokens"], summary["input_tokens"]) == (12 * 16, 12 * 64)
    assert summary["system"] == "generic"  # as of other clients' results: what the server runs on is not known
    for name in ("ttft", "tpot", "itl", "e2e"):
        assert 0 <= summary[f"{name}_p50_ms"] <= summary[f"{name}_p90_ms"] <= summary[f"{name}_p99_ms"]
    assert summary["requests_per_s"] == pytest.approx(12 / summary["metrics"]["measured_s"], rel=1e-3)
    assert summary["metrics"]["goodput_requests_per_s"] == pytest.approx(summary["requests_per_s"])
    assert set(summary["phases"]) == {"load", "probe", "warmup", "measure"}
    assert summary["params"].items() >= {"concurrency": 4, "input_len": 64, "output_len": 16, "warmup": 5}.items()
    requests = [one for one in events if one["kind"] == "request"]
    assert len([one for one in requests if not one.get("warmup")]) == 12
    assert all(len(one["gaps_us"]) == one["chunks"] - 1 and one["status"] == 200 for one in requests)
    assert b"TTFT" in done.stdout and b"12 requests" in done.stderr


def unhurried(folder: Path, known: Known, *settings: str) -> tuple[dict[str, Any], list[dict[str, Any]], Any]:
    """A measurement of which the client itself says that it kept up; on a busy machine the first may not."""
    for number in range(20):
        known.answers()
        part = folder / str(number)
        part.mkdir()
        result, requests, done = measured(part, f"url={known.url}", *settings)
        if done.returncode or result["client_late_p99_ms"] < 3:
            break
    return result, requests, done


@pytest.mark.parametrize("at_once", [1, 8, 64])
def test_latencies_are_those_that_the_server_dated_itself(tmp_path: Path, known: Known, at_once: int) -> None:
    result, requests, done = unhurried(
        tmp_path, known, "model=known/ttft=120/itl=8", f"concurrency={at_once}", "output_len=12",
        f"requests={max(4, at_once)}", "warmup=0", "input_len=8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = [one for one in known.answers() if len(one["sent_s"]) == 12]
    assert len(told) == result["requests"] == max(4, at_once)
    late_ms = result.get("client_late_p99_ms", 0.0)  # of a busy machine, where pieces also arrive together
    ttft = median(1e3 * (one["sent_s"][0] - one["arrived_s"]) for one in told)
    assert ttft - 1 < result["ttft_p50_ms"] < ttft + 60 + 2 * late_ms
    assert result["itl_mean_ms"] == pytest.approx(per_token_ms(told), abs=6 + late_ms)
    assert result["tpot_p50_ms"] == pytest.approx(per_token_ms(told), abs=6 + late_ms)
    measured_only = [one for one in requests if one["index"] >= 0]
    assert max(one["in_flight"] for one in measured_only) == at_once


def per_token_ms(told: list[dict[str, Any]]) -> float:
    """As the server dated it: on a busy machine it is not what it was told to do."""
    return median(1e3 * (one["sent_s"][-1] - one["sent_s"][0]) / (len(one["sent_s"]) - 1) for one in told)


def test_prompts_have_the_asked_length_and_no_two_begin_alike(tmp_path: Path, known: Known) -> None:
    for _ in range(2):  # with the same seed: the server still has what the first run asked
        result, _, done = measured(tmp_path, f"url={known.url}", "requests=20", "output_len=3", "input_len=200")
        assert result["input_len_mean"] == 200, done.stderr
    told = known.answers()
    assert len({one["first"] for one in told}) == len(told) == 54  # with two to try the server, and five to warm it up


def test_every_kind_of_fault_is_counted_and_the_rest_is_measured(tmp_path: Path, known: Known) -> None:
    rounds = 5
    result, requests, done = measured(
        tmp_path, f"url={known.url}", "model=faults", f"requests={rounds * len(FAULTS)}", "warmup=0", "output_len=16",
        "input_len=40", "timeout_s=60", "concurrency=16",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    kinds = {
        "failed_reset": 1, "failed_bad_json": 2, "failed_http_400": 1, "failed_http_429": 1,
        "failed_http_500": 1, "failed_http_503": 1, "failed_not_a_stream": 1, "failed_endless": 1,
        "failed_too_large": 1, "failed_bad_http": 3, "failed_cut_short": 2, "failed_server_error": 1,
        "failed_empty": 1,
    }  # fmt: skip
    assert {k: v for k, v in result.items() if k.startswith("failed_")} == {k: rounds * v for k, v in kinds.items()}
    assert (result["requests"], result["requests_failed"]) == (2 * rounds, 17 * rounds)
    assert (result["output_tokens"], result["without_usage"]) == (2 * rounds * 16, rounds)
    good = [one for one in requests if not one.get("fault") and one["index"] >= 0]
    assert result["ttft_mean_ms"] == pytest.approx(sum(one["ttft_ms"] for one in good) / len(good), abs=0.01)
    assert "85 failed: " in done.stdout and "no usage object" in done.stderr


def test_an_answer_that_drips_without_end_is_a_timeout(tmp_path: Path, known: Known) -> None:
    settings = (f"url={known.url}", "model=drips", "requests=3", "warmup=0", "input_len=40", "timeout_s=0.5")
    result, _, done = measured(tmp_path, *settings)
    assert (done.returncode, result["failed_timeout"], result["requests"]) == (1, 3, 0)
    assert "timeout: no complete answer within 0.5 s" in done.stderr


def test_a_server_that_dies_fails_the_requests_that_follow(tmp_path: Path) -> None:
    with serving_known(tmp_path) as server:
        url = f"url={server.url}"
        client = subprocess.Popen(
            words(url, "model=known/itl=2", "requests=3000", "output_len=8", "input_len=8", "timeout_s=30"),
            env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        wait_for(lambda: len(server.answers()) and len((tmp_path / "known_server.log").read_text()) > 2500, "answers")
        server.process.kill()
        out, err = client.communicate(timeout=60)
    assert client.returncode == 0, err
    assert "refused" in out and "TTFT" in out


@pytest.mark.parametrize(
    ("settings", "message", "hint"),
    [
        (["model=nobody"], "no-such-model", "must be one that the server lists"),
        (["model=locked"], "http-401", "key_env=NAME"),
        (["model=locked", "key_env=PATH"], "http-401", "refuses the key in PATH; tokens expire"),
        (["model=moved"], "redirects to https://elsewhere/v1", "url=https://"),
        (["url=http://127.0.0.1:{port}/v1?api_key=abc"], "`api_key` in the address", "key_env=NAME"),
        (["model=cold/s=60", "ready_s=0.3"], "the model was not ready after 0.3 s (http-503", "ready_s=1800"),
        (["url=https://127.0.0.1:{port}"], "tls", "has no TLS"),
        (["url=http://127.0.0.1:{closed}"], "refused", "ready_s=60"),
        (["url=http://127.0.0.1:{closed}", "ready_s=0.3"], "not ready after 0.3 s", "ready_s=600"),
        (["url=http://user:pass@127.0.0.1"], "contains a password", "key_env=NAME"),
        (["concurrency=2", "request_rate=1"], "exclude each other", "open one"),
        (["key_env=NOT_SET_ANYWHERE"], "`NOT_SET_ANYWHERE` is not set", "export"),
        (["arrivals=even"], "`arrivals=even` needs a request_rate", "request_rate=4"),
        (["model=whole"], "not-a-stream", "only streamed tokens can be timed"),
        (["prompts=/nowhere"], "/nowhere", "one prompt per line"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_a_hint(
    known: Known, settings: list[str], message: str, hint: str
) -> None:
    with socket.socket() as taken:  # bound and never listened on
        taken.bind(("127.0.0.1", 0))
        names = {"port": known.port, "closed": taken.getsockname()[1]}
        words = [f"url={known.url}", "model=known", *(one.format(**names) for one in settings)]
        # in a thread of its own: tests in a browser leave a running loop in this one
        with pytest.raises(Failure) as caught, ThreadPoolExecutor(1) as pool:
            pool.submit(endpoint.main, words).result()
    assert message in caught.value.message and hint in (caught.value.hint or "")


def test_a_key_reaches_the_server_and_no_file(assay: Assay, known: Known) -> None:
    words = ("run", "endpoint", f"url={known.url}", "model=locked", "key_env=METIS", "requests=3", "output_len=2")
    long = "sesame-" + 40 * "0123456789"  # of which a message holds a part
    for secret, code in (("sesame-0123456789", 0), ("sesame-wrong-one", 1), (long, 1)):  # the server repeats it
        assay.env["METIS"] = secret
        done = assay(*words)
        assert done.returncode == code, done.stderr
        assert b"sesame" not in done.stdout + done.stderr
        for path in assay.runs.rglob("*"):
            assert not path.is_file() or b"sesame" not in path.read_bytes()


def test_a_server_that_refuses_words_gets_plainer_ones_and_short_answers_are_reported(
    tmp_path: Path, known: Known
) -> None:
    result, _, done = measured(tmp_path, f"url={known.url}", "model=no-extras", "requests=4", "output_len=6")
    assert (result["requests"], result["without_usage"]) == (4, 4)
    assert "input_tokens" not in result
    (tmp_path / "early").mkdir()
    result, _, done = measured(tmp_path / "early", f"url={known.url}", "model=early", "requests=4", "output_len=6")
    assert (result["stopped_early"], result["output_len_mean"]) == (4, 3)
    assert "4 of 4 answers are shorter than 6 tokens" in done.stderr


def test_a_cold_model_is_waited_for_in_a_separate_phase(tmp_path: Path, known: Known) -> None:
    result, requests, done = measured(
        tmp_path, f"url={known.url}", "model=cold/s=0.6", "ready_s=60", "requests=3", "warmup=0", "output_len=2"
    )
    assert done.returncode == 0, done.stderr
    assert (result["requests"], result["requests_failed"]) == (3, 0) and result["first_answer_s"] > 0.5
    assert next(one["fault"] for one in requests if one.get("fault")) == "http-503"
    assert all(one["warmup"] for one in requests if one.get("fault"))
    events = [json.loads(line) for path in tmp_path.glob("*.jsonl") for line in path.read_text().splitlines()]
    begin, end = (one["mono_s"] for one in events if one["kind"] == "phase" and one["name"] == "load")
    assert end - begin > 0.5


def test_an_open_loop_sends_on_schedule_and_says_how_late_it_was(tmp_path: Path, known: Known) -> None:
    result, requests, done = measured(
        tmp_path, f"url={known.url}", "model=known/ttft=150", "request_rate=80", "arrivals=even", "requests=24",
        "output_len=2", "input_len=8", "warmup=1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sent = sorted(one["sent_mono_s"] - one["late_ms"] / 1e3 for one in requests if "late_ms" in one)
    assert [round(80 * (one - sent[0])) for one in sent] == list(range(24))
    assert max(one["in_flight"] for one in requests) > 4  # it does not wait for answers
    assert result["sent_late_p99_ms"] >= 0 and "at a request rate of 80/s (even)" in done.stdout


def test_prompts_of_a_file_are_sent_and_repeats_are_reported(tmp_path: Path, known: Known) -> None:
    file = tmp_path / "prompts.txt"
    file.write_text(
        'plain words here\n\n{"prompt": "one two"}\n{"messages": [{"role": "user", "content": "a b c d"}]}\n'
    )
    settings = (f"url={known.url}", f"prompts={file}", "requests=6", "warmup=0", "output_len=2")
    _, _, done = measured(tmp_path, *settings, "fresh=no")
    assert [one["first"] for one in known.answers()][1:] == 2 * ["one two", "a b c d", "plain words here"]
    assert "3 prompts were repeated" in done.stderr
    _, _, done = measured(tmp_path, *settings)
    told = known.answers()
    assert len({one["first"] for one in told}) == len(told) and sorted({one["words"] for one in told}) == [8, 9, 10]
    assert "repeated" not in done.stderr


@pytest.mark.parametrize("word", ["ignore_eos", "min_tokens", "stream_options", "temperature", "max_tokens"])
def test_a_word_that_a_server_refuses_by_name_is_the_only_one_left_out(tmp_path: Path, known: Known, word: str) -> None:
    _, _, done = measured(
        tmp_path, f"url={known.url}", f"model=refuses-{word}", "requests=2", "output_len=4", "warmup=0"
    )
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for path in tmp_path.glob("*.jsonl") for line in path.read_text().splitlines()]
    (asked,) = [one["asks_for"] for one in events if "asks_for" in one]
    usual = ["max_tokens", "ignore_eos", "min_tokens", "stream_options", "temperature"]
    left = [one for one in usual if one != word]
    assert asked.split(",") == (left if word != "max_tokens" else ["max_completion_tokens", *left])


def test_hidden_reasoning_is_part_of_the_ttft_and_not_of_the_time_per_token(tmp_path: Path, known: Known) -> None:
    result, _, done = measured(
        tmp_path, f"url={known.url}", "model=thinks/ttft=20/itl=20", "requests=4", "output_len=40", "warmup=0"
    )
    assert (result["tokens_hidden"], result["output_tokens"], result["tokens_per_chunk"]) == (120, 160, 1)
    told, late_ms = [one for one in known.answers() if len(one["sent_s"]) == 10], result["client_late_p99_ms"]
    assert result["ttft_p50_ms"] > 600 and result["tpot_p50_ms"] == pytest.approx(per_token_ms(told), abs=8 + late_ms)
    assert "75 % of the output tokens are reasoning that the server does not show" in done.stderr


def test_a_server_that_does_not_stream_has_no_time_per_token(tmp_path: Path, known: Known) -> None:
    result, _, done = measured(tmp_path, f"url={known.url}", "model=gathers", "requests=4", "output_len=40")
    assert "tpot_p50_ms" not in result and result["output_len_mean"] == 40
    assert "most of each answer arrived at one moment" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_was_measured_before_a_stop_is_kept(assay: Assay, known: Known, number: signal.Signals) -> None:
    words = (
        "run",
        "endpoint",
        f"url={known.url}",
        "model=known/ttft=30",
        "requests=100000",
        "output_len=4",
        "warmup=0",
    )
    with assay.start(*words) as run:
        wait_for(lambda: len(known.answers()) and len(requests_of(assay)) > 20, "answers")
        run.send_signal(number)
        out, err = run.communicate(timeout=60)
    assert run.returncode == 128 + number, err
    summary = assay.summary()
    assert summary["status"] == "interrupted" and summary["requests"] > 15 and summary["ttft_p50_ms"] > 29
    assert b"of 100,000 requests in" in out


def requests_of(assay: Assay) -> list[bytes]:
    lines = [line for path in assay.runs.glob("*/events/*.jsonl") for line in path.read_bytes().splitlines()]
    return [line for line in lines if b'"kind": "request"' in line or b'"kind":"request"' in line]


def test_fewer_requests_than_are_to_be_in_flight_are_reported(tmp_path: Path, known: Known) -> None:
    _, _, done = measured(tmp_path, f"url={known.url}", "requests=4", "concurrency=8", "output_len=4")
    assert "4 requests are fewer than the 8 that should be in flight: send at least requests=16" in done.stderr
