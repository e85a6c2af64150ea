"""Megatron-LM, Megatron-DeepSpeed, NeMo's console: cells between bars, each with its name and figure.

     iteration      200/    1000 | consumed samples:          800 | elapsed time per iteration (ms): 1617.2 | learning
        rate: 1.342E-04 | global batch size:     4 | lm loss: 7.534106E+00 | loss scale: 16384.0 | grad norm: 4.197 |
    … | throughput per GPU (TFLOP/s/GPU): 398.6 |                              (Megatron-LM since 2023)
    … | samples per second: 52.8 | tokens per gpu per second (tgs): 1126.7 | TFLOPs: 68.63 |      (Megatron-DeepSpeed)
     validation loss at iteration 100 | lm loss value: 8.095942E+00 | lm loss PPL: 3.281128E+03 |
    [Rank 0] (after 20 iterations) memory (MB) | allocated: 19539.3 | max allocated: 22112.8 | reserved: 26732.0
    Training epoch 0, iteration 10/99 | lr: 1.5e-06 | global_step: 10 | reduced_train_loss: 10.9 | …         (NeMo 2)

The trap: a loss scale is no loss, the first iterations may have no loss (they were skipped), and the number in
`validation loss at iteration 100` is none.
"""

from __future__ import annotations

import re

from assay.readers.sizes import FACTORS, PEAK
from assay.readers.told import Form, Told
from assay.reading.reader import figure

_NUMBER = r"[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?"
_CELL = re.compile(rf"(?P<name>[A-Za-z][^|:]{{0,60}}): +(?P<value>{_NUMBER}|nan|inf)%?\s*(?:\||$)", re.IGNORECASE)
_ITERATION = re.compile(r"(?:^|\s)iteration +(?P<step>\d+)/ *(?P<total>\d+) \|(?P<cells>.*)")
_VALIDATION = re.compile(
    r"validation loss at (?:iteration \d+|the end of training)(?P<about>[^|]{0,60})\| .{0,60}?loss value: "
    rf"(?P<loss>{_NUMBER})"
)
_MEMORY = re.compile(r"\(after \d+ iterations\) memory \(MB\) \|.{0,80}?max allocated: (?P<mb>\d+(?:\.\d+)?)")
#: what a cell is called, to what it is and its factor
_FIGURES = {
    "consumed samples": ("samples", 1.0),
    "consumed_samples": ("samples", 1.0),
    "consumed tokens": ("tokens", 1.0),
    "lm loss": ("loss", 1.0),
    "loss": ("loss", 1.0),
    "reduced_train_loss": ("loss", 1.0),
    "val_loss": ("val_loss", 1.0),
    "learning rate": ("lr", 1.0),
    "lr": ("lr", 1.0),
    "grad norm": ("grad_norm", 1.0),
    "samples per second": ("samples_per_s", 1.0),
    "tokens per second": ("tokens_per_s", 1.0),
    "tokens per gpu per second (tgs)": ("tokens_per_s_per_device", 1.0),
    "tokens/sec/gpu": ("tokens_per_s_per_device", 1.0),
    "throughput per gpu (tflop/s/gpu)": ("tflops_per_device", 1.0),
    "tflops": ("tflops_per_device", 1.0),
    "tflops_per_gpu": ("tflops_per_device", 1.0),
    "elapsed time per iteration (ms)": ("step_ms", 1.0),
    "elapsed time per iteration (s)": ("step_ms", 1000.0),
    "train_step_timing in s": ("step_ms", 1000.0),
}
_SETTINGS = {"global batch size": "batch_size", "global_batch_size": "batch_size", "actual seqlen": "seq_len"}


def _iteration(found: re.Match[str]) -> Told:
    facts: dict[str, object] = {"step": int(found["step"])}
    settings: dict[str, object] = {"max_steps": int(found["total"])}
    for cell in _CELL.finditer(found["cells"]):
        name, value = cell["name"].strip().lower(), figure(cell["value"])
        if name in _FIGURES and value is not None:
            known, factor = _FIGURES[name]
            facts[known] = value * factor
        elif name in _SETTINGS and value:
            settings[_SETTINGS[name]] = int(value)
    return Told(facts=facts, settings=settings)


def _validation(found: re.Match[str]) -> Told:
    name = "test_loss" if "test" in found["about"] else "val_loss"
    return Told(facts={name: figure(found["loss"])})


def _memory(found: re.Match[str]) -> Told:
    return Told(facts={PEAK: float(found["mb"]) * FACTORS["m"]})


FORMS = (
    Form("iteration ", _ITERATION, _iteration),
    Form("validation loss at", _VALIDATION, _validation),
    Form("max allocated", _MEMORY, _memory),
)
