"""Files of other tools, as small as they come, for those that no fixture has."""

from __future__ import annotations

import json
import sqlite3
import struct
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from assay.views.export.records import double, part, record, single, text, whole

PLACES = b"""
graphcore: {launcher: slurm, ipus: 1, time: 1h, setup: [source ~/venvs/poptorch/bin/activate], env: {A: b}}
two: {launcher: local, cpus: 2}
old: {launcher: pbs, select: '1:ncpus=8', memory: 4G, modules: [gcc], python: /usr/bin/python3}
"""
PSRECORD = b"# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n" + b"".join(
    b"%12.3f %12.3f %12.3f %12.3f\n" % (i / 10, 50 + i, 100 + i, 400) for i in range(50)
)
STATE = b"""
session: {name: a run, started: 2024-01-01T00:00:00Z}
model: [lenet, {layers: 3, loss: 0.5}]
batch_size: 64
"""


def packed(files: dict[str, bytes]) -> bytes:
    """Several files as one input."""
    return json.dumps({name: content.decode("latin-1") for name, content in files.items()}).encode()


def html(page: bytes) -> bytes:
    """A page of prose and logs as a web page."""
    body = page.decode(errors="replace").replace("&", "&amp;").replace("<", "&lt;")
    parts = body.split("```")
    tags = ("<p>{}</p>", "<pre><code>{}</code></pre>")
    return (
        "<html><body>" + "".join(tags[i % 2].format(part) for i, part in enumerate(parts)) + "</body></html>"
    ).encode()


def notebook(page: bytes) -> bytes:
    parts = page.decode(errors="replace").split("```")
    cells: list[dict[str, Any]] = []
    for index, part_of in enumerate(parts):
        lines = part_of.splitlines(keepends=True)
        if index % 2:
            output = {"output_type": "stream", "name": "stdout", "text": lines}
            cells.append({"cell_type": "code", "source": ["!python train.py"], "outputs": [output]})
        else:
            cells.append({"cell_type": "markdown", "source": lines})
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def mlflow_folder() -> dict[str, bytes]:
    return {
        "0/meta.yaml": b"experiment_id: '0'\nname: Default\n",
        "0/6f1c/meta.yaml": b"run_id: 6f1c\nrun_name: brave-fox\nstatus: 3\nstart_time: 1700000000000\n",
        "0/6f1c/metrics/train/loss": b"1700000000001 0.9 0\n1700000000002 0.5 1\n",
        "0/6f1c/metrics/f1": b"1700000000003 0.75\n",
        "0/6f1c/params/batch_size": b"64",
        "0/6f1c/tags/mlflow.source.name": b"train.py",
    }


_MLFLOW = """
CREATE TABLE runs (run_uuid, name, status, lifecycle_stage, start_time);
CREATE TABLE metrics (run_uuid, key, value, step, timestamp, is_nan);
CREATE TABLE params (run_uuid, key, value);
CREATE TABLE tags (run_uuid, key, value);
INSERT INTO runs VALUES ('a1', 'fox', 'FINISHED', 'active', 1700000000000);
"""


def mlflow_database(rows: Iterable[tuple[Any, ...]]) -> bytes:
    """Rows are (key, value, step, timestamp) of metrics; the keys and values are settings, too."""
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        with sqlite3.connect(file.name) as database:
            database.executescript(_MLFLOW)
            for key, value, step, timestamp in rows:
                database.execute("INSERT INTO metrics VALUES ('a1', ?, ?, ?, ?, 0)", (key, value, step, timestamp))
                database.execute("INSERT INTO params VALUES ('a1', ?, ?)", (key, value))
        database.close()
        return Path(file.name).read_bytes()


@cache
def mlflow_databases() -> list[bytes]:
    return [mlflow_database([("train/loss", 1 / (i + 1), i, 1_700_000_000_000 + i) for i in range(20)])]


def wandb(rows: Iterable[dict[str, Any]]) -> bytes:
    """History rows, then a summary and a setting of the last one."""
    rows = list(rows)
    messages = [part(2, _items(row)) for row in rows]
    if rows:
        messages += [part(3, _items(rows[-1])), part(5, _items(rows[-1]))]
    content = b":W&B\xbe\xe1\x00"
    for message in messages:
        if 7 + len(message) <= 32768 - (len(content) - 7) % 32768:
            content += struct.pack("<IHB", 0, len(message), 1) + message
    return content


def _items(row: dict[str, Any]) -> bytes:
    return b"".join(part(1, text(1, key) + text(16, json.dumps(value))) for key, value in row.items())


@cache
def wandbs() -> list[bytes]:
    return [wandb([{"_step": i, "train/loss": 1 / (i + 1), "_timestamp": 1.7e9 + i} for i in range(30)])]


def board(rows: Iterable[tuple[str, float, int, float]]) -> bytes:
    """(tag, value, step, wall clock)"""
    content = record(text(3, "brain.Event:2"))
    for tag, value, step, wall_s in rows:
        content += record(double(1, wall_s) + whole(2, step) + part(5, part(1, text(1, tag) + single(2, value))))
    return content


@cache
def boards() -> list[bytes]:
    return [board([("train/loss", 1 / (i + 1), i, 1.7e9 + i) for i in range(30)])]
