"""A model FLOPs utilisation above 100 % in a sentence: as a level, not as a change of it or a share of another.

We reach an MFU of 120 %                a level
MFU rose by 120 %, 120 % of the MFU     none
"""

from __future__ import annotations

import re

from assay.language.numbers import number_of

_MFU = r"(?:MFU|model flops? utili[sz]ation)"
_AFTER_NAME = re.compile(rf"(?i)\b{_MFU}\b(?P<between>[^\d%.;]{{0,40}})(?P<number>\d{{1,4}}(?:[.,]\d{{1,3}})?) ?%")
_BEFORE_NAME = re.compile(rf"(?i)(?P<between>\b[a-z]{{1,12}} )?(?P<number>\b\d{{1,4}}(?:[.,]\d{{1,3}})?) ?% {_MFU}\b")
#: all that may stand between the name and its value
_FILLER = re.compile(
    r"(?i)(?:\W|\b(?:of|is|was|at|an?|the|we|our|it|got|get|reach(?:es|ed)?|hits?|achieve[sd]?|measured|reported|about|"
    r"around|roughly|approximately|nearly|up|to|as|high|mean|average|with|value|stands)\b){0,40}"
)
#: before a value that is no level
_NO_LEVEL = ("by", "than", "above", "over", "beyond", "exceed", "exceeds", "exceeding", "under", "below")
#: after it: a comparison
_COMPARED = re.compile(
    r"(?i)\W{0,2}(?:of|more|higher|better|less|lower|faster|relative|points?|improvements?|increases?|gains?|boost|jump)\b"
)
_KNOWN = re.compile(
    r"(?i)\b(?:impossible|wrong|bugs?|bogus|cannot|can't|would|could|should|doubt\w{0,5}|incorrect\w{0,2}|nonsens\w{0,5}|"
    r"errors?|mistak\w{1,4}|suspicious|not|if|unless|artefacts?|artifacts?|overestimat\w{0,3}|unrealistic\w{0,4})\b"
)
_MOST = 1000.0


def utilisation_above_all(text: str, *, decimal_comma: bool) -> float | None:
    """In per cent; None where the sentence gives none above 100."""
    for pattern in (_AFTER_NAME, _BEFORE_NAME):
        for found in pattern.finditer(text):
            number = number_of(found["number"], decimal_comma=decimal_comma)
            if number is not None and 100 < number.value <= _MOST and _is_level(found):
                return number.value
    return None


def doubts_a_figure(text: str) -> bool:
    """Whether the author knows that something is wrong with it."""
    return _KNOWN.search(text) is not None


def _is_level(found: re.Match[str]) -> bool:
    between = (found["between"] or "").strip()
    plain = between.lower() not in _NO_LEVEL if found.re is _BEFORE_NAME else _FILLER.fullmatch(between) is not None
    return plain and _COMPARED.match(found.string, found.end()) is None
