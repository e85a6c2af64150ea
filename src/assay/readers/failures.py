"""Known failures: what a log says, what it means, what to do. One line a failure; the first that fits is told."""

from __future__ import annotations

import re
from typing import NamedTuple


class Failure(NamedTuple):
    pattern: re.Pattern[str]
    code: str
    hint: str


def _failure(pattern: str, code: str, hint: str) -> Failure:
    return Failure(re.compile(pattern), code, hint)


#: the order matters: the more particular first
FAILURES = (
    _failure(
        r"Initial global step \d+ already exceeds max step \d+",
        "stale-checkpoint",
        "a checkpoint of an earlier run was loaded from the same model_dir: give every run a fresh one",
    ),
    _failure(
        r"Vocab file not found\s+\S*\$\(",
        "missing-file",
        "a shell expression inside yaml is not expanded: write the path out",
    ),
    _failure(r"Vocab file not found", "missing-file", "check the path of the vocabulary in the configuration"),
    _failure(
        r"[Aa]ppliance (?:[Ee]rror|[Uu]nknown)|ApplianceUnknownError|[Ee]rror (?:when|while) receiving tensor",
        "appliance-fault",
        "a server of the appliance died: run again; a total printed after it is not a result",
    ),
    _failure(
        r"No module named ['\"]cerebras[\w.]*['\"]",
        "missing-module",
        "Model Zoo and client are of different releases: check out the matching one",
    ),
    _failure(
        r"No module named ['\"]transformers\.modeling_layers['\"]",
        "missing-module",
        "peft is newer than transformers: pip install peft==0.17.1",
    ),
    _failure(
        r"ModuleNotFoundError|No module named|ImportError",
        "missing-module",
        "install the package in the environment that runs the program",
    ),
    _failure(
        r"Failed to acquire \d+ IPU\(?s?\)?|No IPU detected|Could not find a device|no suitable IPU",
        "no-device",
        "started outside the scheduler: srun --ipus=1 …",
    ),
    _failure(r"No CUDA GPUs are available|CUDA driver version is insufficient|no CUDA-capable device", "no-device",
             "check the driver with nvidia-smi, and the request of the job for a GPU"),
    _failure(r"IPUoF (?:server|client).{0,200}(?:unreachable|timed? ?out)|fabric .{0,200}(?:unreachable|down)",
             "fabric-fault", "a fault of the fabric between host and IPUs: run again"),
    _failure(
        r"execve\(\): \w+=",
        "env-after-srun",
        "an assignment after srun is taken for the program: put it before srun, or write srun env NAME=VALUE …",
    ),
    _failure(
        r"Requested node configuration is not available",
        "impossible-request",
        "more tasks than the nodes asked for can hold: raise --nodes, or lower --ntasks",
    ),
    _failure(r"Invalid generic resource|Invalid account|invalid partition|Invalid qos", "impossible-request",
             "ask for what this cluster has: sinfo -o '%P %G'"),
    _failure(
        r"Expected throughput to be at (?:least|most)",
        "threshold",
        "training is complete; the threshold was made for another number of tasks: change the flag",
    ),
    _failure(r"ambiguous option: --cache", "bad-flag", "the flag changed in SambaFlow 1.19: write --cache_dir"),
    _failure(r"error: (?:ambiguous option|unrecognized arguments|argument \S+: |the following arguments are required)",
             "bad-flag", "see the program's --help"),
    _failure(r"CUDA out of memory|OutOfMemoryError|MemoryError|oom-kill|[Oo]ut [Oo]f [Mm]emory|Exceeded job memory",
             "out-of-memory", "a smaller batch, or more memory for the job"),
    _failure(r"DUE TO TIME LIMIT|PBS: job killed: walltime", "time-limit", "ask for more time, or do less in one job"),
    _failure(r"PBS: job killed: (?:v?mem|pmem)", "out-of-memory", "a smaller batch, or more memory for the job"),
    _failure(r"CANCELLED AT", "cancelled", "the job was cancelled; start it again if that was not meant"),
    _failure(r"CondaError", "unknown", "set up the environment as the message says"),
    _failure(r"Permission denied|PermissionError", "permission", "install into an environment of your own"),
    _failure(r"FileNotFoundError|No such file or directory|can't open file", "missing-file", "check the path"),
    _failure(r"KeyboardInterrupt", "interrupted", "stopped by hand"),
)  # fmt: skip


def diagnose(text: str) -> Failure | None:
    """The known failure that a text tells of."""
    return next((failure for failure in FAILURES if failure.pattern.search(text)), None)
