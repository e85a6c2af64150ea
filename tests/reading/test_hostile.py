"""Files that were broken on the way, or made to break us: each costs itself, is named in one line, and no more."""

from __future__ import annotations

import json
import resource
import sqlite3
import struct
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import Assay

LOG = "step 1 loss 0.5\nstep 2 loss 0.4\nstep 3 loss 0.3\n"
DIGITS = "9" * 5000


def bomb(line: str) -> str:
    """A few hundred bytes that stand for a billion values."""
    names = "abcdefghijkl"
    lines = ["a: &a {x: 1, y: 2}"]
    lines += [f"{new}: &{new} {line % ', '.join([f'*{old}'] * 9)}" for old, new in pairwise(names)]
    return "\n".join(lines) + "\n"


def ingested(assay: Assay, *files: str | Path) -> subprocess.CompletedProcess[bytes]:
    """With a good log beside them, whose run has to be there; less than a gigabyte, and never a traceback."""
    Path(assay.folder, "good.log").write_text(LOG)
    limit = 1 << 30
    done = assay(
        "ingest", *files, "good.log", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 * limit, 4 * limit))
    )
    assert b"Traceback" not in done.stdout + done.stderr
    assert any(one.get("source", "").endswith("good.log") for one in assay.ls()), done.stderr.decode()
    return done


NOTEBOOKS = {
    "no cells": {"cells": None},
    "cells that are a mapping": {"cells": {"a": 1}},
    "nulls everywhere": {
        "cells": [
            None,
            {"cell_type": None, "source": None, "outputs": None},
            {"cell_type": "code", "source": [None, "x"], "outputs": [None, {"text": None}, {"traceback": None}]},
            {"cell_type": "code", "source": "x", "outputs": [{"data": None}, {"data": {"text/plain": [None, ["a"]]}}]},
        ]
    },
    "a list": [1, 2],
    "null": None,
}


def test_notebooks_with_nulls_are_read_as_far_as_they_go(assay: Assay) -> None:
    for what, book in NOTEBOOKS.items():
        Path(assay.folder, f"{what}.ipynb").write_text(json.dumps(book))
    done = ingested(assay, *(f"{what}.ipynb" for what in NOTEBOOKS))
    assert b"cannot be read: " not in done.stderr  # nothing that only the net caught


def test_a_null_in_a_notebook_is_no_word() -> None:
    from assay.reading.notebook import lines

    cell = {"cell_type": "markdown", "source": None}
    assert list(lines(json.dumps({"cells": [cell]}).encode(), "book.ipynb")) == [(1, b""), (2, b"")]


def test_a_notebook_of_very_many_cells_is_read_as_a_stream(assay: Assay) -> None:
    cells = [{"cell_type": "code", "source": ["x"], "outputs": []}] * 60_000
    printed = {"output_type": "stream", "text": ["step 1 loss 0.5\n", "step 2 loss 0.25\n"]}
    cells.append({"cell_type": "code", "source": ["train()"], "outputs": [printed]})  # type: ignore[dict-item]
    Path(assay.folder, "book.ipynb").write_text(json.dumps({"cells": cells}))
    ingested(assay, "book.ipynb")
    assert 0.25 in [one.get("loss") for one in assay.ls()]


LOGS = [
    f"step {DIGITS} loss 0.5\n",
    f"epoch {DIGITS}/{DIGITS} loss 0.4\naccuracy: {DIGITS}/{DIGITS}\n",
    f'{{"step": {DIGITS}, "loss": 0.5}}\n',
    f"{DIGITS}%|##| {DIGITS}/{DIGITS} [{DIGITS}:00<00:00] loss=1\n",
    "step 1e1 loss 0.5\nstep 9e999 loss 0.5\nstep 1e999 loss 0.5\n",
    f"2024-03-30 15:16:33,123 INFO:   | Train Device=CSX, Step={DIGITS}, Loss=7.1, Rate=1.0 samples/sec\n",
    f"poptorch\nEpochs: {DIGITS}%|##| {DIGITS}/{DIGITS} [00:01<00:00]\nglobal_batch_size: {DIGITS}\n",
    f"COMPILE START AT {DIGITS}\nRUN COMMAND: x -b 1e999\nSLURM_NTASKS={DIGITS}\n",
    ':::MLLOG {"key": "eval_accuracy", "value": 0.5, "time_ms": %s}\n' % ("9" * 400),
    'DLLL {"timestamp": "x", "type": "LOG", "step": [[1], {"a": 2}], "data": {"train.loss": 7.01}}\n',
    "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n 0.0 1e999 1e999 1e999\n 1.0 10.0 20.0 30.0\n",
    "elapsed_time,nproc,cpu,mem_real,mem_virtual\n0.0,1e999,1,2,3\n1.0,2,1,1e999,3\n",
]


