"""The part of the environment that changes how a run behaves, by an allow-list: never all of it, never a secret."""

from __future__ import annotations

from collections.abc import Mapping

from assay.facts.secrets import mask_values, secret

_NAMES = {
    "CONDA_DEFAULT_ENV",
    "CONDA_PREFIX",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LOADEDMODULES",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "MASTER_ADDR",
    "MASTER_PORT",
    "NVIDIA_VISIBLE_DEVICES",
    "PATH",
    "PJRT_DEVICE",
    "PYTHONHASHSEED",
    "PYTHONOPTIMIZE",
    "RANK",
    "TZ",
    "VIRTUAL_ENV",
    "WORLD_SIZE",
    "XLA_FLAGS",
}
_PREFIXES = (
    "BLIS_", "CUBLAS_", "CUDNN_", "GLOO_", "GOMP_", "HIP_", "JAX_", "KMP_", "MALLOC_", "MKL_", "NCCL_", "NUMEXPR_",
    "OMP_", "OPENBLAS_", "PYTORCH_", "ROCR_", "TF_", "TORCH_",
    "TORCHINDUCTOR_", "TRITON_", "VECLIB_", "XLA_",
)  # fmt: skip
_SCHEDULER = ("SLURM_", "PBS_", "COBALT_", "LSB_", "FLUX_")
#: long lists that say nothing the rest does not
_NOISE = (
    "SLURM_PRIO_PROCESS",
    "SLURM_UMASK",
    "SLURM_RLIMIT",
    "SLURM_CONF",
    "SLURM_JWT",
    "PBS_ENVIRONMENT",
    "PBS_O_PATH",
)


def allowed(environment: Mapping[str, str], more: tuple[str, ...] = ()) -> dict[str, str]:
    """What may be recorded of an environment; `more` are beginnings of names that systems add."""
    return _masked({k: v for k, v in environment.items() if k in _NAMES or k.startswith((*_PREFIXES, *more))})


def scheduler(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of the job this runs in; empty outside a job."""
    found = {k: v for k, v in environment.items() if k.startswith(_SCHEDULER) and not k.startswith(_NOISE)}
    inside = {"SLURM_JOB_ID", "PBS_JOBID", "COBALT_JOBID", "LSB_JOBID", "FLUX_JOB_ID"} & found.keys()
    return _masked(found) if inside else {}


def _masked(values: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in values.items() if not secret(name, value)}
    return dict(sorted(mask_values(kept).items()))
