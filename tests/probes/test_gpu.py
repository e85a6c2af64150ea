"""The GPU probe against a real device where there is one; its two kinds of absence everywhere."""

import os
import signal
import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import PYTHON, Assay

from assay.probes import gpu
from assay.probes.gpm import offers


def test_no_driver_is_no_gpu_and_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "_driver_present", lambda: False)
    assert gpu.look() == gpu.State(status="none")


@pytest.mark.skipif(bool(gpu._driver_present()), reason="there is a driver here")
def test_a_driver_that_does_not_answer_is_broken_not_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "_driver_present", lambda: True)
    state = gpu.look()
    assert state.status == "broken"
    assert state.problem


def _blocks(thread: int) -> set[int]:
    """The signals that a thread of this process takes no notice of."""
    lines = Path(f"/proc/self/task/{thread}/status").read_text().splitlines()
    mask = int(next(line.split()[1] for line in lines if line.startswith("SigBlk:")), 16)
    return {number for number in range(1, 32) if mask >> (number - 1) & 1}


@pytest.mark.skipif(sys.platform != "linux", reason="masks are read from /proc")
def test_what_a_library_starts_and_opens_is_kept_apart(tmp_path: Path) -> None:
    over = threading.Event()
    kept = os.dup(0)
    os.set_inheritable(kept, True)
    with gpu.kept_apart():
        thread = threading.Thread(target=over.wait)
        thread.start()
        opened = os.open(tmp_path, os.O_RDONLY)
        os.set_inheritable(opened, True)
    assert (os.get_inheritable(opened), os.get_inheritable(kept)) == (False, True)
    os.close(opened)
    os.close(kept)
    found = _blocks(thread.native_id or 0)
    over.set()
    thread.join()
    assert {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD} <= found
    assert signal.SIGTERM not in _blocks(threading.get_native_id())


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
    # the driver's power is a mean over the last second: at the beginning and the end of the load it lags behind
    busy = [at for at, one in enumerate(samples) if one["power_w"] > 0.8 * max(one["power_w"] for one in samples)]
    steady = samples[busy[0] : busy[-1] + 1]
    first, last = steady[0], steady[-1]
    assert last["mono_s"] - first["mono_s"] > 10
    by_power = sum((b["mono_s"] - a["mono_s"]) * (a["power_w"] + b["power_w"]) / 2 for a, b in pairwise(steady))
    print(f"counter {last['energy_j'] - first['energy_j']:.0f} J, power x time {by_power:.0f} J")
    assert by_power == pytest.approx(last["energy_j"] - first["energy_j"], rel=0.03)


@needs_gpu
def test_a_run_without_the_gpu_is_charged_nothing(assay: Assay) -> None:
    assay("run", "-q", "--", "sleep", "2")
    summary = assay.summary()
    assert "gpu_util_pct_mean" not in summary
    assert not os.environ.get("ASSAY_RUN")


@needs_gpu
def test_no_thread_of_nvml_swallows_the_end_of_a_silent_command(assay: Assay) -> None:
    done = assay("run", "-q", "--", "sh", "-c", "exec >&- 2>&-; sleep 1; exit 3")
    assert done.returncode == 3


@needs_gpu
def test_no_thread_of_nvml_is_ended_by_what_is_meant_for_the_command(assay: Assay) -> None:
    process = assay.start("run", "-q", "--", "sh", "-c", "echo ready; sleep 60")
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert assay.summary()["status"] == "interrupted"


@needs_gpu
def test_the_command_does_not_get_the_devices_that_nvml_opened(assay: Assay) -> None:
    assert b"nvidia" not in assay("run", "-q", "--", "ls", "-l", "/dev/fd/").stdout


def _offers_gpm() -> bool:
    if gpu.look().status != "ready":
        return False
    import pynvml

    return offers(pynvml, pynvml.nvmlDeviceGetHandleByIndex(0))


needs_gpm = pytest.mark.skipif(not _offers_gpm(), reason="no GPU with GPM counters here (Hopper or later)")

ONE_SM = """
import time, torch
a = torch.ones(32, device='cuda')
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for _ in range(2000): a.add_(1)
end = time.monotonic() + 6
while time.monotonic() < end:
    graph.replay()
    torch.cuda.synchronize()
"""


@needs_gpm
def test_large_matrix_products_keep_the_tensor_cores_busy(assay: Assay) -> None:
    assert assay("run", "--", PYTHON, assay.script(LOAD.replace("+ 20", "+ 6"))).returncode == 0
    summary = assay.summary()
    print({name: value for name, value in summary.items() if name.startswith("gpu_")})
    assert summary["gpu_sm_pct_mean"] > 30
    assert summary["gpu_tensor_pct_mean"] > 20
    assert 0 < summary["gpu_dram_pct_mean"] < 100


@needs_gpm
def test_a_gpu_that_is_always_used_and_nearly_idle_is_seen_to_be_idle(assay: Assay) -> None:
    assert assay("run", "--", PYTHON, assay.script(ONE_SM)).returncode == 0
    summary = assay.summary()
    print({name: value for name, value in summary.items() if name.startswith("gpu_")})
    assert summary["gpu_util_pct_mean"] > 40
    assert summary["gpu_sm_pct_mean"] < 10
    assert summary["gpu_tensor_pct_mean"] < 1
