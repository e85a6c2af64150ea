"""The kernels of this folder as libraries, or the reason why there are none on this machine."""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path

import torch

from assay_workloads.building import CannotBuild, Library, library

_HERE = Path(__file__).parent
_FLAGS = ("-std=c++17", "-O3", "-shared", "-Xcompiler", "-fPIC", "-w")
#: clusters of thread blocks came with compute capability 9.0, that of the H100
_LEAST = (9, 0)


def kernels(name: str, beside: str = "cluster.cuh", *, hopper_alone: bool = False) -> Library:
    """`name`.cu, which includes `beside`, compiled for this GPU; CannotBuild says why not."""
    if not torch.cuda.is_available():
        raise CannotBuild("there is no GPU")
    major, minor = torch.cuda.get_device_capability()
    if (major, minor) < _LEAST:
        gpu = torch.cuda.get_device_name()
        raise CannotBuild(f"{gpu} has compute capability {major}.{minor}, and clusters of blocks need 9.0")
    if hopper_alone and major != _LEAST[0]:
        raise CannotBuild(f"{torch.cuda.get_device_name()} does not have the tensor cores' instructions of Hopper")
    nvcc = _nvcc()
    if nvcc is None:
        raise CannotBuild("there is no nvcc, the CUDA compiler (looked in $CUDA_HOME, $PATH and /usr/local/cuda)")
    # instructions of one generation alone are in the target whose name ends in a
    version = f"{major}{minor}{'a' if hopper_alone else ''}"
    arch = f"-gencode=arch=compute_{version},code=sm_{version}"
    return library(f"cuda-{name}", [nvcc], [*_FLAGS, arch], [_HERE / f"{name}.cu", _HERE / beside], arch)


def fits(found: Library, prepare: str) -> None:
    """CannotBuild where the GPU cannot hold the kernel's cluster: a slice of one, or one that others fill."""
    number = getattr(found.code, prepare)()
    if number:
        raise CannotBuild(f"this GPU cannot hold 16 blocks at once ({words(found.code, number)})")


def words(code: ctypes.CDLL, number: int) -> str:
    """The message of CUDA for an error number."""
    code.cuda_words.restype = ctypes.c_char_p
    text: bytes = code.cuda_words(ctypes.c_int(number))
    return f"CUDA error {number}: {text.decode(errors='replace')}"


def _nvcc() -> str | None:
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    places = [*([os.path.join(home, "bin")] if home else []), *os.environ.get("PATH", "").split(os.pathsep)]
    return shutil.which("nvcc", path=os.pathsep.join([*places, "/usr/local/cuda/bin"]))
