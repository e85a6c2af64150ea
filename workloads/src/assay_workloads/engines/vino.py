"""OpenVINO on a CPU, converted from the lean classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import openvino
import torch

from assay_workloads.engines.classifier import Classifier
from assay_workloads.engines.lean import Lean

if TYPE_CHECKING:
    from assay_workloads.engines.base import Array, Engine, Shape

_TYPES = {"fp32": "f32", "bf16": "bf16"}


def build(model: Classifier, shape: Shape, *, device: str, threads: int, precision: str) -> Engine:
    ids = torch.ones(shape.batch, shape.length, dtype=torch.int64)
    example = (ids, torch.full((shape.batch,), shape.length)) if shape.masked else (ids,)
    converted = openvino.convert_model(Lean(model).eval(), example_input=example)
    rows = shape.batch if shape.padded else -1
    sizes = {0: [rows if shape.masked else 1, shape.length if shape.padded else -1]}
    converted.reshape({**sizes, 1: [rows]} if shape.masked else sizes)
    settings = {
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "INFERENCE_PRECISION_HINT": _TYPES[precision],
    }
    request = openvino.Core().compile_model(converted, "CPU", settings).create_infer_request()

    def run(ids: Array, lengths: Array | None) -> Array:
        request.infer([ids, lengths] if shape.masked else [ids], share_inputs=True, share_outputs=True)
        found: Array = request.get_output_tensor().data
        return found

    return run
