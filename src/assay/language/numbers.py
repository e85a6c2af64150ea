"""The one grammar of numbers: every form in which people write one, or none at all.

    1,024   1 024   1'024   0,912   1k   2^10   10**-3   1.5e-3   3 × 10⁻³   ½   4 × 256   3m20s   1:05:12   2 GiB

What is cut in half is no number: `v1.2`, `1.2.3`, `2024-03-01`, `3/10`, `0x1f`, `2nd` and `7th` hold none. A number
knows how far it may be rounded (`slack`), and every value that it may stand for (`2 GB` is 10⁹ or 2³⁰ times two).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

#: what a unit stands for after it was worked in: seconds, bytes, per cent, points of per cent, times, or none
SECONDS, BYTES, PERCENT, POINTS, TIMES, NONE = "s", "bytes", "%", "points", "x", ""


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text, in base units. `slack` is half of its last digit; `others` are its other readings."""

    value: float
    slack: float
    start: int
    end: int
    unit: str = NONE
    others: tuple[float, ...] = ()
    factors: tuple[float, ...] = ()  # of 4 × 256
    upper: float | None = None  # of a range: 10-20
    rounded: float = 0.0  # what trailing zeros may hide: 50 of 1,200
    written: str = NONE  # the unit as it stands there, in lower case
    in_words: bool = False
    sign: int = 0  # where one is written: +3 %

    @property
    def readings(self) -> tuple[float, ...]:
        return (self.value, *self.others)

    @property
    def whole(self) -> bool:
        return self.value.is_integer()


