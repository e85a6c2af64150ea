"""The server of known_server.py as a process of a test, and the client that measures it as another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SERVER = Path(__file__).parent / "known_server.py"


class Known:
    """`answers` is what the server itself says of what it did."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        assert process.stdout is not None
        self.process, self._log, self._read = process, log, 0
        self.port = int(process.stdout.readline())  # comes when it listens

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def answers(self) -> list[dict[str, Any]]:
        """Those since it was last asked."""
        text = self._log.read_text()[self._read :]
        self._read += len(text)
        return [json.loads(line) for line in text.splitlines()]


@contextmanager
def serving_known(folder: Path, *words: str) -> Iterator[Known]:
    log = folder / "known_server.log"
    command = [sys.executable, str(SERVER), "--log", str(log), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Known(process, log)
        finally:
            process.kill()


def environment(**more: str) -> dict[str, str]:
    return {**{k: v for k, v in os.environ.items() if not k.startswith(("ASSAY_", "SLURM_", "PBS_"))}, **more}


def words(*settings: str | Path) -> list[str]:
    return [sys.executable, "-m", "assay.serving.endpoint", *map(str, settings)]


def client(*settings: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    options = {"env": environment(), "timeout": 300, "capture_output": True, "text": True, **options}
    return subprocess.run(words(*settings), check=False, **options)
