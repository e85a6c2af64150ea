"""ONNX Runtime, on a graph of its own fused operators; `int8` quantises the weights of the matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy
import onnxruntime

from assay_workloads.engines import onnx_graph
from assay_workloads.engines.classifier import Classifier

if TYPE_CHECKING:
    from assay_workloads.engines.base import Array, Engine, Shape


def build(model: Classifier, shape: Shape, *, device: str, threads: int, precision: str) -> Engine:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    graph = onnx_graph.build(model, masked=shape.masked, int8=precision == "int8")
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    names = ["logits"]

    def run(ids: Array, lengths: Array | None) -> Array:
        given = {"ids": ids.astype(numpy.int32)}
        if shape.masked:
            given["lengths"] = numpy.asarray(lengths, numpy.int32)
        found: Array = session.run(names, given)[0]
        return found

    return run
