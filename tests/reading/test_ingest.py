"""`assay ingest` as a user meets it: files, folders, patterns, pipes, and everything that can be wrong with them."""

import gzip
import json
import os
import re
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import Assay
from reading import SEEDS, holds

LOG = (
    "".join(
        f"2024-05-01 10:00:{i:02d},000 INFO:   | Train Device=CSX, Step={i}, Loss={9 - i / 10:.2f}, Rate=10.00 samples/sec, GlobalRate=10.00 samples/sec\n"
        for i in range(1, 11)
    )
    + "2024-05-01 10:00:11,000 INFO:   Processed 100 sample(s) in 10.0 seconds.\n"
)


def ingest(assay: Assay, *words: Any, **options: Any) -> list[dict[str, Any]]:
    done = assay("ingest", "--json", *words, **options)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_a_file_becomes_a_run_that_every_command_knows(assay: Assay) -> None:
    (assay.folder / "bert_bs10.log").write_text(LOG)
    (summary,) = ingest(assay, "bert_bs10.log")
    holds(
        summary,
        {
            "system": "cerebras",
            "how": "parsed",
            "status": "completed",
            "params": {"batch_size": 10},
            "claims": {"batch_size": 10},
        },
    )
    assert assay.ls() == [summary]
    shown = assay("show").stdout.decode()
    assert "line 11" in shown and "cerebras" in shown
    assert (assay.run_dir() / "output.log").read_text() == LOG.rstrip("\n")


def test_the_same_content_twice_adds_nothing(assay: Assay) -> None:
    (assay.folder / "a.log").write_text(LOG)
    (assay.folder / "b.log").write_text(LOG)
    first = ingest(assay, "a.log")
    assert ingest(assay, "a.log") == first
    ingest(assay, "b.log")
    assert len(assay.run_dirs()) == 1
    assert b"0 new, 1 known already" in assay("ingest", "a.log").stdout


def test_one_log_saved_under_two_settings_stays_two_runs(assay: Assay) -> None:
    for name in ("run_bs10.log", "run_bs20.log"):
        (assay.folder / name).write_text(LOG)
    ingest(assay, "run_bs10.log", "run_bs20.log")
    assert sorted(summary["claims"]["batch_size"] for summary in assay.ls()) == [10, 20]


def test_folders_patterns_gzip_and_pipes(assay: Assay) -> None:
    (assay.folder / "logs" / "deep").mkdir(parents=True)
    (assay.folder / "logs" / "one_bs1.log").write_text(LOG)
    (assay.folder / "logs" / "deep" / "two_bs2.log.gz").write_bytes(gzip.compress(LOG.encode()))
    (assay.folder / "logs" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(1000))
    assert len(ingest(assay, "logs")) == 2
    assert len(ingest(assay, "logs/*.log")) == 1
    assert len(ingest(assay, "logs/**/*.gz")) == 1
    (piped,) = ingest(assay, "-", input=LOG.encode())
    assert piped["source"] == "<stdin>"


def test_the_closing_table_says_what_was_found_and_what_not(assay: Assay) -> None:
    (assay.folder / "a.log").write_text(LOG)
    (assay.folder / "letter.txt").write_text("Dear reader,\n\nnothing ran today.\n")
    text = assay("ingest", "a.log", "letter.txt").stdout.decode()
    assert "letter.txt: no run found in it: no reader knows its format" in text
    assert "1 run in 2 files: 1 new" in text