def test_logs_with_numbers_that_no_one_can_count_to_are_read(assay: Assay) -> None:
    names = [f"{at}.log" for at in range(len(LOGS))]
    for name, text in zip(names, LOGS, strict=True):
        Path(assay.folder, name).write_text(text)
    assert ingested(assay, *names).stderr == b""
    done = assay("audit", *names, "good.log")
    assert done.stderr == b"" and done.returncode in (0, 1)


def test_rows_of_psrecord_that_are_not_finite_are_left_out(assay: Assay) -> None:
    rows = " 0.0 5.0 20.0 30.0\n 0.5 1e999 1e999 1e999\n 1.0 10.0 20.0 30.0\n"
    Path(assay.folder, "ps.log").write_text("# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n" + rows)
    ingested(assay, "ps.log")
    run = next(one for one in assay.ls() if one["system"] == "psrecord")
    assert run["cpu_pct_max"] == 10.0


YAML = {
    "merges": bomb("{<<: [%s]}"),
    "aliases": bomb("[%s]"),
    "an alias of itself": "a: &a [*a]\n",
    "nesting": "a: " + "[" * 5000 + "]" * 5000 + "\n",
    "tags": 'a: !!python/object/apply:os.system ["touch made"]\nb: !!binary "a"\nc: !!int abc\n',
    "a long number": f"a: {DIGITS}\n",
    "a date that is none": "a: 2024-99-99\n",
    "keys that are lists": "? [1]\n: 2\n",
}


@pytest.mark.parametrize("kind", ["mlflow", "groq", "wandb"])
def test_no_yaml_of_another_tool_breaks_an_import(kind: str, assay: Assay) -> None:
    name = {"mlflow": "meta.yaml", "groq": "state.yaml", "wandb": "files/config.yaml"}[kind]
    for what, text in YAML.items():
        folder = Path(assay.folder, "other", what)
        (folder / ("files" if kind == "wandb" else "metrics")).mkdir(parents=True)
        (folder / name).write_text(text)
        if kind == "wandb":
            (folder / "run-x.wandb").write_bytes(b":W&B\0\0\0")
    done = ingested(assay, "other")
    named = [what for what in YAML if f"other/{what}/{name}`".encode() in done.stderr]
    assert named == ([] if kind == "wandb" else ["merges", "aliases", "nesting"]), done.stderr.decode()
    assert b"cannot be read: " not in done.stderr
    assert not Path(assay.folder, "made").exists()


@pytest.mark.parametrize("what", ["merges", "aliases", "an alias of itself", "nesting", "tags", "keys that are lists"])
@pytest.mark.parametrize("kind", ["study", "places"])
def test_a_study_or_places_file_that_is_a_trap_is_refused_with_its_line(what: str, kind: str, assay: Assay) -> None:
    file = Path(assay.folder, "file.yaml")
    file.write_text(YAML[what])
    if kind == "places":
        assay.env["ASSAY_PLACES"] = "file.yaml"
        Path(assay.folder, "study.yaml").write_text("command: echo {x}\ngrid: {x: [1, 2]}\non: a\n")
    done = assay("study", "file.yaml" if kind == "study" else "study.yaml", "--dry-run")
    assert done.returncode == 2, done.stderr.decode()
    assert done.stderr.startswith(b"error: ") and b"file.yaml" in done.stderr and b"Traceback" not in done.stderr
    assert not Path(assay.folder, "made").exists()


OURS = ("kind", "line", "t", "v", "from", "step", "self", "rank", "name", "status", "at_s")


