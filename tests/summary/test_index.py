"""The cache of summaries: quick where nothing changed, and never believed where something did."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from assay.model.summary import VERSION
from assay.summary.index import NAME, load_all, summaries
from assay.views.table import columns_for, table_text

RUNS = 250
LONG_AGO_S = time.time() - 3600


def make_run(folder: Path, number: int, **fields: object) -> Path:
    """A finished run of an hour ago."""
    run_id = f"20240101T{number:06d}.000-aaaaaa"
    path = folder / f"run{number}-{run_id}"
    (path / "events").mkdir(parents=True)
    (path / "run.json").write_text(json.dumps({"v": 1, "id": run_id, "name": f"run{number}"}))
    write_summary(path, id=run_id, name=f"run{number}", loss=float(number), params={"batch_size": number}, **fields)
    return path


def write_summary(path: Path, **fields: object) -> None:
    """In place, and dated an hour ago."""
    (path / "summary.json").write_text(json.dumps({"v": VERSION, "status": "completed", **fields}))
    for name in ("summary.json", ""):
        os.utime(path / name, (LONG_AGO_S, LONG_AGO_S))


def no_warning(text: str) -> None:
    raise AssertionError(text)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for number in range(RUNS):
        make_run(tmp_path, number)
    load_all(tmp_path, no_warning)
    assert (tmp_path / NAME).exists()
    return tmp_path


def losses(runs: Path) -> dict[str, float]:
    return {one.name: one.loss for one in summaries(load_all(runs, no_warning))}


def test_the_cache_says_what_the_files_say(runs: Path) -> None:
    listed = load_all(runs, no_warning)
    assert all(one.cached is not None for one in listed)  # from the cache
    assert [one.name for one in summaries(listed)] == [f"run{number}" for number in range(RUNS)]
    assert summaries(listed)[7].as_json() == json.loads((listed[7].run.summary_json).read_bytes())
    short = load_all(runs, no_warning)
    assert summaries(short, ["loss", "name"])[7].loss == 7.0
    assert "summary" not in short[7].__dict__  # what a list shows was enough
    assert summaries(listed, ["batch_size"])[7].params == {"batch_size": 7}


def test_a_list_shows_the_same_with_and_without_it(tmp_path: Path) -> None:
    for number in range(RUNS):
        make_run(tmp_path, number, accuracy=0.9, accuracy_of="val")
    diverged = make_run(tmp_path, RUNS)
    write_summary(diverged, id=diverged.name, name="diverged", not_finite={"loss": "NaN at step 3"})
    whole = [one.summary for one in load_all(tmp_path, no_warning)]
    cached = summaries(load_all(tmp_path, no_warning), [])
    shown = [table_text(some, columns_for(some, settings=True), colour=False) for some in (whole, cached)]
    assert " val" in shown[0] and "NaN" in shown[0]
    assert shown[1] == shown[0]


def test_it_is_really_read(runs: Path) -> None:
    """Break the cache's content, not its stamps: the lie shows, so the tests below test something."""
    text = (runs / NAME).read_text()
    (runs / NAME).write_text(text.replace('"loss":7.0', '"loss":7.5'))
    assert losses(runs)["run7"] == 7.5


def test_a_summary_that_was_replaced_is_read_again(runs: Path) -> None:
    path = runs / "run3-20240101T000003.000-aaaaaa"
    kept = os.stat(path / "summary.json")
    beside = path / ".summary.json.tmp"
    beside.write_text((path / "summary.json").read_text().replace('"loss": 3.0', '"loss": 9.0'))
    os.replace(beside, path / "summary.json")
    os.utime(path / "summary.json", ns=(kept.st_mtime_ns, kept.st_mtime_ns))  # same size, same date
    assert losses(runs)["run3"] == 9.0


def test_a_summary_that_was_edited_in_place_is_read_again(runs: Path) -> None:
    path = runs / "run3-20240101T000003.000-aaaaaa" / "summary.json"
    path.write_text(path.read_text().replace('"loss": 3.0', '"loss": 9.0'))
    assert losses(runs)["run3"] == 9.0


def test_a_removed_run_is_gone_and_a_new_one_there(runs: Path) -> None:
    shutil.rmtree(runs / "run3-20240101T000003.000-aaaaaa")
    make_run(runs, 900)
    found = losses(runs)
    assert "run3" not in found
    assert found["run900"] == 900.0
    assert len(found) == RUNS


def test_a_folder_that_lost_its_description_is_no_run(runs: Path) -> None:
    (runs / "run3-20240101T000003.000-aaaaaa" / "run.json").unlink()
    assert "run3" not in losses(runs)


def test_what_is_young_is_not_kept(tmp_path: Path) -> None:
    for number in range(RUNS):
        path = make_run(tmp_path, number)
        os.utime(path / "summary.json")  # now
    load_all(tmp_path, no_warning)
    assert not (tmp_path / NAME).exists()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"v": 1}', b"\xff\xfe", b'{"v":99,"summary_v":1,"lean":[],"runs":[]}']
)
def test_a_damaged_cache_is_not_believed(runs: Path, content: bytes) -> None:
    whole = (runs / NAME).read_bytes()
    (runs / NAME).write_bytes(content)
    assert len(losses(runs)) == RUNS
    (runs / NAME).write_bytes(whole[: len(whole) // 2])
    assert len(losses(runs)) == RUNS


@pytest.mark.parametrize("line", [b"", b"[", b"{}", b"[[1]]"])
def test_a_list_reads_the_runs_themselves_where_its_line_of_the_cache_is_damaged(runs: Path, line: bytes) -> None:
    head, _, *texts = (runs / NAME).read_bytes().split(b"\n")
    (runs / NAME).write_bytes(b"\n".join([head, line, *texts]))
    assert [one.loss for one in summaries(load_all(runs, no_warning), ["loss"])] == [float(n) for n in range(RUNS)]


def test_a_few_runs_need_no_cache(tmp_path: Path) -> None:
    for number in range(20):
        make_run(tmp_path, number)
    assert len(losses(tmp_path)) == 20
    assert not (tmp_path / NAME).exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_listed_all_the_same(runs: Path) -> None:
    (runs / NAME).unlink()
    runs.chmod(0o555)
    try:
        assert len(losses(runs)) == RUNS
    finally:
        runs.chmod(0o755)


def test_many_writers_leave_one_whole_cache(runs: Path) -> None:
    (runs / NAME).unlink()
    children = []
    for _ in range(6):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                code = 0 if len(load_all(runs, no_warning)) == RUNS else 1
            finally:
                os._exit(code)
        children.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 6
    assert all(one.cached is not None for one in load_all(runs, no_warning))
    assert [name for name in os.listdir(runs) if name.startswith(NAME)] == [NAME]
