"""A real server, started and measured: `transformers serve` with a small Llama of random weights."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest
from conftest import Assay, skip_or_fail
from tiny_llama import make

pytestmark = pytest.mark.slow
_NEEDED = ("transformers", "openai", "fastapi", "uvicorn", "accelerate")
_SERVE = "import sys; from transformers.cli.transformers import main; sys.argv[0] = 'transformers'; main()"


def test_transformers_serve_is_started_measured_and_stopped(assay: Assay, tmp_path: Path) -> None:
    lacking = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        skip_or_fail("transformers-serve", f"no {' and '.join(lacking)}: pip install 'transformers[serving]'")
    folder = make(tmp_path / "llama")
    assay.env = {"HF_HUB_CACHE": str(tmp_path / "hub"), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    server = f'{sys.executable} -c "{_SERVE}" serve {folder} --device cpu --port {{port}}'
    done = assay(
        "run", "--serve", server, "endpoint", f"model={folder}", "requests=6", "warmup=1", "concurrency=2",
        "input_len=40", "output_len=24", timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    summaries = [json.loads((path / "summary.json").read_bytes()) for path in assay.run_dirs()]
    (client,) = [one for one in summaries if "requests" in one]
    (other,) = [one for one in summaries if "requests" not in one]
    assert (client["requests"], client["requests_failed"], client["output_tokens"]) == (6, 0, 6 * 24)
    assert client["input_tokens"] == pytest.approx(6 * 40, rel=0.1)
    assert client["ttft_p50_ms"] < client["e2e_p50_ms"]
    # it refuses what it does not know, and counts its tokens
    assert client["params"]["asks_for"] == "max_tokens,stream_options,temperature"
    assert other["status"] == "completed" and client["metrics"]["server_memory_bytes_max"] > 1e8
