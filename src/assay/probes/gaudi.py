"""Intel's Gaudi accelerators through pyhlml, the Python package of Habana's management library."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from assay.probes.accelerators import AcceleratorProbe, Reading, State, figure, shown

_VISIBLE = ("HABANA_VISIBLE_DEVICES", "HABANA_VISIBLE_MODULES")
_CHIP = 0  # the sensor and the clock of the accelerator itself


def look() -> State:
    try:
        found = Library()
    except ImportError:
        return State(status="broken", vendor="gaudi", problem="pyhlml is not installed: pip install pyhlml")
    except Exception as problem:  # whatever the library raises
        return State(status="broken", vendor="gaudi", problem=f"pyhlml fails: {problem}")
    return State(status="ready" if found.names else "none", vendor="gaudi", names=found.names, through=found.through)


def probe(pids: Callable[[], list[int]], environment: Mapping[str, str]) -> AcceleratorProbe:
    found = Library()
    return AcceleratorProbe(found, shown(len(found.names), environment, *_VISIBLE), pids)


class Library:
    """The devices by their index; a figure that a device does not offer is absent."""

    through = "pyhlml"
    driver: str | None = None

    def __init__(self, package: str = "pyhlml") -> None:
        hlml = self._hlml = importlib.import_module(package)
        hlml.hlmlInit()
        self._handles = [hlml.hlmlDeviceGetHandleByIndex(index) for index in range(hlml.hlmlDeviceGetCount())]
        self.names = tuple(_text(hlml.hlmlDeviceGetName(one)) for one in self._handles)

    def read(self, index: int, own: set[int]) -> Reading:
        hlml, handle = self._hlml, self._handles[index]
        busy = self._ask(lambda: hlml.hlmlDeviceGetUtilizationRates(handle))
        return Reading(
            busy_pct=figure(getattr(busy, "aip", busy)),
            used_bytes=figure(self._ask(lambda: hlml.hlmlDeviceGetMemoryInfo(handle).used)),
            power_w=figure(self._ask(lambda: hlml.hlmlDeviceGetPowerUsage(handle)), 1e-3),
            energy_j=figure(self._ask(lambda: hlml.hlmlDeviceGetTotalEnergyConsumption(handle)), 1e-3),
            core_mhz=figure(self._ask(lambda: hlml.hlmlDeviceGetClockInfo(handle, _CHIP))),
            temp_c=figure(self._ask(lambda: hlml.hlmlDeviceGetTemperature(handle, _CHIP))),
        )

    def _ask(self, question: Callable[[], Any]) -> Any:
        try:
            return question()
        except Exception:  # the classes of its errors are made when it is imported
            return None


def _text(value: str | bytes) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
