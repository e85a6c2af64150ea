"""Numbers as people and programs write them, each with its unit, its place and how exactly it was given.

    1,024   7.07e-3   −12   98.4 %   12.5k   3.2 tokens/s   1.85 µs   2m23s   1h 10m   0:04:12   ~1890   48.7MiB/s

This is the one place that decides what is a number. Not one: a clock, a date, a version, an address, a file name, a
part of a word (`gpt2`, `mAP50`), the cells of a drawn bar. `tokens` gives the pieces of a line, `numbers` the numbers
among them, and `quantity` reads a whole table cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

#: what a unit measures, and how many of the base unit it is: the base units are s, bytes, %, x, J, W, Hz, flop, °C
TIME, SIZE, BITS, SHARE, RATIO = "s", "bytes", "bits", "%", "x"
_POWERS = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
_PLAIN: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ns", "nsec", "nsecs", "nanosecond", "nanoseconds"), (TIME, 1e-9)),
    **dict.fromkeys(("us", "µs", "μs", "usec", "usecs", "µsec", "microsecond", "microseconds"), (TIME, 1e-6)),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), (TIME, 1e-3)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), (TIME, 1.0)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), (TIME, 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), (TIME, 3600.0)),
    **dict.fromkeys(("day", "days"), (TIME, 86400.0)),
    **dict.fromkeys(("byte", "bytes", "octets"), (SIZE, 1.0)),
    **dict.fromkeys(("bit", "bits"), (BITS, 1.0)),
    **dict.fromkeys(("%", "percent", "pct"), (SHARE, 1.0)),
    **dict.fromkeys(("pp", "pts", "points"), ("points", 1.0)),
    **dict.fromkeys(("x", "×", "fold", "times"), (RATIO, 1.0)),
    **{f"{p}j": ("J", f) for p, f in {"": 1.0, **_POWERS}.items()},
    "joules": ("J", 1.0), "wh": ("J", 3600.0), "kwh": ("J", 3.6e6), "mwh": ("J", 3.6),
    "watt": ("W", 1.0), "watts": ("W", 1.0), "kw": ("W", 1e3),
    **{f"{p}hz": ("Hz", f) for p, f in {"": 1.0, **_POWERS}.items()},
    **{f"{p}flop{s}": ("flop" + ("/s" if s == "s" else ""), f) for p, f in _POWERS.items() for s in ("", "s")},
    "°c": ("°C", 1.0), "mah": ("mAh", 1.0),
}  # fmt: skip
#: where the case of the letter decides: `B` is bytes and `b` bits, `m` minutes and `M` millions
_CASED: dict[str, tuple[str, float]] = {
    "B": (SIZE, 1.0), "m": (TIME, 60.0), "d": (TIME, 86400.0), "W": ("W", 1.0), "mW": ("W", 1e-3), "V": ("V", 1.0),
    "Kb": (SIZE, 1e3), "Mb": (SIZE, 1e6), "Gb": (SIZE, 1e9), "°": ("°", 1.0),
    **{f"{p}B": (SIZE, f) for p, f in (("k", 1e3), ("K", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12), ("P", 1e15))},
    **{f"{p}Bytes": (SIZE, f) for p, f in (("K", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12))},
    **{f"{p}iB": (SIZE, 1024.0**n) for n, p in enumerate("KMGTP", 1)},
    **{f"{p}bits": (BITS, f) for p, f in (("K", 1e3), ("k", 1e3), ("M", 1e6), ("G", 1e9))},
    **{f"{p}bit": (BITS, f) for p, f in (("K", 1e3), ("k", 1e3), ("M", 1e6), ("G", 1e9))},
    "kbps": (BITS + "/s", 1e3), "Mbps": (BITS + "/s", 1e6), "Gbps": (BITS + "/s", 1e9),
    "KB/s": (SIZE + "/s", 1e3),
}  # fmt: skip
#: glued to a number they multiply it: `12.5k`, `86.2M`
_MULTIPLES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "bn": 1e9, "mn": 1e6}
#: what a rate is per: `tokens/s`, `ms/step`; only time is converted
_PER_TIME = {"s": 1.0, "sec": 1.0, "second": 1.0, "ms": 1e-3, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}
_EACH = {
    **{word: word for word in ("op", "step", "epoch", "batch", "token", "day", "call", "node", "core", "device",
    "gpu")},
    **{word: word for word in ("sample", "image", "request", "query", "item", "row", "element", "instance",
    "loop", "run")},
    "it": "step", "iter": "step", "iteration": "step", "img": "image", "j": "j", "req": "request", "tok": "token",
}  # fmt: skip


_WORDS = {SHARE: "pct", "J": "j", "°C": "c", "W": "w", "Hz": "hz"}
_SUFFIXES = {
    (TIME, 1e-9): "ns", (TIME, 1e-6): "us", (TIME, 1e-3): "ms", (TIME, 1.0): "s", (TIME, 60.0): "min", (TIME,
    3600.0): "h",
    (SIZE, 1.0): "bytes",
}  # fmt: skip


class Unit(NamedTuple):
    """What a number is counted in: `3.2 MB/s` has the base `bytes/s` and the scale 1e6."""

    text: str
    base: str
    scale: float

    @property
    def is_time(self) -> bool:
        return self.base == TIME

    @property
    def suffix(self) -> str:
        """The unit as the end of a name: `_ms`, `_gb`, `_tokens_per_s`; nothing for a ratio."""
        if self.base in ("", RATIO):
            return ""
        if self.base == "/s":
            return "_per_s"
        head, slash, per = self.base.partition("/")
        printed = self.text.replace(" per ", "/").partition("/")[0].strip()
        word = _SUFFIXES.get(self.scale_of(head), printed) if head in (TIME, SIZE, BITS) else _WORDS.get(head, head)
        return (
            "_" + re.sub(r"\W+", "_", f"{word}_per_{per.replace('/', '_per_')}" if slash else word).strip("_").lower()
        )

    def scale_of(self, head: str) -> tuple[str, float]:
        return head, self.scale


NO_UNIT = Unit("", "", 1.0)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text. `value` is as printed, `base` in the base unit; `slack` is half of its last digit, in base."""

    value: float
    unit: Unit
    text: str
    start: int
    end: int
    slack: float
    mark: str = ""  # ~ < > ≤ ≥ before it
    parts: int = 1  # 2 for `2m 23s`

    @property
    def base(self) -> float:
        return self.value * self.unit.scale

    def with_unit(self, unit: Unit) -> Number:
        """The same digits in another unit, as the head of a column gives it."""
        slack = self.slack / self.unit.scale * unit.scale
        return Number(self.value, unit, self.text, self.start, self.end, slack, self.mark, self.parts)


