"""Matrix products by cuBLASLt itself, through ctypes: its fastest algorithms, and results PyTorch cannot ask for.

Gradients of weights come out in float32 with no cast after. Of the algorithms the library proposes for a shape, all are
timed once and the fastest stays (its own first guess is not always that one). The library is the one PyTorch has
loaded. It is column-major: a row-major [m, n] is its [n, m] with the leading dimension n. Where it has no product for a
shape, PyTorch's is used.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from collections.abc import Callable
from ctypes import byref, c_float, c_int, c_int8, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor

from assay_workloads.kernels import plain

R = TypeVar("R")

# cublasLt.h and library_types.h
_COMPUTE_32F = 68
_KINDS = {torch.float32: 0, torch.bfloat16: 14, torch.float8_e4m3fn: 28, torch.float8_e5m2: 29}
_TRANSPOSE_A, _TRANSPOSE_B, _EPILOGUE, _BIAS, _BIAS_KIND = 3, 4, 7, 8, 26
_SCALE_A, _SCALE_B, _FAST = 17, 18, 25
_MOST_WORKSPACE = 1
DEFAULT, WITH_BIAS = 1, 4
_WORKSPACE_BYTES = 64 << 20
_CANDIDATES = 16
_NOT_SUPPORTED = 15


class NoProduct(Exception):
    """The library has no algorithm for this shape and ending."""


def _else(instead: Callable[..., R]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Fall back to another function with the same arguments."""

    def wrap(product: Callable[..., R]) -> Callable[..., R]:
        @functools.wraps(product)
        def either(*arguments: Any) -> R:
            try:
                return product(*arguments)
            except NoProduct:
                return instead(*arguments)

        return either

    return wrap


@_else(plain.linear)
def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    (m, k), n = x.shape, weight.shape[0]
    y = torch.empty(m, n, dtype=x.dtype, device=x.device)
    spec = Spec(m=n, n=m, k=k, lda=k, ldb=k, ldd=n, transpose_a=True, epilogue=WITH_BIAS if bias is not None else 1)
    product(spec, weight, x, y, bias=bias)
    return y


@_else(plain.grad_input)
def grad_input(grad: Tensor, weight: Tensor, add: Tensor | None) -> Tensor:
    (m, n), k = grad.shape, weight.shape[1]
    dx = torch.empty(m, k, dtype=grad.dtype, device=grad.device)
    product(Spec(m=k, n=m, k=n, lda=k, ldb=n, ldd=k, adds=add is not None), weight, grad, dx, add=add)
    return dx


@_else(plain.grad_weight)
def grad_weight(grad: Tensor, x: Tensor) -> Tensor:
    (m, n), k = grad.shape, x.shape[1]
    dw = torch.empty(n, k, dtype=torch.float32, device=grad.device)
    product(Spec(m=k, n=n, k=m, lda=k, ldb=n, ldd=k, transpose_b=True, kind=torch.float32), x, grad, dw)
    return dw


@dataclass(frozen=True, kw_only=True)
class Spec:
    """d [m, n] = a · b (+ c), column-major."""

    m: int
    n: int
    k: int
    lda: int
    ldb: int
    ldd: int
    transpose_a: bool = False
    transpose_b: bool = False
    adds: bool = False
    epilogue: int = DEFAULT
    kind: torch.dtype = torch.bfloat16
    kind_a: torch.dtype = torch.bfloat16
    kind_b: torch.dtype = torch.bfloat16
    #: sums of 8-bit numbers keep fewer bits on the way
    fast: bool = False


@dataclass(kw_only=True)
class _Plan:
    """What two products of the same shape share."""

    description: c_void_p
    layouts: list[c_void_p]
    found: list[Any]
    best: Any = None


def product(
    spec: Spec, a: Tensor, b: Tensor, d: Tensor, *, add: Tensor | None = None, bias: Tensor | None = None,
    scales: tuple[Tensor, Tensor] | None = None,
) -> None:  # fmt: skip
    if not all(t.is_contiguous() for t in (a, b, d, add, bias) if t is not None):
        raise ValueError("these products are of contiguous tensors")
    if (a.dtype, b.dtype, d.dtype) != (spec.kind_a, spec.kind_b, spec.kind):
        raise ValueError(f"a product of {spec.kind_a} and {spec.kind_b}, not of {a.dtype} and {b.dtype}")
    if any(t.dtype != torch.bfloat16 for t in (add, bias) if t is not None):
        raise ValueError("what is added is bf16")
    plan = _plan(d.device, spec)
    if scales is not None:
        _set(plan.description, _SCALE_A, c_void_p(scales[0].data_ptr()))
        _set(plan.description, _SCALE_B, c_void_p(scales[1].data_ptr()))
    if bias is not None:
        _set(plan.description, _BIAS, c_void_p(bias.data_ptr()))
    launch = functools.partial(_launch, plan, a, b, d if add is None else add, d, 1.0 if spec.adds else 0.0)
    if plan.best is None:
        plan.best = _fastest(launch, plan.found)
    _check(launch(plan.best), "cublasLtMatmul")


def _launch(plan: _Plan, a: Tensor, b: Tensor, c: Tensor, d: Tensor, beta: float, algorithm: Any) -> int:
    library, handle = _library()
    one, other = c_float(1.0), c_float(beta)
    la, lb, ld = plan.layouts
    status: int = library.cublasLtMatmul(
        handle, plan.description, byref(one), c_void_p(a.data_ptr()), la, c_void_p(b.data_ptr()), lb, byref(other),
        c_void_p(c.data_ptr()), ld, c_void_p(d.data_ptr()), ld, byref(algorithm),
        c_void_p(_workspace(d.device).data_ptr()), c_size_t(_WORKSPACE_BYTES),
        c_void_p(torch.cuda.current_stream(d.device).cuda_stream),
    )  # fmt: skip
    return status


