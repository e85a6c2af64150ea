"""Dates as logs print them. None has a zone: seconds are counted as if it were UTC, which durations do not mind."""

from __future__ import annotations

import calendar
import re

_STAMP = re.compile(
    r"(?<!\d)(?P<date>\d{4}-\d\d-\d\d)[T ](?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)(?P<fraction>[.,]\d{1,9})?(?![\d:])"
)
#: `04/30/2024 15:16:33`, as many loggers are told to write, and `30/04/2024` and `2024/04/30`
_SLASHED = re.compile(
    r"(?<![\d/])(?P<date>\d\d/\d\d/\d{4}|\d{4}/\d\d/\d\d)[T ,]+(?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)"
    r"(?P<fraction>[.,]\d{1,9})?(?![\d:])"
)
_days: dict[str, float | None] = {}
_minutes: dict[bytes | str, float | None] = {}


def moment(text: str) -> float | None:
    """Of the last full date and time in a line: what stands before may be a bar drawn over an older line."""
    found = None
    if ":" in text:
        for found in _STAMP.finditer(text):  # noqa: B007
            pass
        if found is None and "/" in text:
            found = _SLASHED.search(text)
    if found is None:
        return None
    day = _day(_turned(found["date"]))
    if day is None:
        return None
    fraction = found["fraction"]
    seconds = int(found["h"]) * 3600 + int(found["m"]) * 60 + int(found["s"])
    return day + seconds + (float("0." + fraction[1:]) if fraction else 0.0)


def _turned(date: str) -> str:
    """With the year first; where either may be the month, it is the first one."""
    if "/" not in date:
        return date
    one, two, three = date.split("/")
    if len(one) == 4:
        return f"{one}-{two}-{three}"
    return f"{three}-{one}-{two}" if int(one) <= 12 else f"{three}-{two}-{one}"


def stamp_span(text: str) -> tuple[int, int] | None:
    """Where the last full date and time of a line stands."""
    found = None
    for found in _STAMP.finditer(text):  # noqa: B007
        pass
    return None if found is None else found.span()


def minute(stamp: bytes) -> float | None:
    """`2024-03-30 15:16` as seconds; kept, since many lines share a minute."""
    if stamp not in _minutes:
        if len(_minutes) > 10000:
            _minutes.clear()
        _minutes[stamp] = moment(stamp.decode("ascii", "replace") + ":00")
    return _minutes[stamp]


def _day(date: str) -> float | None:
    """Seconds since 1970 of a date's midnight; kept, since a log has few dates and many lines."""
    if date not in _days:
        if len(_days) > 1000:
            _days.clear()
        year, month, day = int(date[:4]), int(date[5:7]), int(date[8:])
        valid = 1 <= month <= 12 and 1 <= day <= calendar.monthrange(max(1, year), month)[1]
        _days[date] = float(calendar.timegm((year, month, day, 0, 0, 0))) if valid and year >= 1 else None
    return _days[date]


def clock_seconds(text: str) -> float:
    """`01:49`, `1:20:41`: seconds."""
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part)
    return total