class Token(NamedTuple):
    """A piece of a line: kind is word, number, name (quoted), skip, or the sign itself."""

    kind: str
    text: str
    start: int
    end: int
    number: Number | None = None


_DIGITS = r"(?:\d{1,3}(?:[,'’]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
_MASTER = re.compile(
    r"""
 (?P<url>[a-zA-Z][a-zA-Z0-9+.]*://[^\s)>\]"']+)
|(?P<date>(?<![\d.])\d{4}(?P<dsep>[-/])\d\d?(?P=dsep)\d\d?(?:[T ,]+\d\d?:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?Z|[+-]\d\d:?\d\d)?)?(?![\d-])
   |(?<![\d.])\d{1,2}/\d{1,2}/\d{4}(?:[T ,]+\d\d?:\d\d(?::\d\d)?)?
   |\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*,?\s+\w{3}\s+\d{1,2}\s+[\d:]{5,8}(?:\s+\w{2,4})?\s+\d{4}
   |\b\d{1,2}\s(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?,?\s+\d{4}\b
   |\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\s+\d{1,2},?\s+\d{4}
   |\b\d{1,2}\.\d{1,2}\.(?:19|20)\d\d\b)
|(?P<clock>(?<![\d.:])\d{1,4}:\d\d(?::\d\d)?(?:[.,]\d+)?(?![\d:]))
|(?P<version>\bv?\d+\.\d+\.\d+(?:[.\-+]?\w+)*|\bv\d+(?:\.\d+)*\b)
|(?P<hex>\b0x[0-9a-fA-F]+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f][0-9a-f]*[a-f])(?=[0-9a-f]{7,40}\b)[0-9a-f]+\b)
|(?P<path>(?<![\w)\]%])(?:(?:~|\.{1,2})?/(?=[A-Za-z_.])|[A-Za-z]:\\)[\w.\-+@%=]+(?:[/\\][\w.\-+@%=]*)*(?::\d+)*|\b[\w\-]+(?:/[\w.\-]+)*\.(?:py|pyx|c|cc|cpp|h|cu
   |rs|go|js|ts|java|sh|txt|log|json|jsonl|ya?ml|toml|csv|tsv|md|rst|html|png|jpg|gz|tar|zip|pt|pth|ckpt|bin|onnx|pef|so|out|err
   |parquet|safetensors|npz|npy|pkl|svm|model|cfg|ini|ipynb)\b(?::\d+)*(?:[:,]?\s?line\s\d+)?)
|(?P<bar>[█▉▊▋▌▍▎▏▁▂▃▄▅▆▇░▒▓━╸╺]+|[=#>.\-]{6,})
|(?P<number>(?P<mark>[~≈<>≤≥]\s?)?(?P<sign>(?<![\w)\]])[-+−–](?=[\d.]))?(?P<digits>""" + _DIGITS + r""")|(?<![\w.])[-+]?(?:nan|NaN|NAN|inf|Inf|INF|infinity)(?![\w]))
|(?P<word>[^\W\d_](?:[\w@.'’/\-+#]*[\w@+])?|_+\w+)
|(?P<space>\s+)
|(?P<sign1>.)
""",
    re.VERBOSE,
)  # fmt: skip
_UNIT_AFTER = re.compile(
    r"(?P<gap>\s{0,2})(?P<unit>%|°[CF]?|[^\W\d_]{1,14}(?:\s?/\s?[^\W\d_]{1,10}|\sper\s[^\W\d_]{1,10})?(?:/[^\W\d_]{1,8})?)"
    r"(?!\w|\((?!\d))"
)
_DURATION_PART = re.compile(
    r"\s{0,1}(?:and\s|,\s)?(\d+(?:\.\d+)?)\s?(ms|sec(?:ond)?s?|s|min(?:ute)?s?|m|hours?|hrs?|h|days?|d)(?![\w/])",
    re.IGNORECASE,
)
_PER_DEVICE = re.compile(r"(?i)(?:\s?/\s?| per )(?:gpu|device|chip|worker|rank|core|npu|hpu|tpu)\b")
_NEXT_NUMBER = re.compile(r"[ \t]{1,8}[-+]?[\d.,]{1,24}(?:[eE][-+]?\d{1,3})?(?:\s?(?P<unit>[A-Za-z%][\w/%]{0,20}))?")
_EACH_SECOND = re.compile(r"/s(?:ec)?(?!\w)")
#: `3.12user` of GNU time: the number has a name behind it; `2D`, `3rd` and `7b-chat` are words
_GLUED_NAME = re.compile(r"[a-z]{4,12}(?![\w\-.])")


