"""`make demo` and `make test` set up .venv: no CUDA where there is no GPU, few words, all of them where it fails."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: stands for the interpreter of .venv: notes what pip is asked for, and fails where the words hold $FAIL
PYTHON = """#!/bin/sh
[ "$1" = -m ] || exit 1  # torch is not there
echo "$@" >>asked
case "$*" in *"$FAIL"*) echo "ERROR: no matching distribution"; exit 1 ;; esac
echo "  Downloading a-1.0.whl (1.5 MB)"
echo "  Downloading b-1.0.whl (500 kB)"
"""

pytestmark = pytest.mark.skipif(
    any(Path(path).exists() for path in ("/proc/driver/nvidia/version", "/dev/nvidia0", "/dev/dxg")),
    reason="a GPU is here: torch comes with CUDA",
)


def set_up(folder: Path, extras: str = "dev", fail: str = "no such word") -> tuple[int, str, list[str]]:
    """(exit code, what was printed, the torch that pip was asked for)"""
    interpreter = folder / ".venv" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.write_text(PYTHON)
    interpreter.chmod(0o755)
    env = {**os.environ, "FAIL": fail, "TORCH_CPU": "https://cpu.example"}
    done = subprocess.run(
        [ROOT / "setup.sh", extras], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=60
    )
    asked = (folder / "asked").read_text().splitlines()
    return done.returncode, done.stdout + done.stderr, [line for line in asked if "torch==" in line]


def test_torch_comes_without_cuda_and_pip_is_not_heard(tmp_path: Path) -> None:
    code, said, torch = set_up(tmp_path)
    assert code == 0
    assert len(torch) == 1
    assert "--no-deps" in torch[0] and "--index-url https://cpu.example" in torch[0]
    assert all(line.startswith("set-up: ") for line in said.splitlines())
    assert "downloading torch for the CPU, about 200 MB" in said
    assert "done: 6 MB were downloaded" in said  # pip itself, torch and the rest: 2 MB each
    assert "Downloading a-1.0.whl" in (tmp_path / ".venv" / "setup.log").read_text()


def test_where_only_the_plain_registry_answers_its_torch_is_taken_and_that_is_said(tmp_path: Path) -> None:
    code, said, torch = set_up(tmp_path, fail="cpu.example")
    assert code == 0
    assert len(torch) == 2 and "--index-url" not in torch[1]
    assert "may bring CUDA libraries" in said


def test_a_failure_is_shown_whole(tmp_path: Path) -> None:
    code, said, _ = set_up(tmp_path, fail="--editable")
    assert code == 1
    assert "ERROR: no matching distribution" in said
    assert said.splitlines()[-1].startswith("set-up: pip failed")
