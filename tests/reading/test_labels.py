"""What tools put before every line of a log takes no figure from it."""

from __future__ import annotations

import json

import pytest
from reading import summaries

from assay.reading import notebook
from assay.reading.copies import unlabelled

TABLE = """\
Woohoo! Saved to ~/.cache/groqflow/bert_tiny
+--------+----------+-------------------------+----------------+----------------------+-------------+
| Source | Accuracy | end-to-end latency (ms) | end-to-end IPS | on-chip latency (ms) | on-chip IPS |
+--------+----------+-------------------------+----------------+----------------------+-------------+
|  cpu   |  77.10%  |          2.31           |     432.90     |          --          |     --      |
|  groq  |  77.20%  |          0.06           |    16250.11    |         0.03         |  33120.45   |
+--------+----------+-------------------------+----------------+----------------------+-------------+
"""


def _labelled(kind: str) -> str:
    lines = TABLE.rstrip("\n").split("\n")
    before = {
        "cat -n": lambda at: f"{at:6d}\t",
        "an editor": lambda at: f"{at:4d} ",
        "srun": lambda at: "0: ",
        "torchrun": lambda at: "[default0]:",
        "mpirun": lambda at: "[1,0]<stdout>:",
        "docker compose": lambda at: "trainer-1  | ",
        "syslog": lambda at: f"Mar  3 04:00:{at:02d} node07 train[4711]: ",
        "kubectl": lambda at: f"2026-01-05T04:00:{at:02d}.120Z stdout F ",
        "ts": lambda at: f"[2026-01-05 04:00:{at:02d}] ",
    }[kind]
    return "".join(f"{before(at)}{line}\n" for at, line in enumerate(lines, 1))


@pytest.mark.parametrize(
    "kind", ["cat -n", "an editor", "srun", "torchrun", "mpirun", "docker compose", "syslog", "kubectl", "ts"]
)
def test_a_table_is_read_whatever_tool_put_something_before_its_lines(kind: str) -> None:
    runs = summaries(_labelled(kind), "groq.log")
    assert {run["device"]: run["accuracy"] for run in runs} == {"cpu": 0.771, "groq": 0.772}


@pytest.mark.parametrize(
    "lines",
    [
        [b"10: loss 4.1", b"20: loss 3.1", b"30: loss 2.1"],  # its own steps
        [b"0: loss 4.1", b"1: loss 3.1", b"0: loss 2.1"],  # two ranks
        [b"1 one", b"2 two", b"9 nine"],
        [b"1 one", b"two", b"3 three"],
        [b"[2024-01-05 09:10:12] loss 4.1", b"[2024-01-05 09:10:13] loss 3.1", b"[2024-01-05 09:10:14] loss 2.1"],
    ],
)
def test_what_differs_or_says_when_is_kept(lines: list[bytes]) -> None:
    physical = list(enumerate(lines, 1))
    assert unlabelled(physical) == physical


def test_two_streams_of_a_cell_that_take_turns_are_one_log() -> None:
    lines = [f"epoch {n}/4 loss {5 - n}.5\n" for n in range(1, 5)]
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": lines[:2]},
        {"output_type": "stream", "name": "stderr", "text": ["UserWarning: slow\n"]},
        {"output_type": "stream", "name": "stdout", "text": lines[2:]},
    ]
    book = {"cells": [{"cell_type": "code", "source": ["!python train.py"], "outputs": outputs}]}
    text = b"\n".join(raw for _, raw in notebook.lines(json.dumps(book).encode(), "a.ipynb"))
    (run,) = summaries(text, "a.ipynb")
    assert (run["loss"], run["status"]) == (1.5, "completed")
