"""Claims without a size: which is the best, which is better than another, what a setting does to a metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from assay.language import modality as mood
from assay.language.kinds import METRICS, SETTINGS, fits
from assay.language.lex import Token
from assay.language.said import Comparison, Effect, Ranking, Subject
from assay.language.sides import opening, relatives, subjects
from assay.language.vocabulary import words

_NO_NOUN, _WITH = words("NO_NOUN"), words("WITH")
_COUNTS = frozenset({"samples", "steps", "tokens"})
_IMPLIED = ("speed", "time", "accuracy", "memory", "latency")
#: metrics of which less is better
_LOW = frozenset({"loss", "val_loss", "test_loss", "time", "latency", "memory", "error_rate", "perplexity", "energy"})


def rankings_of(clause: Sequence[Token], bound: Mapping[int, str], how: str) -> Iterator[Ranking]:
    for at, token in enumerate(clause):
        kind = str(token.roles.get("best", _OF_TWO[token.text] if _is_the_better(clause, at) else ""))
        if not kind or token.number is not None or _is_than(clause, at):
            continue
        following = next((one.term for one in takewhile(_is_noun, clause[at + 1 : at + 5]) if one.term), "")
        if following in SETTINGS and kind not in ("better", "worse"):
            continue  # the largest batch size
        name, sign, better = _extreme(kind, following, clause)
        if name == "" and better == 0:
            continue
        of = _named_by(clause, bound, following) if following in SETTINGS else ()
        yield Ranking(
            name=name,
            sign=sign,
            better=better,
            of=of or subjects(clause, bound, 0, len(clause)),
            start=token.start,
            end=token.end,
            modality=how,
            denied=mood.is_denied(clause),
        )


#: the better of two, by what it says
_OF_TWO = {"better": "better", "lower": "-", "higher": "+", "worse": "worse"}


def _is_the_better(clause: Sequence[Token], at: int) -> bool:
    """`batch 8 has the better speed`: of two, the best; not `the better of the two batches is …`."""
    if clause[at].text not in _OF_TWO or not at or clause[at - 1].text != "the":
        return False
    return any(token.term in METRICS or token.term in SETTINGS for token in clause[at + 1 : at + 3]) and not any(
        "than" in token.roles for token in clause
    )


def _named_by(clause: Sequence[Token], bound: Mapping[int, str], setting: str) -> tuple[Subject, ...]:
    """`0.1 is the better learning rate`: the numbers of the clause that are values of this setting."""
    numbers = [
        token.number
        for at, token in enumerate(clause)
        if token.number is not None and bound.get(at, setting) == setting and fits(setting, token.number)
    ]
    return tuple(Subject(name=setting, readings=number.readings) for number in numbers)


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


def _converges(clause: Sequence[Token]) -> bool:
    """`the accuracy converges slower`: of how it learns, and not of how fast it runs."""
    return any(token.text.startswith(("converg", "konverg")) for token in clause)


def comparisons_of(clause: Sequence[Token], bound: Mapping[int, str], how: str) -> Iterator[Comparison]:
    found = _as_much(clause, bound) or _set_against(clause, bound) or _opened(clause, bound)
    if found is None or _converges(clause):
        return
    name, sign, of, against, at = found
    yield Comparison(
        name=name,
        sign=sign,
        of=of,
        than=against,
        start=clause[at].start,
        end=clause[at].end,
        modality=how,
        denied=mood.is_denied(clause) and sign != 0,
    )


_Found = tuple[str, int, tuple[Subject, ...], tuple[Subject, ...], int]


def _set_against(clause: Sequence[Token], bound: Mapping[int, str]) -> _Found | None:
    """`A is faster than B`, `the accuracy is better with A than with B`, `A improves the accuracy over B`."""
    than = _than(clause)
    over = than is None
    if than is None:
        than = next((at for at, token in enumerate(clause) if token.text == "over"), None)
    if than is None:
        return None
    at = next((n for n in range(than - 1, -1, -1) if clause[n].roles.keys() & {"up", "down"}), None)
    while at is not None and clause[at - 1].text == "the" and at and _next_term(clause, at) in SETTINGS:
        at = next((n for n in range(at - 1, -1, -1) if clause[n].roles.keys() & {"up", "down"}), None)
    if at is None or _words_between(clause, bound, at, than) > _NEAR or _is_bound(clause, than):
        return None
    name, sign = _compared(clause, at, than)
    of, against = subjects(clause, bound, 0, than), subjects(clause, bound, than, len(clause))
    if over and not (of and against and all(one.name for one in (*of, *against))):
        return None
    return (name, sign, of, against, at) if name and sign else None


_NEAR = 6


def _than(clause: Sequence[Token]) -> int | None:
    """The first that a comparing word stands before."""
    moved = [at for at, token in enumerate(clause) if token.roles.keys() & {"up", "down"}]
    return next(
        (at for at, token in enumerate(clause) if "than_only" in token.roles and any(n < at for n in moved)), None
    )


def _next_term(clause: Sequence[Token], at: int) -> str:
    return clause[at + 1].term if at + 1 < len(clause) else ""


def _words_between(clause: Sequence[Token], bound: Mapping[int, str], at: int, than: int) -> int:
    """How far the two are apart; `better with batch size 8 than`: the run between does not count."""
    named = [n for n in range(at + 1, than) if bound.get(n) in SETTINGS]
    return than - at if not named else min(than - at, named[0] - at + than - named[-1])


def _opened(clause: Sequence[Token], bound: Mapping[int, str]) -> _Found | None:
    """`Compared to B, A is faster`."""
    comma = opening(clause)
    if comma is None:
        return None
    places = [n for n in range(comma, len(clause)) if clause[n].roles.keys() & {"up", "down"}]
    places = [n for n in places if not (clause[n - 1].text == "the" and _next_term(clause, n) in SETTINGS)]
    if len(places) != 1:
        return None
    name, sign = _compared(clause, places[0], len(clause))
    of, against = subjects(clause, bound, comma, len(clause)), subjects(clause, bound, 0, comma)
    return (name, sign, of, against, places[0]) if name and sign else None


def _as_much(clause: Sequence[Token], bound: Mapping[int, str]) -> _Found | None:
    """`There is no difference in throughput between A and B`."""
    at = next((n for n, token in enumerate(clause) if "same" in token.roles), None)
    between = next((n for n, token in enumerate(clause) if token.text == "between"), None)
    if at is None or between is None or any("noise" in token.roles for token in clause):
        return None
    both = subjects(clause, bound, between, len(clause))
    named = {token.term for token in clause if token.term in METRICS} - _COUNTS
    if len(both) != 2 or len(named) != 1:
        return None
    return next(iter(named)), 0, both[:1], both[1:], at


def _is_bound(clause: Sequence[Token], than: int) -> bool:
    """`more than twice`, `less than 10 s`: no comparison of two runs."""
    following = clause[than + 1] if than + 1 < len(clause) else None
    is_amount = clause[than - 1].text in ("more", "less", "fewer", "higher", "lower", "greater")
    if following is None or not (is_amount or clause[than - 1].roles.keys() & {"at_least", "at_most"}):
        return False
    return "factor" in following.roles or (following.number is not None and following.number.unit != "")


def _compared(clause: Sequence[Token], at: int, than: int) -> tuple[str, int]:
    """The metric and which way: `a higher accuracy than`, `the accuracy … is higher than`, `faster than`."""
    if at and _about(clause[at - 1]) in _IMPLIED:
        at -= 1  # `generalises better`
    about, sign = _about(clause[at]), 1 if "up" in clause[at].roles else -1
    if about in _IMPLIED:
        return about, sign
    terms = [one.term for one in clause[at + 1 : than] if one.term]
    between = [one for one in terms if one in METRICS] or (terms if _next_term(clause, at) else [])
    before = [one.term for one in clause[:at] if one.term in METRICS]
    name = between[0] if between else before[-1] if len(set(before)) == 1 else ""
    if name not in METRICS:
        return "", 0
    return name, (-sign if about in ("better", "worse") and name in _LOW else sign)


def _about(token: Token) -> str:
    """The metric that a comparing word implies: `faster` implies speed."""
    return str(token.roles.get("up", token.roles.get("down", "")))


def effects_of(clause: Sequence[Token], bound: Mapping[int, str], how: str) -> Iterator[Effect]:
    """One setting and one metric; a clause with more of either is left alone."""
    cause = _cause(clause, bound)
    if cause is None or _converges(clause) or len(relatives(clause, bound)) > 1:
        return  # `the larger batch` and `the smaller batch` are two runs
    at, place, sign = cause
    setting = next(token for token in clause if token.term in SETTINGS)
    moved = _effect(clause, at, place)
    if moved is None:
        return
    name, direction = moved
    yield Effect(
        setting=setting.term,
        name=name,
        sign=sign * direction,
        linear=_is_linear(clause),
        start=setting.start,
        end=setting.end,
        modality=mood.DONE if how == mood.ADMITTED and direction == 0 else how,
        denied=mood.is_denied(clause) and direction != 0,
    )


def _is_linear(clause: Sequence[Token]) -> bool:
    """`less than linearly`, `far from linear`, `almost linear`: not that."""
    at = next((n for n, token in enumerate(clause) if "linear" in token.roles), None)
    if at is None:
        return False
    return not any(
        token.number is not None
        or token.roles.keys() & {"at_most", "about", "not", "down"}
        or token.text in ("of", "far", "from", "sub", "super", "more", "to")
        for token in clause[max(0, at - 4) : at]
    )


def _cause(clause: Sequence[Token], bound: Mapping[int, str]) -> tuple[int, int, int] | None:
    """(the word that moves it, the setting, which way): `fewer tasks`, `with the batch size`, `doubling the batch`."""
    named = [at for at, token in enumerate(clause) if token.term in SETTINGS]
    if len({clause[at].term for at in named}) != 1 or any(clause[at].number is not None for at in bound):
        return None
    if any("same" in token.roles for token in clause):
        return named[0], named[0], 1
    for place in named:
        for at in range(place - 1, max(-1, place - 5), -1):
            roles, text = clause[at].roles, clause[at].text
            if "linear" in roles or "up" in roles or text in _WITH or text in ("in", "doubling", "large", "larger"):
                return at, place, 1
            if "factor" in roles:
                return at, place, 1 if float(str(roles["factor"])) > 1 else -1
            if "down" in roles or text in ("small", "smaller"):
                return at, place, -1
            if text in ("when", "if", "as") and (moved := _moved_after(clause, place)):
                return place, moved[0], moved[1]
            if text in ("changing", "varying", "change", "changes", "changed"):
                return at, place, 1
    return None


def _moved_after(clause: Sequence[Token], place: int) -> tuple[int, int] | None:
    """`when the batch size is increased, …`: up to where, and which way."""
    for at in range(place + 1, min(place + 4, len(clause))):
        if clause[at].text == ",":
            return None
        if clause[at].roles.keys() & {"up", "down"}:
            return at, 1 if "up" in clause[at].roles else -1
    return None


def _effect(clause: Sequence[Token], cause: int, place: int) -> tuple[str, int] | None:
    metrics = [token.term for token in clause if token.term in METRICS and token.term not in _COUNTS]
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
