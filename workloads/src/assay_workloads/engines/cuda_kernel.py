"""The whole of BERT-tiny as one kernel a call, `cuda/bert_tiny.cu`: ids travel with the launch, logits come back by
themselves into memory of the host, which waits for the number of the call beside them. No copy, no synchronisation.

Products are in half precision with float sums; norms, softmax and what runs through the layers are in float.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy
import torch
from torch import Tensor, nn

from assay_workloads.bert import BertConfig
from assay_workloads.building import CannotBuild, Library
from assay_workloads.cuda import build as cuda
from assay_workloads.engines.base import NotHere
from assay_workloads.engines.classifier import Classifier

if TYPE_CHECKING:
    from assay_workloads.engines.base import Array, Engine, Shape

_TOKENS, _SHAPE = 128, BertConfig.tiny()
_PROBLEMS = {-1: "the GPU gave no answer for ten seconds", -2: "a token id is not of the vocabulary"}


def build(model: Classifier, shape: Shape, *, device: str, threads: int, precision: str) -> Engine:
    _refuse(model, shape)
    try:
        library = cuda.kernels("bert_tiny")
        cuda.fits(library, "tiny_prepare")
    except CannotBuild as reason:
        raise NotHere(str(reason)) from reason
    return Kernel(library, model, device)


def _refuse(model: Classifier, shape: Shape) -> None:
    """What the kernel is not written for."""
    config = model.bert.config
    dimensions = (config.layers, config.hidden, config.heads, config.filter, model.out.out_features)
    if dimensions != (_SHAPE.layers, _SHAPE.hidden, _SHAPE.heads, _SHAPE.filter, 2):
        raise NotHere("supports only BERT-tiny with two classes")
    if shape.batch != 1:
        raise NotHere(f"supports one sentence per call, not a batch of {shape.batch}")
    if shape.length > _TOKENS:
        raise NotHere(f"supports at most {_TOKENS} tokens, not {shape.length}")
    if config.vocab > 65536:
        raise NotHere(f"supports at most 65,536 words, not {config.vocab:,}")


class Kernel:
    """The weights on the device in the kernel's order, and the place where the answer comes."""

    def __init__(self, library: Library, model: Classifier, device: str) -> None:
        self.code = library.code
        self.code.tiny_open.restype = ctypes.c_void_p
        self.run = self.code.tiny_classify
        self.run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
        table = model.bert.embeddings
        self.kept = [
            tensor.detach().to(device).contiguous()
            for tensor in (
                matrices(model),
                vectors(model),
                table.words.weight.float(),
                (table.positions.weight[:_TOKENS] + table.types.weight[0]).float(),
                torch.zeros(self.code.tiny_scratch(), dtype=torch.float16),
            )
        ]
        self.answer = torch.zeros(2, dtype=torch.int64)
        self.stream = None
        if device != "cpu":
            self.answer = self.answer.pin_memory()
            self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            torch.cuda.synchronize()
        assert (self.kept[0].numel(), self.kept[1].numel()) == (self.code.tiny_matrices(), self.code.tiny_vectors())
        self.logits = numpy.zeros((1, 2), numpy.float32)
        at = [ctypes.c_void_p(tensor.data_ptr()) for tensor in (*self.kept, self.answer)]
        stream = ctypes.c_void_p(self.stream.cuda_stream if self.stream else None)
        vocab = ctypes.c_int(table.words.num_embeddings)
        self.handle = ctypes.c_void_p(self.code.tiny_open(*at[:4], vocab, *at[4:], stream))
        self.to = self.logits.ctypes.data

    def __call__(self, ids: Array, lengths: Array | None) -> Array:
        computed = ids.shape[1]
        real = computed if lengths is None else int(lengths[0])
        problem = self.run(self.handle, ids.ctypes.data, computed, real, self.to)
        if problem:
            raise RuntimeError(_PROBLEMS.get(problem) or cuda.words(self.code, problem))
        return self.logits

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self.code.tiny_close(self.handle)


def matrices(model: Classifier) -> Tensor:
    """All weights of products, half precision, one after the other in the order of the tensor cores."""
    found = [part.weight for layer in _layers(model) for part in (layer.qkv, layer.out, layer.up, layer.down)]
    return torch.cat([fragments(weight).flatten() for weight in (*found, model.bert.pooler.weight)])


def fragments(weight: Tensor) -> Tensor:
    """[rows, columns] → [tile of 16 rows, tile of 16 columns, lane, 8]: what a lane of `mma.m16n8k16` holds of each."""
    rows, columns = weight.shape
    cut = weight.detach().half().view(rows // 16, 2, 8, columns // 16, 2, 4, 2)
    return cut.permute(0, 3, 2, 5, 4, 1, 6)


def vectors(model: Classifier) -> Tensor:
    """Biases and norms of each layer, then those of the embeddings, the pooler and the class."""
    parts: list[Tensor] = []
    for layer in _layers(model):
        parts += [layer.qkv.bias, layer.out.bias, *_norm(layer.attention_norm), layer.up.bias, layer.down.bias]
        parts += _norm(layer.norm)
    parts += [*_norm(model.bert.embeddings.norm), model.bert.pooler.bias, model.out.weight, model.out.bias]
    return torch.cat([part.detach().float().flatten() for part in parts])


def _layers(model: Classifier) -> Iterable[Any]:
    return model.bert.layers


def _norm(norm: nn.LayerNorm) -> list[Tensor]:
    return [norm.weight, norm.bias]
