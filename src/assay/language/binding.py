"""Which term a number belongs to: the one it is written with, as far as its unit allows.

after 10 epochs the test accuracy is 97.1 %        10 belongs to the epochs, 97.1 % to the accuracy
batch sizes of 8, 16 and 32                        three values of one setting
3 batch sizes                                      a count: no value of any
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.language.kinds import COUNTED, METRICS, REAL, WHOLE, fits
from assay.language.lex import Token
from assay.language.lists import in_one_list, share_terms
from assay.language.numbers import BYTES, NONE, SECONDS
from assay.language.unnamed import name_the_rest
from assay.language.vocabulary import words

#: words that may stand between a number and what it counts
_BETWEEN = {"full", "complete", "parallel", "slurm", "mpi", "whole", "total", "-", "training"}
_GLUE_MARKS = frozenset("(=:~≈*|`\"'→>[-")
_UNKNOWN_WORDS = 5
_FARTHEST = 24
_DIRECT = frozenset("=:")
_SHARED = words("PER") | {"/", "je"}
#: what a number that is a place on the way belongs to: no quantity
MOMENT = "moment"
_MOMENTS = frozenset({"epoch"})


def bind(clause: Sequence[Token]) -> dict[int, str]:
    """By the place of a number, the term it belongs to."""
    found: dict[int, str] = {}
    used: set[int] = set()
    for at, token in enumerate(clause):
        if token.number is not None and not token.rate:
            if _is_moment(clause, at) or _is_difference(clause, at) or _is_pace(clause, at) or _is_count(clause, at):
                found[at] = MOMENT
                continue
            term = _directly(clause, at)
            term = _after(clause, at) if term is None else term
            if term is not None:
                found[at] = clause[term].term
                used.add(term)
    share_terms(clause, found)
    for at, token in enumerate(clause):
        if token.number is None or at in found:
            continue
        if token.rate:
            found[at] = f"{token.rate}_per_s"
            continue
        if _is_other_side(clause, at):
            continue
        beside = in_one_list(clause, at, found)
        if beside is not None:
            found[at] = found[beside]
            continue
        term = _before(clause, at, found, used)
        if term is not None:
            found[at] = clause[term].term
            used.add(term)
    share_terms(clause, found)
    name_the_rest(clause, found)
    return found


def _is_other_side(clause: Sequence[Token], at: int) -> bool:
    """`twice as fast in samples/s as 32`, `higher than with 16`: a run, and no value of what was compared."""
    number = clause[at].number
    if not at or number is None or number.unit != NONE:
        return False
    if at > 1 and clause[at - 1].text in _WITH and "than" in clause[at - 2].roles:
        return True
    if clause[at - 1].text != "as":
        return False
    return any(token.text == "as" and token.roles.keys() & {"up", "down"} for token in clause[: at - 1])


def _directly(clause: Sequence[Token], at: int) -> int | None:
    """`batch size 512`, `lr=0.1`, `epochs: 10`."""
    place = at - 1
    while place >= 0 and (clause[place].text in _DIRECT or "about" in clause[place].roles):
        place -= 1
    if place < 0 or not clause[place].term or not fits(clause[place].term, clause[at].number):
        return None
    if clause[place].term in COUNTED and place == at - 1 and place and clause[place - 1].number is not None:
        return None  # `10 epochs 97 %`
    return place


def _is_moment(clause: Sequence[Token], at: int) -> bool:
    """`at epoch 5`, `epoch 6 of 10`, `epoch 3 took`: a place on the way; `one epoch takes`: any of them; no length."""
    if _is_any(clause, at):
        return True
    if not at or clause[at - 1].text not in _MOMENTS:
        return False
    if at > 1 and "part" in clause[at - 2].roles:
        return True
    following = clause[at + 1] if at + 1 < len(clause) else None
    return following is not None and (following.text in ("of", "/", "shows", "onwards") or following.term == "time")


def _is_any(clause: Sequence[Token], at: int) -> bool:
    """`One epoch takes 3 s`; not `trained for one epoch`."""
    number = clause[at].number
    if number is None or number.value != 1 or at + 2 >= len(clause) or clause[at + 1].text not in _MOMENTS:
        return False
    return clause[at + 2].term == "time" and not (at and clause[at - 1].text in _FOR)


_FOR = words("FOR")
_THINGS, _ONE_OF_MANY = words("THINGS"), words("ONE_OF_MANY")
_REPEATED = frozenset({"runs", "run", "times", "repeats", "repetitions", "trials", "tries", "settings"})


def _is_count(clause: Sequence[Token], at: int) -> bool:
    """`3 runs`, `of 2 times`, `64 cores`: how often or how many, and no value of any term."""
    number = clause[at].number
    return (
        number is not None
        and number.unit == NONE
        and number.whole
        and at + 1 < len(clause)
        and (clause[at + 1].text in _REPEATED or clause[at + 1].text in _THINGS)
    )


def _is_pace(clause: Sequence[Token], at: int) -> bool:
    """`the sampling interval is 0.5 s`: how often, and not how long."""
    number = clause[at].number
    if number is None or number.unit != SECONDS:
        return False
    return any(token.text in ("interval", "intervals", "sampling") for token in clause[max(0, at - 4) : at])


def _is_difference(clause: Sequence[Token], at: int) -> bool:
    """`2 seconds more than before`, `the loss rose by 0.21`: by how much, and not how much."""
    number = clause[at].number
    if number is not None and number.unit == NONE and _moves_by(clause, at):
        return True
    if number is None or number.unit not in (SECONDS, BYTES) or at + 1 >= len(clause):
        return False
    following = clause[at + 1]
    if at and clause[at - 1].text in ("less", "more") and following.text == "than":
        return True
    return following.text in _SOONER or (bool(following.roles.keys() & {"up", "down"}) and not following.term)


def _moves_by(clause: Sequence[Token], at: int) -> bool:
    before = [token for token in clause[max(0, at - 6) : at] if "about" not in token.roles]
    if len(before) < 2 or before[-1].text not in _BY:
        return False
    return any(token.roles.keys() & {"up", "down"} or token.text.startswith(_DIFFER) for token in before)


_BY = words("BY") - {"un"}
_DIFFER = ("differ", "unterscheide", "difier")
_WITH = frozenset({"with", "at", "for", "using"})
_SOONER = frozenset({"earlier", "later", "sooner"})


def _after(clause: Sequence[Token], at: int) -> int | None:
    """`10 epochs`, `4 parallel tasks`, `96 % test accuracy`, `a 512 batch size`."""
    place = at + 1
    while place < len(clause) and place < at + 4 and _may_stand_between(clause[place]):
        place += 1
    if place >= len(clause) or not clause[place].term:
        return None
    term, number = clause[place].term, clause[at].number
    if not fits(term, number) or number is None:
        return None
    if term in COUNTED:
        return None if _has_its_own(clause, place) or _is_share(clause, place) else place
    if term in WHOLE or term in REAL:
        return place if not clause[place].text.endswith("s") and not number.in_words else None
    return place if number.unit != NONE else None


def _has_its_own(clause: Sequence[Token], place: int) -> bool:
    """`3 epochs: 10`, `2 tasks = 8`: the number behind the term is its value; not that of `16 tasks: 7 min 24 s`."""
    if [token.text for token in clause[place + 1 : place + 2]] not in (["="], [":"]) or place + 2 >= len(clause):
        return False
    value = clause[place + 2]
    return not value.rate and fits(clause[place].term, value.number)


def _may_stand_between(token: Token) -> bool:
    return token.text in _BETWEEN or ("split" in token.roles and not token.term)


def _is_share(clause: Sequence[Token], place: int) -> bool:
    """`64 samples / GPU`, `32 samples per device`: a rate or a share, not a count of the whole."""
    return place + 1 < len(clause) and clause[place + 1].text in _SHARED


def _before(clause: Sequence[Token], at: int, found: dict[int, str], used: set[int]) -> int | None:
    """The nearest term before it that it fits, past glue, past what belongs to other numbers, and a few words."""
    unknown = 0
    place = at - 1
    while place >= 0 and at - place <= _FARTHEST:
        token = clause[place]
        if token.number is not None:
            if place not in found and unknown + 2 > _UNKNOWN_WORDS:
                return None
            unknown += 0 if place in found else 2
        elif token.term:
            if place not in used and token.text not in _ONE_OF_MANY:
                if fits(token.term, clause[at].number) and (token.term in METRICS or not unknown):
                    return place
                unknown += 2
        elif token.text == ")":
            place = next((n for n in range(place, -1, -1) if clause[n].text == "("), 0)
            unknown += 1
        elif token.text == ",":
            unknown += 2
        elif token.is_mark:
            unknown += 0 if token.text in _GLUE_MARKS else 9
        elif not _is_glue(token) and not (place and clause[place - 1].text in _SHARED):  # `per GPU`
            unknown += 1
        if unknown > _UNKNOWN_WORDS:
            return None
        place -= 1
    return None


def _is_glue(token: Token) -> bool:
    return bool(
        token.roles.keys()
        & {"links", "about", "at_least", "at_most", "up", "down", "split", "average", "scope", "part"}
    )
