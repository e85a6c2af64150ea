"""Intel GPUs through Level Zero's management interface (sysman), which comes with Intel's compute runtime.

There are no bindings to install: the loader is a C library, and the few structures that are asked for stand here as
its header has them. A figure that a device or this user's rights do not offer is absent.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Mapping
from ctypes import byref, c_char, c_double, c_int, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any

from assay.probes.accelerators import AcceleratorProbe, Reading, State, shown

_LOADER = "libze_loader.so.1"
_ALL_ENGINES = (0, 1)  # of a group: all engines, all that compute


class _Core(ctypes.Structure):
    """ze_device_properties_t"""

    _fields_ = (
        ("stype", c_int),
        ("next", c_void_p),
        ("type", c_int),
        *((name, c_uint32) for name in ("vendor", "device", "flags", "subdevice", "clock_mhz")),
        ("largest", c_uint64),
        *((f"count{at}", c_uint32) for at in range(7)),
        ("timer", c_uint64),
        ("bits", c_uint32),
        ("kernel_bits", c_uint32),
        ("uuid", c_uint8 * 16),
        ("name", c_char * 256),
    )


class _Device(ctypes.Structure):
    """zes_device_properties_t"""

    _fields_ = (
        ("stype", c_int), ("next", c_void_p), ("core", _Core), ("subdevices", c_uint32),
        *((name, c_char * 64) for name in ("serial", "board", "brand", "model", "vendor", "driver")),
    )  # fmt: skip


class _Engine(ctypes.Structure):
    """zes_engine_properties_t"""

    _fields_ = (
        ("stype", c_int), ("next", c_void_p), ("type", c_int), ("on_subdevice", c_uint8), ("subdevice", c_uint32),
    )  # fmt: skip


class _Memory(ctypes.Structure):
    """zes_mem_state_t"""

    _fields_ = (("stype", c_int), ("next", c_void_p), ("health", c_int), ("free", c_uint64), ("size", c_uint64))


class _Counter(ctypes.Structure):
    """zes_power_energy_counter_t and zes_engine_stats_t: microjoules or busy microseconds, and the microsecond."""

    _fields_ = (("count", c_uint64), ("at_us", c_uint64))


def look() -> State:
    """No loader is no trouble: most machines have an Intel GPU that only draws the screen."""
    try:
        found = Library()
    except OSError:
        return State(status="none", vendor="intel", problem=f"{_LOADER} is missing: install Intel's compute runtime")
    if not found.names:
        return State(status="none", vendor="intel", problem="Level Zero shows no device")
    return State(status="ready", vendor="intel", names=found.names, driver=found.driver, through=found.through)


def probe(pids: Callable[[], list[int]], environment: Mapping[str, str]) -> AcceleratorProbe:
    found = Library()
    return AcceleratorProbe(found, shown(len(found.names), environment, "ZE_AFFINITY_MASK"), pids)


class Library:
    """All devices of all drivers."""

    through = "Level Zero"

    def __init__(self, loader: str = _LOADER) -> None:
        os.environ.setdefault("ZES_ENABLE_SYSMAN", "1")  # what older drivers ask for
        self._ze = ctypes.CDLL(loader)
        start = getattr(self._ze, "zesInit", None) or self._ze.zeInit
        started = start(0) == 0
        kind = "zes" if hasattr(self._ze, "zesDriverGet") else "ze"  # a loader before 1.9 has one kind of handle
        drivers = self._listed(f"{kind}DriverGet") if started else []
        self._handles = [one for driver in drivers for one in self._listed(f"{kind}DeviceGet", driver)]
        known = [self._properties(one) for one in self._handles]
        self.names = tuple(_text(one.core.name) or _text(one.model) or "Intel GPU" for one in known)
        self.driver = next((_text(one.driver) for one in known if one.driver), None)
        self._busy: dict[int, tuple[int, int]] = {}  # device: busy and passed microseconds at the last look

    def read(self, index: int, own: set[int]) -> Reading:
        handle = self._handles[index]
        memory = [self._state("zesMemoryGetState", one, _Memory(stype=0x1E))
                  for one in self._listed("zesDeviceEnumMemoryModules", handle)]  # fmt: skip
        joules = [self._state("zesPowerGetEnergyCounter", one, _Counter())
                  for one in self._listed("zesDeviceEnumPowerDomains", handle)[:1]]  # fmt: skip
        heat = [self._state("zesTemperatureGetState", one, c_double())
                for one in self._listed("zesDeviceEnumTemperatureSensors", handle)]  # fmt: skip
        known = [one for one in memory if one is not None]
        return Reading(
            busy_pct=self._busy_pct(index),
            used_bytes=sum(one.size - one.free for one in known) if known else None,
            energy_j=next((one.count / 1e6 for one in joules if one is not None), None),
            temp_c=max((one.value for one in heat if one is not None), default=None),
        )

    def _busy_pct(self, index: int) -> float | None:
        """Since the last look; of the group of all engines, else of all that compute."""
        groups: dict[int, Any] = {}
        for one in self._listed("zesDeviceEnumEngineGroups", self._handles[index]):
            about = self._state("zesEngineGetProperties", one, _Engine(stype=0x5))
            if about is not None:
                groups.setdefault(about.type, one)
        group = next((groups[kind] for kind in _ALL_ENGINES if kind in groups), None)
        now = self._state("zesEngineGetActivity", group, _Counter()) if group is not None else None
        if now is None:
            return None
        busy, passed = self._busy.get(index, (0, 0))
        self._busy[index] = now.count, now.at_us
        if not passed or now.at_us <= passed:
            return None
        return min(100.0, max(0.0, float(100 * (now.count - busy) / (now.at_us - passed))))

    def _properties(self, handle: Any) -> _Device:
        asked = _Device(stype=0x1)
        asked.core.stype = 0x3
        return self._state("zesDeviceGetProperties", handle, asked) or _Device()

    def _listed(self, function: str, *of: Any) -> list[Any]:
        """Level Zero lists in two calls: how many, then which."""
        ask, count = getattr(self._ze, function), c_uint32(0)
        if ask(*of, byref(count), None) != 0 or not count.value:
            return []
        found = (c_void_p * count.value)()
        return [c_void_p(one) for one in found] if ask(*of, byref(count), found) == 0 else []

    def _state(self, function: str, handle: Any, into: Any) -> Any:
        return into if getattr(self._ze, function)(handle, byref(into)) == 0 else None


def _text(value: bytes) -> str:
    return value.decode(errors="replace").strip()