def _fastest(launch: Callable[[Any], int], found: list[Any]) -> Any:
    """Each algorithm is run a few times; the shortest of those times is its own."""
    times = []
    for algorithm in found:
        if launch(algorithm):
            times.append(float("inf"))
            continue
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(6)]  # type: ignore[no-untyped-call]
        for mark in marks:
            mark.record()
            launch(algorithm)
        torch.cuda.synchronize()
        times.append(min(a.elapsed_time(b) for a, b in itertools.pairwise(marks)))
    return found[times.index(min(times))]


@functools.lru_cache(maxsize=256)
def _plan(device: torch.device, spec: Spec) -> _Plan:
    library, handle = _library()
    description = c_void_p()
    _check(library.cublasLtMatmulDescCreate(byref(description), _COMPUTE_32F, 0), "cublasLtMatmulDescCreate")
    _set(description, _TRANSPOSE_A, c_int32(int(spec.transpose_a)))
    _set(description, _TRANSPOSE_B, c_int32(int(spec.transpose_b)))
    _set(description, _EPILOGUE, c_int32(spec.epilogue))
    # the proposals depend on how pointers are aligned: any aligned one will do until the product itself
    aligned = c_void_p(_workspace(device).data_ptr())
    if spec.fast:
        _set(description, _FAST, c_int8(1))
    if spec.kind_a != torch.bfloat16:
        _set(description, _SCALE_A, aligned)
        _set(description, _SCALE_B, aligned)
    if spec.epilogue != DEFAULT:
        _set(description, _BIAS, aligned)
        _set(description, _BIAS_KIND, c_int32(_KINDS[torch.bfloat16]))
    layouts = [
        _layout(spec.kind_a, *((spec.k, spec.m) if spec.transpose_a else (spec.m, spec.k)), spec.lda),
        _layout(spec.kind_b, *((spec.n, spec.k) if spec.transpose_b else (spec.k, spec.n)), spec.ldb),
        _layout(spec.kind, spec.m, spec.n, spec.ldd),
    ]
    return _Plan(description=description, layouts=layouts, found=_proposals(library, handle, description, layouts))


def _proposals(library: Any, handle: c_void_p, description: c_void_p, layouts: list[c_void_p]) -> list[Any]:
    preference, most = c_void_p(), c_uint64(_WORKSPACE_BYTES)
    _check(library.cublasLtMatmulPreferenceCreate(byref(preference)), "cublasLtMatmulPreferenceCreate")
    status = library.cublasLtMatmulPreferenceSetAttribute(preference, _MOST_WORKSPACE, byref(most), c_size_t(8))
    _check(status, "cublasLtMatmulPreferenceSetAttribute")
    found, count = (_Found * _CANDIDATES)(), c_int(0)
    a, b, d = layouts
    status = library.cublasLtMatmulAlgoGetHeuristic(
        handle, description, a, b, d, d, preference, _CANDIDATES, found, byref(count)
    )
    if status == _NOT_SUPPORTED:
        raise NoProduct
    _check(status, "cublasLtMatmulAlgoGetHeuristic")
    usable = [found[i].algorithm for i in range(count.value) if found[i].state == 0]
    if not usable:
        raise NoProduct
    return usable


class _Algorithm(ctypes.Structure):
    _fields_ = [("data", c_uint64 * 8)]


class _Found(ctypes.Structure):
    _fields_ = [
        ("algorithm", _Algorithm),
        ("workspace_bytes", c_size_t),
        ("state", c_int),
        ("waves", c_float),
        ("reserved", c_int * 4),
    ]


@functools.lru_cache(maxsize=1)
def _library() -> tuple[Any, c_void_p]:
    # loads it, where nothing has yet
    torch.cuda.current_blas_handle()  # type: ignore[no-untyped-call]
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "libcublasLt.so" in line}
    if not paths:
        raise RuntimeError("no cuBLASLt in this process")
    library = ctypes.CDLL(min(paths))
    handle = c_void_p()
    _check(library.cublasLtCreate(byref(handle)), "cublasLtCreate")
    return library, handle


@functools.lru_cache(maxsize=16)
def _workspace(device: torch.device) -> Tensor:
    """One for all: products of one stream never overlap."""
    return torch.empty(_WORKSPACE_BYTES, dtype=torch.uint8, device=device)


def _layout(kind: torch.dtype, rows: int, columns: int, ld: int) -> c_void_p:
    layout = c_void_p()
    status = _library()[0].cublasLtMatrixLayoutCreate(
        byref(layout), _KINDS[kind], c_uint64(rows), c_uint64(columns), c_int64(ld)
    )
    _check(status, "cublasLtMatrixLayoutCreate")
    return layout


def _set(description: c_void_p, attribute: int, value: Any) -> None:
    size = c_size_t(ctypes.sizeof(value))
    status = _library()[0].cublasLtMatmulDescSetAttribute(description, attribute, byref(value), size)
    _check(status, f"cublasLtMatmulDescSetAttribute({attribute})")


def _check(status: int, call: str) -> None:
    if status:
        raise RuntimeError(f"{call} answers {status}")
