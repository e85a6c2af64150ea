"""Units as people write them, what each stands for, and the words for multiples."""

from __future__ import annotations

import re

#: what a unit stands for after it was worked in: seconds, bytes, per cent, points of per cent, times, or none
SECONDS, BYTES, PERCENT, POINTS, TIMES, NONE = "s", "bytes", "%", "points", "x", ""

SUFFIXES = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12}
MULTIPLES = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "hundred": 100.0, "dozen": 12.0,
}  # fmt: skip
_BY_FACTOR = {
    1e-9: "ns nanosecond nanoseconds", 1e-6: "us µs μs microsecond microseconds",
    1e-3: "ms msec msecs millisecond milliseconds",
    1.0: "s sec secs second seconds",
    60.0: "min mins minute minutes",
    3600.0: "h hr hrs hour hours",
    86400.0: "day days",
}  # fmt: skip
TIME_UNITS = {word: factor for factor, words in _BY_FACTOR.items() for word in words.split()} | {"m": 60.0}
#: decimal, and what the same letters stand for where memory is meant
BYTE_UNITS = {
    "b": (1.0, 1.0), "bytes": (1.0, 1.0), "byte": (1.0, 1.0), "kb": (1e3, 1024.0), "mb": (1e6, 1024.0**2),
    "gb": (1e9, 1024.0**3), "tb": (1e12, 1024.0**4), "kib": (1024.0, 1024.0), "mib": (1024.0**2, 1024.0**2),
    "gib": (1024.0**3, 1024.0**3), "tib": (1024.0**4, 1024.0**4), "megabytes": (1e6, 1024.0**2),
    "gigabytes": (1e9, 1024.0**3), "megabyte": (1e6, 1024.0**2), "gigabyte": (1e9, 1024.0**3),
}  # fmt: skip
PERCENTS = {"%", "percent", "per cent", "percentage", "pct", "％"}
POINT_WORDS = ("points", "point", "pp", "ppt", "pts")
#: letters of scripts that set no space between words
UNSPACED = "\u3040-\u30ff\u4e00-\u9fff"
UNIT = re.compile(
    r"(?P<gap>\s?-?|[ \u00a0\u202f])(?P<unit>%|％|"
    rf"[^\W\d_{UNSPACED}]{{1,14}}(?: cent\b)?(?![^\W\d{UNSPACED}]))"
)
POINT_WORD = re.compile(
    r"[ -]?(?P<word>percentage[ -]points?|points?|pp|ppt)\b",
    re.IGNORECASE,
)
FOLD = re.compile(r"[xX×](?![\w×])(?!\s?\d)|(?:-|\s)?fold\b", re.IGNORECASE)
ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")


def is_unit(word: str) -> bool:
    return word.lower() in PERCENTS or word.lower() in TIME_UNITS or word.lower() in BYTE_UNITS
