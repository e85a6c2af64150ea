"""Runs that failed are explained, under the code of the error; runs that went well are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import Pages, examples, judged
from logs import cerebras, mnist, page, sambanova

from assay.model.finding import NOTE

FAILURES = {
    "stale-checkpoint": (
        "RuntimeError: Initial global step 1000 already exceeds max step 1000.\n"
        "2024-04-02 09:00:00,000 INFO:   Effective batch size is 512.\n",
        "model_dir",
    ),
    "no-device": ("RuntimeError: Failed to acquire 1 IPU(s)\nNo IPU detected\n", "srun"),
    "env-after-srun": (
        "slurmstepd: error: execve(): POPLAR_ENGINE_OPTIONS={}: No such file or directory\n"
        "srun: error: gc-poplar-02: task 0: Exited with exit code 2\n",
        "before srun",
    ),
    "impossible-request": (
        "sbatch: error: Batch job submission failed: Requested node configuration is not available\n"
        "COMPILE END AT 780\n",
        "--nodes",
    ),
    "missing-module": (
        'Traceback (most recent call last):\n  File "run.py", line 4, in <module>\n'
        "ModuleNotFoundError: No module named 'cerebras.appliance.storage'\n",
        "release",
    ),
    "bad-flag": (
        "usage: bert.py [-h]\nbert.py: error: ambiguous option: --cache could match --cache_dir\n",
        "cache_dir",
    ),
    "time-limit": (
        cerebras(1024, end=False)
        + "slurmstepd: error: *** JOB 30451 ON node1 CANCELLED AT 2024-04-02T10:00:00 DUE TO TIME LIMIT ***\n",
        "time",
    ),
    "out-of-memory": (
        "step 10 loss 2.3\nTraceback (most recent call last):\ntorch.cuda.OutOfMemoryError: CUDA out of memory. "
        "Tried to allocate 2.00 GiB\n",
        "batch",
    ),
}

FINE: dict[str, Pages] = {
    "a good run": {"bert.log": cerebras(1024)},
    "a good page": page("# Graphcore", "It works.", mnist(10)),
    "trainers": {"BertLarge.out": sambanova(16)},
    "an error that is talked about": page("# Graphcore", "If you see an error such as out of memory, ask us."),
    "a warning": {"mnist.log": mnist(10) + "UserWarning: TypedStorage is deprecated\n"},
    "a log that stops": {"bert.log": cerebras(1024, end=False)},
}
ERRORS = {
    "stale-checkpoint", "no-device", "env-after-srun", "impossible-request", "missing-module", "missing-file",
    "appliance-fault", "fabric-fault", "bad-flag", "threshold", "out-of-memory", "time-limit", "cancelled",
    "interrupted", "permission", "crashed", "unknown",
}  # fmt: skip


@pytest.mark.parametrize("code", FAILURES)
def test_a_failure_is_explained_with_its_remedy(tmp_path: Path, code: str) -> None:
    text, remedy = FAILURES[code]
    (finding,) = [one for one in judged(tmp_path, page("# My run", text)) if one.code in ERRORS]
    assert (finding.code, finding.severity) == (code, NOTE)
    assert remedy in finding.hint


@examples(FINE)
def test_what_did_not_fail_is_not_explained(tmp_path: Path, pages: Pages) -> None:
    assert not {one.code for one in judged(tmp_path, pages)} & ERRORS
