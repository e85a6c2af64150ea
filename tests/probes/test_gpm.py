"""NVML's counters of a busy chip, from answers as NVML gives them: no such device is needed here."""

import time
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest

from assay.model.event import End, Sample
from assay.probes.gpm import Gpm
from assay.summary.machine import Machine
from assay.views.words import gpu_words

HANDLE = object()


class Recorded:
    """NVML's own structures, filled as by a device: `answers` are (metric number, value or an error)."""

    def __init__(self, answers: dict[int, float | None], *, supported: bool = True) -> None:
        self.looks = 0
        self.answers, self.supported = answers, supported

    def __getattr__(self, name: str) -> Any:
        return getattr(pynvml, name)

    def nvmlGpmQueryDeviceSupport(self, handle: object) -> Any:
        assert handle is HANDLE
        found = pynvml.c_nvmlGpmSupport_t()
        found.isSupportedDevice = int(self.supported)
        return found

    def nvmlGpmSampleAlloc(self) -> Any:
        return pynvml.c_nvmlGpmSample_t()

    def nvmlGpmSampleGet(self, handle: object, sample: Any) -> Any:
        self.looks += 1
        return sample

    def nvmlGpmMetricsGet(self, asked: Any) -> Any:
        assert asked.version == 1
        for place in range(asked.numMetrics):
            value = self.answers.get(asked.metrics[place].metricId)
            asked.metrics[place].nvmlReturn = 0 if value is not None else pynvml.NVML_ERROR_NOT_SUPPORTED
            asked.metrics[place].value = value or 0.0
        return asked


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_each_counter_is_recorded_under_its_name(clock: list[float]) -> None:
    nvml = Recorded({2: 61.234, 5: 40.0, 10: 12.5})
    gpm = Gpm(nvml, {0: HANDLE})
    clock[0] += 0.5
    assert gpm.figures(0) == {"gpu_sm_pct": 61.23, "gpu_tensor_pct": 40.0, "gpu_dram_pct": 12.5}


def test_a_counter_that_the_device_lacks_or_that_makes_no_sense_is_absent(clock: list[float]) -> None:
    gpm = Gpm(Recorded({2: 50.0, 5: None, 10: 1e9}), {0: HANDLE})
    clock[0] += 0.5
    assert gpm.figures(0) == {"gpu_sm_pct": 50.0}


def test_two_looks_at_once_are_one(clock: list[float]) -> None:
    nvml = Recorded({2: 50.0})
    gpm = Gpm(nvml, {0: HANDLE})
    clock[0] += 0.05
    assert gpm.figures(0) == {} and nvml.looks == 1
    clock[0] += 0.06
    assert gpm.figures(0) and nvml.looks == 2


def test_an_older_device_has_no_such_figures(clock: list[float]) -> None:
    nvml = Recorded({2: 50.0}, supported=False)
    gpm = Gpm(nvml, {0: HANDLE})
    clock[0] += 1
    assert gpm.figures(0) == {} and nvml.looks == 0
    old_library = SimpleNamespace(NVMLError=pynvml.NVMLError)
    assert Gpm(old_library, {0: HANDLE}).figures(0) == {}


def test_a_device_that_someone_else_profiles_costs_only_its_counters(clock: list[float]) -> None:
    nvml = Recorded({2: 50.0})
    gpm = Gpm(nvml, {0: HANDLE})

    def refused(handle: object, sample: object) -> object:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_IN_USE)

    nvml.nvmlGpmSampleGet = refused  # type: ignore[method-assign]
    clock[0] += 1
    assert gpm.figures(0) == {}


def test_the_mean_is_over_time_and_stands_beside_the_coarse_utilisation() -> None:
    machine = Machine()
    for at_s, sm_pct in ((8.0, 20.0), (8.1, None), (10.0, 70.0)):
        machine.add(
            Sample(source="probe:gpu", gpu=0, at_s=at_s, gpu_util_pct=100, gpu_sm_pct=sm_pct, gpu_mem_bytes=1 << 30)
        )
    summary = machine.summary(10.0, [End()])
    assert (summary.gpu_util_pct_mean, summary.gpu_sm_pct_mean) == (100, 30)
    assert gpu_words(summary) == "SMs busy 30 %, a kernel ran 100 % of the time, 1 GiB at most"
