"""nvidia-smi: the log of `--query-gpu=… --format=csv`, columns in any order, and the table of a bare call.

    timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W]
    2024/11/23 12:23:29.950, 0, NVIDIA RTX A6000, 92 %, 25073 MiB, 250.31 W
    $ nvidia-smi --query-gpu=timestamp,utilization.gpu,memory.used --format=csv,noheader,nounits -l 5
    2024/11/23 12:23:29.950, 92, 25073
    |   0  NVIDIA A100-SXM4-40GB          On  | 00000000:07:00.0 Off |                    0 |
    | N/A   35C    P0              61W / 400W |  38315MiB / 40960MiB |     94%      Default |

The trap: several GPUs take turns, `utilization.memory` is of the memory's time and not of its size, and the table of a
bare call is one look at the machine: at the head of a log it says what is there, and nothing of the run. Without a head
the command above says what the columns are, if a row can be of them.
"""

from __future__ import annotations

import re

from assay.core.dates import moment
from assay.lines import Line
from assay.model.event import Event
from assay.readers.accounting.account import Account, Format
from assay.reading.reader import NEW, Answer, figure

_MIB = 1024 * 1024
_KNOWN = re.compile(
    r"(?:utilization|memory|power|temperature|clocks|fan|pcie|encoder|ecc|driver|pstate|count|gpu|compute|enforced|vbios|mig|display|persistence|accounting|serial|inforom|retired|remapped)[\w.]*|timestamp|index|name|uuid|pci\.[\w.]+"
)
_MEASURED = {"utilization.gpu", "memory.used", "power.draw", "power.draw.instant", "power.draw.average"}
_UNIT = re.compile(r"\[[^\[\]]{0,20}\]$")
_ASKED = re.compile(r"--query-gpu[= ]['\"]?(?P<names>[\w.]+(?:, ?[\w.]+)*)")
#: lines between the command and the first row of what it printed: a sentence, a head of another tool
_PATIENCE = 12
_MODEL = re.compile(
    r"\|\s+(?P<index>\d{1,3})\s+(?P<name>[A-Z]\w*(?: {1,2}[\w.+/()-]{1,30}){0,8})\s+(?:On|Off|N/A)\s+\|"
)
_STATE = re.compile(
    r"\|\s*(?:N/A|\d+%|ERR!)\s+(?:\d+C|N/A)\s+(?:P\d+|N/A)\s+(?:(?P<power>\d+)W|N/A)\s*/\s*(?:\d+W|N/A)\s*\|\s*(?P<used>\d+)MiB\s*/"
    r"\s*\d+MiB\s*\|\s*(?:(?P<util>\d+)%|N/A)"
)


def sample(account: Account, line: Line, gpu: int, **figures: float | None) -> Event:
    """One look at one GPU."""
    known = {name: value for name, value in figures.items() if value is not None}
    return account.fact("sample", line, moment(line.text), known, gpu=gpu).replace(source="probe:nvidia-smi")


class GpuQuery(Format):
    """Rows of a log that nvidia-smi writes."""

    anchors = ("utilization.gpu", "memory.used", "power.draw", "--query-gpu")

    def __init__(self) -> None:
        self._names: list[str] = []
        self._gpus: dict[str, int] = {}
        self._waits = 0  # for so many lines more: its columns are known by a command, and no row was seen

    def read(self, account: Account, line: Line, text: str) -> Answer:
        query = _ASKED.search(text)
        cells = query["names"].split(",") if query else _cells(text)
        names = [_UNIT.sub("", cell.strip()).strip().lower() for cell in cells]
        if names and _MEASURED & set(names) and all(_KNOWN.fullmatch(name) for name in names):
            return self._head(account, names, waits=_PATIENCE if query else 0)
        if not self._names:
            return None
        row = dict(zip(self._names, cells, strict=False))
        if len(cells) != len(self._names) or not _can_be(row):
            self._no_row(account, text)
            return None
        self._waits = 0
        account.strong = True
        return self._row(account, line, row)

    def _head(self, account: Account, names: list[str], *, waits: int) -> Answer:
        if account.facts and not self._names:
            return NEW
        self._names, account.in_table, self._waits = names, True, waits
        return []

    def _no_row(self, account: Account, text: str) -> None:
        if self._waits:
            self._waits -= 1
        elif text.strip():
            self._names = []
        account.in_table = bool(self._names)

    def _row(self, account: Account, line: Line, row: dict[str, str]) -> Answer:
        who = (
            row.get("index")
            or row.get("uuid")
            or row.get("gpu_uuid")
            or row.get("pci.bus_id")
            or row.get("gpu_bus_id")
            or ""
        )
        gpu = self._gpus.setdefault(who, len(self._gpus))
        events = []
        name = row.get("name") or row.get("gpu_name")
        if name and "device" not in account.facts:
            account.facts["device"] = 1.0
            events.append(account.fact("how", line, device=name))
        memory = _number(row.get("memory.used"))
        power = next(
            (row[one] for one in ("power.draw", "power.draw.instant", "power.draw.average") if one in row), None
        )
        events.append(sample(
            account, line, gpu, gpu_util_pct=_number(row.get("utilization.gpu")),
            gpu_mem_bytes=None if memory is None else round(memory * _MIB), power_w=_number(power),
        ))  # fmt: skip
        return events


class GpuTable(Format):
    """The table of a bare `nvidia-smi`: one look at each GPU."""

    anchors = ("nvidia-smi",)

    def __init__(self) -> None:
        self._inside = False
        self._gpu: tuple[int, str] | None = None

    def read(self, account: Account, line: Line, text: str) -> Answer:
        if "NVIDIA-SMI" in text and "Driver Version" in text:
            self._inside = account.in_table = True
            return []
        if not self._inside:
            return None
        found = _MODEL.match(text)
        if found:
            self._gpu = (int(found["index"]), found["name"].strip())
            return []
        found = _STATE.match(text)
        if found is None or self._gpu is None:
            self._inside = account.in_table = text.lstrip().startswith(("|", "+"))
            return [] if self._inside else None
        return self._state(account, line, found)

    def _state(self, account: Account, line: Line, found: re.Match[str]) -> Answer:
        assert self._gpu is not None
        index, name = self._gpu
        self._gpu = None
        account.strong = account.snapshot = True
        figures = {"gpu_util_pct": figure(found["util"] or ""), "gpu_mem_bytes": float(int(found["used"]) * _MIB),
                   "power_w": figure(found["power"] or "")}  # fmt: skip
        words = [account.fact("how", line, device=name)] if "device" not in account.facts else []
        account.facts["device"] = 1.0
        return [*words, sample(account, line, index, **figures)]


def _cells(text: str) -> list[str]:
    is_row = "," in text or "power.draw" in text or "utilization" in text
    return [cell.strip() for cell in text.split(",")] if is_row else []


def _can_be(row: dict[str, str]) -> bool:
    """Whether the cells fit the columns that a command asked for: numbers where numbers are measured."""
    return all(_number(cell) is not None or "N/A" in cell for name, cell in row.items() if name in _MEASURED)


def _number(cell: str | None) -> float | None:
    """`92 %`, `25073 MiB`, `18.81 W`, `[N/A]`."""
    first = (cell or "").split()
    return figure(first[0]) if first else None
