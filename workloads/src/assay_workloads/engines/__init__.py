"""Engines that run a trained classifier: one file each, the same interface, token ids in and logits out.

Every engine but `eager` computes only what the answer depends on (see `lean.py`): the same logits to rounding, with
less work in the last layer.
"""

from __future__ import annotations

#: engine: (module, what it needs beside torch, where it runs, its precision)
ENGINES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...], str]] = {
    "eager": ("assay_workloads.engines.eager", (), ("cpu", "cuda"), "fp32"),
    "compile": ("assay_workloads.engines.compiled", (), ("cpu", "cuda"), "fp32"),
    "cuda-kernel": ("assay_workloads.engines.cuda_kernel", (), ("cuda",), "fp16"),
    "cuda-graph": ("assay_workloads.engines.cuda_graph", (), ("cuda",), "fp16"),
    "onnxruntime": ("assay_workloads.engines.ort", ("onnxruntime", "onnx"), ("cpu",), "fp32"),
    "onnxruntime-int8": ("assay_workloads.engines.ort", ("onnxruntime", "onnx"), ("cpu",), "int8"),
    "openvino": ("assay_workloads.engines.vino", ("openvino",), ("cpu",), "fp32"),
    "openvino-bf16": ("assay_workloads.engines.vino", ("openvino",), ("cpu",), "bf16"),
}
