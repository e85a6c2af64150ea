"""What `assay run` prints at the end of a run: a few lines of results, and the next commands."""

from __future__ import annotations

import os
from pathlib import Path

from assay.model.summary import Summary
from assay.store.files import event_files
from assay.store.layout import RunDir
from assay.text import printable
from assay.views import served, words
from assay.views.series import Series, load
from assay.views.sparkline import sparkline
from assay.views.terminal import UNLIMITED, folded, width_of

_WIDTH, _INDENT = 24, 10
#: reading the curves of a very long run again is not worth the wait
_EVENTS_LIMIT = 20 << 20
_COLOURS = {"completed": "32", "failed": "31", "interrupted": "33", "running": "36"}


def closing(summary: Summary, run: RunDir, *, colour: bool, where: str = "", room: int = UNLIMITED) -> str:
    """`where` is added to the next commands, so that they find the run."""
    series = load(run) if _events_bytes(run) < _EVENTS_LIMIT else Series()
    rows = [
        ("cpu", words.cpu_words(summary), _spark(series.machine, "cpu_pct")),
        ("memory", words.memory_words(summary), _spark(series.machine, "memory_bytes", "pss_bytes", "rss_bytes")),
        ("gpu", words.gpu_words(summary), _spark(series.machine, "gpu_util_pct")),
        ("disk", words.disk_words(summary), ""),
        ("waited", words.waits_words(summary), ""),
        ("job", served.job_words(summary), ""),
        (
            "energy",
            words.energy_words(summary),
            _spark(series.machine, "power_w") if summary.energy_j is not None else "",
        ),
        ("phases", words.phase_words(summary), ""),
        (
            "result",
            words.result_words(summary) or words.nothing_read_words(summary),
            _spark(series.program, "loss", "train_loss", floor=None),
        ),
        ("ranks", words.rank_words(summary), ""),
        ("serving", served.serving_words(summary), ""),
        ("TTFT", served.latency_words(summary, "ttft"), ""),
        ("warning", words.not_finite_words(summary), ""),
        ("error", str(summary.error) if summary.error else None, ""),
        ("cost", words.cost_words(summary), ""),
    ]
    title = printable(f"assay: {summary.name}: {words.status_words(summary)}")
    titles = folded(title, room)
    if colour:
        titles = [f"\x1b[1;{_COLOURS.get(summary.status or '', '0')}m{one}\x1b[0m" for one in titles]
    lines = [_with(f"  {name:<7} {text}", spark, room) for name, text, spark in rows if text]
    lines.append(f"  kept in {_short(run.path)}")
    then = "assay show --output last" if summary.error else "assay compare"
    lines.append(f"  next    assay show last{where}   {then}{where}   assay ls{where}")
    return "\n".join([*titles, *(part for line in map(printable, lines) for part in folded(line, room, _INDENT))])


def _with(line: str, spark: str, room: int) -> str:
    """The line with its curve behind it, if both fit."""
    fits = spark and width_of(line) + 2 + len(spark) <= room
    return f"{line}  {spark}" if fits else line


def _spark(curves: dict[str, list[tuple[float, float]]], *names: str, floor: float | None = 0.0) -> str:
    """The curve of the first of these names that has at least three points."""
    for name in names:
        if len(curves.get(name, ())) >= 3:
            return sparkline(curves[name], min(_WIDTH, len(curves[name])), floor=floor)
    return ""


def _events_bytes(run: RunDir) -> int:
    return sum(file.size_bytes for file in event_files(run.path))


def _short(path: Path) -> str:
    try:
        relative = os.path.relpath(path)
    except OSError:  # the folder we are in is gone
        return str(path)
    return relative if len(relative) < len(str(path)) else str(path)
