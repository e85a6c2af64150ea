"""Numbers with units: from what people type, and into what people read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from assay.errors import UsageError

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def parse_seconds(text: str) -> float:
    """`90`, `1.5s`, `10m`, `2h`, `1h30m`: seconds."""
    parts = re.findall(r"(\d+(?:\.\d*)?|\.\d+)(ms|s|m|h|d)?", text.strip())
    if not parts or "".join(number + unit for number, unit in parts) != text.strip():
        raise UsageError(f"`{text}` is not a duration", "write seconds, or `90s`, `10m`, `1h30m`")
    return sum(float(number) * _SECONDS[unit or "s"] for number, unit in parts)


def show_seconds(seconds: float) -> str:
    """`0.21 s`, `41.3 s`, `3m 31s`, `2h 12m`: the two most significant parts."""
    if seconds < 0:
        return "-" + show_seconds(-seconds)
    if seconds < 0.9995:
        return f"{seconds * 1000:.3g} ms"
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    if whole < 86400:
        return f"{whole // 3600}h {whole % 3600 // 60:02d}m"
    return f"{whole // 86400}d {whole % 86400 // 3600:02d}h"


def show_bytes(count: float) -> str:
    """Binary units under their own names: `531 MiB` is 531 × 2**20 bytes."""
    size, unit = float(count), 0
    while abs(size) >= 999.5 and unit < len(_BINARY) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.0f} B" if unit == 0 else f"{size:.3g} {_BINARY[unit]}"


def show_number(value: float) -> str:
    """Five significant digits, thousands grouped, no exponent where a person expects none."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return f"{int(value):,}"
    if abs(value) >= 10000:
        return f"{value:,.0f}"
    if abs(value) >= 1e-3:
        return f"{value:.5g}"
    return f"{value:.3g}"


def show_rounded(value: float, digits: int) -> str:
    """So many significant digits, and none of a large number's exponent: `420`, `1,770`, `0.091`."""
    if not value or not math.isfinite(value) or abs(value) < 1e-3:
        return f"{value:.{digits}g}"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, places):,.{max(0, places)}f}"


def two_digits(value: float) -> str:
    """`4`, `57`, `110`: as few as `.2g` shows, and no exponent of a large number."""
    return f"{value:.2g}" if abs(value) < 99.5 else show_rounded(value, 2)


def show_share(value: float) -> str:
    """`97.50 %` for 0.975."""
    return f"{100 * value:.2f} %"


def show_percent(value: float) -> str:
    return f"{value:.0f} %"


def show_joules(joules: float) -> str:
    """`812 J`, `41.2 kJ`, `3.1 MJ`."""
    for limit, factor, unit in ((1e3, 1.0, "J"), (1e6, 1e3, "kJ"), (1e9, 1e6, "MJ")):
        if abs(joules) < 0.9995 * limit:
            return f"{joules / factor:.3g} {unit}"
    return f"{joules / 1e9:.3g} GJ"


#: units that change with the size of a value
GROWING: dict[str, Callable[[float], str]] = {"s": show_seconds, "bytes": show_bytes, "J": show_joules}
#: how a value is shown in a cell, by its unit in `quantities.py`
CELLS: dict[str, Callable[[float], str]] = {**GROWING, "share": show_share, "%": show_percent, "": show_number}
