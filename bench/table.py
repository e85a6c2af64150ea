"""Rows of a bench: what was asked, what was measured beside what, and whether the bar holds."""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

PYTHON = sys.executable
ASSAY = [PYTHON, "-m", "assay"]


def row(name: str, figures: str, held: bool | None) -> None:
    verdict = {True: "holds", False: "MISSED", None: ""}[held]
    print(f"{name:<44} {figures:<78} {verdict}", flush=True)


def interleaved(rounds: int, *ways: Callable[[], float]) -> list[list[float]]:
    """Each way once a round, in turn, so that drift of the machine falls on all of them."""
    found: list[list[float]] = [[] for _ in ways]
    for _ in range(rounds):
        for index, way in enumerate(ways):
            found[index].append(way())
    return found


def seconds(command: Sequence[str | Path], **options: object) -> float:
    before = time.perf_counter()
    subprocess.run(command, check=True, **options)  # type: ignore[call-overload]
    return time.perf_counter() - before


def ratio_interval(ours: list[float], theirs: list[float]) -> tuple[float, float, float]:
    """Of paired measurements: the geometric mean of the ratio and its 95 % interval (t, on the logarithms)."""
    logs = [math.log(a / b) for a, b in zip(ours, theirs, strict=True)]
    mean, spread = statistics.mean(logs), statistics.stdev(logs)
    half = _T95[min(len(logs) - 1, max(_T95))] * spread / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


#: two-sided 95 % points of Student's t
_T95 = {4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 19: 2.093}