_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPER = {ord(sign): str(at) for at, sign in enumerate(_DIGITS)} | {ord("⁻"): "-", ord("⁺"): "+"}
_HALVES = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅕": 0.2, "⅛": 0.125}
_EXPONENT = rf"(?:(?:\^|\*\*)\{{?(?P<up>[-−+]?\d{{1,3}}(?:\.\d{{1,3}})?)\}}?|(?P<sup>[⁻⁺]?[{_DIGITS}]{{1,3}}))"
_GAP = "[\u00a0\u2007\u2009\u202f]"
_CORE = re.compile(
    r"(?P<date>\d{4}-\d\d?-\d\d?(?![\d-])|\d\d?/\d\d?/\d{2,4}(?![\d/])|\d\d?\.\d\d?\.\d{4}(?![\d.]))"
    r"|(?P<clock>\d{1,3}:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?![\d:]))"
    rf"|(?P<plain>(?:(?P<spaced>[1-9]\d{{0,2}}(?:{_GAP}\d{{3}})+|[1-9]\d{{0,2}}(?: \d{{3}})+(?! ?\d))(?!\d)"
    r"(?:[.,]\d{1,12})?"
    r"|(?P<ticked>[1-9]\d{0,2}(?:['’]\d{3})+(?!\d)(?:\.\d{1,12})?)"
    r"|(?P<dotted>[1-9]\d{0,2}(?:\.\d{3})+,\d{1,9}(?![\d,.]\d))"
    r"|(?P<grouped>[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?:\.\d{1,12})?)"
    r"|(?P<comma>\d{1,9},\d{1,12}(?![\d,]|\.\d))"
    r"|\d{1,18}(?:\.\d{1,18})?|\.\d{1,18})(?:[eE][-−+]?\d{1,3}(?![\w.]))?)"
    rf"|(?P<part>[{''.join(_HALVES)}])"
)
_POWER = re.compile(_EXPONENT)
_TIMES_TEN = re.compile(rf"\s?[x×·*]\s?10{_EXPONENT}")
_TIMES = re.compile(r"\s?[x×*·]\s?(?=\d)")
_RANGE = re.compile(r"(?:\s?[–—]\s?|-|\s?\.\.\.?\s?)(?=\d|\.\d)")
_TAIL = re.compile(r"(?:\.\d+){1,20}")  # of a version
_FRACTION = re.compile(r"/\d{1,18}(?:[.,/]\d{1,18}){0,9}")
_LETTERS = re.compile(r"\w{1,200}")
_DIGIT = re.compile(r"[\d½¼¾⅓⅔⅕⅛]|\.\d")
_POWERS_OF_TWO = frozenset(2**n for n in range(20))
_SUFFIX = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12, "mio": 1e6, "mrd": 1e9}
_MULTIPLES = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "hundred": 100.0, "dozen": 12.0,
    "tausend": 1e3, "millionen": 1e6, "milliarden": 1e9, "mil": 1e3, "millones": 1e6, "milhões": 1e6, "mille": 1e3,
    "万": 1e4, "千": 1e3,
}  # fmt: skip
_TIME_UNITS = {
    1e-9: "ns nanosecond nanoseconds", 1e-6: "us µs μs microsecond microseconds",
    1e-3: "ms msec msecs millisecond milliseconds millisekunden milisegundos millisecondes 毫秒",
    1.0: "s sec secs second seconds sekunde sekunden segundo segundos seconde secondes 秒",
    60.0: "min mins minute minutes minuten minuto minutos 分钟 分",
    3600.0: "h hr hrs hour hours std stunde stunden hora horas heure heures 小时",
    86400.0: "day days tag tage tagen día días dia dias jour jours 天",
}  # fmt: skip
_SECONDS = {word: factor for factor, words in _TIME_UNITS.items() for word in words.split()} | {"m": 60.0}
#: decimal, and what the same letters stand for where memory is meant
_BYTES = {
    "b": (1.0, 1.0), "bytes": (1.0, 1.0), "byte": (1.0, 1.0), "kb": (1e3, 1024.0), "mb": (1e6, 1024.0**2),
    "gb": (1e9, 1024.0**3), "tb": (1e12, 1024.0**4), "kib": (1024.0, 1024.0), "mib": (1024.0**2, 1024.0**2),
    "gib": (1024.0**3, 1024.0**3), "tib": (1024.0**4, 1024.0**4), "megabytes": (1e6, 1024.0**2),
    "gigabytes": (1e9, 1024.0**3), "megabyte": (1e6, 1024.0**2), "gigabyte": (1e9, 1024.0**3), "go": (1e9, 1024.0**3),
}  # fmt: skip
_PERCENTS = {"%", "percent", "per cent", "percentage", "prozent", "pct", "por ciento", "pour cent", "por cento", "％"}
_POINTS = ("points", "point", "pp", "ppt", "prozentpunkte", "puntos", "pts")
_UNIT = re.compile(
    r"(?P<gap>\s?-?|[ \u00a0\u202f])(?P<unit>%|％|[^\W\d_]{1,13}(?: cent(?:o|)\b| ciento\b)?)(?![^\W\d])"
)
_POINT_WORD = re.compile(r"[ -]?(?P<word>percentage[ -]points?|points?|pp|ppt|prozentpunkte|puntos)\b", re.IGNORECASE)
_FOLD = re.compile(r"[xX×](?![\w×])(?!\s?\d)|(?:-|\s)?fold\b|fach\b|-?mal\b", re.IGNORECASE)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_NEXT_PART = re.compile(r"\s?(?=\d)|\s?(?:and|und|y|et|e)\s(?=\d)")
_BEFORE = re.compile(r"[\w.,:/#$^]")

