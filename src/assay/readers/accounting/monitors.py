"""Monitors that print a line a second, and AMD's table.

    # gpu   pwr gtemp mtemp    sm   mem   enc   dec  mclk  pclk                      nvidia-smi dmon
    # Idx     W     C     C     %     %     %     %   MHz   MHz
        0    43    35     -    97    41     0     0  2619  1980
    GPU  Temp   AvgPwr  SCLK    MCLK     Fan   Perf  PwrCap  VRAM%  GPU%             rocm-smi
    0    31.0c  43.0W   800Mhz  1600Mhz  0%    auto  560.0W    0%   0%
    Device  Node  IDs              Temp        Power     Partitions          SCLK  …  VRAM%  GPU%
                  (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)                         of ROCm 6

The trap: `mem` is how busy the memory is; how much is in use stands under `fb`, in MiB.
"""

from __future__ import annotations

import re

from assay.core.dates import clock_seconds
from assay.lines import Line
from assay.readers.accounting.account import Account, Format
from assay.readers.accounting.gpus import sample
from assay.reading.reader import Answer, figure

_DMON = re.compile(r"\s*#\s*(?:Date\s+)?(?:Time\s+)?gpu\s+(?:pwr|sm|fb|gtemp|mclk)\b")
_CLOCK = re.compile(r"\d\d:\d\d:\d\d")
_ROCM = re.compile(r"\s*(?:GPU|Device)\s.*\bVRAM%\s+GPU%\s*$")
#: between the head and its rows: the second line of the heads, and a rule
_UNDER_HEAD = re.compile(r"\s*(?:\([^()]{1,40}\)\s*){1,6}|\s*={10,}\s*")
_CARD = re.compile(r"card(?P<index>\d{1,3})")
_CSV_USE, _CSV_USED = "GPU use (%)", "VRAM Total Used Memory (B)"
_FEWEST = 5
_WATTS = re.compile(r"\d{1,5}(?:\.\d{1,3})?W")
_PERCENT = re.compile(r"\d{1,3}(?:\.\d{1,3})?%")


class Dmon(Format):
    """`nvidia-smi dmon`, with or without the time before each line."""

    anchors = ("pwr", "gtemp", "mclk")

    def __init__(self) -> None:
        self._names: list[str] = []
        self._first_s: float | None = None

    def read(self, account: Account, line: Line, text: str) -> Answer:
        if _DMON.match(text):
            self._names = text.lstrip("# \t").lower().split()
            account.in_table = account.strong = True
            return []
        if not self._names:
            return None
        if text.lstrip().startswith("#"):
            return []
        cells = text.split()
        if len(cells) != len(self._names):
            self._names, account.in_table = ([], False) if text.strip() else (self._names, True)
            return None
        return self._row(account, line, dict(zip(self._names, cells, strict=True)))

    def _row(self, account: Account, line: Line, row: dict[str, str]) -> Answer:
        if not row.get("gpu", "").isdigit():
            return None
        memory = figure(row.get("fb", ""))
        event = sample(
            account, line, int(row["gpu"]), gpu_util_pct=figure(row.get("sm", "")), power_w=figure(row.get("pwr", "")),
            gpu_mem_bytes=None if memory is None else memory * 1024 * 1024,
        )  # fmt: skip
        if _CLOCK.fullmatch(row.get("time", "")) and event.t is None:
            at_s = clock_seconds(row["time"])
            self._first_s = at_s if self._first_s is None else self._first_s
            event = event.replace(elapsed_s=(at_s - self._first_s) % 86400)
        return [event]


class RocmCsv(Format):
    """`rocm-smi --showuse --showmeminfo vram --csv`: one look at each GPU."""

    anchors = ("gpu use (%)", "vram total used memory")

    def __init__(self) -> None:
        self._names: list[str] = []

    def read(self, account: Account, line: Line, text: str) -> Answer:
        cells = [cell.strip() for cell in text.split(",")]
        if cells[0] == "device" and len(cells) > 1 and set(cells) & {_CSV_USE, _CSV_USED}:
            self._names, account.in_table = cells, True
            return []
        row = dict(zip(self._names, cells, strict=False))
        found = _CARD.fullmatch(row.get("device", ""))
        if found is None or len(cells) != len(self._names):
            account.in_table = account.in_table and not self._names
            self._names = []
            return None
        account.strong = account.snapshot = True
        util, used = figure(row.get(_CSV_USE, "")), figure(row.get(_CSV_USED, ""))
        return [sample(account, line, int(found["index"]), gpu_util_pct=util, gpu_mem_bytes=used)]


class RocmSmi(Format):
    """The concise table of `rocm-smi`: one look at each GPU."""

    anchors = ("vram%",)

    def __init__(self) -> None:
        self._inside = self._at_head = False

    def read(self, account: Account, line: Line, text: str) -> Answer:
        if _ROCM.match(text):
            self._inside = self._at_head = account.in_table = True
            return []
        if not self._inside:
            return None
        if self._at_head and _UNDER_HEAD.fullmatch(text):
            return []
        self._at_head = False
        words = text.split()
        watts = next((word for word in words if _WATTS.fullmatch(word)), "")
        if len(words) < _FEWEST or not words[0].isdigit() or not _PERCENT.fullmatch(words[-1]):
            account.in_table = not text.strip().startswith("==")
            self._inside = account.in_table
            return None
        account.strong = account.snapshot = True
        util, power = figure(words[-1].rstrip("%")), figure(watts.rstrip("W"))
        return [sample(account, line, int(words[0]), gpu_util_pct=util, power_w=power)]
