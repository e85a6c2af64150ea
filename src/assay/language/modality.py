"""How something is meant: done in a run on the page, or planned, supposed, a default, someone else's, an earlier try.

    The homework asks for batch size 32, but I used 8.      A batch size of 4096 did not fit.
    I set epochs = 20 in the script but it still ran 10.    Others in the class used 100 epochs.

Taking one of these as a claim of the author would accuse an honest person.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.language.kinds import METRICS
from assay.language.lex import Token
from assay.language.vocabulary import words

DONE, SUPPOSED, DEFAULT, OTHERS, ELSEWHERE, EARLIER, ASKED, ADMITTED = (
    "done", "supposed", "default", "others", "elsewhere", "earlier", "asked", "admitted",
)  # fmt: skip
_ASKED_WITHIN = 4  # words before the colon of `Task 2: …`
_VERB_WITHIN = 6
_NOT_WITHIN = 2
#: they deny a thing and no deed: `no`, `without`
_NO_VERB = frozenset({"no", "without", "nothing", "none", "nor", "neither", "hardly", "barely"})


def modality(clause: Sequence[Token], sentence: Sequence[Token]) -> str:
    """Of one clause; a question, a task and what the author saw to be without effect are meant so as a whole."""
    if sentence and sentence[-1].text in "?？":
        return ASKED
    if _is_task(sentence):
        return ASKED
    if any("admitted" in token.roles and not _is_pointed_at(sentence, at) for at, token in enumerate(sentence)):
        return ADMITTED
    if any("defaults" in token.roles for token in clause) and not _set_from(clause) and not _was_done(clause):
        return DEFAULT
    if _by_others(clause):
        return OTHERS
    for role, meant in (("elsewhere", ELSEWHERE), ("earlier", EARLIER)):
        if any(role in token.roles for token in clause):
            return meant
    return SUPPOSED if _is_supposed(clause) else DONE


def _is_pointed_at(sentence: Sequence[Token], at: int) -> bool:
    """`…, as the log shows`: where it can be seen, and not that it came otherwise."""
    return any(token.text == "as" for token in sentence[max(0, at - 2) : at])


def is_denied(clause: Sequence[Token], at: int | None = None) -> bool:
    """What stands at a place, or anything; a thing that is denied (`instead of none, …`) is its own part's alone."""
    for place, token in enumerate(clause):
        whole = at is None or (place < at and token.text not in _NO_VERB)  # `not, as I thought, twice as fast`
        if "not" in token.roles and (whole or _is_one_part(clause, place, at or 0)):
            return True
    return False


def _is_one_part(clause: Sequence[Token], one: int, other: int) -> bool:
    between = clause[min(one, other) : max(one, other)]
    return not any(token.text == "," or token.text in _BREAKS for token in between)


_BREAKS = words("BREAKS")


def has_failed(clause: Sequence[Token]) -> bool:
    """Whether the clause is about something that did not work; `error rate` is a metric."""
    return any("failed" in token.roles and not token.term for token in clause)


def _is_task(sentence: Sequence[Token]) -> bool:
    head = list(sentence[: _ASKED_WITHIN + 1])
    colon = next((at for at, token in enumerate(head) if token.text == ":"), 0)
    words = [token for token in head[:colon] if not token.is_mark]
    return bool(words) and "asked" in words[0].roles


def _set_from(clause: Sequence[Token]) -> bool:
    """`changed from the default of 10 to 20`: the default is only where it came from."""
    return any("from" in token.roles for token in clause) or any("instead" in token.roles for token in clause)


def _was_done(clause: Sequence[Token]) -> bool:
    """`I used the default batch size of 64`; not `by default it uses 64, which I changed`."""
    before = list(clause[: next(at for at, token in enumerate(clause) if "defaults" in token.roles)])
    return any("we" in token.roles for token in before) and any("did" in token.roles for token in before)


def _by_others(clause: Sequence[Token]) -> bool:
    for at, token in enumerate(clause):
        if "others" not in token.roles:
            continue
        if at and clause[at - 1].text in ("my", "our", "this") and "asked" in token.roles:
            continue  # my homework
        before = {one.text for one in clause[max(0, at - 3) : at]}
        if before & {"in", "from", "to", "by", "unlike", "according"}:
            return True
        if any("other_verbs" in one.roles for one in clause[at + 1 : at + 1 + _VERB_WITHIN]):
            return True
    return False


def _was_left(clause: Sequence[Token]) -> bool:
    """`I have not run it with 64`, `we never tried 8 epochs`: what was not done is not a claim about a run."""
    for at, token in enumerate(clause):
        if "not" in token.roles and token.text not in _NO_VERB and not _is_of_a_figure(clause, at):
            follows = [one for one in clause[at + 1 : at + 1 + _NOT_WITHIN] if not one.is_mark]
            if any("did" in one.roles and one.number is None and not one.term for one in follows):
                return True
    return False


def _is_of_a_figure(clause: Sequence[Token], at: int) -> bool:
    """`the accuracy is not changed`: what a figure did, and nothing that the author left undone."""
    return at > 1 and clause[at - 1].text in ("is", "was", "are", "were") and clause[at - 2].term in METRICS


def _is_supposed(clause: Sequence[Token]) -> bool:
    first = next((token.text for token in clause if not token.is_mark), "")
    if first in ("try", "consider", "use") or _was_left(clause):
        return True
    for at, token in enumerate(clause):
        if "supposed" not in token.roles:
            continue
        if at and clause[at - 1].text == "as":  # as expected
            continue
        if token.text == "may" and at + 1 < len(clause) and clause[at + 1].number is not None:
            continue
        if token.text == "going" and at + 2 < len(clause) and clause[at + 2].number is not None:
            continue  # `going to 256 gives`
        return True
    return False
