"""Phrases that nobody would say to a colleague: each pattern stands with what to write instead."""

from __future__ import annotations

import re

#: a pattern, and what to write instead
BANNED: dict[str, str] = {
    r"\btold\b(?!\.py)": "detected, reported, named, given",
    r"\bspeaks? of\b": "is about, mentions",
    r"\bno more is known\b": "estimate (not measured)",
    r"\bof (?:its|their|our) own(?=[.,:;)]|$| \(| (?:in|on|and|or|where|that|with|for|as|before|so)\b)": "separate",
    r"\bwhat (?:it|they) (?:is|are) of\b": "what it measures, what it belongs to",
    r"\bhighest seen\b": "peak",
    r"\bnothing to say against\b": "no problems found in",
    r"\bno \w+ meets? that\b": "no runs match",
    r"\bstands? in prose alone\b": "no log was found for",
    r"\bclaimed, not shown\b": "comes from the command line; the output does not confirm it",
    r"\bbeyond chance among\b": "significant after correcting for",
    r"\bof each alone\b": "the intervals are not corrected",
    r"\bfrom none: no\b": "too small to measure here",
    r"\bextrapolation: \d": "estimate for … (not measured)",
    r"\brefused: a straight line\b": "no straight-line model",
    r"\brun-to-run spread of \d": "runs vary by",
    r"\bread as (?:generic|\w+), line\b": "from line … of the output",
    r"\bno (?:best|fastest): \w": "no clear winner",
    r"\bgoing on here\b": "active on this machine",
    r"\bhow long is not known\b": "time remaining: known after the first run",
    r"\bthe machine meanwhile\b": "CPU, memory, GPU",
    r"\bwhile it ran\b": "training curves",
    r"\bonly where\b:": "filters",
    r"\bchosen for you\b": "automatic",
    r"\bwhat you say of it\b": "record a setting with the run",
    r"\bnothing of our own\b": "only the command's output",
    r"\bwith right figures\b": "and counts child processes",
    r"\bleft out: \d+ \w+ \(": "1 interrupted run was left out",
    r"\bruns? tells?\b|\bnot all tell\b|\bonly tells?\b|\btells? (?:no curve|its|most)\b": "reports",
    r"\bno repeats to tell\b|\btoo few (?:repeats|runs) to tell\b|\bcannot tell\b[^.]{0,30} from\b": "judge, show",
    r"\bno run knows\b|\bis not known of\b|\bnot known of \d": "no run reports, is unknown for",
    r"\bas asked\b(?! for)": "as requested",
    r"\bthe least that any run had\b": "the smallest budget of any run",
    r"\binside the (?:noise|run-to-run)\b": "within the noise",
    r"\bno more than chance gives\b": "could be noise",
    r"\bthe repeats scatter\b": "noise explains",
    r"\bhold the truth\b": "contain the true value",
    r"\bsays little\b": "is not reliable",
    r"\brates? (?:that )?wanders?\b": "an uneven rate",
    r"\bwent that way\b": "was lost that way",
    r"\b(?:logs?|runs?|figures) stands? under\b|\bcarry the same figures\b": "is shown for, have the same figures",
    r"\bis said of (?:all|every)\b|\bminutes are said\b": "is claimed for, the page states",
    r"\bno line of its output tells\b": "the output does not mention it",
    r"\b(?:ended|stopped|left out) without a word\b": "unexpectedly, silently",
    r"\basked to end by\b": "stopped by SIGINT (Ctrl-C)",
    r"\bnot all gain\b": "takes away part of what faster steps gain",
    r"\bdo not bound it\b": "do not determine it",
    r"\bare a mistake, not a\b": "are more than the limit",
    r"\bis all there is, or more\b": "a change of 100 % or more",
    r"\bof what the command had\b": "of the time of the run",
    r"\bno repeats of each other\b": "not repeats of each other",
    r"\bwritten anew\b": "rewritten",
    r"\bcannot be said\b": "cannot be judged, is not known yet",
    r"\bhighest CPU use\b": "peak CPU use",
    r"\breports? no curve\b": "not reported during training",
    r"\bby an estimate of when\b": "(its start is estimated)",
    r"\bclaimed of (?:one|it)\b": "claimed in one of them, claimed for it",
    r"\bwhat is asked of (?:it|them)\b": "the request",
    r"\bspeaks? for (?:all|it|them|the others?)\b": "represents, prints for",
    r"\bof no one\b|\bno one's concern\b": "say what happens",
    r"\b\d+ was run once\b": "the first was run once, after naming its setting",
}

_ANY = re.compile("|".join(f"(?:{pattern})" for pattern in BANNED), re.IGNORECASE)


def banned_in(text: str) -> list[str]:
    """Each banned phrase in a text, with the words around it."""
    return [text[max(0, one.start() - 40) : one.end() + 20].replace("\n", " ") for one in _ANY.finditer(text)]
