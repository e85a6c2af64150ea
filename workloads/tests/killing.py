"""Kill a training at random moments and resume it, in one process that has loaded torch already: a script.

    killing.py WORKLOAD FOLDER KILLS SEED [settings…]    until so many kills met a run that was going on

Prints a JSON object: the final loss and checksum of the run that was left alone, and of each that was killed.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import torch

from assay_workloads.checkpoint import found, read
from assay_workloads.parallel import checksum

torch.set_num_threads(1)
name, folder, kills, seed, *words = sys.argv[1:]
main = importlib.import_module(f"assay_workloads.{name}").main


def train(out: Path, *more: str) -> int:
    """In a process of its own: its id."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            out.mkdir(parents=True, exist_ok=True)
            with open(out / "output", "a") as log:
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
            code = main([*words, "--out", str(out), *more])
        finally:
            os._exit(code)
    return child


def outcome(out: Path) -> list[object]:
    last = read(found(out / "checkpoints")[-1])
    return [last.values["finished"], checksum(last.tensors[key] for key in sorted(last.tensors)).tolist()]


dice = random.Random(int(seed))
begin = time.monotonic()
assert os.waitpid(train(Path(folder, "whole")), 0)[1] == 0
whole_s = time.monotonic() - begin
outcomes: list[list[object]] = []
tries = 0
while len(outcomes) < int(kills):
    tries += 1
    assert tries < 10 * int(kills), "no kill met a run that was going on"
    out = Path(folder, f"killed-{tries}")
    child = train(out)
    time.sleep(dice.uniform(0.02, 0.9) * whole_s)  # the moment itself is what is tried
    os.kill(child, signal.SIGKILL)
    if not os.WIFSIGNALED(os.waitpid(child, 0)[1]):
        continue  # it was over: no kill
    resume = ["--resume"] if found(out / "checkpoints") else []
    assert os.waitpid(train(out, *resume), 0)[1] == 0, (out / "output").read_text()
    outcomes.append(outcome(out))
print(json.dumps({"whole": outcome(Path(folder, "whole")), "tries": tries, "resumed": outcomes}))
