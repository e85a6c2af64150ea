"""What a sentence about measurements says: which figure, which way, by how much.

    Doubling the number of epochs increased the test set accuracy slightly (about 0.7%)
    The memory usage increases by ~1.6%.                     outperformed Sophia by a factor of ~2.2x

Only what is said plainly is understood; a sentence that supposes, asks or denies says nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.auditing.subjects import DIRECTION, SETTING, metric_near
from assay.ingest.bounded import KEPT, Bounded

#: `half of the work`, `twice the number of steps`: not of a figure that is measured here
_OF_ANOTHER = Bounded(
    r"(?i)\s+(?:of )?(?:the )?(?:total |whole )?(?:work|job|amount|number|computations?|examples|images|batch\w*|"
    r"size|data|cores|gpus?|cpus?|devices|chips|nodes|tasks|epochs|steps|samples(?!\s*(?:/|per))|model|parameters)\b"
)
#: `83 % of perfect scaling`, `99 % efficiency`: a share, not a difference
_SHARE = Bounded(
    r"(?i)\s*(?:(?:short |shy )?of\b(?!\s+accuracy)|(?:\w+\s+)?(?:efficien\w*|utili[sz]\w*|confidence|interval)\b)"
)
_MOVED_BY = Bounded(r"(?i)\b(?:increase|decrease|drop|gain|rise|reduction|improvement|difference) of\s+(?:\w+ )?~?$")
#: where a summary keeps each kind
FIELDS = {
    "accuracy": ("accuracy",),
    "loss": ("loss",),
    "latency": ("latency_ms",),
    "cpu": ("cpu_pct_mean",),
    "memory": ("rss_bytes_mean", "pss_bytes_mean", "rss_bytes_max"),
    "rate": ("samples_per_s_avg", "samples_per_s", "tokens_per_s", "inferences_per_s", "samples_per_s_own"),
    "time": ("wall_s", "train_s", "reported_s"),
}
_BETTER = Bounded(
    r"(?i)\b(?:best|better|worse|worst|lowest|highest|lower|higher|greater|improv\w*|increas\w*|decreas\w*|reduc\w*|"
    r"drop\w*|gain\w*|outperform\w*|faster|slower|quicker|beneficial\w*|help(?:s|ed|ful)|boost\w*|degrad\w*|"
    r"optimal|winner|(?:smallest|minimal|minimum)(?= (?:\w+ )?loss)|(?:more|less|most)(?= accurate))\b"
)
_DENIED = Bounded(
    r"(?i)\b(?:not|no|cannot|n't|never|without|neither|similar|negligibl\w+|unchanged|stable|constant|"
    r"same(?! (?:number|amount|steps|settings|data|model))|"
    r"little (?:impact|effect|change)|did ?n[o']t|does ?n[o']t|identical)\b|n't\b"
)
_SUPPOSED = Bounded(
    r"(?i)\b(?:would|could|should|might|may|(?:i|we)(?:'ll| will)|going to|plan(?:ned)? to|hope|"
    r"expect\w*|suspect\w*|estimat\w*|predict\w*|assum\w*|suppos\w*|imagine|"
    r"probably|likely|theor\w*|if (?:i|we|you)|can (?:be|lead|help|cause)|typically|generally|usually|often|tends?)\b|"
    r"\?\s*$"
)
_ABOUT = Bounded(
    r"(?i)(?:~|≈|about|around|roughly|nearly|almost|approx\w*\.?|some|close to|over|more than|at least)\s*$"
)
_PERCENT = Bounded(
    r"(?i)(?<![\w.])(?P<value>\d+(?:\.\d+)?)\s*"
    r"(?:(?:%|per ?cent(?:age)?\b)(?P<points>[- ]points?\b)?|(?P<bare>points?\b|pp\b))"
)
_FOLD = Bounded(
    r"(?i)(?:\bfactor of (?:about |around |roughly |nearly |almost |over |~|≈)?(?P<factor>\d+(?:\.\d+)?)(?![\w.]*\d)|"
    r"(?<![\w.])(?P<value>\d+(?:\.\d+)?|(?:two|three|four|five|ten)(?=[ -]))\s*"
    r"(?:-?\s*fold\b|[x×](?![\w=])(?!\s*\d)|\s+times\b(?=\s+(?:\w+er|more|less|as|the|that|of|higher)\b)))"
)
_COUNTED = {"two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "ten": 10.0}
_AT_LEAST = Bounded(r"(?i)\b(?:more than|over|at least)\s*$")
_WORD_FOLD = Bounded(
    r"(?i)\b(?:(?P<two>doubl(?:ed|es)|twice)|(?P<half>halv(?:ed|es)|half (?:of )?the|cut in half)|"
    r"(?P<three>tripl(?:ed|es))|(?P<four>quadrupl(?:ed|es)))\b"
)
#: what stands right before a number: its sign, `by`, `went up`, `to`, a bracket
_SIGN = Bounded(r"(?<![\w%])(?P<sign>[+\u2212-])$|\(\s*(?P<apart>[+\u2212-])\s$")
_BY = Bounded(r"(?i)\bby\s+(?:only |just |about |around |roughly |~)?\s*~?$")
_WENT = Bounded(r"(?i)\b(?:went|goes|going) (?:up|down)\s+(?:about |around |~)?$")
_LEVEL = Bounded(r"(?i)(?:\bto|\bof|\bat|\bis|\bwas|\bwere|[=:>])\s*(?:only |just |about |around |~)?\s*~?$")
_OPENED = Bounded(r"\(\s*~?(?:about )?$")
_LESS_CPU = Bounded(r"(?i)\s*(?:less|lower|more|higher) CPU\b")
_WORD_VALUES = {"two": 2.0, "half": 0.5, "three": 3.0, "four": 4.0}

_RANKS = Bounded(
    r"(?i)\b(?:best|worst|lowest|highest|smallest|largest|"
    r"than(?! (?:at )?(?:the )?(?:last|first|end|start|beginning)))\b"
)
_WITHIN = Bounded(
    r"(?i)\b(?:during|throughout|over|in the course of) (?:the )?(?:whole )?(?:training|time|run|epochs?|steps)\b|"
    r"\b(?:first|last|after|within|over|between|from)(?: the)?(?: first| last)? (?:[\d,]+ )?"
    r"(?:steps?|iterations?|epoch)\b|"
    r"\b(?:as|while) (?:the )?training\b|\bstarts? (?:at|from|with)\b|\binitial\w*\b|\beach step\b|"
    r"\b(?:in|at) (?:the )?(?:first|beginning|start)\b|\bin (?:all|each|every) (?:\w+ )?runs?\b|"
    r"\ball (?:\w+ )?runs (?:reduce|decrease|lower|improve)\b|\b(?:quickly|steadily|rapidly|gradually)\b"
)


@dataclass(frozen=True, kw_only=True)
class Change:
    """A difference with its size: `kind` is percent, points or factor; `slack` how far it may be off.

    `at_least` is one that is said to be a lower bound: `more than twice`.
    """

    metric: str
    kind: str
    value: float
    slack: float
    direction: int  # 1 up, -1 down, 0 not said
    shown: str
    at_least: bool = False


@lru_cache(maxsize=KEPT)
def is_plain(text: str) -> bool:
    """Says that something was so: no supposition, no question."""
    return _SUPPOSED.search(text) is None


@lru_cache(maxsize=KEPT)
def compares(text: str) -> bool:
    """Says that one thing was better or worse than another."""
    return is_plain(text) and _BETTER.search(text) is not None and _DENIED.search(text) is None


@lru_cache(maxsize=KEPT)
def of_one_run(text: str) -> bool:
    """Of a run on its way (`the loss dropped from 9.4 to 7.1 during training`), not of one against another."""
    return _WITHIN.search(text) is not None and _RANKS.search(text) is None


@lru_cache(maxsize=KEPT)
def changes(text: str, inherited: str | None = None) -> Sequence[Change]:
    """Every sized difference; `inherited` is the kind of figure that the sentence before spoke of."""
    if not is_plain(text):
        return ()
    found = [_percent(text, match, inherited) for match in _PERCENT.finditer(text)]
    found += [_fold(text, match, inherited) for match in _FOLD.finditer(text)]
    if _DENIED.search(text) is None:
        found += [_word_fold(text, match, inherited) for match in _WORD_FOLD.finditer(text)]
    return [change for change in found if change is not None]


def _percent(text: str, match: re.Match[str], inherited: str | None) -> Change | None:
    direction = _direction(text, match.start(), match.end())
    if direction == 0 or _SHARE.match(text, match.end()):
        return None  # a figure, not a difference
    metric = metric_near(text, match.start(), match.end()) or inherited
    if metric is None or metric == SETTING or (match["bare"] and metric != "accuracy"):
        return None
    if metric in ("accuracy", "cpu") and _is_level(text, match):
        return None
    kind = "points" if match["points"] or match["bare"] else "percent"
    slack = _slack(match["value"], text[: match.start()])
    return Change(
        metric=metric,
        kind=kind,
        value=float(match["value"]),
        slack=slack,
        direction=direction,
        shown=match[0].strip(),
    )


def _fold(text: str, match: re.Match[str], inherited: str | None) -> Change | None:
    metric = metric_near(text, match.start(), match.end()) or inherited
    if metric is None or metric == SETTING:
        return None
    number, before = match["factor"] or match["value"], text[: match.start()]
    value = _COUNTED.get(number.lower()) or float(number)
    return Change(
        metric=metric,
        kind="factor",
        value=value,
        slack=0.2 * value if number.lower() in _COUNTED else _slack(number, text[: match.start(match.lastgroup or 0)]),
        direction=_direction(text, match.start(), match.end()),
        shown=match[0].strip(),
        at_least=_AT_LEAST.search(before) is not None,
    )


def _word_fold(text: str, match: re.Match[str], inherited: str | None) -> Change | None:
    """`doubled`, `half of the`: said of what is near it, and never exactly."""
    metric = metric_near(text, match.start(), match.end()) or inherited
    if metric is None or metric == SETTING or _OF_ANOTHER.match(text, match.end()):
        return None
    value = _WORD_VALUES[str(match.lastgroup)]
    return Change(
        metric=metric,
        kind="factor",
        value=value,
        slack=0.2 * value,
        direction=0,
        shown=match[0].split()[0],
        at_least=value > 1 and _AT_LEAST.search(text[: match.start()]) is not None,
    )


def same_kind(said: str, shown: str | None) -> bool:
    """Whether a difference speaks of these figures: `66 % faster` may be said of a rate or a latency as of a time."""
    return shown is None or said == shown or (said == "time" and shown in ("rate", "latency"))


def _direction(text: str, start: int, end: int) -> int:
    """By its sign, else by the word nearest to it: `drops by 23 %`, `23 % faster`, `a reduction of 23 %`."""
    sign = _SIGN.search(text[:start])
    if sign:
        return 1 if "+" in sign[0] else -1
    best: tuple[int, int] | None = None
    for found in DIRECTION.finditer(text):
        gap = start - found.end() if found.end() <= start else found.start() - end
        if 0 <= gap <= 45 and (best is None or gap < best[0]):
            best = (gap, 1 if found["up"] else -1)
    return best[1] if best else 0


def _is_level(text: str, match: re.Match[str]) -> bool:
    """`increased to 98.4 %`, `an accuracy of 98.4 %`: where it came to, not by how much it moved."""
    before = text[: match.start()]
    if _BY.search(before):
        return False
    if _MOVED_BY.search(before) or _WENT.search(before):
        return False
    if _LESS_CPU.match(text, match.end()):
        return False
    if _LEVEL.search(before):
        return True
    return float(match["value"]) > 30 and _OPENED.search(before) is None


def _slack(number: str, before: str) -> float:
    """Half of the last digit given, and more where the author says it is rough."""
    digits = len(number.partition(".")[2])
    value, half = float(number), 0.5 * 10.0**-digits
    return max(1.2 * half, 0.1 * value if _ABOUT.search(before) else 0.02 * value) + 1e-9
