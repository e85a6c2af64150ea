"""The backward of attention in CUDA C++ (`cuda/attention.cu`), where the shape and the GPU are the ones it is for."""

from __future__ import annotations

import ctypes
import functools

import torch
from torch import Tensor

from assay_workloads.building import CannotBuild
from assay_workloads.cuda import build
from assay_workloads.failure import say
from assay_workloads.kernels.gpu.narrow import empty
from assay_workloads.kernels.mask import threshold
from assay_workloads.kernels.scales import Narrow, Slot
from assay_workloads.kernels.shape import Shape

_LENGTH, _SIZE = 128, 64


def fits(qkv: Tensor, shape: Shape) -> bool:
    """Whether `backward` and `backward8` can take this; else the Triton kernels do."""
    size = qkv.shape[1] // (3 * shape.heads)
    shaped = shape.length == _LENGTH and size == _SIZE and qkv.dtype == torch.bfloat16 and qkv.is_cuda
    return shaped and _code() is not None


def backward(
    grad: Tensor, qkv: Tensor, logarithm: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float
) -> tuple[Tensor, Tensor]:
    """Gradients of qkv and of its bias."""
    d_qkv = torch.empty_like(qkv)
    return d_qkv, _launch(grad, qkv, logarithm, shape, lengths, key, p, (d_qkv, None, None, None))


def backward8(
    grad: Tensor, qkv: Tensor, logarithm: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float,
    slot: Slot,
) -> tuple[Narrow, Tensor]:  # fmt: skip
    """The same with the gradient of qkv in 8 bits, as rows and turned."""
    out = empty(qkv.shape[0], qkv.shape[1], slot, qkv.device)
    places = (out.rows, out.turned, slot.scale, slot.largest)
    return out, _launch(grad, qkv, logarithm, shape, lengths, key, p, places)


def _launch(
    grad: Tensor, qkv: Tensor, logarithm: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float,
    places: tuple[Tensor | None, ...],
) -> Tensor:  # fmt: skip
    code = _code()
    assert code is not None
    sums = torch.empty(shape.batch, qkv.shape[1], dtype=torch.float32, device=qkv.device)
    lengths = lengths if lengths is None else lengths.to(torch.int64)
    tensors = (grad.contiguous(), qkv, lengths, key, logarithm, *places, sums)
    number = code.attention_backward(
        *(ctypes.c_void_p(None if tensor is None else tensor.data_ptr()) for tensor in tensors),
        shape.batch,
        shape.heads,
        ctypes.c_uint32(threshold(p)),
        ctypes.c_float(1.0 / (1.0 - p)),
        ctypes.c_float(_SIZE**-0.5 * 1.4426950408889634),
        ctypes.c_void_p(torch.cuda.current_stream().cuda_stream),
    )
    if number:
        raise RuntimeError(f"attention's backward: {build.words(code, number)}")
    return sums.sum(0)


@functools.cache
def _code() -> ctypes.CDLL | None:
    """The library, built once; where it cannot be, a line says why."""
    try:
        return build.kernels("attention", "wgmma.cuh", hopper_alone=True).code
    except CannotBuild as reason:
        say(f"the kernel in CUDA C++ for attention's backward is not used, Triton's is: {reason}")
        return None
