"""Examples of the graph libraries: DGL and PyTorch Geometric.

    Epoch 00029 | Step 00020 | Loss 0.4032 | Train Acc 0.9050 | Speed (samples/sec) 43610.3465 | GPU 469.6 MB
    Eval Acc 0.9410
    Epoch: 200, Loss: 0.0412, Train: 1.0000, Val: 0.7940, Test: 0.8150
    Run: 01, Epoch: 02, Loss: 1.1234, Train: 71.12%, Valid: 70.01% Test: 69.25%                          OGB

The trap: `Train`, `Val` and `Test` alone are accuracies, and the first speed is not a number.
"""

from __future__ import annotations

import re

from assay.readers.sizes import PEAK
from assay.readers.told import Dialect, Form, Told
from assay.reading.reader import figure

_SPEED = re.compile(
    r"Epoch (?P<epoch>\d+) \| Step (?P<step>\d+) \| Loss (?P<loss>\S+) \| Train Acc (?P<accuracy>\S+) \| "
    r"Speed \(samples/sec\) (?P<speed>\S+)(?: \| GPU (?P<memory>[\d.]+) MB)?"
)
_SPLITS = re.compile(r"Loss: [\d.]+,.{0,40}\bTrain: [\d.]+%?,? {1,4}(?:Val(?:id)?|Test): [\d.]+")
_MB = 1e6


def _speed(found: re.Match[str]) -> Told:
    speed = figure(found["speed"].split("|")[0])
    known = {
        "samples_per_s": speed if speed is not None and speed == speed else None,
        PEAK: float(found["memory"]) * _MB if found["memory"] else None,
    }
    facts = {"epoch": int(found["epoch"]), "loss": figure(found["loss"]), "train_accuracy": figure(found["accuracy"])}
    return Told(facts={**facts, **{name: value for name, value in known.items() if value is not None}})


FORMS = (Form("Speed (samples/sec)", _SPEED, _speed),)
DIALECTS = (
    Dialect(
        "Train: ",
        _SPLITS,
        {
            "train": ("train_accuracy", 1.0),
            "val": ("val_accuracy", 1.0),
            "valid": ("val_accuracy", 1.0),
            "test": ("test_accuracy", 1.0),
        },
    ),
)
