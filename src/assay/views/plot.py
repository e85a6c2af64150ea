"""Curves drawn with braille dots: two by four to a character, so a small pane still shows a shape."""

from __future__ import annotations

from collections.abc import Sequence

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
    low = min(v for _, v in points) if floor is None else min(floor, min(v for _, v in points))
    high = max(v for _, v in points)
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


def _line(start: tuple[int, int], end: tuple[int, int]) -> list[tuple[int, int]]:
    """The dots from one point to the next."""
    (x0, y0), (x1, y1) = start, end
    steps = max(abs(x1 - x0), abs(y1 - y0), 1)
    return [(x0 + (x1 - x0) * i // steps, y0 + (y1 - y0) * i // steps) for i in range(steps + 1)]