_ONES = {
    word: value
    for value, word in enumerate((
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    ))
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_OTHER_WORDS = {
    "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "zehn": 10, "zwölf": 12,
    "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10,
    "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "dix": 10, "dois": 2, "duas": 2, "três": 3, "quatro": 4, "dez": 10,
    "两": 2, "三": 3, "四": 4, "五": 5,
}  # fmt: skip
_WORDS = {**_ONES, **_TENS, **_OTHER_WORDS}
_WORD = re.compile(r"[^\W\d_]+")
_HALF_OF = re.compile(r"(?P<share>half|a third|a quarter|a tenth|twice|double) of (?=\d)", re.IGNORECASE)
_SHARES = {"half": 0.5, "a third": 1 / 3, "a quarter": 0.25, "a tenth": 0.1, "twice": 2.0, "double": 2.0}
_AND_A_HALF = re.compile(r"(?:and a half|anderthalb)\b", re.IGNORECASE)


def number_at(text: str, at: int, *, decimal_comma: bool = False) -> Number | int:
    """The number that begins here; or, where digits stand here that are none, the place after them."""
    core = _CORE.match(text, at)
    if core is None:
        return at + 1
    if core["date"]:
        return core.end()
    if core["clock"]:
        return _clock(core)
    made = _part(core) if core["part"] else _plain(text, core, decimal_comma)
    if isinstance(made, int):
        return made
    if at and _BEFORE.match(text, at - 1) and not _may_follow(text, at):
        return made.end
    made = _joined(text, made, decimal_comma)
    if isinstance(made, int):
        return made
    with_unit = _with_unit(text, made)
    return with_unit if isinstance(with_unit, int) or with_unit.unit != SECONDS else _with_rest(text, with_unit)


def _may_follow(text: str, at: int) -> bool:
    """`bs:512`, `lr,0.1`, `$5`: a mark that ends something else before the number."""
    return text[at - 1] in ",:" and (at < 2 or not text[at - 2].isdigit() or text[at - 1] == ",")


def _clock(core: re.Match[str]) -> Number:
    """`1:05:12` is a length or a time of day: the words around it decide. Its unit is written `clock`."""
    parts = [float(one) for one in core["clock"].split(":")]
    value = parts[0] * 3600 + parts[1] * 60 + (parts[2] if len(parts) > 2 else 0.0)
    others = (parts[0] * 60 + parts[1],) if len(parts) == 2 else ()
    return Number(value, 0.5, core.start(), core.end(), SECONDS, others, written="clock")


def _part(core: re.Match[str]) -> Number:
    return Number(_HALVES[core["part"]], 0.005, core.start(), core.end(), in_words=True)


def _plain(text: str, core: re.Match[str], decimal_comma: bool) -> Number | int:
    written, end = core["plain"], core.end()
    if core["grouped"] and "." not in core["grouped"] and _is_list(core["grouped"]):
        written = core["grouped"].partition(",")[0]
        end = core.start() + len(written)
    elif core["comma"] and not _is_decimal(text, core, decimal_comma):
        written = core["comma"].partition(",")[0]
        end = core.start() + len(written)
    elif core["grouped"] and decimal_comma and core["grouped"].count(",") == 1 and "." not in core["grouped"]:
        return _number(written.replace(",", "."), core.start(), end)
    elif text[end : end + 1] == ":" and text[end + 1 : end + 2].isdigit():
        return end + 2  # `1:4`, `12:61`
    elif _TAIL.match(text, end):
        return _TAIL.match(text, end).end()  # type: ignore[union-attr]
    if core["spaced"] or core["dotted"]:
        digits = re.sub(r"[^\d.,]", "", written)
        digits = digits.replace(".", "").replace(",", ".") if core["dotted"] else digits.replace(",", ".")
        return _number(digits, core.start(), end)
    if core["comma"] and end == core.end():
        return _number(written.replace(",", "."), core.start(), end)
    return _number(re.sub(r"[,'’]", "", written).replace("−", "-"), core.start(), end)


def _is_list(grouped: str) -> bool:
    """`128,256,512` are three batch sizes."""
    return all(not one.startswith("0") and int(one) in _POWERS_OF_TWO for one in grouped.split(","))


def _is_decimal(text: str, core: re.Match[str], decimal_comma: bool) -> bool:
    """`0,912` and `91,2 %` are; of `8,16` only a page that writes its decimals so."""
    whole, _, digits = core["comma"].partition(",")
    if whole.startswith("0") and len(whole) > 1:
        return False
    if whole == "0" or decimal_comma:
        return True
    unit = _UNIT.match(text, core.end())
    return len(digits) <= 2 and unit is not None and _is_unit(unit["unit"])


def _is_unit(word: str) -> bool:
    return word.lower() in _PERCENTS or word.lower() in _SECONDS or word.lower() in _BYTES


def _number(digits: str, start: int, end: int) -> Number:
    mantissa, _, exponent = digits.lower().partition("e")
    fraction = mantissa.partition(".")[2]
    scale = 10.0 ** int(exponent.replace("−", "-") or 0) if abs(int(exponent.replace("−", "-") or 0)) < 300 else 1.0
    slack = 0.5 * 10.0 ** -len(fraction) * scale
    zeros = len(mantissa) - len(mantissa.rstrip("0")) if not fraction and "." not in mantissa else 0
    rounded = 0.5 * 10.0**zeros * scale if zeros and float(mantissa) else slack
    return Number(float(digits), slack, start, end, rounded=rounded)


def _joined(text: str, made: Number, decimal_comma: bool) -> Number | int:
    """With its power, its factors or the other end of its range."""
    power = _POWER.match(text, made.end)
    if power:
        return _raised(made, _exponent(power), power.end())
    ten = _TIMES_TEN.match(text, made.end)
    if ten:
        scale = 10.0 ** _exponent(ten)
        return replace(
            made, value=made.value * scale, slack=made.slack * scale, rounded=made.rounded * scale, end=ten.end()
        )
    if text[made.end : made.end + 1] in _HALVES and made.whole:
        return replace(made, value=made.value + _HALVES[text[made.end]], slack=0.05, end=made.end + 1)
    if text[made.end : made.end + 1] == "/" and text[made.end + 1 : made.end + 2].isdigit():
        after = _FRACTION.match(text, made.end)
        return after.end() if after else made.end + 2  # `3/10`: a place on a way, a date, a share
    times = _TIMES.match(text, made.end)
    if times:
        return _product(text, made, times.end(), decimal_comma)
    until = _RANGE.match(text, made.end)
    if until:
        return _range(text, made, until.end(), decimal_comma)
    return made


def _exponent(found: re.Match[str]) -> float:
    return float((found["up"] or found["sup"].translate(_SUPER)).replace("−", "-"))


def _raised(made: Number, exponent: float, end: int) -> Number | int:
    if abs(exponent) > 100 or (made.value == 0 and exponent < 0):
        return end
    value = made.value**exponent
    return replace(made, value=float(value), slack=0.0, rounded=0.0, end=end)


def _product(text: str, made: Number, at: int, decimal_comma: bool) -> Number | int:
    """`4 × 256`; what is no number on its other side makes none of it. A picture of 28x28 is a product too."""
    core = _CORE.match(text, at)
    second = _plain(text, core, decimal_comma) if core and core["plain"] else at
    if isinstance(second, int):
        return second
    factors = (*(made.factors or (made.value,)), second.value)
    value = made.value * second.value
    slack = made.slack * second.value + second.slack * made.value if not (made.whole and second.whole) else 0.0
    whole = replace(made, value=value, slack=slack, rounded=slack, end=second.end, factors=factors)
    again = _TIMES.match(text, whole.end)
    return _product(text, whole, again.end(), decimal_comma) if again and len(factors) < 6 else whole


def _range(text: str, made: Number, at: int, decimal_comma: bool) -> Number | int:
    core = _CORE.match(text, at)
    other = _plain(text, core, decimal_comma) if core and core["plain"] else at
    if isinstance(other, int):
        return other
    if other.value <= made.value:
        return other.end  # `16-8`, a number of a house: not understood
    return replace(made, upper=other.value, end=other.end, slack=max(made.slack, other.slack))


def _with_unit(text: str, made: Number) -> Number | int:
    if made.end < len(text) and _ORDINAL.match(text, made.end):
        return _ORDINAL.match(text, made.end).end()  # type: ignore[union-attr]
    fold = _FOLD.match(text, made.end)
    if fold and not made.factors:
        return replace(made, unit=TIMES, end=fold.end(), written="x")
    suffix = text[made.end : made.end + 1]
    if suffix in _SUFFIX and not text[made.end + 1 : made.end + 2].isalnum():
        binary = (made.value * 1024.0,) if suffix in "kK" else ()
        made = replace(_scaled(made, _SUFFIX[suffix], made.end + 1), others=binary)
    unit = _UNIT.match(text, made.end)
    if unit is None:
        return made if not _is_torn(text, made.end) else _after_word(text, made.end)
    return _measured(text, made, unit)


def _measured(text: str, made: Number, unit: re.Match[str]) -> Number | int:
    word, lower = unit["unit"], unit["unit"].lower()
    if text[unit.end() : unit.end() + 1].isdigit() and lower not in _SECONDS:
        return _after_word(text, made.end)
    if lower in _MULTIPLES and unit["gap"] in ("", " "):
        made = _scaled(made, _MULTIPLES[lower], unit.end())
        again = _UNIT.match(text, made.end)
        return _measured(text, made, again) if again else made
    if lower in _PERCENTS:
        return _percent(text, made, unit)
    if lower in _POINTS:
        return replace(made, unit=POINTS, end=unit.end(), written=lower)
    if lower in _SECONDS and word not in ("M",) and not _is_rate(text, unit.end(), lower):
        return replace(_scaled(made, _SECONDS[lower], unit.end()), unit=SECONDS, written=lower)
    if lower in _BYTES and (lower != "b" or word == "B") and not _is_rate(text, unit.end(), lower):
        return _in_bytes(made, lower, unit.end())
    if not unit["gap"] and not word.isupper() and len(word) < 3:
        return _after_word(text, made.end)  # `3a`, `0x`: not understood
    return made


def _is_rate(text: str, end: int, word: str) -> bool:
    """`5 GB/s`, `3 m/s`: of something else."""
    return text[end : end + 1] == "/" and text[end + 1 : end + 2].isalpha() and word in ("m", *_BYTES)


def _percent(text: str, made: Number, unit: re.Match[str]) -> Number:
    points = _POINT_WORD.match(text, unit.end())
    if points:
        return replace(made, unit=POINTS, end=points.end(), written="points")
    return replace(made, unit=PERCENT, end=unit.end(), written="%")


def _in_bytes(made: Number, word: str, end: int) -> Number:
    decimal, binary = _BYTES[word]
    scaled = replace(_scaled(made, decimal, end), unit=BYTES, written=word)
    return scaled if decimal == binary else replace(scaled, others=(made.value * binary,))


def _scaled(made: Number, factor: float, end: int) -> Number:
    return replace(
        made,
        value=_clean(made.value * factor),
        slack=made.slack * factor,
        rounded=made.rounded * factor,
        upper=None if made.upper is None else _clean(made.upper * factor),
        end=end,
    )


def _clean(value: float) -> float:
    """1.2 thousand is 1200 and not a hair more."""
    return float(f"{value:.15g}")


def _is_torn(text: str, end: int) -> bool:
    return end < len(text) and (text[end].isalpha() or text[end] == "_")


def _after_word(text: str, at: int) -> int:
    found = _LETTERS.match(text, at)
    return found.end() if found else at + 1


def _with_rest(text: str, made: Number) -> Number:
    """`3m20s`, `3 min 20 s`, `1 h and 5 min`, `1 hour and a half`: the smaller units that follow."""
    while made.written != "clock" and made.upper is None:
        gap = _NEXT_PART.match(text, made.end)
        core = _CORE.match(text, gap.end()) if gap else None
        more = _plain(text, core, False) if core and core["plain"] else 0
        unit = _UNIT.match(text, more.end) if isinstance(more, Number) else None
        factor = _SECONDS.get(unit["unit"].lower()) if unit else None
        if not isinstance(more, Number) or unit is None or factor is None or factor >= _SECONDS[made.written]:
            return made
        value = _clean(made.value + more.value * factor)
        made = replace(
            made,
            value=value,
            slack=more.slack * factor,
            rounded=more.slack * factor,
            end=unit.end(),
            written=unit["unit"].lower(),
        )
    return made


def words_at(text: str, at: int) -> Number | None:
    """A number in words that begins here: `three`, `twenty-five`, `a thousand`, `half of 64`, `an hour and a half`."""
    share = _HALF_OF.match(text, at)
    if share:
        whole = number_at(text, share.end())
        if isinstance(whole, Number):
            return replace(whole, value=whole.value * _SHARES[share["share"].lower()], start=at)
    found = _WORD.match(text, at)
    word = found[0].lower() if found else ""
    if found is None or (word not in _WORDS and word not in ("a", "an", "half")):
        return None
    if word in ("a", "an", "half"):
        return _article(text, at, found.end(), word)
    value, end = float(_WORDS[word]), found.end()
    if word in _TENS and text[end : end + 1] in "- ":
        ones = _WORD.match(text, end + 1)
        if ones and 0 < _ONES.get(ones[0].lower(), 0) < 10:
            value, end = value + _ONES[ones[0].lower()], ones.end()
    return _spelled(text, at, value, end)


def _article(text: str, at: int, end: int, word: str) -> Number | None:
    """`a thousand`, `an hour and a half`, `half an hour`, `a minute`."""
    unit = _WORD.match(text, end + 1)
    following = unit[0].lower() if unit else ""
    if word == "half" and following in ("a", "an"):
        inner = _WORD.match(text, unit.end() + 1) if unit else None
        if inner and inner[0].lower() in _SECONDS and len(inner[0]) > 2:
            return Number(
                0.5 * _SECONDS[inner[0].lower()], 0.0, at, inner.end(), SECONDS, written=inner[0].lower(), in_words=True
            )
        return None
    if word != "half" and unit and following in _MULTIPLES and text[end : end + 1] == " ":
        return _spelled(text, at, 1.0, end)
    if word != "half" and unit and following in _SECONDS and len(following) > 3:
        made = Number(_SECONDS[following], 0.0, at, unit.end(), SECONDS, written=following, in_words=True)
        half = _AND_A_HALF.match(text, unit.end() + 1)
        return replace(made, value=1.5 * made.value, end=half.end()) if half else made
    return None


def _spelled(text: str, at: int, value: float, end: int) -> Number:
    made = Number(value, 0.0, at, end, in_words=True)
    half = _AND_A_HALF.match(text, end + 1)
    if half:
        made = replace(made, value=value + 0.5, end=half.end())
    fold = _FOLD.match(text, made.end)
    if fold:
        return replace(made, unit=TIMES, end=fold.end(), written="x")
    unit = _UNIT.match(text, made.end)
    if unit is None or not unit["gap"]:
        return made
    measured = _measured(text, made, unit)
    return replace(measured, slack=0.0) if isinstance(measured, Number) else made


def number_of(text: str, *, decimal_comma: bool = False) -> Number | None:
    """The number that a whole cell holds, with nothing else but marks around it."""
    stripped = text.strip(" \t~≈*_`()[]<>=")
    at = 1 if stripped[:1] in "+-−" else 0
    found = number_at(stripped, at, decimal_comma=decimal_comma) if stripped[at : at + 1] else 0
    if not isinstance(found, Number) or found.end != len(stripped):
        return None
    return replace(found, value=-found.value) if stripped[:1] in "-−" else found


def numbers_in(text: str, *, decimal_comma: bool = False) -> list[Number]:
    """Every number written in digits, in order."""
    found, at = [], 0
    while (next_one := _DIGIT.search(text, at)) is not None:
        made = number_at(text, next_one.start(), decimal_comma=decimal_comma)
        if isinstance(made, Number):
            found.append(made)
            at = made.end
        else:
            at = max(made, next_one.start() + 1)
    return found


_COMMAS, _POINTS_USED = re.compile(r"(?<![\d,.])(?:0|\d{1,3}),(?:\d{1,2}|\d{4,9})(?![\d,])"), re.compile(r"\d\.\d")


def uses_decimal_commas(text: str) -> bool:
    """Whether a page writes 0,912 where others write 0.912."""
    return len(_COMMAS.findall(text)) > len(_POINTS_USED.findall(text))
