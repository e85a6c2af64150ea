"""Which term a number belongs to: the one it is written with, as far as its unit allows.

after 10 epochs the test accuracy is 97.1 %        10 is of the epochs, 97.1 % of the accuracy
batch sizes of 8, 16 and 32                        three values of one setting
3 batch sizes                                      a count: no value of any
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from assay.language.kinds import COUNTED, METRICS, REAL, SETTINGS, TIMED, WHOLE, fits
from assay.language.lex import Token
from assay.language.numbers import BYTES, NONE, PERCENT, SECONDS
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
_MOMENTS = frozenset({"epoch", "epoche", "época", "époque"})


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
    _lists(clause, found)
    for at, token in enumerate(clause):
        if token.number is None or at in found:
            continue
        if token.rate:
            found[at] = f"{token.rate}_per_s"
            continue
        beside = _in_one_list(clause, at, found)
        if beside is not None:
            found[at] = found[beside]
            continue
        term = _before(clause, at, found, used)
        if term is not None:
            found[at] = clause[term].term
            used.add(term)
    _lists(clause, found)
    _left_over(clause, found)
    return found


def _left_over(clause: Sequence[Token], found: dict[int, str]) -> None:
    """Numbers without a term of their own: of the metric in brackets behind them, or a length."""
    behind = _behind(clause)
    for at, token in enumerate(clause):
        if at in found or token.number is None:
            continue
        if behind and fits(behind, token.number):
            found[at] = behind
        elif (metric := _like_another(clause, at, found)) and fits(metric, token.number):
            found[at] = metric
        elif _lasted(clause, at):
            found[at] = named.pop() if len(named := _timed(clause)) == 1 else "time"
        elif _was_used(clause, at):
            found[at] = "memory"
        elif _was_reached(clause, at):
            found[at] = "accuracy"


def _was_used(clause: Sequence[Token], at: int) -> bool:
    """`the peak rises from 11 GiB to 20 GiB`, `less than 10 GB of the memory were used`: not what a card has."""
    number = clause[at].number
    if number is None or number.unit != BYTES or number.sign:
        return False
    begin = next((n + 1 for n in range(at - 1, -1, -1) if clause[n].text == ","), 0)
    end = next((n for n in range(at + 1, len(clause)) if clause[n].text == ","), len(clause))
    used = any(token.text in _USED or token.roles.get("average") == "max" for token in clause[begin:end])
    owned = any(token.text in _OWNS for token in clause[begin:at])
    return used and not owned and not any(token.text in _OWNERS for token in clause[at + 1 : at + 3])


def _was_reached(clause: Sequence[Token], at: int) -> bool:
    """`the worst one still reaches 84.2 %`: of a network, where nothing else is said to be reached."""
    number = clause[at].number
    if number is None or number.unit != PERCENT or number.sign or number.value > 100:
        return False
    if any(token.term in METRICS - _AMOUNTS or "not" in token.roles for token in clause) or (
        at + 1 < len(clause) and not _may_end(clause[at + 1])
    ):
        return False
    before = [
        token for token in clause[max(0, at - 5) : at] if not token.roles.keys() & {"about", "at_least", "at_most"}
    ]
    return bool(before) and any(token.text in _REACHES for token in before[-2:])


def _may_end(token: Token) -> bool:
    """What may follow a figure that is said without its name: no noun, and no `of`."""
    return token.is_mark or token.text in _JOINS or "split" in token.roles or token.text in _AFTER_FIGURE


_USED, _OWNS, _OWNERS, _REACHES, _AFTER_FIGURE = map(words, ("USED", "OWNS", "OWNERS", "REACHES", "AFTER_FIGURE"))
_AMOUNTS = frozenset({"samples", "steps", "tokens", "time"})


def _like_another(clause: Sequence[Token], at: int, found: dict[int, str]) -> str:
    """Of `a loss of 0.31 with 2 tasks and 0.37 with 8 tasks`, the second is of the loss too."""
    number = clause[at].number
    if number is None or not _is_of_a_run(clause, at, found):
        return ""
    alike = [n for n in found if found[n] in METRICS and _is_of_a_run(clause, n, found) and _alike(clause, n, at)]
    names = {found[n] for n in alike} - {"samples", "steps", "tokens"}
    return names.pop() if len(names) == 1 else ""


def _is_of_a_run(clause: Sequence[Token], at: int, found: dict[int, str]) -> bool:
    """A setting with its value follows right after `for` or `with`."""
    following = clause[at + 1] if at + 1 < len(clause) else None
    if following is None or following.text not in _FOR:
        return False
    return any(found.get(n) in SETTINGS for n in range(at + 2, min(at + 8, len(clause))))


def _timed(clause: Sequence[Token]) -> set[str]:
    """Lengths of time that the clause names: of `the TTFT is 44 ms, in the second run 45 ms` both are of the TTFT."""
    return {token.term for token in clause if token.term in TIMED}


def _behind(clause: Sequence[Token]) -> str:
    """`batch 8: 12.1, batch 4: 13.2 (final loss)`: the metric that stands in brackets at the end, for all of them."""
    opened = next((at for at in range(len(clause) - 1, -1, -1) if clause[at].text == "("), None)
    if opened is None or any(token.number is not None for token in clause[opened:]):
        return ""
    terms = {token.term for token in clause[opened:] if token.term in METRICS} - {"samples", "tokens", "steps"}
    return terms.pop() if len(terms) == 1 else ""


def _lasted(clause: Sequence[Token], at: int) -> bool:
    """`1,024,000 samples in 211.2 s`: a length without a term; not one that is a pace or a wait."""
    number = clause[at].number
    if number is None or number.unit != SECONDS or number.written == "clock" or number.sign:
        return False
    return not any(token.text in _PACES for token in clause[max(0, at - 4) : at + 3])


_PACES = words("PACES")


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
    """`at epoch 5`, `epoch 6 of 10`, `epoch 3 took`: a place on the way, not its length."""
    if not at or clause[at - 1].text not in _MOMENTS:
        return False
    if at > 1 and "part" in clause[at - 2].roles:
        return True
    following = clause[at + 1] if at + 1 < len(clause) else None
    return following is not None and (following.text in ("of", "/", "shows", "onwards") or following.term == "time")


_THINGS, _ONE_OF_MANY, _FOR = words("THINGS"), words("ONE_OF_MANY"), words("FOR")
_REPEATED = frozenset({"runs", "run", "times", "repeats", "repetitions", "trials", "tries", "settings", "läufe"})


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
    """`2 seconds more than before`: by how much, and not how much."""
    number = clause[at].number
    if number is None or number.unit not in (SECONDS, BYTES) or at + 1 >= len(clause):
        return False
    following = clause[at + 1]
    if at and clause[at - 1].text in ("less", "more") and following.text == "than":
        return True
    return following.text in _SOONER or (bool(following.roles.keys() & {"up", "down"}) and not following.term)


_SOONER = frozenset({"earlier", "later", "sooner", "früher", "später", "antes", "después"})


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


_JOINS = words("JOINS") | {",", "/", "&", "、"}


_ARROWS = frozenset("→-=")


def _lists(clause: Sequence[Token], found: dict[int, str]) -> None:
    """`8, 16 and 32`: what stands in one list with a number that has a term has the same one."""
    numbers = [at for at, token in enumerate(clause) if token.number is not None]
    for a, b in (*pairwise(numbers), *zip(numbers[:0:-1], numbers[-2::-1], strict=False)):
        if a not in found or not _joined(clause, a, b):
            continue
        inherits = b not in found and (clause[a].rate or (fits(found[a], clause[b].number) and not clause[b].rate))
        if inherits or (found.get(b) == "rate" and clause[a].rate):
            found[b] = found[a]


def _in_one_list(clause: Sequence[Token], at: int, found: dict[int, str]) -> int | None:
    """The number before it, where both belong together: `from 0.003 to 0.001`."""
    before = next((n for n in range(at - 1, max(-1, at - 5), -1) if clause[n].number is not None), None)
    if before is None or before not in found or not _joined(clause, before, at):
        return None
    return before if fits(found[before], clause[at].number) else None


def _joined(clause: Sequence[Token], a: int, b: int) -> bool:
    first, second = sorted((a, b))
    between = clause[first + 1 : second]
    return bool(between) and all(_joins(token) for token in between) and _alike(clause, a, b)


def _joins(token: Token) -> bool:
    return token.text in _JOINS or token.text in _ARROWS or bool(token.roles.keys() & {"about", "compared"})


def _alike(clause: Sequence[Token], a: int, b: int) -> bool:
    one, other = clause[a].number, clause[b].number
    rates = {clause[a].rate, clause[b].rate} - {""}
    return one is not None and other is not None and one.unit == other.unit and len(rates) < 2