@lru_cache(maxsize=4096)
def unit_of(text: str) -> Unit | None:
    """The unit that a word or a phrase is: `ms`, `MB/s`, `tokens/sec`, `samples per second`, `ms/step`; else None."""
    text = text.strip()
    if not text:
        return None
    known = _CASED.get(text) or _PLAIN.get(text.lower())
    if known:
        return Unit(text, *known)
    head, slash, tail = text.replace(" per ", "/").partition("/")
    head, tail = head.strip(), tail.strip()
    if slash and tail and head:
        inner = _CASED.get(head) or _PLAIN.get(head.lower())
        per, _, device = tail.partition("/")
        if per.lower().rstrip("s") in _PER_TIME or per.lower() in _PER_TIME:
            seconds = _PER_TIME.get(per.lower()) or _PER_TIME[per.lower().rstrip("s")]
            base, scale = inner or (_plural(head), 1.0)
            if inner is None and head[:1] in "KMGkm" and head[1:2].islower() is False and len(head) > 3:
                scale, base = _MULTIPLES.get(head[0], 1.0), _plural(head[1:])
            return Unit(text, f"{base}/s" + (f"/{device.lower()}" if device else ""), scale / seconds)
        if per.lower() in _EACH and not device:
            base, scale = inner or (_plural(head), 1.0)
            return Unit(text, f"{base}/{_EACH[per.lower()]}", scale) if head.isalpha() or inner else None
        return None
    lowered = text.lower()
    if lowered.endswith("ps") and lowered[:-2] in ("io", "q", "t", "f", "op", "it", "tok", "rec", "req"):
        whole = {"io": "io", "q": "queries", "t": "transactions", "f": "frames", "op": "ops", "it": "it",
        "tok": "tokens",
                 "rec": "records", "req": "requests"}[lowered[:-2]]  # fmt: skip
        return Unit(text, f"{whole}/s", 1.0)
    return None


