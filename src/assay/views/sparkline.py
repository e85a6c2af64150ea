"""A curve in one line of text."""

from __future__ import annotations

from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"


def sparkline(curve: Sequence[tuple[float, float]], width: int, *, floor: float | None = None) -> str:
    """Mean of each slice of time, from the lowest value (or `floor`) to the highest; a slice without one repeats."""
    if not curve or width < 1:
        return ""
    begin_s, end_s = curve[0][0], curve[-1][0]
    slices: list[list[float]] = [[] for _ in range(width)]
    for at_s, value in curve:
        place = 0 if end_s <= begin_s else int((at_s - begin_s) / (end_s - begin_s) * width)
        slices[min(place, width - 1)].append(value)
    means: list[float] = []
    for group in slices:
        means.append(sum(group) / len(group) if group else means[-1])
    low = min(means) if floor is None else min(floor, *means)
    high = max(means)
    if high <= low:
        return _BARS[0 if high == 0 else 3] * width
    return "".join(_BARS[min(7, int((value - low) / (high - low) * 8))] for value in means)
