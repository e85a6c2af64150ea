"""What people really point at: pipes, archives, other encodings, folders of anything, and files that mean harm."""

import gzip
import json
import os
import re
import signal
import socket
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from conftest import Assay
from reading import one, summaries

STEPS = "".join(f"step {i} loss {3 - i / 10:.2f} accuracy 0.{i}5\n" for i in range(1, 10))


def ingest(assay: Assay, *words: str, **options: object) -> list[dict[str, object]]:
    done = assay("ingest", "--json", *words, **options)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_a_file_is_what_its_first_bytes_say(assay: Assay) -> None:
    (assay.folder / "packed.log").write_bytes(gzip.compress(STEPS.encode()))
    (assay.folder / "plain.gz").write_text(STEPS)
    (assay.folder / "power.log").write_bytes(STEPS.replace("\n", "\r\n").encode("utf-16"))
    (assay.folder / "marked.log").write_bytes(b"\xef\xbb\xbf" + STEPS.encode())
    found = ingest(assay, "packed.log", "plain.gz", "power.log", "marked.log")
    assert [summary["steps"] for summary in found] == [9, 9, 9, 9]
    (piped,) = ingest(assay, "-", input=gzip.compress(STEPS.encode()))
    assert piped["steps"] == 9


def test_an_archive_is_named_as_one(assay: Assay) -> None:
    with zipfile.ZipFile(assay.folder / "logs.zip", "w") as archive:
        archive.writestr("a.log", STEPS)
    done = assay("ingest", "logs.zip")
    assert (done.returncode, done.stderr) == (1, b"error: `logs.zip` is a zip archive: unpack it first\n")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["stdin", "fifo", "gzip", "file"])
def test_more_than_fits_is_streamed_whatever_way_it_comes(assay: Assay, way: str) -> None:
    many = "".join(f"step {i} loss {3 + i / 1e5:.5f}\n" for i in range(60_000)).encode()
    if way == "stdin":
        found = ingest(assay, "-", input=many)
    elif way == "fifo":
        os.mkfifo(assay.folder / "pipe")
        with subprocess.Popen(["sh", "-c", "cat > pipe"], cwd=assay.folder, stdin=subprocess.PIPE) as writer:
            process = assay.start("ingest", "--json", "pipe")
            assert writer.stdin
            writer.stdin.write(many)
            writer.stdin.close()
            found = json.loads(process.communicate(timeout=60)[0])
    else:
        path = assay.folder / ("many.log.gz" if way == "gzip" else "many.log")
        path.write_bytes(gzip.compress(many, 1) if way == "gzip" else many)
        found = ingest(assay, path.name)
    (summary,) = found
    assert (summary["steps"], summary["loss"], summary["lines"]) == (59_999, 3.59999, [1, 60_000])
    assert summary["system"] == "generic"
    assert (assay.run_dir() / "output.log").read_bytes() == many.rstrip(b"\n")
    assert [name for name in os.listdir(assay.runs) if name.startswith(".ingest")] == []


def test_many_runs_in_one_large_file_keep_their_own_lines(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.reading import importing as module
    from assay.reading import keeping as large

    monkeypatch.setattr(module, "WHOLE_BYTES", 0)
    monkeypatch.setattr(large, "_BLOCK_BYTES", 100)
    runs = [
        f"2024-05-01 10:00:0{i},000 INFO:   | Train Device=CSX, Step={i}, Loss={i}.5, Rate=10.00 samples/sec, "
        f"GlobalRate=10.00 samples/sec\n2024-05-01 10:00:09,000 INFO:   Processed {i}0 sample(s) in 10.0 seconds.\n"
        for i in range(1, 6)
    ]
    (assay.folder / "five.log").write_text("hello\n" + "noise\n".join(runs))
    found = module.ingest([str(assay.folder / "five.log")], assay.runs).files[0].summaries
    assert [summary.samples for summary in found] == [10, 20, 30, 40, 50]
    texts = {(path / "output.log").read_text() for path in assay.runs.glob("cerebras-*")}
    assert texts == {text.rstrip("\n") for text in runs}


def test_a_folder_of_anything_is_survived(assay: Assay) -> None:
    folder = assay.folder / "stuff"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "train.log").write_text(STEPS)
    os.mkfifo(folder / "pipe.log")  # opening it would wait for ever
    (folder / "bad.wandb").write_bytes(b"no file of W&B")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "s.log"))
        for number in range(30):
            (folder / f"note{number}.txt").write_text("nothing here")
        done = assay("ingest", "stuff")
    assert done.returncode == 0
    text = done.stdout.decode()
    assert "… and 20 files more without a run" in text
    assert "1 run in 31 files: 1 new" in text


