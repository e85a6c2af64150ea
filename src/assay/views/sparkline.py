"""A curve in one line of text."""

from __future__ import annotations

from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"
#: means of one and the same value differ by this much
_ROUNDING = 1e-9


def sparkline(curve: Sequence[tuple[float, float]], width: int, *, floor: float | None = None) -> str:
    """Mean of each slice of time, from the lowest value (or `floor`) to the highest; a slice without one repeats."""
    if not curve or width < 1:
        return ""
    times_s = [at_s for at_s, _ in curve]
    begin_s, end_s = min(times_s), max(times_s)  # of a record whose clock went back, neither is first or last
    slices: list[list[float]] = [[] for _ in range(width)]
    for order, (at_s, value) in enumerate(curve):
        # a program that writes into a pipe prints everything at its end: then the order is all there is
        share = order / len(curve) if end_s <= begin_s else (at_s - begin_s) / (end_s - begin_s)
        place = int(share * width)
        slices[min(place, width - 1)].append(value)
    means: list[float] = []
    for group in slices:
        means.append(sum(value / len(group) for value in group) if group else means[-1])
    low = min(means) if floor is None else min(floor, *means)
    high = max(means)
    scale = max(abs(low), abs(high))  # or from -1e308 to 1e308 were further than a float can say
    if high <= low or high / scale - low / scale < _ROUNDING:
        return _BARS[0 if high == 0 else 3] * width
    span = high / scale - low / scale
    return "".join(_BARS[min(7, int((value / scale - low / scale) / span * 8))] for value in means)
