"""Accelerators that are not here, from answers in the form that their libraries and drivers publish."""

import ctypes
import shutil
import subprocess
import sys
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from assay.model.event import End, Sample
from assay.probes import amd, devices, gaudi, intel
from assay.probes.accelerators import AcceleratorProbe, Devices, Reading, shown
from assay.summary.machine import Machine

GIB = 1 << 30


class Refused(Exception):
    """As amdsmi's own."""


def amdsmi(**answers: Any) -> SimpleNamespace:
    """The answers of amdsmi 7 of a card, as its Python interface gives them."""

    def temperature(handle: object, sensor: int, what: int) -> int:
        return 71

    def clock(handle: object, kind: int) -> dict[str, object]:
        return {"clk": 2100 if kind == 1 else 1300, "min_clk": 132, "max_clk": 2100, "clk_locked": "N/A"}

    known: dict[str, Any] = {
        "init": None,
        "get_processor_handles": ["first", "second"],
        "get_gpu_asic_info": {"market_name": "AMD Instinct MI300X", "vendor_id": 0x1002},
        "get_gpu_driver_info": {"driver_name": "amdgpu", "driver_version": "6.12.12"},
        "get_gpu_activity": {"gfx_activity": 87, "umc_activity": 40, "mm_activity": "N/A"},
        "get_gpu_vram_usage": {"vram_total": 196592, "vram_used": 2048},
        "get_power_info": {"current_socket_power": 651, "average_socket_power": "N/A", "socket_power": 651},
        "get_energy_count": {"energy_accumulator": 2_000_000, "counter_resolution": 15.259, "timestamp": 1},
        "get_gpu_process_list": [
            {"name": "python", "pid": 42, "mem": 0, "memory_usage": {"gtt_mem": 0, "cpu_mem": 0, "vram_mem": GIB}},
            {"name": "python", "pid": 43, "mem": 0, "memory_usage": {"gtt_mem": 0, "cpu_mem": 0, "vram_mem": GIB}},
        ],
        "get_clock_info": clock,
        "get_temp_metric": temperature,
        **answers,
    }
    functions = {f"amdsmi_{name}": one if callable(one) else _always(one) for name, one in known.items()}
    return SimpleNamespace(
        **functions,
        AmdSmiException=Refused,
        AmdSmiClkType=IntEnum("AmdSmiClkType", {"GFX": 1, "MEM": 4}),
        AmdSmiTemperatureType=SimpleNamespace(HOTSPOT=1),
        AmdSmiTemperatureMetric=SimpleNamespace(CURRENT=0),
    )


def _always(answer: object) -> Callable[..., object]:
    return lambda *asked: answer


def test_an_amd_gpu_is_read_through_its_library() -> None:
    library = amd.Library(amdsmi())
    assert (library.names, library.driver) == (("AMD Instinct MI300X",) * 2, "6.12.12")
    assert library.read(0, {42}) == Reading(
        busy_pct=87, used_bytes=2 * GIB, own_bytes=GIB, power_w=651, energy_j=pytest.approx(30.518), core_mhz=2100,
        memory_mhz=1300, temp_c=71,
    )  # fmt: skip


def test_what_an_amd_gpu_does_not_offer_is_absent() -> None:
    def refused(*asked: object) -> object:
        raise Refused

    answers = {
        "get_energy_count": refused,
        "get_gpu_process_list": refused,
        "get_gpu_activity": {"gfx_activity": 0xFFFF},
        "get_power_info": {"current_socket_power": "N/A", "average_socket_power": 300},
    }
    library = amd.Library(amdsmi(**answers))
    found = library.read(1, {42})
    assert (found.energy_j, found.own_bytes, found.busy_pct, found.power_w) == (None, None, None, 300)


def test_without_the_library_an_amd_gpu_is_read_from_the_kernels_files(tmp_path: Path) -> None:
    files = {
        "vendor": "0x1002", "product_name": "AMD Instinct MI250X", "gpu_busy_percent": "93",
        "mem_info_vram_total": str(64 * GIB), "mem_info_vram_used": str(3 * GIB),
        "hwmon/hwmon4/power1_average": "412000000", "hwmon/hwmon4/temp2_input": "64000",
        "hwmon/hwmon4/freq1_input": "1700000000",
    }  # fmt: skip
    for name, text in files.items():
        path = tmp_path / "card2" / "device" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    (tmp_path / "card2-DP-1").mkdir()
    (tmp_path / "card0" / "device").mkdir(parents=True)
    (tmp_path / "card0" / "device" / "vendor").write_text("0x1a03\n")  # a board's own graphics
    found = amd.Files(tmp_path)
    assert found.names == ("AMD Instinct MI250X",)
    assert found.read(0, set()) == Reading(
        busy_pct=93, used_bytes=3 * GIB, power_w=pytest.approx(412), core_mhz=pytest.approx(1700), temp_c=64
    )