def test_what_stands_beside_a_file_of_wandb_and_a_pipe_without_a_writer_is_read_all_the_same(assay: Assay) -> None:
    for number, content in enumerate((b"no file of W&B", b":W&B" + b"\xff" * 90_000, b":W&B", b"")):
        (assay.folder / f"{number}.wandb").write_bytes(content)
    (assay.folder / "train.log").write_text(STEPS)
    os.mkfifo(assay.folder / "pipe.log")
    for words in (["."], sorted(path.name for path in assay.folder.iterdir())):
        done = assay("ingest", "--runs-dir", f"of-{len(words)}", *words)
        assert b"train.log" in done.stdout and b"Traceback" not in done.stderr
    assert b"error: no one writes to the pipe `pipe.log`" in done.stderr


def test_runs_of_our_own_are_not_read_again(assay: Assay) -> None:
    (assay.folder / "train.log").write_text(STEPS)
    ingest(assay, ".", "--runs-dir", "kept")
    again = assay("ingest", ".", "--runs-dir", "kept")
    assert b"1 run in 1 file: 0 new, 1 known already" in again.stdout


def test_a_folder_without_logs_and_a_device_get_a_word(assay: Assay) -> None:
    (assay.folder / "empty").mkdir()
    done = assay("ingest", "empty", "/dev/zero", "bad\0name".replace("\0", "?"))
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == [
        "error: no file in `empty` that may be a log",
        "error: cannot read `/dev/zero`: neither a file nor a pipe",
        "error: nothing matches `bad?name`",
    ]


def test_a_star_in_a_name_is_a_name_if_there_is_such_a_file(assay: Assay) -> None:
    (assay.folder / "lr[0.1]*.log").write_text(STEPS)
    assert len(ingest(assay, "lr[0.1]*.log")) == 1


@pytest.mark.slow
def test_the_last_frame_of_a_long_bar_counts() -> None:
    bar = "".join(
        f"\rEpoch 1: 50%|█████     | {i}/9999 [00:10<00:10, 9.9it/s, loss={3 - i / 4000:.4f}]" for i in range(9999)
    )
    assert one(f"{bar}\ndone\n", "bar.log")["loss"] == pytest.approx(3 - 9998 / 4000, abs=1e-4)


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Of this process's own time, so that a busy machine changes nothing."""

    def stop(*_: object) -> None:
        raise AssertionError(f"more than {seconds} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x.log", "x.md"])
