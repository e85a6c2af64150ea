"""Claims without a size: which is the best, which is better than another, what a setting does to a metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from assay.language import modality as mood
from assay.language.binding import METRICS, SETTINGS
from assay.language.lex import Token
from assay.language.said import Comparison, Effect, Ranking
from assay.language.sides import sides, subjects
from assay.language.vocabulary import words

_NO_NOUN, _WITH = words("NO_NOUN"), words("WITH")
_IMPLIED = ("speed", "time", "accuracy")
#: metrics of which less is better
_LOW = frozenset({"loss", "val_loss", "test_loss", "time", "latency", "memory", "error_rate", "perplexity", "energy"})


def rankings_of(clause: Sequence[Token], bound: Mapping[int, str], how: str) -> Iterator[Ranking]:
    for at, token in enumerate(clause):
        if "best" not in token.roles or token.number is not None or _is_than(clause, at):
            continue
        following = next((one.term for one in takewhile(_is_noun, clause[at + 1 : at + 5]) if one.term), "")
        if following in SETTINGS:
            continue  # the largest batch size
        name, sign, better = _extreme(str(token.roles["best"]), following, clause)
        if name == "" and better == 0:
            continue
        yield Ranking(
            name=name,
            sign=sign,
            better=better,
            of=subjects(clause, bound, 0, len(clause)),
            start=token.start,
            end=token.end,
            modality=how,
            denied=mood.is_denied(clause),
        )


def _is_noun(token: Token) -> bool:
    """`the highest with batch size 512`: what follows `with` is no longer what is highest."""
    return token.text not in _NO_NOUN


def _is_than(clause: Sequence[Token], at: int) -> bool:
    """`at most`, `at least`: no extreme of anything."""
    return at > 0 and clause[at - 1].text == "at"


def _extreme(kind: str, following: str, clause: Sequence[Token]) -> tuple[str, int, int]:
    if kind[:-1] in _IMPLIED:
        return kind[:-1], (1 if kind.endswith("+") else -1), 0
    named = [one.term for one in clause if one.term in METRICS]
    rates = [f"{one.rate}_per_s" for one in clause if one.rate]
    name = following if following in METRICS else named[0] if len(set(named)) == 1 else ""
    name = name or (rates[0] if len(set(rates)) == 1 else "")
    if kind in ("+", "-"):
        return (name if following in METRICS or not following else ""), (1 if kind == "+" else -1), 0
    return name, 0, 1 if kind == "better" else -1


def comparisons_of(clause: Sequence[Token], bound: Mapping[int, str], how: str) -> Iterator[Comparison]:
    found = _comparing(clause)
    if found is None:
        return
    at, than = found
    name, sign = _compared(clause, at, than)
    of, against = sides(clause, at, bound)
    if name and sign:
        yield Comparison(
            name=name,
            sign=sign,
            of=of,
            than=against,
            start=clause[at].start,
            end=clause[than].end,
            modality=how,
            denied=mood.is_denied(clause),
        )


def _comparing(clause: Sequence[Token]) -> tuple[int, int] | None:
    """The first word of comparison with its `than`; `que` and `als` are often something else."""
    for than, token in enumerate(clause):
        if "than_only" not in token.roles:
            continue
        at = next((n for n in range(than - 1, -1, -1) if clause[n].roles.keys() & {"up", "down"}), None)
        if at is not None and than - at <= _WITHIN:
            return None if _is_bound(clause, than) else (at, than)
        if token.text == "than":
            return None
    return None


_WITHIN = 6  # words from the comparing one to its `than`


def _is_bound(clause: Sequence[Token], than: int) -> bool:
    """`more than twice`, `less than 10 s`: no comparison of two runs."""
    following = clause[than + 1] if than + 1 < len(clause) else None
    is_amount = clause[than - 1].text in ("more", "less", "fewer", "higher", "lower", "greater")
    if following is None or not (is_amount or clause[than - 1].roles.keys() & {"at_least", "at_most"}):
        return False
    return "factor" in following.roles or (following.number is not None and following.number.unit != "")


def _compared(clause: Sequence[Token], at: int, than: int) -> tuple[str, int]:
    """The metric and which way: `a higher accuracy than`, `the accuracy … is higher than`, `faster than`."""
    up = "up" in clause[at].roles
    about = str(clause[at].roles["up" if up else "down"])
    sign = 1 if up else -1
    if about in _IMPLIED:
        return about, sign
    between = [one.term for one in clause[at + 1 : than] if one.term]
    before = [one.term for one in clause[:at] if one.term in METRICS]
    name = between[0] if between else before[-1] if len(set(before)) == 1 else ""
    if name not in METRICS:
        return "", 0
    return name, (-sign if about in ("better", "worse") and name in _LOW else sign)


def effects_of(clause: Sequence[Token], bound: Mapping[int, str], how: str) -> Iterator[Effect]:
    """One setting and one metric; a clause with more of either is left alone."""
    cause = _cause(clause, bound)
    if cause is None:
        return
    at, place, sign = cause
    moved = _effect(clause, at, place)
    if moved is None:
        return
    name, direction = moved
    yield Effect(
        setting=clause[place].term,
        name=name,
        sign=sign * direction,
        linear=any("linear" in token.roles for token in clause),
        start=clause[place].start,
        end=clause[place].end,
        modality=how,
        denied=mood.is_denied(clause) and direction != 0,
    )


def _cause(clause: Sequence[Token], bound: Mapping[int, str]) -> tuple[int, int, int] | None:
    """(the word that moves it, the setting, which way): `fewer tasks`, `with the batch size`, `doubling the batch`."""
    named = [at for at, token in enumerate(clause) if token.term in SETTINGS]
    if len({clause[at].term for at in named}) != 1 or any(clause[at].number is not None for at in bound):
        return None
    for place in named:
        for at in range(place - 1, max(-1, place - 5), -1):
            roles, text = clause[at].roles, clause[at].text
            if "up" in roles or text in _WITH or text in ("doubling", "large", "larger"):
                return at, place, 1
            if "factor" in roles:
                return at, place, 1 if float(str(roles["factor"])) > 1 else -1
            if "down" in roles or text in ("small", "smaller"):
                return at, place, -1
            if text in ("changing", "varying", "change", "changes", "changed"):
                return at, place, 1
    return None


def _effect(clause: Sequence[Token], cause: int, place: int) -> tuple[str, int] | None:
    metrics = [
        token.term for token in clause if token.term in METRICS and token.term not in ("samples", "steps", "tokens")
    ]
    name = metrics[0] if len(set(metrics)) == 1 else ""
    if any("same" in token.roles for token in clause):
        return (name, 0) if name else None
    moving = [at for at in (*range(place + 1, len(clause)), *range(cause)) if clause[at].roles.keys() & {"up", "down"}]
    for at in moving:
        up = "up" in clause[at].roles
        about = str(clause[at].roles["up" if up else "down"])
        sign = 1 if up else -1
        if about in _IMPLIED:
            return about, sign
        if name:
            return name, (-sign if about in ("better", "worse") and name in _LOW else sign)
    scales = any("linear" in token.roles for token in clause)
    return (name or "rate", 1) if scales and (name or any(token.text.startswith("scal") for token in clause)) else None