def test_names_of_mlflow_that_are_also_ours_break_nothing(assay: Assay) -> None:
    for name in (*OURS, "loss"):
        for part, text in (("metrics", "1700000000001 0.69 0\n1e999 inf 1e999\nx y z\n"), ("params", "1")):
            path = Path(assay.folder, "mlruns", part, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    Path(assay.folder, "mlruns", "meta.yaml").write_text("run_name: fox\nstatus: 3\n")
    ingested(assay, "mlruns")
    run = next(one for one in assay.ls() if one["system"] == "mlflow")
    assert run["status"] == "completed" and run["loss"] == 0.69 and run["params"]["kind_value"] == 1


def test_a_database_of_mlflow_with_any_type_in_any_column_is_read(assay: Assay) -> None:
    with sqlite3.connect(Path(assay.folder, "mlflow.db")) as database:
        database.executescript(
            "create table runs(run_uuid, name, status, lifecycle_stage, start_time);"
            "create table metrics(run_uuid, key, value, step, timestamp, is_nan);"
            "create table params(run_uuid, key, value); create table tags(run_uuid, key, value);"
        )
        database.execute("insert into runs values ('r', null, null, 'active', null)")
        for name in ("kind", "line", "step", None, b"x", "loss"):
            for value in (0.5, None, "x", b"q"):
                for step in (None, 1, "a", 1e300):
                    database.execute("insert into metrics values ('r', ?, ?, ?, ?, 0)", (name, value, step, step))
            database.execute("insert into params values ('r', ?, null)", (name,))
    ingested(assay, "mlflow.db")
    assert any(one["system"] == "mlflow" and one["loss"] == 0.5 for one in assay.ls())


def test_a_run_of_wandb_with_our_names_and_odd_values_is_read(assay: Assay) -> None:
    values = ("1", "1e999", "NaN", '"x"', "null", '{"kind": 1, "line": {"a": 2}}', "9" * 400, "[1]")
    records = [
        _field(part, _field(1, _field(1, name.encode()) + _field(16, value.encode())))
        for name in (*OURS, "_step", "_timestamp", "loss")
        for value in values
        for part in (2, 3, 5)
    ]
    records.append(_field(2, _field(1, _field(1, b"short") + _field(6, b"abc"))))
    content = b":W&B\0\0\0" + b"".join(struct.pack("<IHB", 0, len(one), 1) + one for one in records)
    Path(assay.folder, "run-x.wandb").write_bytes(content)
    ingested(assay, "run-x.wandb")
    assert any(one["system"] == "wandb" for one in assay.ls())


def test_a_tensorboard_file_with_endless_times_and_our_names_is_read(assay: Assay) -> None:
    records = [
        b"\x09" + struct.pack("<d", t) + b"\x10\x05" + _field(5, _field(1, _field(1, tag.encode()) + value))
        for t in (float("inf"), float("nan"), 1e300, -1e300, 1.7e9)
        for tag in (*OURS, "loss")
        for value in (b"\x15" + struct.pack("<f", one) for one in (float("inf"), float("nan"), 1.0))
    ]
    content = b"".join(struct.pack("<QI", len(one), 0) + one + b"\0" * 4 for one in records)
    Path(assay.folder, "events.out.tfevents.1").write_bytes(content)
    ingested(assay, "events.out.tfevents.1")
    assert any(one["system"] == "tensorboard" for one in assay.ls())
    assert b"Traceback" not in assay("audit", "events.out.tfevents.1").stderr


def test_a_fault_of_a_reader_is_reported_in_one_line() -> None:
    from assay.errors import AssayError
    from assay.reading.guard import guarded, in_time

    with pytest.raises(AssayError, match=r"`a\.log` cannot be read: ZeroDivisionError"), guarded("a.log"):
        print(1 // 0)
    with pytest.raises(AssayError, match=r"`a\.log` takes more than 0 s"):
        for _ in in_time(range(10**9), "a.log", longest_s=0.01):
            pass


def _field(number: int, content: bytes) -> bytes:
    """A field of a protocol buffer that holds bytes."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + _varint(value >> 7)
