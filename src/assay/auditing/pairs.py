"""Two figures that a sentence itself sets against each other, and sums that it works out.

    The time drops from 7928 to 6104 seconds, by 23 %.        Throughput (2922 → 4855 samples/s) improved by 66 %.
    175.2 + 210.9 + 304.5 = 690.6 s                           175.2 s, 210.9 s and 304.5 s, 690.6 s in total

The trap: `going from 512 to 2048 made the throughput 2.3 times higher` names two batch sizes, not two throughputs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from assay.auditing.subjects import METRICS, SETTING, metric_near
from assay.ingest.bounded import Bounded

_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_UNIT = (
    r"IPS|(?:samples|sequences|images|inferences|tokens)\s*(?:/|per)\s*s\w*|"
    r"seconds|secs?|s|ms|milliseconds|minutes|mins?|hours|MB|GB|MiB|GiB"
)
_RATE = Bounded(r"(?i)\s*(?:IPS|\w+\s*(?:/|per)\s*s\w*)")
_MEMORY = Bounded(r"(?i)\s*[MG]i?B")
_ANY_UNIT = Bounded(rf"(?i)%|{_UNIT}")
_ANY_NUMBER, _LETTERS = Bounded(_NUMBER), Bounded(r"[a-z]+")
_ROUGHLY = r"(?:about |around |roughly |~)?"
_FROM_TO = Bounded(
    rf"(?i)\bfrom\s+{_ROUGHLY}(?P<old>{_NUMBER})\s*(?P<unit>[\w/%]*(?:\s*/\s*\w+)?)"
    rf"\s+(?:up |down )?to\s+{_ROUGHLY}(?P<new>{_NUMBER})(?P<unit2>\s*(?:%|(?:{_UNIT})\b))?"
)
_ARROW = Bounded(
    rf"(?i)(?<![\w.])(?P<old>{_NUMBER})\s*(?P<unit>%|(?:{_UNIT})\b)?\s*(?:→|⇒|-+>|=>)\s*"
    rf"(?P<new>{_NUMBER})(?P<unit2>\s*(?:%|(?:{_UNIT})\b))?"
)
#: `from 2,922 to 4,855 to 6,725 samples/s`
_THEN = Bounded(rf"(?i)\s*(?:,?\s*(?:and\s+)?(?:then\s+|finally\s+)?to\b|→|⇒|-+>|=>)\s*(?P<new>{_NUMBER})")
_FIGURE = Bounded(rf"(?i)(?<![\w.])(?P<value>{_NUMBER})\s*(?P<unit>{_UNIT})\b")
_CONCLUDES = Bounded(
    r"(?i)\b(?:which|that) (?:is|means|makes)\b|\bi\.e\.|\btherefore\b|\bso (?:it|the|this) is\b|\btimes that of\b"
)
_TERM = rf"{_NUMBER}(?:\s*[a-z]+)?"
_SUM = Bounded(
    rf"(?<![\w.*x×/+^(-])(?<![-+*/x×^(] )(?P<terms>{_TERM}(?:\s*\+\s*{_TERM})+)\s*=\s*"
    rf"(?P<total>{_NUMBER})(?![\d.,:]*\d)(?P<unit>\s*[a-z]+)?(?!\s*[-+*/x×^(])"
)
_PRODUCT = Bounded(
    rf"(?<![\w.+/^*(-])(?<![-+*/x×^(] )(?P<a>{_NUMBER})(?:\s+[a-z]+)?\s*[*x×]\s*(?P<b>{_NUMBER})(?:\s+[a-z]+)?"
    rf"\s*=\s*(?P<total>{_NUMBER})(?![\d.,:]*\d)(?!\s*(?:[-+*/x×^(]|[kKMG]\w*\b|million|thousand|billion))"
)
#: bare numbers alone: `2 hours / 10 epochs = 12 min` is right, and a range (`1 - 10 = 97 %`) is no difference
_DIVIDED = Bounded(
    rf"(?<![\w.+/^*(-])(?<![-+*/x×^(÷] )"
    rf"(?:\(\s*(?P<a>{_NUMBER})\s*[-\u2212\u2013]\s*(?P<less>{_NUMBER})\s*\)|(?P<over>{_NUMBER}))"
    rf"\s*[/÷]\s*(?P<b>{_NUMBER})\s*[=≈]\s*(?P<total>{_NUMBER})(?![\d.,:]*\d)"
    r"(?P<percent>\s*%)?(?!\s*(?:[-+*/x×^(÷]\s*\d|[kKMG]\w*\b|million|thousand|billion|m?s\b|min|h\b|hours?))"
)
_SUBTRACTED = Bounded(
    rf"(?<![\w.+/^*(:-])(?<![-+*/x×^(÷] )(?P<a>{_NUMBER})\s*(?P<unit>%|s|seconds|ms)?"
    rf"\s+[-\u2212\u2013]\s+(?P<b>{_NUMBER})\s*"
    rf"(?P<unit2>%|s|seconds|ms)?\s*=\s*(?P<total>{_NUMBER})(?![\d.,:]*\d)"
    r"(?!\s*(?:[-+*/x×^(÷]\s*\d|x\b|min|h\b|hours?))"
)
_ONE_MORE = rf"{_NUMBER}\s*(?P=unit)"
_LISTED = Bounded(
    rf"(?i)(?<!\d)(?<!\d,)(?P<terms>{_NUMBER}\s*(?P<unit>{_UNIT})(?:\s*,\s*{_ONE_MORE})*\s*,?\s*and\s+{_ONE_MORE}),?\s*"
    rf"(?:(?:for|which is|or|so|that is|i\.e\.)\s+)*(?:a total of\s+)?(?P<total>{_NUMBER})\s*(?P=unit)\s+"
    r"(?:in total|altogether|in all)\b"
)


@dataclass(frozen=True, kw_only=True)
class Worked:
    """A sum or product that is written out, and what it comes to."""

    shown: str
    said: float
    right: float


def explicit_changes(text: str) -> list[tuple[str | None, float, float]]:
    """`from 175 seconds to 304 seconds`: (kind of figure, old, new); `450 IPS and 18000 IPS, which is` is one too.

    A setting that goes from one value to another (`the batch size from 512 to 1024`) is no figure, and left out.
    """
    pairs: list[tuple[str | None, float, float]] = []
    for found in (*_FROM_TO.finditer(text), *_ARROW.finditer(text)):
        then = _THEN.match(text, found.end())
        metric = _by_unit(found["unit2"] or found["unit"]) or metric_near(text, found.start(), found.end())
        if metric != SETTING and (_has_unit(found) or _is_told_of(text, found)):
            values = [_figure(one) for one in (found["old"], found["new"], *([then["new"]] if then else []))]
            pairs += [(metric, old, new) for old, new in combinations(values, 2)]
    figures = list(_FIGURE.finditer(text))
    if not pairs and len(figures) == 2 and _CONCLUDES.search(text):
        a, b = figures
        if a["unit"].lower() == b["unit"].lower():
            metric = _by_unit(a["unit"]) or metric_near(text, b.start(), b.start())
            pairs.append((metric, _figure(a["value"]), _figure(b["value"])))
    return [pair for pair in pairs if pair[1] > 0 and pair[2] > 0]


def _by_unit(unit: str | None) -> str | None:
    """What is counted in this unit; seconds may be a time or a latency, so that the words around it decide."""
    if _RATE.fullmatch(unit or ""):
        return "rate"
    return "memory" if _MEMORY.fullmatch(unit or "") else None


def _has_unit(found: re.Match[str]) -> bool:
    return bool(found["unit2"]) or _ANY_UNIT.fullmatch(found["unit"] or "") is not None


def _is_told_of(text: str, found: re.Match[str]) -> bool:
    """Bare numbers belong to a figure that is named before them, unless they look like batch sizes."""
    if all(math.log2(value).is_integer() for one in ("old", "new") if (value := _figure(found[one])) > 1):
        return False
    return any(pattern.search(text, 0, found.start()) for pattern in METRICS.values())


def worked_out(text: str) -> list[Worked]:
    """`175.2 + 210.9 + 304.5 = 690.6`, `1000 x 1024 = 1,024,000`, `… s, … s and … s, 690.6 s in total`."""
    found = []
    for match in (*_SUM.finditer(text), *_LISTED.finditer(text)):
        terms = [_figure(number) for number in _ANY_NUMBER.findall(match["terms"])]
        units = set(_LETTERS.findall(match["terms"].replace("and", "").lower()))
        if len(units) > 1 or (
            units and match.re.pattern == _SUM.pattern and (match["unit"] or "").strip().lower() not in ("", *units)
        ):
            continue  # `2 min + 30 s`: not to be added as they stand
        found.append(Worked(shown=match[0].strip(), said=_figure(match["total"]), right=sum(terms)))
    for match in _PRODUCT.finditer(text):
        found.append(
            Worked(
                shown=match[0].strip(), said=_figure(match["total"]), right=_figure(match["a"]) * _figure(match["b"])
            )
        )
    return [*found, *_quotients(text), *_differences(text)]


def _quotients(text: str) -> Iterator[Worked]:
    """`4848.6 / 2928.5 = 1.66`; one that is told in per cent may be a share or a change."""
    for match in _DIVIDED.finditer(text):
        above, below = _figure(match["a"] or match["over"]), _figure(match["b"])
        if below == 0:
            continue
        right = (above - _figure(match["less"]) if match["less"] else above) / below
        readings = [100 * right, 100 * (right - 1)] if match["percent"] else [right]
        said = _figure(match["total"])
        nearest = min((abs(one) for one in readings), key=lambda one: abs(one - said))
        yield Worked(shown=match[0].strip(), said=said, right=nearest)


def _differences(text: str) -> Iterator[Worked]:
    for match in _SUBTRACTED.finditer(text):
        a, b = _figure(match["a"]), _figure(match["b"])
        if a > b and match["unit"] == match["unit2"] and "." in match["a"] + match["b"]:
            yield Worked(shown=match[0].strip(), said=_figure(match["total"]), right=a - b)


def _figure(text: str) -> float:
    return float(text.replace(",", ""))
