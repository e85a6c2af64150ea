"""Products of 8-bit matrices by the fastest of cuBLASLt's algorithms, each matrix with its scale on the device.

All three products of a layer have the same form, a [m, k] times b [n, k] turned, since 8-bit matrices are summed along
their rows alone. Sums are in float32; those of a weight's gradient, 65,536 of them, without the short cut that keeps
fewer bits on the way.
"""

from __future__ import annotations

import torch
from torch import Tensor

from assay_workloads.kernels import cublaslt


def product(
    a: Tensor, a_inverse: Tensor, b: Tensor, b_inverse: Tensor, *, bias: Tensor | None = None,
    add: Tensor | None = None, kind: torch.dtype = torch.bfloat16,
) -> Tensor:  # fmt: skip
    """a @ b.T · a_inverse · b_inverse + bias + add."""
    (m, k), n = a.shape, b.shape[0]
    y = torch.empty(m, n, dtype=kind, device=a.device)
    spec = cublaslt.Spec(
        m=n, n=m, k=k, lda=k, ldb=k, ldd=n, transpose_a=True, adds=add is not None, kind=kind, kind_a=b.dtype,
        kind_b=a.dtype, epilogue=cublaslt.DEFAULT if bias is None else cublaslt.WITH_BIAS,
        fast=a.dtype == torch.float8_e4m3fn,
    )  # fmt: skip
    try:
        cublaslt.product(spec, b, a, y, add=add, bias=bias, scales=(b_inverse, a_inverse))
    except cublaslt.NoProduct:
        scaled = torch._scaled_mm  # noqa: SLF001 - the only product of 8 bits that torch has
        y = scaled(a, b.t(), scale_a=a_inverse, scale_b=b_inverse, bias=bias, out_dtype=kind)
        y = y if add is None else y + add
    return y
