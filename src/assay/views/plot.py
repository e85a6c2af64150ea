"""Curves drawn with braille dots: two by four to a character, so a small pane still shows a shape."""

from __future__ import annotations

from collections.abc import Sequence

from assay.units import show_seconds

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def plot(
    curve: Sequence[tuple[float, float]],
    width: int,
    height: int,
    *,
    span: tuple[float, float],
    floor: float | None = None,
) -> list[str]:
    """`height` lines of `width` characters; `span` is the time from the left edge to the right one."""
    blank = [" " * width] * height
    points = [(s, v) for s, v in curve if span[0] <= s <= span[1]]
    if not points or width < 1 or height < 1 or span[1] <= span[0]:
        return blank
    low, high = ends([value for _, value in points], floor)
    scale = high - low or 1.0
    cells = [[0] * width for _ in range(height)]
    before: tuple[int, int] | None = None
    for at_s, value in points:
        x = min(2 * width - 1, int((at_s - span[0]) / (span[1] - span[0]) * 2 * width))
        y = min(4 * height - 1, int((1 - (value - low) / scale) * (4 * height - 1) + 0.5))
        for px, py in _line(before or (x, y), (x, y)):
            cells[py // 4][px // 2] |= _DOTS[py % 4][px % 2]
        before = (x, y)
    return ["".join(chr(0x2800 + dots) if dots else " " for dots in row) for row in cells]


def ends(values: Sequence[float], floor: float | None = None) -> tuple[float, float]:
    """The values of the lowest and the highest line of a plot."""
    low, high = min(values), max(values)
    return (low if floor is None else min(floor, low)), high


def time_axis(end_s: float, width: int) -> tuple[str, str]:
    """An axis with ticks, and below it their times: the beginning, the middle and the end."""
    middle = width // 2
    rule = ["─"] * width
    for at in (0, middle, width - 1):
        rule[at] = "┴"
    half, end = show_seconds(end_s / 2), show_seconds(end_s)
    labels = f"{'0 s':<{max(0, middle - len(half) // 2)}}{half}"
    return "".join(rule), f"{labels:<{max(0, width - len(end))}}{end}"[:width]


def _line(start: tuple[int, int], end: tuple[int, int]) -> list[tuple[int, int]]:
    """The dots from one point to the next."""
    (x0, y0), (x1, y1) = start, end
    steps = max(abs(x1 - x0), abs(y1 - y0), 1)
    return [(x0 + (x1 - x0) * i // steps, y0 + (y1 - y0) * i // steps) for i in range(steps + 1)]
