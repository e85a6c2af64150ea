"""A job with more writers than a process may open files, and one whose lines come in all lengths."""

import json
import os
import resource
from pathlib import Path

import pytest

from assay.model.event import Event
from assay.store import eventfile, reading
from assay.store.layout import RunDir
from assay.store.reading import Follower, read_events
from assay.summary.build import summarise

NODES = 150


def big_run(folder: Path) -> RunDir:
    (folder / "events").mkdir(parents=True)
    asked = {"v": 1, "id": "20261116T172759.011-25gja4", "name": "big", "command": ["x"], "asked_t": 1e9}
    (folder / "run.json").write_text(json.dumps(asked))
    for at in range(NODES):
        node = f"node{at:03}"
        line = {"v": 1, "node": node, "from": "launcher"}
        events = [
            {**line, "t": 1e9, "mono_s": 50.0 + at, "kind": "how", "recorder_pid": 1, "host": node, "how": "executed"},
            *({**line, "t": 1e9 + k, "mono_s": 50.0 + at + k, "kind": "metric", "loss": k, "note": "x" * 200 * k}
              for k in range(20)),
            {**line, "t": 1e9 + 30, "mono_s": 80.0 + at, "kind": "end", "status": "completed", "exit_code": 0,
             "wall_s": 30.0, "cpu_s": 2.0},
        ]  # fmt: skip
        text = "\n".join(map(json.dumps, events))
        (folder / "events" / f"{node}-1-{at}.jsonl").write_text(text + "\n" * (at % 2))
    return RunDir(folder)


def test_every_node_of_a_large_job_counts_however_few_files_may_be_open(tmp_path: Path) -> None:
    run = big_run(tmp_path / "big")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    try:
        summary = summarise(run)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert (summary.status, summary.cpu_s) == ("completed", 2.0 * NODES)


def test_files_read_in_pieces_give_the_same_events_as_files_that_stay_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = big_run(tmp_path / "big")
    monkeypatch.setattr(eventfile, "PIECE_BYTES", 1000)  # shorter than some lines
    pieces = [event.as_json() for event in read_events(run)]
    monkeypatch.setattr(reading, "_MOST_OPEN", 1000)
    assert pieces == [event.as_json() for event in read_events(run)]
    monkeypatch.setattr(eventfile, "PIECE_BYTES", 1 << 20)  # as much as any of them: held whole
    assert pieces == [event.as_json() for event in read_events(run)]
    assert len(pieces) == 22 * NODES


def test_a_small_file_is_opened_once_and_the_folder_once_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, opened = big_run(tmp_path / "big"), []
    monkeypatch.setattr(eventfile, "PIECE_BYTES", 1 << 20)
    real = os.open
    monkeypatch.setattr(
        "assay.store.files.os.open", lambda path, *a, **k: opened.append(str(path)) or real(path, *a, **k)
    )
    assert len(list(read_events(run))) == 22 * NODES
    assert len(opened) == NODES + 4, "listed, then read: the run and its events each time"


def sampled_run(folder: Path, hosts: dict[str, int]) -> RunDir:
    """Hosts with so many recorders each, whose samples alternate; the last to begin has the lowest rank."""
    (folder / "events").mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"v": 1, "id": "20261116T172759.011-25gja4", "command": ["x"]}))
    recorders = [(host, at) for host, count in hosts.items() for at in range(count)]
    for rank, (host, at) in enumerate(reversed(recorders)):
        line = {"v": 1, "node": host, "rank": rank, "from": "launcher"}
        began = {**line, "t": 1e9 - rank, "mono_s": 50.0 - rank, "kind": "how", "how": "executed"}
        line["from"], dates = "probe:memory", [(1e9 + k + at / 4, 50.0 + k + at / 4) for k in range(9)]
        samples = [{**line, "kind": "sample", "t": t, "mono_s": mono_s, "memory_bytes": 5} for t, mono_s in dates]
        text = "".join(json.dumps(event) + "\n" for event in (began, *samples))
        (folder / "events" / f"{host}-{rank}-1.jsonl").write_text(text)
    return RunDir(folder)


def test_samples_of_a_host_with_one_recorder_need_not_wait_for_those_of_others(tmp_path: Path) -> None:
    run = sampled_run(tmp_path / "run", {"alone": 1, "other": 1, "shared": 2})
    taken: list[Event] = []
    events = list(read_events(run, take=taken.append))
    assert [event.at_s for event in taken if event.node == "alone"] == [k + 3.0 for k in range(9)]
    assert {event.node for event in taken} == {"alone", "other"}
    together = [event for event in events if event.kind == "sample"]
    assert {event.node for event in together} == {"shared"}
    assert together == sorted(together, key=lambda event: event.at_s or 0.0)
    every = [event.as_json() for event in read_events(run)]
    assert sorted(map(json.dumps, every)) == sorted(json.dumps(event.as_json()) for event in (*events, *taken))


def test_nodes_of_a_summary_stand_in_the_order_of_their_ranks(tmp_path: Path) -> None:
    summary = summarise(sampled_run(tmp_path / "run", {"c": 1, "a": 1, "b": 2}))
    assert [row["node"] for row in summary.by_node] == ["b", "a", "c"]
    assert [row["memory_bytes_max"] for row in summary.by_node] == [10, 5, 5]


def test_a_file_that_is_still_empty_when_it_is_seen_does_not_set_the_clock_of_the_run(tmp_path: Path) -> None:
    """The study's table showed a run of twenty thousand days: it had been looked at between two system calls."""
    (tmp_path / "events").mkdir()
    file = tmp_path / "events" / "here-1-1.jsonl"
    file.touch()
    follower = Follower(RunDir(tmp_path))
    assert follower.new_events() == []
    line = {"v": 1, "kind": "metric", "from": "launcher", "t": 1.7e9, "mono_s": 50.0, "loss": 1.0}
    file.write_text(json.dumps(line) + "\n" + json.dumps({**line, "t": 1.7e9 + 2, "mono_s": 52.0}) + "\n")
    assert [event.at_s for event in follower.new_events()] == [0.0, 2.0]
