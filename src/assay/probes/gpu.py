"""NVIDIA GPUs through NVML: load, memory of the run's own processes, power, energy, clocks, heat, throttling.

The trap: NVML's utilisation is the share of time in which any kernel ran, not the share of the chip that was busy; a
GPU at 100 % may be nearly idle. `gpm.py` says how busy the chip was, where the hardware counts it. And no GPU is not
the same as a driver that does not answer.

Another: NVML starts a separate thread, which would take signals that are meant for us, and opens the device so that
a child would get it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from glob import glob
from typing import Any

from assay.model.event import Sample
from assay.probes.accelerators import State
from assay.probes.gpm import Gpm
from assay.probes.tree import handed_on

#: bits of the clock event mask that mean slower than it could be, and what to call them
_THROTTLE = {
    0x04: "power cap",
    0x08: "hardware slowdown",
    0x20: "thermal (software)",
    0x40: "thermal (hardware)",
    0x80: "power brake",
}


def look() -> State:
    """Start NVML and count the devices; costs nothing where the kernel shows no NVIDIA driver."""
    if not _driver_present():
        return State(status="none")
    try:
        import pynvml as nvml
    except ImportError:
        return State(status="broken", problem="nvidia-ml-py is not installed")
    try:
        with kept_apart():
            nvml.nvmlInit()
            count = nvml.nvmlDeviceGetCount()
            names = tuple(_text(nvml.nvmlDeviceGetName(nvml.nvmlDeviceGetHandleByIndex(i))) for i in range(count))
            driver = _text(nvml.nvmlSystemGetDriverVersion())
    except nvml.NVMLError as problem:
        return State(status="broken", problem=str(problem))
    return State(status="ready" if names else "none", driver=driver, names=names, through="NVML")


def probe(pids: Callable[[], list[int]], environment: Mapping[str, str]) -> GpuProbe:
    return GpuProbe(pids, environment)


@contextmanager
def kept_apart() -> Iterator[None]:
    """Of what a library starts and opens in here, no thread takes a signal, and no child gets a descriptor."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    had = set(handed_on())
    try:
        yield
    finally:
        for fd in set(handed_on()) - had:
            os.set_inheritable(fd, False)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _driver_present() -> bool:
    return bool(glob("/dev/nvidia*")) or os.path.exists("/proc/driver/nvidia") or os.path.exists("/dev/dxg")


class GpuProbe:
    """One sample a device. Only devices the run may use, by CUDA_VISIBLE_DEVICES."""

    name = "gpu"

    def __init__(self, pids: Callable[[], list[int]], environment: Mapping[str, str]) -> None:
        import pynvml

        self._nvml = pynvml
        self._pids = pids
        with kept_apart():
            self._devices = _visible(pynvml, environment.get("CUDA_VISIBLE_DEVICES"))
            self._gpm = Gpm(pynvml, self._devices)
            self._start_mj = {index: self._energy_mj(handle) for index, handle in self._devices.items()}
            self._start_used = {index: self._memory(handle) for index, handle in self._devices.items()}

    def sample(self) -> list[Sample]:
        """Each device's figures; one that a device does not offer is absent."""
        own = set(self._pids())
        return [self._one(index, handle, own) for index, handle in self._devices.items()]

    def _one(self, index: int, handle: Any, own: set[int]) -> Sample:
        nvml = self._nvml
        used, mj = self._memory(handle), self._energy_mj(handle)
        start_used, start_mj = self._start_used[index], self._start_mj[index]
        sample = Sample(
            gpu=index,
            gpu_util_pct=self._ask(lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu),
            gpu_mem_bytes=self._own_memory(handle, own),
            gpu_mem_used_bytes=used,
            gpu_mem_grown_bytes=self._grown(handle, used, start_used),
            power_w=self._power_w(handle),
            energy_j=None if mj is None or start_mj is None else (mj - start_mj) / 1000,
            sm_mhz=self._ask(lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)),
            mem_mhz=self._ask(lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM)),
            temp_c=self._ask(lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)),
            throttle=self._throttle(handle),
        )
        return sample.replace(**self._gpm.figures(index))

    def _grown(self, handle: Any, used: int | None, start_used: int | None) -> int | None:
        """By how much the device's memory has grown, where that may be ours: NVML lists no process that we can see.

        In a container it lists none, or numbers of another namespace; a process that it shows us and that is not ours
        may be what has grown.
        """
        if used is None or start_used is None:
            return None
        listed = self._ask(partial(self._nvml.nvmlDeviceGetComputeRunningProcesses, handle)) or []
        if any(os.path.exists(f"/proc/{process.pid}") for process in listed):
            return None
        return max(0, used - start_used)

    def _power_w(self, handle: Any) -> float | None:
        """Of this instant where the device tells; the plain call is an average over the last second on newer ones."""
        nvml = self._nvml
        (instant,) = self._ask(lambda: nvml.nvmlDeviceGetFieldValues(handle, [nvml.NVML_FI_DEV_POWER_INSTANT])) or (
            None,
        )
        if instant is not None and instant.nvmlReturn == nvml.NVML_SUCCESS and instant.value.uiVal:
            return float(instant.value.uiVal) / 1000
        watts = self._ask(lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000)
        return None if watts is None else float(watts)

    def _own_memory(self, handle: Any, own: set[int]) -> int | None:
        """Memory of the run's own processes; None where NVML lists none of them (another pid namespace)."""
        found: dict[int, int] = {}
        for ask in (self._nvml.nvmlDeviceGetComputeRunningProcesses, self._nvml.nvmlDeviceGetGraphicsRunningProcesses):
            for process in self._ask(partial(ask, handle)) or []:
                if process.pid in own and process.usedGpuMemory is not None:
                    found[process.pid] = process.usedGpuMemory  # a process may stand in both lists
        return sum(found.values()) if found else None

    def _memory(self, handle: Any) -> Any:
        return self._ask(lambda: self._nvml.nvmlDeviceGetMemoryInfo(handle).used)

    def _energy_mj(self, handle: Any) -> Any:
        return self._ask(lambda: self._nvml.nvmlDeviceGetTotalEnergyConsumption(handle))

    def _throttle(self, handle: Any) -> tuple[str, ...]:
        mask = self._ask(lambda: self._nvml.nvmlDeviceGetCurrentClocksEventReasons(handle)) or 0
        return tuple(name for bit, name in _THROTTLE.items() if mask & bit)

    def _ask(self, question: Callable[[], Any]) -> Any:
        try:
            return question()
        except self._nvml.NVMLError:  # not offered by this device, or the device has gone
            return None


def _visible(nvml: Any, wanted: str | None) -> dict[int, Any]:
    """Devices by NVML index. `wanted` names them by number or UUID; empty means none."""
    handles = {i: nvml.nvmlDeviceGetHandleByIndex(i) for i in range(nvml.nvmlDeviceGetCount())}
    if wanted is None:
        return handles
    words = [word.strip() for word in wanted.split(",") if word.strip()]
    chosen = {}
    for index, handle in handles.items():
        uuid = _text(nvml.nvmlDeviceGetUUID(handle))
        if str(index) in words or any(uuid.startswith(word) for word in words if not word.isdigit()):
            chosen[index] = handle
    return chosen


def _text(value: str | bytes) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
