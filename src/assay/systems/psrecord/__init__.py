"""psrecord: a tool that watches the memory and the processor time of a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.systems.system import System

if TYPE_CHECKING:
    from assay.reading.reader import Reader


def _reader() -> type[Reader]:
    from assay.systems.psrecord.reader import Psrecord

    return Psrecord


SYSTEM = System(name="psrecord", words=r"psrecord", reader=_reader, launches=("psrecord",))
