"""How busy the chip itself was, from NVML's GPM counters: its SMs, its tensor cores, its memory.

These are counted by the hardware from Hopper on. NVML's plain utilisation only knows whether any kernel ran.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

#: names of a sample, and NVML's numbers of the metrics that they are
_METRICS = {"gpu_sm_pct": 2, "gpu_tensor_pct": 5, "gpu_dram_pct": 10}
#: NVIDIA recommends no less between two looks: over a shorter time the counters mean little
_SHORTEST_S = 0.1


@dataclass(slots=True)
class _Counters:
    """Of one device: as they were at the last look, room for the next, and when the last was."""

    handle: Any
    before: Any
    after: Any
    looked_s: float


class Gpm:
    """The counters of all devices that have them; a device without them has no figures."""

    def __init__(self, nvml: Any, devices: dict[int, Any]) -> None:
        self._nvml = nvml
        self._counters: dict[int, _Counters] = {}
        for index, handle in devices.items():
            found = self._open(handle)
            if found is not None:
                self._counters[index] = found

    def figures(self, index: int) -> dict[str, float]:
        """In per cent since the last look at this device; none where that was only just now."""
        one = self._counters.get(index)
        if one is None or time.monotonic() - one.looked_s < _SHORTEST_S:
            return {}
        try:
            self._nvml.nvmlGpmSampleGet(one.handle, one.after)
            found = self._between(one)
        except self._nvml.NVMLError:  # someone else profiles the device, or it has gone
            return {}
        one.before, one.after, one.looked_s = one.after, one.before, time.monotonic()
        return found

    def _open(self, handle: Any) -> _Counters | None:
        nvml = self._nvml
        if not offers(nvml, handle):
            return None
        try:
            one = _Counters(handle, nvml.nvmlGpmSampleAlloc(), nvml.nvmlGpmSampleAlloc(), time.monotonic())
            nvml.nvmlGpmSampleGet(handle, one.before)
        except nvml.NVMLError:
            return None
        return one

    def _between(self, one: _Counters) -> dict[str, float]:
        asked = self._nvml.c_nvmlGpmMetricsGet_t()
        asked.version, asked.numMetrics = self._nvml.NVML_GPM_METRICS_GET_VERSION, len(_METRICS)
        asked.sample1, asked.sample2 = one.before, one.after
        for place, number in enumerate(_METRICS.values()):
            asked.metrics[place].metricId = number
        self._nvml.nvmlGpmMetricsGet(asked)
        answers = {name: asked.metrics[place] for place, name in enumerate(_METRICS)}
        return {
            name: round(answer.value, 2)
            for name, answer in answers.items()
            if answer.nvmlReturn == self._nvml.NVML_SUCCESS and 0 <= answer.value <= 100
        }


def offers(nvml: Any, handle: Any) -> bool:
    """Whether this device, its driver and our library know the counters."""
    try:
        return bool(nvml.nvmlGpmQueryDeviceSupport(handle).isSupportedDevice)
    except (nvml.NVMLError, AttributeError):  # an old library has no such question
        return False
