"""Hugging Face Trainer, TRL, Axolotl, Optimum: what is no dictionary of figures.

    ***** Running training *****
      Num examples = 3,668
      Instantaneous batch size per device = 8
      Total train batch size (w. parallel, distributed & accumulation) = 32
      Total optimization steps = 6,315
    TrainOutput(global_step=250, training_loss=1.5535, metrics={'train_runtime': 484.79, 'train_loss': 1.5535, …})
    [250/250 07:59, Epoch 1/1]                                                   above the table of a notebook

The trap: the loss in `TrainOutput` is the mean of the whole training, the last one stands in the table above it.
"""

from __future__ import annotations

import re

from assay.readers.objects import read_object
from assay.readers.told import NUM_EXAMPLES, Form, Told

_OUTPUT = re.compile(r"TrainOutput\(global_step=(?P<step>\d+), training_loss=[^,]{1,40}, metrics=(?P<metrics>\{.*\})\)")
_TOTAL = re.compile(r"^Total train batch size \([^)]{1,80}\) = (?P<size>[\d,]+)$")
_EXAMPLES = re.compile(r"^Num examples = (?P<count>[\d,]+)$")
_BAR = re.compile(r"\[ *(?P<done>\d+)/(?P<total>\d+) [\d:]+(?:<[\d:?]+)?, Epoch [\d.]+/\d+\]")


def _output(found: re.Match[str]) -> Told | None:
    told = read_object(found["metrics"])
    if told is None:
        return None
    return Told(results={**told.facts, **told.results, "step": int(found["step"])}, completed=True)


def _total(found: re.Match[str]) -> Told:
    return Told(settings={"batch_size": int(found["size"].replace(",", ""))})


def _examples(found: re.Match[str]) -> Told:
    return Told(settings={NUM_EXAMPLES: int(found["count"].replace(",", ""))})


def _bar(found: re.Match[str]) -> Told:
    return Told(settings={"max_steps": int(found["total"])})


FORMS = (
    Form("TrainOutput(", _OUTPUT, _output),
    Form("Total train batch size", _TOTAL, _total),
    Form(", Epoch ", _BAR, _bar),
    Form("Num examples", _EXAMPLES, _examples),
)
