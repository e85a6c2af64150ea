"""Of which figure a number in a sentence speaks: the nearest word for one, as far as the sentence allows.

The time drops by 23 %, the power by 28 %.        the second number is of something that is not known here
20 % more time        what follows the number comes before what stands near it
"""

from __future__ import annotations

import re
from functools import lru_cache

from assay.ingest.bounded import KEPT, Bounded

#: a kind of figure, and the words for it
METRICS = {
    "accuracy": Bounded(r"(?i)\baccurac(?:y|ies)\b|\b(?:more|less|most) accurate\b"),
    "loss": Bounded(r"(?i)\bloss(?:es)?\b"),
    "latency": Bounded(r"(?i)\blatenc(?:y|ies)\b"),
    "cpu": Bounded(
        r"(?i)\bCPU\s+(?:usage|utili[sz]ation|load|(?=(?:drops?|dropped|goes|went|falls?|fell|rises?|rose|by|"
        r"(?:in|de)creas\w+|(?:is|was) (?:reduced|lower|higher))\b|[\d.]+ ?[x×%]))"
    ),
    "memory": Bounded(r"(?i)\bmemory\b|\bRAM\b"),
    "rate": Bounded(
        r"(?i)\bthrough-?put\b|(?<!learning )(?<!learning_)(?<!error )\brates?\b|\bIPS\b|"
        r"\b(?:samples|sequences|images|inferences|tokens)\s*(?:/|per)\s*s"
    ),
    "time": Bounded(
        r"(?i)(?<!cpu[ -])(?<!core[ -])\b(?:time|duration|seconds|minutes|took|takes|"
        r"runtime|run-time|as (?:fast|slow|long|quick\w*))\b|"
        r"\btimes\b(?!\s+(?:\w+er|more|less|as|the|that)\b)|"
        r"\b(?:faster|slower|quicker|longer|shorter|speed(?:s|ed)?[ -]?up)\b"
    ),
}
#: a setting that is itself changed (`doubled the batch size`), not one that is given a value (`with batch size 512`)
_SETTING = Bounded(
    r"(?i)\b(?:batch(?:[ _-]?sizes?|(?![ _-]?size))|epochs?|learning[ _-]rates?|lr|n?tasks?|nodes?|sequence lengths?|"
    r"workers|processes|steps|samples(?!\s*(?:/|per)\s*s)|data|parameters)\b"
    r"(?!\s*(?:of|=|:|is|was)?\s*\d[\d,.]*(?![\d,.]|\s*(?:[x×%]|times\b|-?fold\b)))"
)
#: `20 % more time`, `a 5 % drop in throughput`, `4x the samples`: what follows is what it speaks of
_OF_WHAT = Bounded(
    r"(?i)\s*(?:more|less|fewer|higher|lower|greater|better|worse|as (?:many|much)|(?=\w)|"
    r"(?=as (?:fast|slow|long|quick))|(?:reduction|increase|drop|decrease|rise|gain|loss) in)"
    r"\s*(?:(?:the|training|overall|total|average|processing|run|running)\s+)*"
)
#: `5 % more after the second checkpoint`: of what, is not said in words that are known here
_OF_SOMETHING = Bounded(
    r"(?i)\s*(?:more|less|fewer)\s+(?!(?:than|with|when|if|for|at|in|on|using|compared|and|but|the|while|time)\b)\w"
)
#: `CPU load rises by 28 %, memory by 61 %`: the word after the comma belongs to the next number
_NEXT_CLAUSE = Bounded(r"(?i)[,;]|\b(?:and|but|while|whereas)\b")
#: `the time drops by 23 %, the power by 28 %`: what comes after the comma has a subject of its own
_OWN_SUBJECT = Bounded(
    r"(?i)(?:[,;]|\b(?:and|but|while|whereas))\s+(?:and |but |while )?(?:the |its |our |my |average |mean )*"
    r"(?!(?:it|this|that|then|which|also|only|even|again|finally|with|for|from|so|by|is|was|not|about)\b)"
    r"(?P<subject>[a-z][a-z-]*(?: [a-z][a-z-]*)?) (?:[a-z]+ ){0,2}?by (?:about |around |roughly |only |~|≈)?$"
)
SETTING = "setting"
_CAUSED = Bounded(r"(?i)\b(?:result\w*|led|leads?|gave|gives?|caus\w*|yield\w*|improv\w*|made|makes|produc\w*)\b")
UP = (
    r"increas\w*|ris(?:e|es|en|ing)|rose|improv\w*|gain\w*|gr[eo]w\w*|higher|more|faster|better|larger|speed\w*|"
    r"up\b|outperform\w*|longer|boost\w*|climb\w*|went up|goes up"
)
DOWN = (
    r"decreas\w*|drop\w*|declin\w*|reduc\w*|fell|falls?|lower\w*|less|slower|sav(?:e|es|ed|ing)|shorter|wors\w*|"
    r"fewer|down\b|smaller|cut(?:s|ting)?\b|shr[aiu]nk\w*|halv\w*"
)
DIRECTION = Bounded(rf"(?i)\b(?:(?P<up>{UP})|(?P<down>{DOWN}))")


def metric_near(text: str, start: int, end: int) -> str | None:
    """The kind of figure that a number belongs to, or SETTING: the nearest word for one, those before it first."""
    best: tuple[int, str] | None = None
    after = _OF_WHAT.match(text, end)
    if not _knows(text, after) and (_OF_SOMETHING.match(text, end) or _has_own_subject(text[:start])):
        return SETTING
    for name, pattern in (*METRICS.items(), (SETTING, _SETTING)):
        if after and pattern.match(text, after.end()):
            return name
        for found in pattern.finditer(text):
            gap = start - found.end() if found.end() <= start else (found.start() - end) * 2 + 5
            if found.start() >= end and _NEXT_CLAUSE.search(text, end, found.start()):
                gap += 60
            if name == SETTING and _CAUSED.search(text, found.end(), max(start, found.end())):
                continue  # `reducing the learning rate resulted in 0.7 %`: of what came of it
            if 0 <= gap <= 120 and (best is None or gap < best[0]):
                best = (gap, name)
    return best[1] if best else None


def _knows(text: str, after: re.Match[str] | None) -> bool:
    """What follows `20 % more` is a kind of figure or a setting."""
    return after is not None and any(one.match(text, after.end()) for one in (*METRICS.values(), _SETTING))


def _has_own_subject(before: str) -> bool:
    """A number that follows a clause about something which is no figure that we know."""
    found = _OWN_SUBJECT.search(before)
    if found is None or any(one.search(before, found.start()) for one in (*METRICS.values(), _SETTING)):
        return False
    return not any(one.match(found["subject"]) for one in (DIRECTION, _CAUSED))  # `, increased by`: still the same


@lru_cache(maxsize=KEPT)
def metrics_of(text: str) -> tuple[str, ...]:
    return tuple(name for name, pattern in METRICS.items() if pattern.search(text))
