"""MosaicML Composer and llm-foundry: a heading for each batch, then one figure per line.

    num_gpus_per_node: 8
    num_nodes: 2
    [epoch=1][batch=5/5]:
             Train time/batch: 4
             Train loss/train/total: 8.4213
             Train throughput/device/tokens_per_sec: 1255.1776
             Train time/train: 0.5249
    [eval=5/5] Eval on eval data:
             Eval metrics/eval/LanguageCrossEntropy: 5.1021
    train          Epoch   1:  100%|█████████| 625/625 [01:01<00:00, 10.11ba/s, loss/train/total=2.1033]

The trap: times are in hours unless the log names another unit, a token's accuracy is not that of a task, and
`throughput/device` is of one device. `time/batch` counts the batches before this one.
"""

from __future__ import annotations

import re

from assay.readers.named import canonical
from assay.readers.sizes import FACTORS, PEAK
from assay.readers.told import Dialect, Form, Told
from assay.reading.reader import figure

_FIGURE = re.compile(
    r"^(?P<part>Train|Eval) (?P<name>[a-zA-Z][\w./-]{0,80}): (?P<value>[-+]?\d[\d.]*(?:[eE][-+]?\d+)?|nan)$"
)
_NODES = re.compile(r"(?P<name>num_gpus_per_node|num_nodes): (?P<value>\d+)$")
_SEED = re.compile(r"rank_zero_seed: (?P<seed>\d+)$")
_HOURS = 3600.0
_FIGURES = {
    "time/batch": ("step", 1.0),
    "time/sample": ("samples", 1.0),
    "time/token": ("tokens", 1.0),
    "loss/train/total": ("loss", 1.0),
    "throughput/samples_per_sec": ("samples_per_s", 1.0),
    "throughput/tokens_per_sec": ("tokens_per_s", 1.0),
    "throughput/device/tokens_per_sec": ("tokens_per_s_per_device", 1.0),
    "throughput/device/flops_per_sec": ("tflops_per_device", 1e-12),
    "throughput/device/mfu": ("mfu", 1.0),
    "memory/peak_allocated_mem": (PEAK, FACTORS["g"]),
    "memory/peak_active_mem": (PEAK, FACTORS["g"]),
    "time/train": ("train_s", _HOURS),
    "metrics/train/LanguageCrossEntropy": ("train_cross_entropy", 1.0),
    "metrics/eval/LanguageCrossEntropy": ("val_loss", 1.0),
    "metrics/eval/CrossEntropy": ("val_loss", 1.0),
    "metrics/eval/MulticlassAccuracy": ("val_accuracy", 1.0),
    "metrics/eval/Accuracy": ("val_accuracy", 1.0),
    "metrics/train/MulticlassAccuracy": ("train_accuracy", 1.0),
    "metrics/train/Accuracy": ("train_accuracy", 1.0),
}
_WHOLE = ("step", "samples", "tokens")


def _figure(found: re.Match[str]) -> Told | None:
    if "/" not in found["name"]:
        return None  # `Train accuracy: 0.98` is anyone's
    value = figure(found["value"])
    name, factor = _FIGURES.get(found["name"], ("", 1.0))
    if not name or value is None:
        return Told()
    return Told(facts={name: int(value) if name in _WHOLE else value * factor})


def _nodes(found: re.Match[str]) -> Told:
    name = "gpus_per_node" if found["name"] == "num_gpus_per_node" else "num_nodes"
    return Told(settings={name: int(found["value"])})


def _seed(found: re.Match[str]) -> Told:
    return Told(settings={"seed": int(found["seed"])})


#: what its bars call the same: `loss/train/total=2.1033`
_ON_BARS = {canonical(name): known for name, known in _FIGURES.items() if name.startswith(("loss/", "metrics/"))}
DIALECTS = (
    Dialect("loss/train/total=", re.compile(r"loss/train/total=\d"), _ON_BARS),
    Dialect("metrics/eval/", re.compile(r"metrics/eval/\w+=\d"), _ON_BARS),
)
FORMS = (
    Form("Train ", _FIGURE, _figure),
    Form("Eval ", _FIGURE, _figure),
    Form("num_", _NODES, _nodes),
    Form("rank_zero_seed", _SEED, _seed),
)
