"""Values that a clause gives to settings and metrics, with all that says how far each may be taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.language import modality as mood
from assay.language.binding import MOMENT
from assay.language.lex import Token
from assay.language.said import Value
from assay.language.vocabulary import MOVES, words


def values_of(clause: Sequence[Token], names: dict[int, str], how: str) -> Iterator[Value]:
    failed = mood.has_failed(clause)
    skipped: set[int] = set()
    for at, name in names.items():
        if at in skipped:
            continue
        token = clause[at]
        number = token.number
        if number is None or name == MOMENT:
            continue
        value = Value(
            name=name,
            number=number,
            start=token.start,
            end=token.end,
            modality=how,
            scope=_scope_of(clause, at, name),
            split=_split_of(clause, at),
            average=_average_of(clause, at),
            about=has_before(clause, at, "about"),
            bound=(bound := bound_of(clause, at)),
            denied=has_before(clause, at, "instead") and not bound,  # `less than 10 GB` denies nothing
            failed=failed,
            part=name == "epochs" and _is_part(clause, at),
        )
        if name == "samples_per_s" and value.average == "mean":
            value = replace(value, name="samples_per_s_avg")
        before = _instead_of(clause, at, names)
        if before is not None:
            value = replace(value, was=clause[before].number)
            skipped.add(before)
        to = _reached(clause, at, names)
        if to is not None:
            reached = clause[to]
            skipped.add(to)
            if reached.number is not None:
                value = replace(value, was=number, number=reached.number, start=reached.start, end=reached.end)
        yield value


def _reached(clause: Sequence[Token], at: int, bound: dict[int, str]) -> int | None:
    """Of `from 10 to 20`, `10 -> 20`: the place of the second number; nothing where a third one follows."""
    follows = next((n for n in range(at + 1, min(at + 6, len(clause))) if clause[n].number is not None), None)
    if follows is None or bound.get(follows, bound[at]) != bound[at]:
        return None
    between = clause[at + 1 : follows]
    arrow = any(token.text == "→" for token in between)
    seconds = frozenset().union(*(MOVES.get(token.text, ()) for token in clause[max(0, at - 4) : at]))
    if not (arrow or any(token.text in seconds for token in between)):
        return None
    third = next((n for n in range(follows + 1, min(follows + 4, len(clause))) if clause[n].number is not None), None)
    if third is not None and bound.get(third) == bound[at]:
        return None
    return follows


def _instead_of(clause: Sequence[Token], at: int, bound: dict[int, str]) -> int | None:
    """Of `0.01 instead of 0.03`: the place of what it was."""
    follows = next((n for n in range(at + 1, min(at + 8, len(clause))) if clause[n].number is not None), None)
    if follows is None or bound.get(follows, bound[at]) != bound[at]:
        return None
    return (
        follows
        if any(
            token.text in ("instead", "rather", "statt", "anstatt", "lugar", "vez")
            for token in clause[at + 1 : follows]
        )
        else None
    )


_ENDS = words("BREAKS") | {",", ";"}


def _near(clause: Sequence[Token], at: int, role: str) -> object:
    """What a cue beside the number says: before it as far as the glue goes, or right after it."""
    for place in range(at + 1, min(at + 4, len(clause))):
        if clause[place].number is not None or clause[place].text in _ENDS:
            break
        if role in clause[place].roles:
            return clause[place].roles[role]
    for place in range(at - 1, max(-1, at - 8), -1):
        token = clause[place]
        if role in token.roles and token.text not in (",", ";"):
            return token.roles[role]
        if token.number is not None or token.text in (",", ";"):
            break
    return ""


_OF_ONE = words("PER") | {"local"}


def _scope_of(clause: Sequence[Token], at: int, name: str) -> str:
    """`each of 4 GPUs had a batch size of 16`: of a setting the whole clause says what one value stands for."""
    if name == "time" and any(token.text in _OTHER_WORK for token in clause[max(0, at - _FAR) : at + _FAR]):
        return OTHER
    term = next((token for token in reversed(clause[:at]) if token.term or token.number is not None), None)
    if name == "batch_size" and term is not None and not _OF_ONE.isdisjoint(term.text.split()):
        return "device"  # the term itself says so: `batch size per GPU`
    near = str(_near(clause, at, "scope"))
    if near or name not in ("batch_size", "samples"):
        return near
    return next((str(token.roles["scope"]) for token in clause if token.roles.get("scope") == "device"), "")


#: of a time that something else took
OTHER, _FAR = "other", 8
_OTHER_WORK = words("OTHER_WORK")


def _average_of(clause: Sequence[Token], at: int) -> str:
    """`In total the 2 runs took 1366 s`: a total may be said anywhere in the clause."""
    near = str(_near(clause, at, "average"))
    return near or ("total" if any(token.roles.get("average") == "total" for token in clause) else "")


def _split_of(clause: Sequence[Token], at: int) -> str:
    """Of train, validation or test: the nearest word before the number, else after it."""
    for place in (*range(at - 1, max(-1, at - 12), -1), *range(at + 1, min(at + 8, len(clause)))):
        token = clause[place]
        if token.term in ("val_loss", "test_loss"):
            return str(token.term).removesuffix("_loss")
        if "split" in token.roles and not (token.text in ("train", "training") and _is_time(clause, place)):
            return str(token.roles["split"])
    return ""


def _is_time(clause: Sequence[Token], place: int) -> bool:
    return place + 1 < len(clause) and clause[place + 1].term in ("time", "rate")


def has_before(clause: Sequence[Token], at: int, role: str) -> bool:
    begin = next((n for n in range(at - 1, max(-1, at - 4), -1) if clause[n].number is not None), at - 4) + 1
    return any(role in token.roles for token in clause[max(0, begin) : at] if token.text != ",")


def bound_of(clause: Sequence[Token], at: int) -> int:
    """`at least`, `up to`; what was raised up to 20 is 20."""
    between = _between(clause, at)
    if between:
        return between
    if has_before(clause, at, "about"):
        return 0  # `a bit over 92 %`
    way = -1 if _is_turned(clause, at) else 1
    if has_before(clause, at, "at_least"):
        return way
    if not has_before(clause, at, "at_most"):
        return 0
    up = next((n for n in range(at - 1, max(-1, at - 3), -1) if clause[n].text == "up"), None)
    raised = up is not None and any(
        token.term or token.roles.keys() & {"up", "did"} for token in clause[max(0, up - 4) : up]
    )
    return 0 if raised else -way


def _is_turned(clause: Sequence[Token], at: int) -> bool:
    """`neither needs more than 13 minutes` means at most; `no more than` is a bound by itself."""
    return any(
        "not" in token.roles and not (token.text == "no" and clause[n + 1].text in ("more", "less", "fewer"))
        for n, token in enumerate(clause[:at])
    )


def _between(clause: Sequence[Token], at: int) -> int:
    """Of `between 88 and 92 %`, the first is what it is at least, and the second what it is at most."""
    before = [token.text for token in clause[max(0, at - 3) : at]]
    if before[-1:] and before[-1] in _BETWEEN:
        return 1
    is_second = len(before) == 3 and before[0] in _BETWEEN and clause[at - 2].number is not None
    return -1 if is_second and before[2] in _JOINS else 0


_BETWEEN, _JOINS = words("BETWEEN"), words("JOINS")


_MOMENTS = frozenset({"of", "at", "in", "by", "until", "till", "from", "since", "to", "before", "around", "than"})


def _is_part(clause: Sequence[Token], at: int) -> bool:
    """`after 3 epochs nothing improves`, `that of epoch 4`: unless the run is shorter than that."""
    if at > 1 and clause[at - 1].text == "epoch" and clause[at - 2].text in _MOMENTS:
        return True
    for place in range(at - 1, max(-1, at - 4), -1):
        if clause[place].text in ("after", "first", "last", "every", "within", "another", "each", "initial", "final"):
            return True
        if "about" not in clause[place].roles and clause[place].text not in ("only", "just", "the", "some"):
            return False
    return False


def listed(values: list[Value]) -> Iterator[Value]:
    """A setting that is given several values in a sentence has no one of them."""
    for one in values:
        several = {
            other.number.value
            for other in values
            if other.name == one.name and other.modality == one.modality and not other.denied
        }
        yield replace(one, listed=True) if len(several) > 1 or one.number.upper is not None else one
