"""What every vendor's devices have in common: a reading of each, a sample of a reading, and a probe that takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.model.event import Sample


@dataclass(frozen=True, kw_only=True)
class State:
    """What a machine says of one vendor's devices: usable ones, or why there are none."""

    status: str  # ready, none, broken
    problem: str | None = None
    driver: str | None = None
    names: tuple[str, ...] = ()
    vendor: str = "nvidia"
    through: str = ""  # the library or files that answer


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One device now; a figure that it does not offer is absent. Energy counts from any moment."""

    busy_pct: float | None = None
    used_bytes: float | None = None
    own_bytes: float | None = None  # of the processes of the run
    power_w: float | None = None
    energy_j: float | None = None
    core_mhz: float | None = None
    memory_mhz: float | None = None
    temp_c: float | None = None


class Devices(Protocol):
    """The devices of one vendor, once its library was started."""

    names: tuple[str, ...]
    driver: str | None
    through: str

    def read(self, index: int, own: set[int]) -> Reading: ...


class AcceleratorProbe:
    """One sample a device that the run may use."""

    name = "gpu"

    def __init__(self, devices: Devices, shown: Sequence[int], pids: Callable[[], list[int]]) -> None:
        self._devices, self._pids = devices, pids
        self._start = {index: devices.read(index, set()) for index in shown}

    def sample(self) -> list[Sample]:
        own = set(self._pids())
        return [self._one(index, self._devices.read(index, own)) for index in self._start]

    def _one(self, index: int, now: Reading) -> Sample:
        grown = _since(now.used_bytes, self._start[index].used_bytes)
        return Sample(
            gpu=index,
            gpu_util_pct=now.busy_pct,
            gpu_mem_bytes=now.own_bytes,
            gpu_mem_used_bytes=now.used_bytes,
            gpu_mem_grown_bytes=None if grown is None else max(0.0, grown),
            power_w=now.power_w,
            energy_j=_since(now.energy_j, self._start[index].energy_j),
            sm_mhz=now.core_mhz,
            mem_mhz=now.memory_mhz,
            temp_c=now.temp_c,
        )


def _since(now: float | None, start: float | None) -> float | None:
    return None if now is None or start is None else now - start


def shown(count: int, environment: Mapping[str, str], *variables: str) -> list[int]:
    """The devices that a run may use: all, or those that one of these variables names by number."""
    wanted = next((environment[name] for name in variables if name in environment), None)
    words = [] if wanted is None else [word.strip().partition(".")[0] for word in wanted.split(",")]
    if wanted is None or not all(word.isdigit() for word in words if word):
        return list(range(count))
    return [index for index in range(count) if str(index) in words]


def figure(value: object, scale: float = 1.0) -> float | None:
    """A library's number; what it calls `N/A`, and the largest number that fits, are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value in _NO_NUMBERS:
        return None
    return value * scale


_NO_NUMBERS = (0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)