@pytest.mark.parametrize("piece", [" ", "[", "![", "1,", "9", "(a) ", "a@b ", "<p ", "Loss: 1 | ", "[]("])
def test_no_line_takes_for_ever(name: str, piece: str) -> None:
    long, short = piece * (65_000 // len(piece)) + "!\n", piece * (3990 // len(piece)) + "!\n"
    with cpu_limit(20):
        summaries((short * 8 + long) * 4, name)


def test_a_step_and_a_loss_are_anyones_and_not_a_vendors() -> None:
    assert one("step=100, loss=2.5, lr=0.1\nstep=200, loss=2.1, lr=0.1\n")["system"] == "generic"


def test_a_digit_in_a_name_is_part_of_the_name() -> None:
    summary = one("step 1 top1: 60 top5: 80\nstep 2 top5: 91 top1: 76\n")
    assert (summary["metrics"]["top1"], summary["metrics"]["top5"]) == (0.76, 0.91)
    assert one("F2: 0.1 loss\nF1: 0.5 loss\nF1: 0.6 loss\n")["metrics"]["f1"] == 0.6


def test_json_lines_and_dictionaries_are_read_alike_and_keep_whole_numbers_whole() -> None:
    text = "".join(json.dumps({"step": i, "loss": 3e-14 * i, "lr": 1e-4}) + "\n" for i in range(1, 40))
    assert one(text)["loss"] == 3e-14 * 39
    assert one(text)["steps"] == 39
    assert one(text.replace('"', "'"))["loss"] == one(text)["loss"]


@pytest.mark.parametrize(
    ("last", "status"),
    [
        ("{'train_runtime': 51.2, 'train_samples_per_second': 312.5, 'train_loss': 1.5}", "completed"),
        ("`Trainer.fit` stopped: `max_epochs=2` reached.", "completed"),
        ("and so on", "unfinished"),
    ],
)
def test_a_trainer_that_says_it_is_done_is_done(last: str, status: str) -> None:
    assert one(f"{{'loss': 2.5, 'epoch': 1.0}}\n{{'loss': 1.5, 'epoch': 2.0}}\n{last}\n")["status"] == status


def test_a_line_of_a_program_is_no_figure() -> None:
    line = "INFO 05-01 12:00:01 metrics.py:345] Avg decoding throughput: 340.2 tokens/s\n"
    assert one(line * 2)["metrics"] == {"decoding_throughput": 340.2}


def test_a_large_notebook_is_still_a_notebook(assay: Assay) -> None:
    picture = {"output_type": "display_data", "data": {"image/png": "A" * (9 << 20)}}
    log = {"output_type": "stream", "text": STEPS}
    cells = [{"cell_type": "code", "source": "!python train.py", "outputs": [picture, log]}]
    (assay.folder / "big.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    (summary,) = ingest(assay, "big.ipynb")
    assert summary["steps"] == 9


@pytest.mark.slow
def test_a_tensorboard_file_is_kept_beside_its_events(assay: Assay) -> None:
    writer = pytest.importorskip("torch.utils.tensorboard")
    numpy = pytest.importorskip("numpy")
    with writer.SummaryWriter(assay.folder / "logs") as board:
        board.add_scalar("loss", 2.0, 1)
        board.add_image("noise", numpy.random.default_rng(1).random((3, 1500, 1500)), 1)  # a record of megabytes
        board.add_scalar("loss", 1.0, 2)
    (path,) = (assay.folder / "logs").iterdir()
    (summary,) = ingest(assay, "logs")
    assert (summary["steps"], summary["loss"]) == (2, 1.0)
    assert (assay.run_dir() / path.name).read_bytes() == path.read_bytes()
    damaged = bytearray(path.read_bytes())
    at = damaged.rfind(b"loss") - 40
    damaged[at : at + 40] = b"\xff" * 40
    path.write_bytes(damaged)
    done = assay("ingest", str(path))
    assert done.returncode == 0
    assert re.search(rb"damaged", done.stdout)


def test_the_table_shows_what_ran_beside_what_was_claimed(assay: Assay) -> None:
    (assay.folder / "mnist_b12_e20.txt").write_text("Epoch 3/3\nstep 1 loss 2.5\nstep 2 loss 2.0\n")
    lines = assay("ingest", "mnist_b12_e20.txt").stdout.decode().splitlines()
    assert lines[0].split() == ["name", "status", "in", "effect", "claimed", "steps", "loss", "where"]
    assert "ep 3" in lines[1] and "bs 12, ep 20" in lines[1] and "mnist_b12_e20.txt:1-3" in lines[1]
