"""AMD GPUs through the amdsmi library; without it, from the files in /sys that `rocm-smi` reads, too.

The trap: utilisation (`gfx_activity`, `gpu_busy_percent`) is the share of time in which anything ran on the graphics
engine, as on other vendors' devices, not the share of the chip that was busy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.probes.accelerators import AcceleratorProbe, Devices, Reading, State, figure, shown

_MIB = 1 << 20
CARDS = Path("/sys/class/drm")
_VENDOR = "0x1002"
_VISIBLE = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL")


def look() -> State:
    try:
        found = devices()
    except Exception as problem:  # whatever the library raises
        return State(status="broken", vendor="amd", problem=f"amdsmi fails: {problem}")
    status = "ready" if found.names else "none"
    return State(status=status, vendor="amd", names=found.names, driver=found.driver, through=found.through)


def probe(pids: Callable[[], list[int]], environment: Mapping[str, str]) -> AcceleratorProbe:
    found = devices()
    return AcceleratorProbe(found, shown(len(found.names), environment, *_VISIBLE), pids)


def devices() -> Devices:
    try:
        import amdsmi
    except (ImportError, OSError, KeyError):  # the package is there and ROCm's library is not
        return Files(CARDS)
    return Library(amdsmi)


class Library:
    """amdsmi, the library of ROCm 6 and later."""

    through = "amdsmi"

    def __init__(self, smi: Any) -> None:
        self._smi = smi
        smi.amdsmi_init()
        self._handles = smi.amdsmi_get_processor_handles()
        asked = [self._ask(smi.amdsmi_get_gpu_asic_info, one) for one in self._handles]
        self.names = tuple(str(one.get("market_name", "AMD GPU")) for one in asked)
        driver = self._ask(smi.amdsmi_get_gpu_driver_info, self._handles[0]) if self._handles else {}
        self.driver = driver.get("driver_version")

    def read(self, index: int, own: set[int]) -> Reading:
        smi, handle = self._smi, self._handles[index]
        power, energy = self._ask(smi.amdsmi_get_power_info, handle), self._ask(smi.amdsmi_get_energy_count, handle)
        watts = (figure(power.get(name)) for name in ("current_socket_power", "average_socket_power", "socket_power"))
        ticks = figure(energy.get("energy_accumulator", energy.get("power")))
        return Reading(
            busy_pct=figure(self._ask(smi.amdsmi_get_gpu_activity, handle).get("gfx_activity")),
            used_bytes=figure(self._ask(smi.amdsmi_get_gpu_vram_usage, handle).get("vram_used"), _MIB),
            own_bytes=self._own_bytes(handle, own),
            power_w=next((one for one in watts if one), None),
            energy_j=None if ticks is None else ticks * (figure(energy.get("counter_resolution")) or 0.0) / 1e6 or None,
            core_mhz=self._clock_mhz(handle, "GFX"),
            memory_mhz=self._clock_mhz(handle, "MEM"),
            temp_c=self._temp_c(handle),
        )

    def _own_bytes(self, handle: Any, own: set[int]) -> float | None:
        listed = self._ask(self._smi.amdsmi_get_gpu_process_list, handle) or []
        held = [figure(one.get("memory_usage", {}).get("vram_mem")) for one in listed if one.get("pid") in own]
        known = [one for one in held if one is not None]
        return sum(known) if known else None

    def _clock_mhz(self, handle: Any, kind: str) -> float | None:
        found = self._ask(self._smi.amdsmi_get_clock_info, handle, getattr(self._smi.AmdSmiClkType, kind, None))
        return figure(found.get("clk", found.get("cur_clk"))) if found else None

    def _temp_c(self, handle: Any) -> float | None:
        smi = self._smi
        found = self._ask(
            smi.amdsmi_get_temp_metric, handle, smi.AmdSmiTemperatureType.HOTSPOT, smi.AmdSmiTemperatureMetric.CURRENT
        )
        return figure(found or None)

    def _ask(self, question: Callable[..., Any], *of: Any) -> Any:
        """Its answer; nothing where this device does not offer it."""
        try:
            return question(*of)
        except self._smi.AmdSmiException:
            return {}


class Files:
    """The kernel's own files: all that it offers without a library."""

    through = "the files of the kernel's driver (pip install amdsmi adds the memory of each process)"
    driver: str | None = None

    def __init__(self, cards: Path) -> None:
        self._folders = [
            device for card in sorted(cards.glob("card[0-9]*"), key=_number)
            if "-" not in card.name and _text(device := card / "device", "vendor") == _VENDOR
            and _text(device, "mem_info_vram_total")
        ]  # fmt: skip
        self._sensors = [next(iter(sorted(one.glob("hwmon/hwmon*"))), one) for one in self._folders]
        self.names = tuple(_text(one, "product_name") or "AMD GPU" for one in self._folders)

    def read(self, index: int, own: set[int]) -> Reading:
        device, sensor = self._folders[index], self._sensors[index]
        power = _whole(sensor, "power1_average") or _whole(sensor, "power1_input")
        return Reading(
            busy_pct=_whole(device, "gpu_busy_percent"),
            used_bytes=_whole(device, "mem_info_vram_used"),
            power_w=figure(power, 1e-6),
            energy_j=figure(_whole(sensor, "energy1_input"), 1e-6),
            core_mhz=figure(_whole(sensor, "freq1_input"), 1e-6),
            memory_mhz=figure(_whole(sensor, "freq2_input"), 1e-6),
            temp_c=figure(_whole(sensor, "temp2_input"), 1e-3),
        )


def _number(card: Path) -> int:
    return int(card.name.removeprefix("card").partition("-")[0] or 0)


def _text(folder: Path, name: str) -> str:
    with suppress(OSError):
        return (folder / name).read_text(errors="replace").strip()
    return ""


def _whole(folder: Path, name: str) -> int | None:
    text = _text(folder, name)
    return int(text) if text.isdigit() else None
