"""Differences with their size: `23 % faster`, `drops by 1.5 points`, `2.4 times that of 8 tasks`, `twice as fast`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from assay.language import modality as mood
from assay.language.kinds import METRICS, SETTINGS
from assay.language.lex import Token
from assay.language.numbers import BYTES, NONE, PERCENT, POINTS, SECONDS, TIMES
from assay.language.said import Change
from assay.language.sides import sides
from assay.language.values import has_before
from assay.language.vocabulary import MOVES, words

_AS_LEVEL = {"accuracy", "cpu", "utilisation", "mfu", "error_rate", "f1", "cpu_eff", "mem_eff"}
_MOVED, _OF, _BY, _TIMES_WORDS, _WORK, _BREAKS = map(words, ("MOVED", "OF", "BY", "TIMES_WORDS", "WORK", "BREAKS"))
_LEVEL = words("LEVEL") | {"=", ":", ">", "→"}


def changes_of(clause: Sequence[Token], bound: dict[int, str], how: str, inherited: str = "") -> Iterator[Change]:
    for at, token in enumerate(clause):
        number = token.number
        kind = _kind(clause, at)
        if kind == "" or (number is not None and number.upper is not None) or _is_in_a_range(clause, at):
            continue
        direction, implied = _direction(clause, at)
        name = _named(clause, at, kind, implied) or inherited
        if kind == "difference" and implied == "speed":
            direction = -direction  # 12 s faster is 12 s less
        if any(one.text in ("interval", "intervals", "sampling", "frequency") for one in clause):
            continue
        if name == "" or name in SETTINGS or name == "?" or (kind == "percent" and _is_share(clause, at)):
            continue
        if kind == "percent" and (direction == 0 or (name in _AS_LEVEL and _is_level(clause, at))):
            continue
        if kind == "points" and name not in _AS_LEVEL and name:
            continue
        of, than = sides(clause, at, bound)
        value = abs(number.value) if number is not None else float(str(token.roles["factor"]))
        slack = number.slack if number is not None else 0.0
        about = has_before(clause, at, "about") or number is None or number.in_words
        yield Change(
            name=name,
            kind=kind,
            value=value,
            slack=max(
                1.2 * slack,
                (0.1 if number is not None and not number.in_words else 0.2) * value
                if about
                else (_FACTOR_ROUNDED if kind == "factor" else 0.02) * value,
            )
            + 1e-9,
            direction=direction,
            start=token.start,
            end=token.end,
            modality=how,
            bound=1 if has_before(clause, at, "at_least") else -1 if has_before(clause, at, "at_most") else 0,
            of=of,
            than=than,
            scope=next((str(one.roles["scope"]) for one in clause if one.roles.get("scope") in _PARTS), ""),
            about=about,
            denied=mood.is_denied(clause, at),
        )


def _is_in_a_range(clause: Sequence[Token], at: int) -> bool:
    """`5.8 to 7.5 ms above`, `2 bis 3 % schneller`: somewhere between, and no single difference."""
    for low in (at - 2, at):
        part = clause[low : low + 3] if low >= 0 else ()
        if len(part) == 3 and part[0].number and part[1].text in _UP_TO and part[2].number:
            return low == 0 or "from" not in clause[low - 1].roles
    return False


_UP_TO = frozenset({"to", "bis", "a", "à"})
_FACTOR_ROUNDED = 0.065  # 1.5 times may be 1.59
_PARTS = ("epoch", "step", "sample", "token")
_SHARES = ("efficiency", "utilization", "utilisation", "confidence", "interval", "ci")


def _is_share(clause: Sequence[Token], at: int) -> bool:
    """`83 % of perfect scaling`, `99 % efficiency`: a share, not a difference."""
    following = [token.text for token in clause[at + 1 : at + 3]]
    first = following[0] if following else ""
    if any(token.text.startswith(("sav", "gain")) for token in clause[max(0, at - 10) : at]):
        return False  # `saves 46 % of the time`, `saves 109 s, about 74 % of the time`
    moves = any(token.text in MOVES.get(first, ()) for token in clause[at + 2 :])
    return (first in _OF and not moves) or any(word in _SHARES for word in following)


def _named(clause: Sequence[Token], at: int, kind: str, implied: str) -> str:
    """Of which metric; seconds and points tell it where no word does."""
    near = _metric_near(clause, at)
    if kind == "difference":
        number = clause[at].number
        fitting = _IN_BYTES if number is not None and number.unit == BYTES else _IN_SECONDS
        return near if near in fitting else "?" if near == "?" else fitting[0]
    return implied or near or ("accuracy" if kind == "points" else "")


_IN_SECONDS, _IN_BYTES = ("time", "step_ms", "latency", "ttft_mean_ms", "tpot_mean_ms", "e2e_mean_ms"), ("memory",)


def _is_difference(clause: Sequence[Token], at: int) -> bool:
    """`12 s longer than`, `saved me 12 s`, `by 12 s`; not `took longer than 12 s` or `fell to 12 s`."""
    after = clause[at + 1] if at + 1 < len(clause) else None
    if after is not None and after.roles.keys() & {"up", "down"} and not after.term:
        return True
    before = [
        token for token in clause[max(0, at - 3) : at] if "about" not in token.roles and token.text not in ("me", "us")
    ]
    return bool(before) and (before[-1].text in ("by", "um", "less", "more") or before[-1].text.startswith("sav"))


def _kind(clause: Sequence[Token], at: int) -> str:
    token = clause[at]
    number = token.number
    if number is None:
        return (
            "factor"
            if "factor" in token.roles and not _is_how_often(clause, at) and not _of_a_setting(clause, at)
            else ""
        )
    if number.unit in (PERCENT, POINTS):
        return "percent" if number.unit == PERCENT else "points"
    if number.unit == TIMES:
        return "factor"
    if number.unit in (SECONDS, BYTES) and number.written != "clock" and not number.sign:
        return "difference" if _is_difference(clause, at) else ""
    if number.unit != NONE or token.rate:
        return ""
    following = [one.text for one in clause[at + 1 : at + 3]]
    if following[:1] and following[0] in _TIMES_WORDS and len(following) > 1 and _compares(clause[at + 2]):
        return "factor"
    before = [one.text for one in clause[max(0, at - 3) : at]]
    stated = ("factor" in before and "of" in before) or _is_speedup(clause, at) or _is_multiplied(clause, at)
    return "factor" if stated else ""


def _is_multiplied(clause: Sequence[Token], at: int) -> bool:
    """`multiplies the throughput by about 2.3`."""
    before = [token.text for token in clause[max(0, at - 10) : at] if "about" not in token.roles]
    return before[-1:] == ["by"] and any(text.startswith("multipl") for text in before)


def _is_speedup(clause: Sequence[Token], at: int) -> bool:
    """`the speedup is 2.6`, `a speedup of about 2.6`: the word for it, and nothing but glue between them."""
    for place in range(at - 1, max(-1, at - 5), -1):
        token = clause[place]
        if token.text in _SPEEDUPS or (token.text in ("up", "ups") and place and clause[place - 1].text == "speed"):
            return True
        if not token.roles.keys() & {"links", "about"} and token.text not in (":", "="):
            return False
    return False


_SPEEDUPS = words("SPEEDUPS")


def _is_how_often(clause: Sequence[Token], at: int) -> bool:
    """`I ran it twice`, `each was done twice because …`; of `twice as fast` and `twice the time` it is a factor."""
    if clause[at].text not in ("twice", "thrice", "zweimal", "dreimal"):
        return False
    following = clause[at + 1] if at + 1 < len(clause) else None
    return following is None or not (_compares(following) or following.term)


def _compares(token: Token) -> bool:
    return bool(token.roles.keys() & {"up", "down"}) or token.text in (
        "as",
        "the",
        "that",
        "of",
        "more",
        "less",
        "higher",
        "than",
        "time",
    )


def _of_a_setting(clause: Sequence[Token], at: int) -> bool:
    """`doubled the batch size`, `half of the work`, `twice the number of steps`: of no figure that is measured."""
    following = list(takewhile(lambda token: token.text not in _ENDS, clause[at + 1 : at + 5]))
    term = next((token.term for token in following if token.term), "")
    return term in SETTINGS or term in ("samples", "tokens") or any(token.text in _WORK for token in following)


_ENDS = words("ENDS") | {","}


def _direction(clause: Sequence[Token], at: int) -> tuple[int, str]:
    """Which way, and the metric where the word tells it: `23 % faster`, `drops by 23 %`, `(-23 %)`."""
    number = clause[at].number
    if number is not None and number.sign:
        return number.sign, ""
    for place in (*range(at + 1, min(at + 5, len(clause))), *range(at - 1, max(-1, at - 11), -1)):
        token = clause[place]
        if _names_a_run(clause, place):
            continue
        if place > at and (token.text in (",", ";") or token.text in _BREAKS or token.number is not None):
            continue
        for role, sign in (("up", 1), ("down", -1)):
            if role in token.roles:
                return _moved(str(token.roles[role]), sign)
    return 0, ""


def _names_a_run(clause: Sequence[Token], place: int) -> bool:
    """`the shorter training: 85.8 %`: which run is meant, and not which way something went."""
    following = clause[place + 1] if place + 1 < len(clause) else None
    if following is None or not place or clause[place - 1].text != "the":
        return False
    return following.term in SETTINGS or following.text in ("training", "run", "one", "sequence", "sequences")


def _moved(about: str, sign: int) -> tuple[int, str]:
    """`faster` means speed and `longer` means time; `better` needs a metric beside it."""
    return sign, {"speed": "speed", "time": "time", "accuracy": "accuracy"}.get(about, "")


#: what follows one of these is no longer what the difference is of: `by 16 % from batch 8 to batch 16`
_NO_LONGER = words("ASIDE") | words("BREAKS") | MOVES.keys() | set(",;(")


def _metric_near(clause: Sequence[Token], at: int) -> str:
    """The metric of a difference: right after it, else the nearest before it; `?` if something else is there."""
    for place in range(at + 1, min(at + 6, len(clause))):
        token = clause[place]
        if token.text in _NO_LONGER or token.number is not None:
            break
        if token.term in SETTINGS and _has_value(clause, place, at):
            break  # the run that is so much faster
        if token.term in _MEASURED or token.term in SETTINGS:
            return token.term
        if token.term in _COUNTS:
            return "?"  # `four times the samples`
    if _is_of_something(clause, at):
        return "?"
    for place in range(at - 1, -1, -1):
        token = clause[place]
        if token.term in _MEASURED:
            return token.term
        if token.rate:
            return f"{token.rate}_per_s"
        if token.term in SETTINGS and not _has_value(clause, place, at) and not _came_of_it(clause, place, at):
            return "?"
        if token.term in _COUNTS and not _came_of_it(clause, place, at):
            return "?"  # `the number of samples is two times larger`
    return next((f"{token.rate}_per_s" for token in clause[at + 1 :] if token.rate), "")


_COUNTS = {"samples", "steps", "tokens"}
_MEASURED = METRICS - _COUNTS
_AFTER_MORE = frozenset({
    "than", "with", "when", "if", "for", "at", "in", "on", "using", "compared", "and", "but", "the", "while", "time",
    "per", ".", ",", ";", ")", "or", "as",
})  # fmt: skip


def _came_of_it(clause: Sequence[Token], place: int, at: int) -> bool:
    """`reducing the learning rate resulted in 0.7 %`: of what came of it, and not of the setting."""
    return any("caused" in token.roles for token in clause[place + 1 : at])


def _is_of_something(clause: Sequence[Token], at: int) -> bool:
    """`5 % more after the second checkpoint`: of what, is not said in words that are known here."""
    following = [token.text for token in clause[at + 1 : at + 3]]
    return len(following) == 2 and following[0] in ("more", "less", "fewer") and following[1] not in _AFTER_MORE


def _has_value(clause: Sequence[Token], place: int, at: int) -> bool:
    """`with batch size 512`: it is given a value; in `the batch is four times larger` it is changed."""
    near = [token for token in clause[max(0, place - 2) : place + 4] if token is not clause[at]]
    return any(token.number is not None and token.number.unit == NONE for token in near)


def _is_level(clause: Sequence[Token], at: int) -> bool:
    """`increased to 98.4 %`, `an accuracy of 98.4 %`: where it came to, not by how much it moved."""
    before = [token.text for token in clause[max(0, at - 4) : at] if not token.roles.keys() & {"about"}]
    last = before[-1] if before else ""
    if (
        at
        and clause[at - 1].roles.keys() & {"up", "down"}
        and not clause[at - 1].roles.keys() & {"at_least", "at_most"}
    ):
        return False  # of `above 92 %` it is a level
    if last in _BY or (last in _OF and len(before) > 1 and before[-2] in _MOVED):
        return False
    after = clause[at + 1] if at + 1 < len(clause) else None
    if after is not None and (after.roles.keys() & {"up", "down"}) and not after.term:
        return False
    number = clause[at].number
    return not (number is not None and number.sign != 0) and (
        last in _LEVEL or (number is not None and number.value > 30)
    )
