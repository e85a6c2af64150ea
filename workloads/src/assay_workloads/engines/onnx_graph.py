"""The lean classifier as an ONNX graph, written node by node with the fused operators of ONNX Runtime.

An exporter would give about 120 small operators and needs another package; this has 20, and is readable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy
from onnx import TensorProto, checker, helper, numpy_helper

from assay_workloads.bert import LAYER_NORM_EPS
from assay_workloads.engines.classifier import Classifier
from assay_workloads.engines.lean import Lean

if TYPE_CHECKING:
    from torch import Tensor, nn

    from assay_workloads.engines.base import Array

_FUSED = "com.microsoft"
_OPSET, _IR = 18, 9


class Graph:
    """Nodes and constants, in order; every method adds one step and gives the name of its output."""

    def __init__(self, int8: bool) -> None:
        self.int8 = int8
        self.nodes: list[Any] = []
        self.constants: dict[str, Array] = {}

    def constant(self, value: Array | Tensor) -> str:
        name = f"c{len(self.constants)}"
        array = value if isinstance(value, numpy.ndarray) else value.detach().cpu().numpy()
        self.constants[name] = numpy.ascontiguousarray(array)
        return name

    def add(self, kind: str, *inputs: str, domain: str = "", outputs: int = 1, **attributes: Any) -> str:
        names = [f"n{len(self.nodes)}_{index}" for index in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, domain=domain, **attributes))
        return names[0]

    def linear(self, x: str, weight: Tensor, bias: Tensor | None) -> str:
        """A product with a weight of [out, in], and its bias where there is one."""
        if self.int8:
            values, scale, zero = _quantised(weight.detach().cpu().numpy().T)
            given = [x, self.constant(values), self.constant(scale), self.constant(zero)]
            return self.add("DynamicQuantizeMatMul", *given, *([] if bias is None else [self.constant(bias)]),
                            domain=_FUSED)  # fmt: skip
        product = self.add("MatMul", x, self.constant(weight.detach().T))
        return product if bias is None else self.add("Add", product, self.constant(bias))

    def skip_norm(self, x: str, skip: str, norm: nn.LayerNorm, bias: Tensor) -> str:
        given = [x, skip, self.constant(norm.weight), self.constant(norm.bias), self.constant(bias)]
        return self.add("SkipLayerNormalization", *given, domain=_FUSED, epsilon=LAYER_NORM_EPS)

    def feed_forward(self, x: str, layer: Any) -> str:
        wide = self.linear(x, layer.up.weight, None)
        wide = self.add("FastGelu", wide, self.constant(layer.up.bias), domain=_FUSED)
        return self.skip_norm(self.linear(wide, layer.down.weight, None), x, layer.norm, layer.down.bias)

    def full_layer(self, x: str, layer: Any, lengths: str) -> str:
        """Attention of every token."""
        if self.int8:
            mixed = self.attention(x, x, layer, lengths)
        else:  # one operator for the product and the attention
            weight, bias = self.constant(layer.qkv.weight.detach().T), self.constant(layer.qkv.bias)
            given = [x, weight, bias, *([lengths] if lengths else [])]
            mixed = self.add("Attention", *given, domain=_FUSED, num_heads=layer.heads)
        mixed = self.linear(mixed, layer.out.weight, None)
        return self.feed_forward(self.skip_norm(mixed, x, layer.attention_norm, layer.out.bias), layer)

    def first_row_layer(self, x: str, layer: Any, lengths: str) -> str:
        """Attention of the first token to all."""
        first = self.add("Slice", x, *(self.constant(numpy.array([n], numpy.int64)) for n in (0, 1, 1)))
        mixed = self.linear(self.attention(first, x, layer, lengths), layer.out.weight, None)
        return self.feed_forward(self.skip_norm(mixed, first, layer.attention_norm, layer.out.bias), layer)

    def attention(self, asking: str, x: str, layer: Any, lengths: str) -> str:
        """Of some tokens to all, with the products apart."""
        weights, biases = layer.qkv.weight.chunk(3), layer.qkv.bias.chunk(3)
        q, k, v = (self.linear(y, *pair) for y, *pair in zip((asking, x, x), weights, biases, strict=True))
        given = [q, k, v, *(["", lengths] if lengths else [])]
        return self.add("MultiHeadAttention", *given, domain=_FUSED, num_heads=layer.heads)


def build(model: Classifier, *, masked: bool, int8: bool = False) -> bytes:
    """From `ids` [batch, length] and, where masked, `lengths` [batch], both int32, to `logits` [batch, classes]."""
    lean, graph = Lean(model), Graph(int8)
    lengths = "lengths" if masked else ""
    given = ["ids", "", graph.constant(lean.words.weight), graph.constant(lean.positions), ""]
    given += [graph.constant(lean.norm.weight), graph.constant(lean.norm.bias)]
    x = graph.add("EmbedLayerNormalization", *given, domain=_FUSED, outputs=2, epsilon=LAYER_NORM_EPS)
    for layer in lean.full:
        x = graph.full_layer(x, layer, lengths)
    x = graph.first_row_layer(x, lean.last, lengths)
    x = graph.add("Squeeze", x, graph.constant(numpy.array([1], numpy.int64)))
    x = graph.add("Tanh", graph.add("Gemm", x, *map(graph.constant, lean.pooler.parameters()), transB=1))
    graph.nodes.append(helper.make_node("Gemm", [x, *map(graph.constant, lean.out.parameters())], ["logits"], transB=1))
    return _serialised(graph, masked)


def _serialised(graph: Graph, masked: bool) -> bytes:
    inputs = [helper.make_tensor_value_info("ids", TensorProto.INT32, ["batch", "length"])]
    if masked:
        inputs.append(helper.make_tensor_value_info("lengths", TensorProto.INT32, ["batch"]))
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "classes"])]
    constants = [numpy_helper.from_array(value, name) for name, value in graph.constants.items()]
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)]
    made = helper.make_model(helper.make_graph(graph.nodes, "bert", inputs, outputs, constants), opset_imports=opsets)
    made.ir_version = _IR
    checker.check_model(made)
    content: bytes = made.SerializeToString()
    return content


def _quantised(weight: Array) -> tuple[Array, Array, Array]:
    """Eight bits a weight, one scale a column, zero at zero."""
    scale = (numpy.abs(weight).max(axis=0) / 127).astype(numpy.float32)
    scale[scale == 0] = 1
    return numpy.round(weight / scale).astype(numpy.int8), scale, numpy.zeros(scale.shape, numpy.int8)
