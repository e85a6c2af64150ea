"""MaxText and other programs on JAX.

    Running Model: deepseek2-16b
    Config param steps: 10
    Config param max_target_length: 2048
    completed step: 9, seconds: 5.667, TFLOP/s/device: 134.924, Tokens/s/device: 8672.758, total_weights: 196608, loss:
        10.374

The trap: a step that was only dispatched is done in no time, so no mean of all steps is a rate; the batch in the
configuration is that of one device, and `steps` means the steps of a run in this configuration alone.
"""

from __future__ import annotations

import re

from assay.readers.settings import SETTING_NAMES, setting_value
from assay.readers.told import Form, Told, named_model

_PARAM = re.compile(r"Config param (?P<name>\w{1,60}): (?P<value>\S{1,80})$")
_MODEL = re.compile(r"Running Model: (?P<model>\S{1,80})$")
_NAMES = {"steps": "max_steps", "max_target_length": "seq_len", "global_batch_size_to_train_on": "batch_size"}
#: of one device, or not of this run
_NOT = {"per_device_batch_size", "batch_size", "eval_steps"}


def _param(found: re.Match[str]) -> Told:
    name = _NAMES.get(found["name"]) or SETTING_NAMES.get(found["name"])
    if found["name"] == "model_name":
        return Told(words={"model": found["value"]})
    value = setting_value(name, found["value"]) if name and found["name"] not in _NOT else None
    return Told(settings={name: value}) if name and value is not None and value >= 0 else Told()


FORMS = (Form("Config param ", _PARAM, _param), Form("Running Model: ", _MODEL, named_model))
