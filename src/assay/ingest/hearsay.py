"""Sentences that give a setting a value which no run of the author's had: a plan, a default, someone else, a failure.

    The homework asks for batch size 32, but I used 8.      A batch size of 4096 did not fit.
    I set epochs = 20 in the script but it still ran 10.    Others in the class used 100 epochs.

Whoever takes one of these for a claim accuses someone who told the truth.
"""

from __future__ import annotations

import re

from assay.ingest.bounded import Bounded

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
#: what may be, was wished for, or is a rule
_SUPPOSED = (
    r"\b(?:would|could|might|should|(?:i|we)(?:'ll| will| plan| want| hope)|going to|next time|next experiment|"
    r"in (?:the )?future|future work|(?:one|you|we) can|can be (?:set|changed|passed)|"
    r"(?:want|plann|hop|mean|meant|intend|forg[eo]t|expect)(?:ed|t)? to|"
    r"one (?:passes|sets|has to|needs)|you (?:pass|set|need|have to|must)|"
    r"recommended|suggested|advis\w+)\b|^\W*try\b|\?\W*$"
)
_DEFAULT = r"\bdefaults?\b(?: \w+){0,3} (?:is|are|was|were|being)\b|\bby default\b"
_WHO = (
    r"lecture|paper|course|homework|assignment|exercise|instructions?|tutorial|docs|documentation|colleagues?|"
    r"classmates?|others|instructor|professor|teaching assistant|original \w+"
)
#: someone else, or the author on another day
_OTHERS = (
    rf"\b(?:{_WHO})\b[^.,;]{{0,30}}\b(?:asks?|asked|uses?|used|shows?|showed|had|has|says?|said|wants?|requires?|required|"
    r"suggests?|recommends?|reports?|reported)\b|\bcourse's\b|\bsample (?:run|output|log)\b|\bthe authors?\b|"
    r"\bthe original paper\b|\bunlike (?:my|the|our)\b|"
    r"\b(?:in|from) (?:the|my|our|a) (?:previous|last|earlier) (?:homework|assignment|week|class|session|course)\b|"
    r"\blast (?:week|year|month|semester)\b|\bon (?:(?:a|the|my) )?(?:gpu|laptop|a100|desktop|pc)\b|"
    r"\bon (?:a|the|my) cpu\b|\bin (?:last|previous) (?:homework|assignment|week|class|session|course)\b"
)
_ASKED = r"^[\W_]*(?:task|assignment|exercise|homework|question|instructions?|goal|objective|to-?do)\b[^.:]{0,20}:"
_NOT_RUN = Bounded(f"(?i){_SUPPOSED}|{_DEFAULT}|{_OTHERS}|{_ASKED}")
_FAILED = Bounded(
    r"(?i)\b(?:fail(?:s|ed|ing|ure)?|crash\w*|(?:did|does|do|could|would|was|were) ?n[o']t (?:\w+ )?"
    r"(?:fit|work|run|start|finish\w*|complet\w*|able|possible)|out of memory|oom|"
    r"never (?:left|started|ran|finished|worked)|"
    r"refused|rejected|killed|unable|impossible|errors?(?! rate)|timed out|still (?:in the queue|queued|waiting))\b"
)
#: the author has seen that what was set is not what ran
ADMITTED = Bounded(
    r"(?i)\b(?:no|not (?:have|take|had) (?:any )?|without) effect\b|"
    r"\bstill (?:\w+ )?(?:ran|runs|shows?|showed|says?|said|used|uses|with|at)\b|"
    r"\b(?:ignored|overwritten|overridden|overrides|overwrites)\b|"
    r"\b(?:but|although|though|however|yet)\b[^.]{0,60}\blogs? (?:says?|shows?|showed|has|prints?)\b|"
    r"\bnot (?:actually |really )?(?:applied|in effect)\b"
)


def of_runs(text: str) -> str:
    """What a line says of runs that took place: without the sentences that speak of others."""
    if ADMITTED.search(text):
        return ""
    if _NOT_RUN.search(text) is None:
        return text
    return " ".join(one for one in SENTENCE.split(text) if _NOT_RUN.search(one) is None)


def of_failure(text: str) -> bool:
    """It speaks of something that did not work: of no run that did."""
    return _FAILED.search(text) is not None
