"""How long something took, as people print it.

    Training time: 6.05 s        took 3m20s        Done in 0m 12.5s        Epoch Time: 1m 4s        0:11:12
    iter 100: loss 2.3101, time 12.40ms            Epoch 3, loss: 0.41, time: 0.42s

The trap: a time on a line of figures belongs to that step or epoch; on a separate line it may cover all of them.
"""

from __future__ import annotations

import re

from assay.readers.moments import clock_seconds

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
