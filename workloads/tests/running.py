"""Workloads as a user starts them, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

#: a training of 200 updates that takes about a second: made-up images, one thread
SMALL = ("data=synthetic", "train_samples=1600", "epochs=2", "device_iterations=10", "threads=1")


def environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ASSAY_", "SLURM_", "PBS_"))}
    return {**kept, "OMP_NUM_THREADS": "1", **more}


def words(name: str, *settings: str | Path) -> list[str]:
    return [sys.executable, "-m", f"assay_workloads.{name}", *map(str, settings)]


def workload(name: str, *settings: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    options = {"env": environment(), "timeout": 300, "capture_output": True, "text": True, **options}
    return subprocess.run(words(name, *settings), check=False, **options)


def result(output: str, name: str) -> str:
    """A figure of the result as it is printed; never rounded to less than six digits."""
    after = output.partition("result:\n")[2]
    found = dict(line.strip().split("=", 1) for line in after.splitlines() if "=" in line)
    return found[name]