@lru_cache(maxsize=512)
def _plural(word: str) -> str:
    """`token`, `tok` and `Tokens` are `tokens`."""
    word = word.lower()
    if word in _SHORT:
        return _SHORT[word]
    return word if word.endswith("s") or word in ("it", "io") else word + "s"


_SHORT = {"tok": "tokens", "toks": "tokens", "img": "images", "imgs": "images", "req": "requests", "reqs": "requests",
          "seq": "sequences", "seqs": "sequences", "ex": "examples", "query": "queries", "inf": "inferences",
          "its": "it", "iter": "it", "iters": "it", "operation": "ops", "operations": "ops", "op": "ops",
          "sample": "samples", "entry": "entries"}  # fmt: skip


def tokens(text: str) -> list[Token]:
    """The pieces of a line, numbers with their units; blanks are left out."""
    found: list[Token] = []
    at, end = 0, len(text)
    while at < end:
        match = _MASTER.match(text, at)
        if match is None:
            at += 1
            continue
        kind = match.lastgroup or "sign1"
        if match["number"] is not None:
            token = _number(text, match)
            found.append(token)
            at = token.end
            continue
        at = match.end()
        if kind == "space":
            continue
        if match["word"] is not None:
            found.append(Token("word", match[0], match.start(), at))
        elif kind == "sign1":
            found.append(Token(match[0], match[0], match.start(), at))
        else:
            kind = next(k for k in ("url", "date", "clock", "version", "hex", "path", "bar") if match[k] is not None)
            found.append(Token(kind, match[0], match.start(), at))
    return found


