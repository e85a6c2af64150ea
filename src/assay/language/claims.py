"""What sentences claim: values, changes, rankings, comparisons and effects, each with how it is meant.

    We trained for 10 epochs with a batch size of 64.                        two values of settings
    The test accuracy rose from 91.2 % to 92.5 %.                            a value with what it was before
    Batch 16 was the fastest; doubling it made training 30 % slower.         a ranking and a change

Parsed once, and read by ingest and audit alike. What is only half understood is not claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from assay.language import modality as mood
from assay.language.binding import bind
from assay.language.changes import changes_of
from assay.language.kinds import METRICS, SETTINGS
from assay.language.lex import Token, lex
from assay.language.relations import comparisons_of, effects_of, rankings_of
from assay.language.said import Change, Comparison, Effect, Ranking, Said, Subject, Value
from assay.language.sentences import clauses, sentences
from assay.language.sides import numbered, relatives
from assay.language.values import listed, values_of


def said(sentence: str, decimal_comma: bool = False, inherited: str = "") -> Said:
    """The claims of one sentence; `inherited` is the metric that the sentence before spoke of."""
    return _said(sentence, decimal_comma, inherited)


@lru_cache(maxsize=1 << 15)  # a page is gone through several times: all of its sentences, or none of them
def _said(sentence: str, decimal_comma: bool, inherited: str) -> Said:
    tokens = lex(sentence, decimal_comma)
    values: list[Value] = []
    changes: list[Change] = []
    rankings: list[Ranking] = []
    comparisons: list[Comparison] = []
    effects: list[Effect] = []
    related: list[tuple[int, Subject]] = []
    meant = mood.DONE
    for clause in clauses(tokens):
        how = mood.modality(clause, tokens)
        meant = how if how != mood.DONE else meant
        bound = bind(clause)
        sized = list(changes_of(clause, bound, how, inherited))
        taken = {(one.start, one.end) for one in sized}
        told = [one for one in values_of(clause, bound, how) if (one.start, one.end) not in taken]
        if mood.has_failed(clause) and how == mood.DONE and not any(one.is_setting for one in told):
            values = [replace(one, failed=True) for one in values]  # `I tried 32 tasks, but the job failed`
        values += told
        changes += sized
        rankings += rankings_of(clause, bound, how)
        comparisons += [] if sized else comparisons_of(clause, bound, how)
        effects += effects_of(clause, bound, how)
        related += [*relatives(clause, bound), *numbered(clause, bound)]
    return Said(
        text=sentence,
        values=tuple(listed(values)),
        changes=tuple(changes),
        rankings=tuple(rankings),
        comparisons=tuple(comparisons),
        effects=tuple(effects),
        relatives=tuple(related),
        modality=meant,
        roles=frozenset(role for token in tokens for role in token.roles),
        metrics=tuple(dict.fromkeys(_metrics(tokens))),
    )


def _metrics(tokens: Sequence[Token]) -> Iterator[str]:
    """Those that are named, counted in, or implied by `faster` and `longest`."""
    for token in tokens:
        if token.term in METRICS:
            yield token.term
        if token.rate:
            yield f"{token.rate}_per_s"
        implied = {str(token.roles[role]).rstrip("+-") for role in ("up", "down", "best") if role in token.roles}
        yield from implied & {"speed", "time", "accuracy"}


def only_settings(text: str) -> bool:
    """`Epochs: 20`, `BS=512, lr = 0.1`: a line that gives settings their values, and holds nothing else."""
    if len(text) > _ONLY_MOST or not (":" in text or "=" in text):
        return False
    tokens = lex(text.strip())
    terms = [at for at, token in enumerate(tokens) if token.term]
    if not terms:
        return False
    for at, token in enumerate(tokens):
        if token.term and (
            token.term not in SETTINGS or [one.text for one in tokens[at + 1 : at + 2]] not in ([":"], ["="])
        ):
            return False
        if token.number is not None and (at < 2 or tokens[at - 1].text not in ":=" or token.rate or token.number.unit):
            return False
        if (
            not token.term
            and token.number is None
            and token.text != "and"
            and not (token.is_mark and token.text in _ONLY_MARKS)
        ):
            return False
    return sum(token.number is not None for token in tokens) == len(terms)


_ONLY_MARKS = ":=,;|*_#>-. "
_ONLY_MOST = 300


def said_in(text: str, decimal_comma: bool = False, inherited: str = "") -> Iterator[Said]:
    """Sentence by sentence."""
    return (said(one, decimal_comma, inherited) for one in sentences(text))
