"""Dates, clocks and durations as logs print them."""

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


# How long something took, as people print it.
#
#     Training time: 6.05 s        took 3m20s        Done in 0m 12.5s        Epoch Time: 1m 4s        0:11:12
#     iter 100: loss 2.3101, time 12.40ms            Epoch 3, loss: 0.41, time: 0.42s
#
# The trap: a time on a line of figures belongs to that step or epoch; on a separate line it may cover all of them.

_SECONDS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_NUMBER = r"\d{1,9}(?:\.\d{1,9})?(?!\d)"
_UNIT = r"(?:ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)(?![A-Za-z])"
_PART = re.compile(rf"(?i)(?P<value>{_NUMBER}) ?(?P<unit>{_UNIT})")
#: a clock, or amounts with their units
DURATION = (
    r"(?P<clock>\d{1,4}:\d\d(?::\d\d)?(?:\.\d{1,9})?(?![\d:]))|"
    rf"(?P<parts>{_NUMBER} ?{_UNIT}(?:,? (?:and )?{_NUMBER} ?{_UNIT}|{_NUMBER} ?{_UNIT}){{0,3}})"
)
_TIMED = re.compile(
    rf"(?i)(?:(?<=^)|(?<=[^\w.]))(?:(?P<of>step|iter|iteration|batch|epoch)[ _])?(?:time|elapsed|took|duration|dt)"
    rf"(?:[ _/](?:per )?(?P<per>step|iter|iteration|batch|epoch|it))?\s?[:=]?\s?(?P<value>{_NUMBER}) ?(?P<unit>{_UNIT})"
    rf"(?![/\w])(?! ?\d)"
)
_STEP = re.compile(r"(?i)\b(?:step|iter(?:ation)?)s?\b[ :=\[#]*\d")
_EPOCH = re.compile(r"(?i)\bepochs?\b[ :=\[#]*\d")
_OF_EPOCH = re.compile(rf"(?i)\bepoch time[:= ]{{1,3}}(?:{DURATION})")


def seconds(found: re.Match[str]) -> float:
    """Of a match of `DURATION`."""
    if found["clock"]:
        return clock_seconds(found["clock"])
    parts = ((float(one["value"]), one["unit"]) for one in _PART.finditer(found["parts"]))
    return round(sum(value * unit_seconds(unit) for value, unit in parts), 9)


def unit_seconds(unit: str) -> float:
    unit = unit.lower()
    return _SECONDS["ms" if unit.startswith(("ms", "milli")) else unit[0]]


def timed(text: str) -> tuple[str, int, float] | None:
    """(`step_ms` or `epoch_s`, where the number stands, the factor of its unit) on a line of figures."""
    found = _TIMED.search(text)
    if found is None:
        return None
    of = (found["of"] or found["per"] or "").lower()
    of = of or ("step" if _STEP.search(text) else "epoch" if _EPOCH.search(text) else "")
    if not of:
        return None
    unit_s = unit_seconds(found["unit"])
    return (
        ("epoch_s", found.start("value"), unit_s) if of == "epoch" else ("step_ms", found.start("value"), 1e3 * unit_s)
    )


def epoch_seconds(text: str) -> float | None:
    """`Epoch Time: 1m 4s` in words."""
    found = _OF_EPOCH.search(text)
    return None if found is None else seconds(found)
