"""The GPU probe against a real device where there is one; its two kinds of absence everywhere."""

import os
from itertools import pairwise

import pytest
from conftest import PYTHON, Assay

from assay.probes import gpu


def test_no_driver_is_no_gpu_and_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "_driver_present", lambda: False)
    assert gpu.look() == gpu.GpuState(status="none")


@pytest.mark.skipif(bool(gpu._driver_present()), reason="there is a driver here")
def test_a_driver_that_does_not_answer_is_broken_not_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "_driver_present", lambda: True)
    state = gpu.look()
    assert state.status == "broken"
    assert state.problem


needs_gpu = pytest.mark.skipif(gpu.look().status != "ready", reason="no NVIDIA GPU here")

LOAD = """
import time, torch
a = torch.randn(8192, 8192, device='cuda', dtype=torch.bfloat16)
end = time.monotonic() + 20
while time.monotonic() < end:
    for _ in range(20): b = a @ a
    torch.cuda.synchronize()
"""


@needs_gpu
def test_under_load_the_energy_counter_agrees_with_power_times_time(assay: Assay) -> None:
    assert assay("run", "--", PYTHON, assay.script(LOAD)).returncode == 0
    summary = assay.summary()
    assert summary["gpu_util_pct_mean"] > 50
    assert summary["gpu_mem_bytes_max"] > 256 << 20
    assert summary["energy_source"].startswith("measured: GPU energy counter")
    samples = [e for e in assay.events() if e.get("from") == "probe:gpu" and e["gpu"] == 0]
    first, last = samples[0], samples[-1]
    by_power = sum((b["mono_s"] - a["mono_s"]) * (a["power_w"] + b["power_w"]) / 2 for a, b in pairwise(samples))
    print(f"counter {last['energy_j'] - first['energy_j']:.0f} J, power x time {by_power:.0f} J")
    assert by_power == pytest.approx(last["energy_j"] - first["energy_j"], rel=0.03)


@needs_gpu
def test_a_run_without_the_gpu_is_charged_nothing(assay: Assay) -> None:
    assay("run", "-q", "--", "sleep", "2")
    summary = assay.summary()
    assert "gpu_util_pct_mean" not in summary
    assert not os.environ.get("ASSAY_RUN")
