"""How far a page says that its repeats scatter: `97.2 ± 0.3 (n = 10)`, `std 0.3 over 5 seeds`, `95% CI [97, 98]`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

SD, SEM, CI = "sd", "sem", "ci"

_NUMBER = r"(\d{1,9}(?:\.\d{1,9})?)"
#: the figure, then what it may be off by; a unit or a per cent sign between them
_PLUS_MINUS = re.compile(_NUMBER + r" ?%? ?(?:±|\+/-|\+-) ?" + _NUMBER)
_NAMED = re.compile(
    _NUMBER + r" ?%? ?[(,\[] ?(std|stdev|sd|s\.d\.|sem|s\.e\.m\.|se)(?:\.|\b) ?(?:=|:|of)? ?" + _NUMBER, re.IGNORECASE
)
_BETWEEN = re.compile(
    _NUMBER + r" ?%? ?[(,\[] ?95 ?% ?(?:ci|confidence interval):? ?\[?" + _NUMBER + r" ?%? ?(?:-|–|,|to) ?" + _NUMBER,
    re.IGNORECASE,
)
_COUNT = re.compile(r"\bn ?= ?(\d{1,4})\b", re.IGNORECASE)
_TIMES = re.compile(
    r"\b(\d{1,4}|two|three|four|five|six|eight|ten) (?:runs|repeats|repetitions|seeds|trials|times)\b"
    r"(?! (?:faster|slower|as|more|less|the|longer|larger|smaller|higher|lower|better|worse))",
    re.IGNORECASE,
)
_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10}
_KINDS = (
    (SEM, re.compile(r"\b(?:sem|s\.e\.m|standard errors?)\b", re.IGNORECASE)),
    (CI, re.compile(r"\b(?:95 ?% ?ci|confidence intervals?)\b", re.IGNORECASE)),
)


@dataclass(frozen=True, kw_only=True)
class Scatter:
    """A figure as it stands and what it may be off by: a standard deviation, a standard error, or half an interval."""

    value: float
    off: float
    kind: str = SD


@lru_cache(maxsize=4096)
def scatters_in(text: str, page_kind: str = SD) -> tuple[Scatter, ...]:
    """`page_kind` is what a bare ± stands for on this page."""
    kind = kind_of(text) or page_kind
    found = [Scatter(value=float(one[1]), off=float(one[2]), kind=kind) for one in _PLUS_MINUS.finditer(text)]
    for one in _NAMED.finditer(text):
        found.append(
            Scatter(
                value=float(one[1]), off=float(one[3]), kind=SEM if one[2].lower().startswith(("se", "s.e")) else SD
            )
        )
    for one in _BETWEEN.finditer(text):
        found.append(Scatter(value=float(one[1]), off=abs(float(one[3]) - float(one[2])) / 2, kind=CI))
    return tuple(found)


@lru_cache(maxsize=4096)
def kind_of(text: str) -> str:
    """What a text says that ± stands for: a standard error or an interval; empty where it does not say."""
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), "")


@lru_cache(maxsize=4096)
def repeats_in(text: str) -> int | None:
    """How many runs of each a text says that there were; None where it does not, or names several numbers."""
    found = {int(one[1]) for one in _COUNT.finditer(text)}
    found |= {_WORDS.get(one[1].lower()) or int(one[1]) for one in _TIMES.finditer(text)}
    return found.pop() if len(found) == 1 else None