def _number(text: str, match: re.Match[str]) -> Token:
    """A number token; a skip token where letters are glued to it that are no unit (`3rd`, `2D`, `7b-chat`)."""
    start, end = match.start(), match.end()
    printed = match["digits"]
    if printed is None:  # nan, inf
        word = match[0].lower()
        value = float("nan") if "nan" in word else float("-inf" if word.startswith("-") else "inf")
        return Token("number", match[0], start, end, Number(value, NO_UNIT, match[0], start, end, 0.0))
    mark = (match["mark"] or "").strip()
    plain = re.sub("[,'’]", "", printed)
    sign = -1.0 if (match["sign"] or "") in "-−–" and match["sign"] else 1.0
    value = sign * float(plain)
    slack = half_digit(plain)
    unit, multiple, end, parts = _unit_behind(text, end, value)
    if unit is None:
        stop = re.compile(r"[\w.\-]*").match(text, end)
        end = stop.end() if stop else end
        return Token("skip", text[start:end], start, end)
    value, slack = value * multiple, slack * multiple
    if unit.is_time and parts == 1 and unit.scale >= 60:  # `2m 23s`
        rest, more, at = 0.0, 1, end
        while more < 4 and (part := _DURATION_PART.match(text, at)):
            below = unit_of(part[2])
            if below is None or below.scale >= unit.scale:
                break
            rest += float(part[1]) * below.scale
            slack, at, more = half_digit(part[1]) * below.scale / unit.scale, part.end(), more + 1
        if more > 1:
            value, end, parts = value + rest / unit.scale, at, more
    shown = text[start:end]
    return Token("number", shown, start, end, Number(value, unit, shown, start, end, slack * unit.scale, mark, parts))


def half_digit(printed: str) -> float:
    """How far off a number may be by its rounding: 0.005 for `3.14`, 0.5 for `12`."""
    mantissa, _, power = printed.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    try:
        return 0.5 * 10.0 ** (int(power or 0) - decimals)
    except OverflowError:
        return 0.0


def _unit_behind(text: str, end: int, value: float) -> tuple[Unit | None, float, int, int]:
    """(unit, multiple, where it ends, parts); no unit at all (None) where letters are glued that are none."""
    if end >= len(text):
        return NO_UNIT, 1.0, end, 1
    glued = text[end]
    found = _UNIT_AFTER.match(text, end)
    if glued == "%":
        return Unit("%", SHARE, 1.0), 1.0, end + 1, 1
    if glued == "/" and (per := _EACH_SECOND.match(text, end)):
        return Unit(per[0], "/s", 1.0), 1.0, per.end(), 1
    if glued in "dhm" and _DURATION_PART.match(text, end + 1):
        return unit_of(glued), 1.0, end + 1, 1
    if glued.isalpha() or glued in "%°":
        if found and not found["gap"]:
            unit = _longest_unit(found["unit"])
            if unit is not None:
                return unit[0], 1.0, found.start("unit") + unit[1], 1
            letters = re.match(r"[A-Za-z]+", found["unit"])
            if letters and letters[0] in _MULTIPLES:
                after = end + len(letters[0])
                more = _UNIT_AFTER.match(text, after)
                inner = _longest_unit(more["unit"]) if more else None
                if more and inner:
                    return inner[0], _MULTIPLES[letters[0]], more.start("unit") + inner[1], 1
                return NO_UNIT, _MULTIPLES[letters[0]], after, 1
        return (NO_UNIT if _GLUED_NAME.match(text, end) else None), 1.0, end, 1
    if glued == "_":
        return None, 1.0, end, 1
    if found is not None:
        unit = _longest_unit(found["unit"])
        if unit is not None and not _is_no_unit(text, found.start("unit") + unit[1], len(unit[0].text)):
            at = found.start("unit") + unit[1]
            follows = _NEXT_NUMBER.match(text, at) if found["gap"] and "/" in unit[0].text else None
            if follows and not (follows["unit"] and unit_of(follows["unit"])):
                return NO_UNIT, 1.0, end, 1  # `loss 0.5 samples/s 100.0`: the name of what comes next
            if unit[0].base.endswith("/s") and (device := _PER_DEVICE.match(text, at)):
                return Unit(unit[0].text, unit[0].base + "/device", unit[0].scale), 1.0, device.end(), 1
            return unit[0], 1.0, at, 1
    return NO_UNIT, 1.0, end, 1


def _is_no_unit(text: str, at: int, size: int) -> bool:
    """Whether what looks like a unit begins a pair, or one letter stands between two numbers: `3 fps=4`, `3 x 4`."""
    if size > 1:
        return text[at : at + 1] in ("=", ":") or text[at : at + 2] == " ="
    after = text[at : at + 2].strip()
    return after[:1] in ("=", ":") or after[:1].isdigit()