def test_a_gaudi_is_read_through_pyhlml(monkeypatch: pytest.MonkeyPatch) -> None:
    hlml: Any = ModuleType("pyhlml")

    def unknown(*asked: object) -> object:
        raise RuntimeError("HLMLError_NotSupported")

    answers = {
        "Init": None, "DeviceGetCount": 1, "DeviceGetHandleByIndex": "h", "DeviceGetName": b"HL-325L",
        "DeviceGetUtilizationRates": 64, "DeviceGetMemoryInfo": SimpleNamespace(total=128 * GIB, used=5 * GIB),
        "DeviceGetPowerUsage": 545_000, "DeviceGetTotalEnergyConsumption": 7_000, "DeviceGetTemperature": 48,
    }  # fmt: skip
    for name, answer in answers.items():
        setattr(hlml, f"hlml{name}", _always(answer))
    hlml.hlmlDeviceGetClockInfo = unknown
    monkeypatch.setitem(sys.modules, "pyhlml", hlml)
    assert gaudi.look().names == ("HL-325L",)
    assert gaudi.Library().read(0, set()) == Reading(
        busy_pct=64, used_bytes=5 * GIB, power_w=545, energy_j=7, temp_c=48
    )


def test_a_gaudi_without_its_library_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyhlml", None)
    state = gaudi.look()
    assert state.status == "broken" and "pip install pyhlml" in str(state.problem)


#: a loader with one driver and one device, which writes where Level Zero's header (1.8) has the fields
LOADER = r"""
#include <stdint.h>
#include <string.h>
static uint64_t looks = 0;
static int list(uint32_t *count, void **found) { if (found) found[0] = (void *)7; *count = 1; return 0; }
int zesInit(int flags) { return 0; }
int zesDriverGet(uint32_t *count, void **found) { return list(count, found); }
int zesDeviceGet(void *driver, uint32_t *count, void **found) { return list(count, found); }
int zesDeviceEnumPowerDomains(void *d, uint32_t *count, void **found) { return list(count, found); }
int zesDeviceEnumEngineGroups(void *d, uint32_t *count, void **found) { return list(count, found); }
int zesDeviceEnumMemoryModules(void *d, uint32_t *count, void **found) { return list(count, found); }
int zesDeviceEnumTemperatureSensors(void *d, uint32_t *count, void **found) { return 0x70000003; }
int zesTemperatureGetState(void *t, double *found) { return 1; }
int zesDeviceGetProperties(void *d, char *p) {
    strcpy(p + 128, "Intel Data Center GPU Max 1550"); strcpy(p + 708, "1.3"); return 0;
}
int zesPowerGetEnergyCounter(void *d, uint64_t *c) { c[0] = 5000000; c[1] = 1; return 0; }
int zesEngineGetProperties(void *e, char *p) { *(int *)(p + 16) = 0; return 0; }
int zesEngineGetActivity(void *e, uint64_t *c) { looks++; c[0] = 250 * looks; c[1] = 1000 * looks; return 0; }
int zesMemoryGetState(void *m, char *s) {
    *(uint64_t *)(s + 24) = 1ull << 30; *(uint64_t *)(s + 32) = 4ull << 30; return 0;
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler here")
def test_an_intel_gpu_is_read_through_level_zero(tmp_path: Path) -> None:
    (tmp_path / "loader.c").write_text(LOADER)
    library = tmp_path / "libze_loader.so.1"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "loader.c"], check=True)
    found = intel.Library(str(library))
    assert (found.names, found.driver) == (("Intel Data Center GPU Max 1550",), "1.3")
    assert found.read(0, set()) == Reading(used_bytes=3 * GIB, energy_j=5)
    assert found.read(0, set()) == Reading(used_bytes=3 * GIB, energy_j=5, busy_pct=25)


def test_the_structures_of_level_zero_are_as_long_as_in_its_header() -> None:
    found = [ctypes.sizeof(one) for one in (intel._Device, intel._Engine, intel._Memory, intel._Counter)]
    assert found == [776, 32, 40, 16]


class Steady:
    """A device whose counters go on from wherever they were."""

    names: tuple[str, ...] = ("a", "b")
    driver: str | None = None
    through = "nothing"

    def __init__(self) -> None:
        self.looks = 0

    def read(self, index: int, own: set[int]) -> Reading:
        self.looks += 1
        return Reading(busy_pct=50, used_bytes=GIB * self.looks, energy_j=1000 + 10 * self.looks, power_w=20)


def test_energy_and_memory_are_those_since_the_run_began() -> None:
    library: Devices = Steady()
    probe = AcceleratorProbe(library, [1], lambda: [42])
    (sample,) = probe.sample()
    assert (sample.gpu, sample.energy_j, sample.gpu_mem_grown_bytes) == (1, 10, GIB)
    machine = Machine()
    machine.add(sample.replace(source=f"probe:{probe.name}", at_s=1.0))
    summary = machine.summary(1.0, [End()])
    assert (summary.gpus_used, summary.energy_j, summary.gpu_util_pct_mean) == (1, 10, 50)
    assert isinstance(sample, Sample)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [({}, [0, 1, 2]), ({"ROCR_VISIBLE_DEVICES": "2,0"}, [0, 2]), ({"ROCR_VISIBLE_DEVICES": ""}, []),
     ({"ROCR_VISIBLE_DEVICES": "GPU-1a2b"}, [0, 1, 2]), ({"ROCR_VISIBLE_DEVICES": "1.0,1.1"}, [1])],
)  # fmt: skip
def test_only_the_devices_that_a_run_may_use_are_looked_at(environment: dict[str, str], expected: list[int]) -> None:
    assert shown(3, environment, "ROCR_VISIBLE_DEVICES") == expected


def test_the_doctor_says_of_each_vendor_what_is_measured_and_what_it_was_tried_on() -> None:
    rows = {name: says for name, _, says in devices.report()}
    assert {"nvidia", "amd", "intel", "gaudi"} <= rows.keys()
    assert "tried on H200" in rows["nvidia"] and "tried on recorded answers, not on hardware" in rows["amd"]
