"""Sizes, spans and moments as schedulers write them.

    1-21:41:20   18:41:56   05:06   1993080 (kb)   355.47 GB   1622428kb   62.0GB   310024K   4Gn   2500Mc

The trap: their GB are GiB, a span may begin with days, and `4Gc` is asked of every core.
"""

from __future__ import annotations

import calendar
import re
import time

_SPAN = re.compile(r"(?:(?P<days>\d+)-)?(?:(?:(?P<h>\d+):)?(?P<m>\d+):)?(?P<s>\d+(?:\.\d+)?)")
_SIZE = re.compile(r"(?P<value>\d+(?:,\d{3})*(?:\.\d+)?)\s*(?P<unit>[KMGTP]?)(?:i?B|iB)?(?P<of>[cn]?)", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_WORDED = re.compile(r"[A-Z][a-z]{2} (?P<rest>[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \d{4})")


def seconds(text: str) -> float | None:
    """`1-21:41:20` is a day and more; `UNLIMITED` and `Partition_Limit` are None."""
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        return None
    total = float(found["s"])
    total += 60 * int(found["m"] or 0) + 3600 * int(found["h"] or 0)
    if found["days"] and not found["m"]:  # `2-12`: days and hours
        return int(found["days"]) * 86400 + float(found["s"]) * 3600
    if found["days"] and not found["h"]:  # `2-12:30`: days, hours and minutes
        return int(found["days"]) * 86400 + int(found["m"]) * 3600 + float(found["s"]) * 60
    return total + 86400 * int(found["days"] or 0)


def size_bytes(text: str, *, cpus: int = 1, nodes: int = 1, bare: str = "") -> int | None:
    """`bare` is the unit of a number without one: `K` for sacct's."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        return None
    unit = (found["unit"] or ("" if "b" in text.lower() else bare)).lower()
    value = float(found["value"].replace(",", "")) * 1024.0 ** _POWERS[unit]
    return round(value * (cpus if found["of"].lower() == "c" else nodes if found["of"].lower() == "n" else 1))


def clock(text: str) -> float | None:
    """`Tue Mar 12 10:27:52 2024`, `2024-03-12T10:27:52`: seconds since 1970, as if it were UTC."""
    text = text.strip()
    found = _WORDED.fullmatch(text)
    for written, form in ((found["rest"] if found else "", "%b %d %H:%M:%S %Y"), (text, "%Y-%m-%dT%H:%M:%S")):
        try:
            return float(calendar.timegm(time.strptime(written, form)))
        except (ValueError, OverflowError):
            continue
    return None
