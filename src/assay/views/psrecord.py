"""psrecord's files from a run: its log, plain or CSV, and its plot.

# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)
       0.100       99.998      131.402      410.148
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from assay.errors import UsageError
from assay.model.event import Sample
from assay.store.layout import RunDir
from assay.store.reading import read_events
from assay.views.charts.draw import check_ending, save
from assay.views.charts.machine import cpu_and_memory

_MIB = 1024.0**2
_HEADINGS = ("Elapsed time", "CPU (%)", "Real (MB)", "Virtual (MB)")
_IO_HEADINGS = ("Read count", "Write count", "Read bytes", "Write bytes")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One sample. Memory is the tree's, shared pages counted once: RSS scaled by the last known PSS / RSS."""

    elapsed_s: float
    processes: float
    cpu_pct: float
    real_mib: float
    virtual_mib: float
    disk: tuple[float | None, ...]  # read and write calls, bytes read and written


def rows(run: RunDir) -> list[Row]:
    samples = [event for event in read_events(run) if isinstance(event, Sample)]
    found: list[Row] = []
    share, last_rss = _first_share(samples), 0.0
    disk: tuple[float | None, ...] = (0, 0, 0, 0)
    for one in samples:
        held = one.pss_bytes if one.memory_bytes is None else one.memory_bytes
        if held is not None and last_rss:
            share = min(1.0, held / last_rss)
        if one.source != "probe:process" or one.at_s is None or not one.rss_bytes:
            continue  # only a zombie was left: it is over, and psrecord writes no line for that
        last_rss = one.rss_bytes
        disk = disk if one.read_bytes is None else (one.read_calls, one.write_calls, one.read_bytes, one.write_bytes)
        row = Row(
            elapsed_s=one.at_s,
            processes=one.processes or 0,
            cpu_pct=one.cpu_pct or 0.0,
            real_mib=last_rss * share / _MIB,
            virtual_mib=(one.virtual_bytes or 0) / _MIB,
            disk=disk,
        )
        found.append(row)
    return found


def _first_share(samples: list[Sample]) -> float:
    """PSS divided by RSS at the first moment when both are known."""
    rss = 0.0
    for one in samples:
        rss = rss if one.rss_bytes is None else one.rss_bytes
        held = one.pss_bytes if one.memory_bytes is None else one.memory_bytes
        if held is not None and rss:
            return min(1.0, held / rss)
    return 1.0


def check_targets(log: str | None, plot: str | None) -> None:
    """Before anything starts: a file that cannot be written would cost the run."""
    if plot:
        check_ending(Path(plot))
    for target in (log, plot):
        folder = Path(target).absolute().parent if target else None
        if target and Path(target).is_dir():
            raise UsageError(f"cannot write `{target}`: it is a folder")
        if folder is not None and not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise UsageError(f"cannot write `{target}`: `{folder}` is not a folder we may write to")


def write_log(run: RunDir, target: str | None, log_format: str, with_io: bool) -> None:
    lines = _csv(rows(run), with_io) if log_format == "csv" else _plain(rows(run), with_io)
    text = "\n".join(lines) + "\n"
    if target is None:
        sys.stdout.write(text)
    else:
        Path(target).write_text(text)


def _plain(found: list[Row], with_io: bool) -> list[str]:
    headings = _HEADINGS + (_IO_HEADINGS if with_io else ())
    lines = ["# " + " ".join(heading.center(12) for heading in headings)]
    for row in found:
        line = f"{row.elapsed_s:12.3f} {row.cpu_pct:12.3f} {row.real_mib:12.3f} {row.virtual_mib:12.3f}"
        lines.append(line + ("".join(f" {count:12d}" for count in row.disk) if with_io else ""))
    return lines


def _csv(found: list[Row], with_io: bool) -> list[str]:
    heading = "elapsed_time,nproc,cpu,mem_real,mem_virtual"
    lines = [heading + (",read_count,write_count,read_bytes,write_bytes" if with_io else "")]
    for row in found:
        line = f"{row.elapsed_s:.6f},{row.processes},{row.cpu_pct},{row.real_mib},{row.virtual_mib}"
        lines.append(line + ("".join(f",{count}" for count in row.disk) if with_io else ""))
    return lines


def write_plot(run: RunDir, target: str) -> None:
    """CPU and memory against time, as psrecord draws them."""
    table = [{"s": row.elapsed_s, "cpu": row.cpu_pct, "memory": row.real_mib} for row in rows(run)]
    save(cpu_and_memory(table), Path(target))