def _longest_unit(phrase: str) -> tuple[Unit, int] | None:
    """The unit at the beginning of a phrase, and how long it is there."""
    unit = unit_of(phrase)
    if unit is not None:
        return unit, len(phrase)
    for cut in (" per ", " / ", "/", " "):
        head, found, _tail = phrase.rpartition(cut)
        if found and head and (unit := unit_of(head)) is not None and cut != "/":
            return unit, len(head)
    return None


def numbers(text: str) -> list[Number]:
    """The numbers of a text, in order."""
    return [token.number for token in tokens(text) if token.number is not None]


_COMMA = re.compile(r"(?<![\d.,])(\d+),(\d+)(?![\d.,]|,\d)")
_BLANK = re.compile(r"(?<![\d.,])(\d{1,3})((?:[ \u00a0\u202f]\d{3})+)(?![\d])")
_DOT = re.compile(r"(?<![\d.,])(\d{1,3})((?:\.\d{3})+)(?![\d.])")


def with_points(text: str, *, thousands: str = "") -> str:
    """The same text with decimal commas as points, of the same length; `thousands` is the sign that groups digits."""
    text = _COMMA.sub(lambda m: f"{m[1]}.{m[2]}", text)
    if thousands == ".":
        text = _DOT.sub(lambda m: m[1] + m[2].replace(".", ","), text)
    return text


def without_blanks(text: str) -> str:
    """`1 024` as `1,024`: blanks group thousands only where nothing else can be meant, as in a cell of a table."""
    return _BLANK.sub(lambda m: m[1] + re.sub(r"[ \u00a0\u202f]", ",", m[2]), text)


def uses_decimal_commas(text: str) -> bool:
    """Whether a page writes 0,94 for 0.94: some of its numbers can be nothing else, and none has a point."""
    commas = len(re.findall(r"(?<![\d.,])(?:0|\d{1,4}),(?:\d{1,2}|\d{4,})(?![\d,])(?!,)", text))
    points = len(re.findall(r"(?<![\d.])\d+\.\d{1,2}(?![\d.])", text))
    return commas >= 2 and commas > 2 * points


def clock_seconds(text: str) -> float:
    """`01:49`, `1:20:41.5`: seconds."""
    total = 0.0
    for part in text.replace(",", ".").split(":"):
        total = total * 60 + float(part)
    return total


def quantity(cell: str) -> Number | None:
    """The number that a whole table cell is: `**41.3 ms**`, `~1890`, `2m23s`, `1.69x`, `98 %`; None where it is more.

    Text in brackets behind it is left out, and so are marks of emphasis, footnotes and units that are words.
    """
    cell = without_blanks(re.sub(r"[*`_]{1,3}(?=\S)|(?<=\S)[*`_]{1,3}|^[^\w~<>≤≥+\-−.]+", "", cell.strip()).strip())
    found = [token for token in tokens(cell) if token.kind not in ("bar",)]
    at = [place for place, token in enumerate(found) if token.number is not None]
    if not at:
        if len(found) >= 1 and found[0].kind == "clock" and len(found) <= 2:
            return clock(found[0])
        return None
    if at[0] != 0 and not (found[0].kind in ("±", "$", "€", "(") and at[0] == 1):
        return None
    return found[at[0]].number


def clock(token: Token) -> Number:
    """`4:12` and `1:20:41` as a duration."""
    decimals = token.text.replace(",", ".").partition(".")[2]
    value = clock_seconds(token.text)
    return Number(value, Unit("s", TIME, 1.0), token.text, token.start, token.end, 0.5 * 10.0 ** -len(decimals))


def cells(text: str) -> Iterator[Number]:
    """Every number of a table cell that holds several: `0.71 / 0.64`, `12.1 → **9.4** (1.29x)`, `3.1 ± 0.2`."""
    yield from numbers(without_blanks(re.sub(r"[*`]", " ", text)))
