"""Numbers in digits, as far as no unit is concerned: groups, decimals, powers, products, ranges, clocks."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from assay.language.units import NONE, SECONDS, UNIT, is_unit
from assay.language.words import small


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
    written: str = NONE  # the unit as written, in lower case
    in_words: bool = False
    sign: int = 0  # where one is written: +3 %

    @property
    def readings(self) -> tuple[float, ...]:
        return (self.value, *self.others)

    @property
    def whole(self) -> bool:
        return self.value.is_integer()

    def measured_in(self, unit: str, written: str, end: int) -> Number:
        """The same with its unit: what `replace` does, for what is done to most numbers of a page."""
        return Number(
            self.value, self.slack, self.start, end, unit, self.others, self.factors, self.upper, self.rounded, written,
            self.in_words, self.sign,
        )  # fmt: skip


_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPER = {ord(sign): str(at) for at, sign in enumerate(_DIGITS)} | {ord("⁻"): "-", ord("⁺"): "+"}
_HALVES = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅕": 0.2, "⅛": 0.125}
_EXPONENT = rf"(?:(?:\^|\*\*)\{{?(?P<up>[-−+]?\d{{1,3}}(?:\.\d{{1,3}})?)\}}?|(?P<sup>[⁻⁺]?[{_DIGITS}]{{1,3}}))"
_GAP = "[\u00a0\u2007\u2009\u202f]"
CORE = re.compile(
    r"(?P<date>\d{4}-\d\d?-\d\d?(?![\d-])|\d\d?/\d\d?/\d{2,4}(?![\d/])|\d\d?\.\d\d?\.\d{4}(?![\d.]))"
    r"|(?P<clock>\d{1,3}:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?![\d:]))"
    rf"|(?P<plain>(?:(?P<spaced>[1-9]\d{{0,2}}(?:{_GAP}\d{{3}})+|[1-9]\d{{0,2}}(?: \d{{3}})+(?! ?\d))(?!\d)"
    r"(?:[.,]\d{1,12})?"
    r"|(?P<ticked>[1-9]\d{0,2}(?:['’]\d{3})+(?!\d)(?:\.\d{1,12})?)"
    r"|(?P<dotted>[1-9]\d{0,2}(?:\.\d{3})+,\d{1,9}(?![\d,.]\d))"
    r"|(?P<grouped>[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?:\.\d{1,12})?)"
    r"|(?P<comma>\d{1,9},\d{1,12}(?!\d|,\d|\.\d))"
    r"|\d{1,18}(?:\.\d{1,18})?|\.\d{1,18})(?:[eE][-−+]?\d{1,3}(?!\w|\.\d))?)"
    rf"|(?P<part>[{''.join(_HALVES)}])"
)
_POWER = re.compile(_EXPONENT)
_TIMES_TEN = re.compile(rf"\s?[x×·*]\s?10{_EXPONENT}")
_TIMES = re.compile(r"\s?[x×*·]\s?(?=\d)")
_RANGE = re.compile(r"(?:\s?[–—]\s?|-|\s?\.\.\.?\s?)(?=\d|\.\d)")
_TAIL = re.compile(r"(?:\.\d+){1,20}")  # of a version
_FRACTION = re.compile(r"/\d{1,18}(?:[.,/]\d{1,18}){0,9}")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_POWERS_OF_TWO = frozenset(2**n for n in range(20))


def clock(core: re.Match[str]) -> Number:
    """`1:05:12` is a length or a time of day: the words around it decide. Its unit is written `clock`."""
    parts = [float(one) for one in core["clock"].split(":")]
    value = parts[0] * 3600 + parts[1] * 60 + (parts[2] if len(parts) > 2 else 0.0)
    others = (parts[0] * 60 + parts[1],) if len(parts) == 2 else ()
    return Number(value, 0.5, core.start(), core.end(), SECONDS, others, written="clock")


def part(core: re.Match[str]) -> Number:
    return Number(_HALVES[core["part"]], 0.005, core.start(), core.end(), in_words=True)


def plain(text: str, core: re.Match[str], decimal_comma: bool) -> Number | int:
    written, end = core["plain"], core.end()
    if core["grouped"] and "." not in core["grouped"] and _is_list(core["grouped"]):
        written = core["grouped"].partition(",")[0]
        end = core.start() + len(written)
    elif core["comma"] and not _is_decimal(text, core, decimal_comma):
        written = core["comma"].partition(",")[0]
        end = core.start() + len(written)
    elif core["grouped"] and decimal_comma and core["grouped"].count(",") == 1 and "." not in core["grouped"]:
        # `2,390`: on such a page a decimal, and perhaps a thousand from a log
        thousands = (float(written.replace(",", "")),) if not written.startswith("0") else ()
        return replace(_number(written.replace(",", "."), core.start(), end), others=thousands)
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
    if decimal_comma and _THOUSANDS.fullmatch(written):  # `1.024`: a thousand, and perhaps no more than one
        return replace(_number(written.replace(".", ""), core.start(), end), others=(float(written),))
    is_bare = written.isascii() and written.replace(".", "", 1).isdigit()
    digits = written if is_bare else re.sub(r"[,'’]", "", written).replace("−", "-")
    return _number(digits, core.start(), end)


def _is_list(grouped: str) -> bool:
    """`128,256,512` are three batch sizes."""
    return all(not one.startswith("0") and int(one) in _POWERS_OF_TWO for one in grouped.split(","))


def _is_decimal(text: str, core: re.Match[str], decimal_comma: bool) -> bool:
    """`0,912` and `91,2 %` are; of `8,16` only a page that writes its decimals so."""
    whole, _, digits = core["comma"].partition(",")
    if (whole.startswith("0") and len(whole) > 1) or _goes_on_a_list(text, core.start()):
        return False
    if whole == "0" or decimal_comma:
        return True
    unit = UNIT.match(text, core.end())
    if len(digits) <= 2 and unit is not None and (is_unit(unit["unit"]) or unit["unit"].lower() in _TIMES_WORDS):
        return True
    return _writes_commas(text)


def _goes_on_a_list(text: str, at: int) -> bool:
    """The second number of `8,16,32`."""
    return text[at - 1 : at] == "," and text[at - 2 : at - 1].isdigit()


@lru_cache(maxsize=1024)
def _writes_commas(text: str) -> bool:
    """Whether the sentence is in a language that writes 7,24 where English writes 7.24."""
    return not _COMMA_WORDS.isdisjoint(text[:_LONGEST].lower().split())


_LONGEST = 2000
_TIMES_WORDS, _COMMA_WORDS = (
    frozenset(one.strip() for one in listed.split("|")) for listed in (small.TIMES_WORDS, small.FOREIGN)
)


#: half of the last digit, by how many stand behind the point
_HALF_DIGITS = tuple(0.5 * 10.0**-count for count in range(19))


def _number(digits: str, start: int, end: int) -> Number:
    mantissa, _, exponent = digits.lower().partition("e")
    _, point, fraction = mantissa.partition(".")
    if point and not exponent and len(fraction) < len(_HALF_DIGITS):
        slack = _HALF_DIGITS[len(fraction)]
        return Number(float(digits), slack, start, end, rounded=slack)
    scale = 10.0 ** int(exponent.replace("−", "-") or 0) if abs(int(exponent.replace("−", "-") or 0)) < 300 else 1.0
    slack = 0.5 * 10.0 ** -len(fraction) * scale
    zeros = len(mantissa) - len(mantissa.rstrip("0")) if not fraction and "." not in mantissa else 0
    rounded = 0.5 * 10.0**zeros * scale if zeros and float(mantissa) else slack
    return Number(float(digits), slack, start, end, rounded=rounded)


def joined(text: str, made: Number, decimal_comma: bool) -> Number | int:
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
    """`4 × 256`, if both sides are numbers. A picture of 28x28 is a product too."""
    core = CORE.match(text, at)
    second = plain(text, core, decimal_comma) if core and core["plain"] else at
    if isinstance(second, int):
        return second
    factors = (*(made.factors or (made.value,)), second.value)
    value = made.value * second.value
    slack = made.slack * second.value + second.slack * made.value if not (made.whole and second.whole) else 0.0
    whole = replace(made, value=value, slack=slack, rounded=slack, end=second.end, factors=factors)
    again = _TIMES.match(text, whole.end)
    return _product(text, whole, again.end(), decimal_comma) if again and len(factors) < 6 else whole


def _range(text: str, made: Number, at: int, decimal_comma: bool) -> Number | int:
    core = CORE.match(text, at)
    other = plain(text, core, decimal_comma) if core and core["plain"] else at
    if isinstance(other, int):
        return other
    if other.value <= made.value:
        return other.end  # `16-8`, a number of a house: not understood
    return replace(made, upper=other.value, end=other.end, slack=max(made.slack, other.slack))
