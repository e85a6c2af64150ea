"""BERT-tiny as anyone would run it on ONNX Runtime and OpenVINO: the whole trained model, exported and run by default.

Each takes int64 ids and, where rows are padded, how many of them are real, as the engines of `bert-classify` do.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy
import onnxruntime
import openvino
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

Engine = Callable[[Any, Any], Any]


def exported(model: Any, *, padded: bool, length: int) -> dict[str, Callable[[int], Engine]]:
    """By name, each made for a number of threads."""
    ids = torch.ones(1, length, dtype=torch.int64)
    example = (ids, torch.full((1,), length)) if padded else (ids,)
    onnx = _onnx(model, example, padded)
    converted = openvino.convert_model(model, example_input=example)
    converted.reshape({0: [1, length], 1: [1]} if padded else {0: [1, -1]})
    return {
        "ONNX Runtime": lambda threads: _ort(onnx, threads),
        "ONNX Runtime, dynamic int8": lambda threads: _ort(_int8(onnx), threads),
        "OpenVINO": lambda threads: _vino(converted, threads),
    }


def _onnx(model: Any, example: tuple[Any, ...], padded: bool) -> bytes:
    file = io.BytesIO()
    axes = {} if padded else {"ids": {1: "length"}}
    torch.onnx.export(model, example, file, input_names=["ids", "lengths"][: len(example)], output_names=["logits"],
                      dynamic_axes=axes, opset_version=17, dynamo=False)  # fmt: skip
    return file.getvalue()


def _int8(onnx: bytes) -> bytes:
    with TemporaryDirectory() as folder:
        plain, small = Path(folder, "plain.onnx"), Path(folder, "int8.onnx")
        plain.write_bytes(onnx)
        quantize_dynamic(plain, small, weight_type=QuantType.QInt8)
        return small.read_bytes()


def _ort(onnx: bytes, threads: int) -> Engine:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 3
    session = onnxruntime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])

    def run(ids: Any, lengths: Any) -> Any:
        given = {"ids": ids} if lengths is None else {"ids": ids, "lengths": lengths}
        return session.run(None, given)[0]

    return run


def _vino(converted: Any, threads: int) -> Engine:
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads}
    request = openvino.Core().compile_model(converted, "CPU", settings).create_infer_request()

    def run(ids: Any, lengths: Any) -> Any:
        request.infer([ids] if lengths is None else [ids, lengths])
        return numpy.asarray(request.get_output_tensor().data)

    return run