def test_a_reader_can_be_chosen_and_a_wrong_name_gets_a_hint(assay: Assay) -> None:
    (assay.folder / "a.log").write_text(LOG)
    assert ingest(assay, "a.log", "--reader", "graphcore") == []
    done = assay("ingest", "a.log", "--reader", "cerebas")
    assert (done.returncode, done.stderr) == (2, b"error: no reader called `cerebas`\nhint: did you mean `cerebras`?\n")


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("empty.log", b"", "is empty"),
        ("binary.log", bytes(range(256)) * 100, "is not text"),
        ("broken.log.gz", b"\x1f\x8b\x08\x00garbage", "is damaged"),
        ("odd.ipynb", b"{not json", "not a notebook"),
        ("events.out.tfevents.1.x", b"\xff" * 100, "TensorBoard"),
    ],
)
def test_a_file_that_cannot_be_read_gets_a_word_and_the_rest_goes_on(
    assay: Assay, name: str, content: bytes, word: str
) -> None:
    (assay.folder / name).write_bytes(content)
    (assay.folder / "good_bs10.log").write_text(LOG)
    done = assay("ingest", "--json", name, "good_bs10.log")
    assert done.returncode == 0
    assert len(json.loads(done.stdout)) == 1
    assert word in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    alone = assay("ingest", name)
    assert alone.returncode == 1


@pytest.mark.parametrize("how", [["--json"], []])
def test_a_damaged_file_gives_what_came_before_the_damage_and_says_so(assay: Assay, how: list[str]) -> None:
    (assay.folder / "cut.log.gz").write_bytes(gzip.compress(LOG.encode() + os.urandom(5000).hex().encode())[:-2000])
    done = assay("ingest", "cut.log.gz", *how)
    assert done.returncode == 0
    assert b"`cut.log.gz` is damaged" in (done.stderr if how else done.stdout)
    assert [summary["steps"] for summary in assay.ls()] == [10]


def test_a_missing_file_is_reported(assay: Assay) -> None:
    done = assay("ingest", "no-such-file", "no-*-match")
    assert done.returncode == 1
    assert (
        done.stderr
        == b"error: cannot read `no-such-file`: No such file or directory\nerror: nothing matches `no-*-match`\n"
    )


def test_a_loop_of_links_is_not_entered(assay: Assay) -> None:
    folder = assay.folder / "logs"
    folder.mkdir()
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "dangling.log").symlink_to(folder / "nowhere")
    (folder / "a.log").write_text(LOG)
    done = assay("ingest", "--json", "logs")
    assert len(json.loads(done.stdout)) == 1
    assert b"dangling.log" in done.stderr


def test_odd_text_is_only_text(assay: Assay) -> None:
    nasty = b"\xff\xfe\x00" + b"$(touch owned) `touch owned` <script>alert(1)</script>\n" + b"x" * 3_000_000 + b"\n"
    (assay.folder / "nasty.log").write_bytes(nasty + LOG.encode())
    (summary,) = ingest(assay, "nasty.log")
    assert summary["steps"] == 10
    assert not (assay.folder / "owned").exists()


