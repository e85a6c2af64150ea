"""torchtitan.

    [titan] 2025-02-11 14:09:20,263 - root - INFO - Training starts at step 1, with local batch size 8, global batch
        size 64, sequence length 8192, total steps 1000 (warmup 200)
    … Trainer is initialized with local batch size 1, global batch size 24, gradient accumulation steps 1, sequence
        length 4096, total steps 1000 (warmup 2)                                                               (2025)
    step: 10  loss:  8.1412  memory: 45.09GiB(56.48%)  tps: 6,697  tflops: 62.15  mfu: 20.84%
    validate step: 10  loss:  7.9911  memory: 41.10GiB(51.50%)  tps: 21,022

The trap: `tps` (`wps` in 2024) is of one device, and `loss` behind `validate step` is of another set.
"""

from __future__ import annotations

import re

from assay.readers.told import Dialect, Form, Told, named_model

_SIZES = re.compile(
    r"local batch size:? (?P<local>\d+)(?:, global batch size:? (?P<batch>\d+))?"
    r"(?:, gradient accumulation steps:? (?P<accum>\d+))?"
    r", sequence length:? (?P<seq>\d+), total steps:? (?P<steps>\d+)(?: \(warmup (?P<warmup>\d+)\))?"
)
_DEVICE = re.compile(r"(?:GPU|CUDA|XPU|HIP) capacity: (?P<device>\S[^()]{1,60}?)(?: \(\d+\))? with [\d.]+GiB memory")
_MODEL = re.compile(r"(?:^|\s)Model (?P<model>\w[\w.-]{0,40} [\w.-]{1,40}) size: [\d,]+ (?:total )?parameters")
_STEP = re.compile(r"(?<!validate )step: +\d[\d,]*  loss: ")
_VALIDATE = re.compile(r"validate step: +\d[\d,]*  loss: ")
_ONE = {"tps": ("tokens_per_s_per_device", 1.0), "wps": ("tokens_per_s_per_device", 1.0)}


def _sizes(found: re.Match[str]) -> Told:
    names = {
        "batch": "batch_size",
        "local": "per_device_train_batch_size",
        "accum": "grad_accum",
        "seq": "seq_len",
        "steps": "max_steps",
    }
    return Told(settings={name: int(found[group]) for group, name in names.items() if found[group]})


def _device(found: re.Match[str]) -> Told:
    return Told(words={"device": found["device"]})


FORMS = (
    Form("local batch size", _SIZES, _sizes),
    Form(" size: ", _MODEL, named_model),
    Form(" capacity: ", _DEVICE, _device),
)
DIALECTS = (
    Dialect("validate step", _VALIDATE, {"loss": ("val_loss", 1.0), "tps": ("eval_tokens_per_s_per_device", 1.0)}),
    Dialect("step: ", _STEP, _ONE),
)
