"""Numbers without a term beside them: the metric follows in brackets, or they are a duration or used memory."""

from __future__ import annotations

from collections.abc import Sequence

from assay.language.kinds import METRICS, SETTINGS, TIMED, fits
from assay.language.lex import Token
from assay.language.lists import JOINS, alike
from assay.language.numbers import BYTES, PERCENT, SECONDS
from assay.language.vocabulary import words

_FOR = words("FOR")


def name_the_rest(clause: Sequence[Token], found: dict[int, str]) -> None:
    """Numbers without a term beside them: the metric follows in brackets, or they are a duration."""
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
    if any(token.text in _REACHES for token in before[-2:]):
        return True
    tested = any(token.roles.get("split") in ("val", "test") for token in clause)
    pair = [token for token in clause if token.number is not None and token.number.unit == PERCENT]
    return tested and len(pair) == 2 and any("compared" in token.roles for token in clause)  # `66 % against 54 %`


def _may_end(token: Token) -> bool:
    """What may follow a figure that is said without its name: no noun, and no `of`."""
    return token.is_mark or token.text in JOINS or "split" in token.roles or token.text in _AFTER_FIGURE


_USED, _OWNS, _OWNERS, _REACHES, _AFTER_FIGURE = map(words, ("USED", "OWNS", "OWNERS", "REACHES", "AFTER_FIGURE"))
_AMOUNTS = frozenset({"samples", "steps", "tokens", "time"})


def _like_another(clause: Sequence[Token], at: int, found: dict[int, str]) -> str:
    """In `a loss of 0.31 with 2 tasks and 0.37 with 8 tasks`, the second is a loss too."""
    number = clause[at].number
    if number is None or not _is_of_a_run(clause, at, found):
        return ""
    others = [n for n in found if found[n] in METRICS and _is_of_a_run(clause, n, found) and alike(clause, n, at)]
    names = {found[n] for n in others} - {"samples", "steps", "tokens"}
    return names.pop() if len(names) == 1 else ""


def _is_of_a_run(clause: Sequence[Token], at: int, found: dict[int, str]) -> bool:
    """A setting with its value follows right after `for` or `with`."""
    following = clause[at + 1] if at + 1 < len(clause) else None
    if following is None or following.text not in _FOR:
        return False
    return any(found.get(n) in SETTINGS for n in range(at + 2, min(at + 8, len(clause))))


def _timed(clause: Sequence[Token]) -> set[str]:
    """Durations in the clause: in `the TTFT is 44 ms, in the second run 45 ms` both belong to the TTFT."""
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