def test_a_gzip_that_grows_without_end_is_bounded(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.errors import AssayError
    from assay.reading import sources as files
    from assay.reading import sources as unpack

    bomb = assay.folder / "bomb.log.gz"
    bomb.write_bytes(gzip.compress(b"0" * (50 << 20)))
    monkeypatch.setattr(unpack, "_GZIP_LIMIT", 10 << 20)
    with pytest.raises(AssayError, match="unpacks to more than"):
        for _ in files.Source(name="bomb.log.gz", path=bomb).blocks():
            pass


def test_a_large_file_gives_what_a_small_one_gives(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.ingest import hold
    from assay.reading import importing as module

    (assay.folder / "two_bs10.log").write_text(LOG + LOG)
    monkeypatch.setattr(hold, "WHOLE_BYTES", 0)
    streamed = module.ingest([str(assay.folder / "two_bs10.log")], assay.folder / "streamed").files[0].summaries
    whole = ingest(assay, assay.folder / "two_bs10.log")
    assert json.loads(json.dumps([summary.as_json() for summary in streamed])) == whole
    (kept,) = (assay.folder / "streamed").glob("cerebras-*")  # the same content twice is one run
    assert (kept / "output.log").read_text() == LOG.rstrip("\n")


def test_a_notebook(assay: Assay) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["## Cerebras\n", "This is with batch size of 32:"]},
        {
            "cell_type": "code",
            "source": ["!python run.py"],
            "outputs": [{"output_type": "stream", "text": LOG.splitlines(keepends=True)}],
        },
        {
            "cell_type": "code",
            "source": ["loss = 3"],
            "outputs": [
                {
                    "output_type": "error",
                    "traceback": ["\x1b[31mTraceback (most recent call last)\x1b[0m", "ValueError: no"],
                }
            ],
        },
    ]
    (assay.folder / "hw.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    first, *others = ingest(assay, "hw.ipynb")
    holds(first, {"system": "cerebras", "claims": {"batch_size": 32}, "params": {"batch_size": 10}})
    assert all(other["status"] == "failed" for other in others)


def test_a_groqflow_build_state(assay: Assay) -> None:
    state = (
        "build_status: successful_build\n"
        "config: !!python/object:groqflow.common.build.GroqConfig\n  build_name: bert_tiny\n"
        "expected_input_shapes:\n  attention_mask: [1, 128]\n  input_ids: [1, 128]\n"
        "info:\n  deterministic_compute_latency: 2.661e-05\n"
    )
    (assay.folder / "state.yaml").write_text(state)
    (summary,) = ingest(assay, "state.yaml")
    holds(
        summary,
        {"system": "groq", "status": "completed", "params": {"batch_size": 1, "seq_len": 128}, "model": "bert_tiny"},
    )
    assert summary["on_chip_inferences_per_s"] == pytest.approx(37579.9, rel=1e-4)


def record(message: bytes) -> bytes:
    return struct.pack("<Q", len(message)) + b"\0\0\0\0" + message + b"\0\0\0\0"


def scalar(t: float, step: int, tag: str, value: float) -> bytes:
    name = tag.encode()
    inner = b"\x0a" + bytes([len(name)]) + name + b"\x15" + struct.pack("<f", value)
    summary = b"\x0a" + bytes([len(inner)]) + inner
    return record(b"\x09" + struct.pack("<d", t) + b"\x10" + bytes([step]) + b"\x2a" + bytes([len(summary)]) + summary)


def test_a_tensorboard_file_and_a_torn_one(assay: Assay) -> None:
    content = b"".join(
        scalar(1000.0 + i, i, "train/loss", 2.0 - i / 4) + scalar(1000.0 + i, i, "val/acc", i / 4) for i in range(1, 4)
    )
    path = assay.folder / "events.out.tfevents.1700000000.host.1.0"
    path.write_bytes(content)
    (summary,) = ingest(assay, path.name)
    holds(summary, {"system": "tensorboard", "steps": 3, "loss": 1.25, "wall_s": 2.0})
    assert summary["metrics"] == {"val_accuracy": 0.75}
    path.write_bytes(content[:-10])
    (torn,) = ingest(assay, path.name)
    assert torn["steps"] == 3


def test_tensorboard_reads_what_its_own_writer_writes(assay: Assay) -> None:
    writer, numpy = pytest.importorskip("torch.utils.tensorboard"), pytest.importorskip("numpy")
    with writer.SummaryWriter(assay.folder / "logs") as board:
        for step in range(50):
            board.add_scalar("Loss/train", 1 / (step + 1), step)
            board.add_scalar("accuracy", step / 50, step)
        board.add_histogram("weights", numpy.arange(9.0), 1)
        board.add_text("note", "hello", 1)
    (summary,) = ingest(assay, "logs")
    assert (summary["steps"], summary["accuracy"]) == (49, pytest.approx(0.98))
    assert summary["loss"] == pytest.approx(0.02)


@pytest.mark.parametrize("speed", ["0", "1000"])
def test_a_replay_goes_through_the_live_path_and_comes_out_the_same(assay: Assay, speed: str) -> None:
    page = SEEDS / "page_000.md"
    log = re.search(r"(?s)```2024.*?```", page.read_text(errors="surrogateescape"))
    assert log
    (assay.folder / "bert.log").write_text(log[0].strip("`"))
    done = assay("run", "--replay", "bert.log", "--speed", speed)
    assert done.stdout.decode() == log[0].strip("`")
    live = assay.summary()
    (read,) = ingest(assay, "bert.log")
    same = (
        "system",
        "status",
        "how",
        "params",
        "steps",
        "samples",
        "loss",
        "samples_per_s",
        "samples_per_s_avg",
        "train_s",
        "error",
    )
    assert {name: live.get(name) for name in same} == {name: read.get(name) for name in same}
    assert live["phases"] == pytest.approx(read["phases"], abs=1e-3)


def test_a_replay_of_nothing_is_an_error(assay: Assay) -> None:
    done = assay("run", "--replay", "no.log")
    said = b"error: there is no log `no.log`\nhint: name a saved log: assay run --replay train.log\n"
    assert (done.returncode, done.stderr) == (125, said)


def test_the_output_of_a_live_run_is_read_while_it_runs(assay: Assay) -> None:
    from conftest import wait_for

    script = "echo 'step 1 loss 2.5'; echo 'step 2 loss 1.5'; read go; echo 'step 3 loss 0.5'"
    process = assay.start("run", "-q", "--", "sh", "-c", script, stdin=subprocess.PIPE)
    wait_for(lambda: assay.run_dirs() and any(event.get("loss") == 1.5 for event in assay.events()), "the second step")
    (running,) = assay.ls()
    assert (running["status"], running["loss"], running["steps"]) == ("running", 1.5, 2)
    process.communicate(b"\n", timeout=60)
    assert assay.summary()["loss"] == 0.5


def test_a_crash_is_explained_by_what_was_printed(assay: Assay) -> None:
    assay("run", "-q", "--", "python3", "-c", "import no_such_module_here")
    summary = assay.summary()
    assert (summary["status"], summary["exit_code"]) == ("failed", 1)
    assert summary["error"]["code"] == "missing-module"
    assert "no_such_module_here" in summary["error"]["message"]


def test_a_traceback_that_was_survived_is_no_failure(assay: Assay) -> None:
    script = "import traceback\ntry: 1 / 0\nexcept ZeroDivisionError: traceback.print_exc()\n"
    assay("run", "-q", "--", "python3", "-c", script)
    assert assay.summary()["status"] == "completed"
    assert "error" not in assay.summary()


def test_a_read_only_runs_folder_is_an_error(assay: Assay) -> None:
    (assay.folder / "a.log").write_text(LOG)
    done = assay("ingest", "a.log", "--runs-dir", "/proc/none")
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: cannot create `/proc/none`")


@pytest.mark.parametrize("page", sorted(SEEDS.glob("page_*.md")), ids=lambda path: path.name)
def test_the_summary_of_an_import_can_be_made_again(assay: Assay, page: Path) -> None:
    from assay.store.layout import RunDir
    from assay.summary.build import summarise

    assert ingest(assay, page)
    for run in assay.run_dirs():
        assert json.loads(json.dumps(summarise(RunDir(run)).as_json())) == json.loads(
            (run / "summary.json").read_bytes()
        )


def test_an_imported_run_is_shown_on_its_own_clock(assay: Assay) -> None:
    (assay.folder / "a.log").write_text(LOG)
    ingest(assay, "a.log")
    shown = assay("show").stdout.decode()
    assert "read from a.log, lines 1 to 11" in shown
    assert "loss = 8: from line 10 of the output, 9.00 s after the start" in shown
    assert "exit_code" not in shown and "started" not in shown


def test_the_epoch_of_a_result_is_proved_by_the_line_that_names_it(assay: Assay) -> None:
    (assay.folder / "a.log").write_text("Epoch 1: loss 0.5\nEpoch 2: loss 0.4\nTest accuracy: 91.20%\n")
    ingest(assay, "a.log")
    shown = assay("show").stdout.decode()
    assert "epoch = 2: from line 2 of the output" in shown
    assert "test_accuracy = 0.912: from line 3 of the output" in shown


def test_nothing_is_left_half_written(assay: Assay) -> None:
    (assay.folder / "a.log").write_text(LOG)
    ingest(assay, "a.log")
    assert not [name for name in os.listdir(assay.runs) if name.startswith(".ingest")]
    assert Path(assay.run_dir() / "run.json").exists()
