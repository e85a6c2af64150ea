"""What sentences claim: values, changes, rankings and effects, each with how it is meant and where it stands.

    We trained for 10 epochs with a batch size of 64.                        two values of settings
    The test accuracy rose from 91.2 % to 92.5 %.                            a value with what it was before
    Batch 16 was the fastest; doubling it made training 30 % slower.         a ranking, an effect, a change

Parsed once, and read by ingest and audit alike. What is only half understood is not claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assay.language import modality as mood
from assay.language.binding import METRICS, MOMENT, SETTINGS, bind
from assay.language.lex import Token, lex
from assay.language.numbers import NONE, PERCENT, POINTS, TIMES, Number
from assay.language.sentences import clauses, sentences


@dataclass(frozen=True, kw_only=True)
class Value:
    """A setting or a metric is given a value; `was` is the one before, `bound` 1 for at least and -1 for at most."""

    name: str
    number: Number
    start: int
    end: int
    modality: str = mood.DONE
    was: Number | None = None
    scope: str = ""
    split: str = ""
    average: str = ""
    about: bool = False
    bound: int = 0
    denied: bool = False
    failed: bool = False
    listed: bool = False  # one of several values
    part: bool = False  # it may be no more than a part of the run

    @property
    def is_setting(self) -> bool:
        return self.name in SETTINGS


@dataclass(frozen=True, kw_only=True)
class Change:
    """A difference with its size. `kind`: percent, points or factor; `direction` 1 up, -1 down, 0 not said."""

    name: str
    kind: str
    value: float
    slack: float
    direction: int
    start: int
    end: int
    modality: str = mood.DONE
    bound: int = 0
    about: bool = False
    denied: bool = False


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """One is called the best, the fastest, the highest. `name` is the metric or empty; `sign` 1 highest, -1 lowest."""

    name: str
    sign: int
    better: int  # 1 best, -1 worst, 0 where only high or low is said
    of: tuple[Value, ...]
    bare: tuple[Number, ...]  # numbers without a term: `2048 was the fastest`
    start: int
    end: int
    modality: str = mood.DONE
    denied: bool = False


@dataclass(frozen=True, kw_only=True)
class Said:
    """All that one sentence claims."""

    text: str
    values: tuple[Value, ...] = ()
    changes: tuple[Change, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    respectively: bool = False
    modality: str = mood.DONE


@lru_cache(maxsize=8192)
def said(sentence: str, decimal_comma: bool = False) -> Said:
    """The claims of one sentence."""
    tokens = lex(sentence, decimal_comma)
    values: list[Value] = []
    changes: list[Change] = []
    rankings: list[Ranking] = []
    meant = mood.DONE
    for clause in clauses(tokens):
        how = mood.modality(clause, tokens)
        meant = how if how != mood.DONE else meant
        bound = bind(clause)
        found_changes = list(_changes(clause, bound, how))
        taken = {(one.start, one.end) for one in found_changes}
        found = [one for one in _values(clause, bound, how) if (one.start, one.end) not in taken]
        values += found
        changes += found_changes
        rankings += _rankings(clause, found, bound, how)
    return Said(
        text=sentence,
        values=tuple(_listed(values)),
        changes=tuple(changes),
        rankings=tuple(rankings),
        respectively=any("respectively" in token.roles for token in tokens),
        modality=meant,
    )


def only_settings(text: str) -> bool:
    """`Epochs: 20`, `BS=512, lr = 0.1`: a line that gives settings their values, and holds nothing else."""
    tokens = lex(text.strip())
    terms = [at for at, token in enumerate(tokens) if token.term]
    if not terms or len(text) > _ONLY_MOST:
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


def said_in(text: str, decimal_comma: bool = False) -> Iterator[Said]:
    """Sentence by sentence."""
    return (said(one, decimal_comma) for one in sentences(text))


def _values(clause: Sequence[Token], bound: dict[int, str], how: str) -> Iterator[Value]:
    failed = mood.has_failed(clause)
    skipped: set[int] = set()
    for at, name in bound.items():
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
            average=str(_near(clause, at, "average")),
            about=_has_before(clause, at, "about"),
            bound=_bound(clause, at),
            denied=_has_before(clause, at, "instead"),
            failed=failed,
            part=name == "epochs" and _is_part(clause, at),
        )
        if name == "samples_per_s" and value.average == "mean":
            value = replace(value, name="samples_per_s_avg")
        before = _instead_of(clause, at, bound)
        if before is not None:
            value = replace(value, was=clause[before].number)
            skipped.add(before)
        to = _reached(clause, at, bound)
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
    is_from = any("from" in token.roles for token in clause[max(0, at - 4) : at])
    to = any(token.text in ("to", "auf", "a", "à", "para", "zu", "到") for token in between)
    if not (arrow or (is_from and to)):
        return None
    third = next((n for n in range(follows + 1, min(follows + 4, len(clause))) if clause[n].number is not None), None)
    if third is not None and bound.get(third, bound[at]) == bound[at]:
        return None
    return follows


def _instead_of(clause: Sequence[Token], at: int, bound: dict[int, str]) -> int | None:
    """Of `0.01 instead of 0.03`: the place of what it was."""
    follows = next((n for n in range(at + 1, min(at + 8, len(clause))) if clause[n].number is not None), None)
    if follows is None or bound.get(follows, bound[at]) != bound[at]:
        return None
    return follows if any(token.text in ("instead", "rather", "statt") for token in clause[at + 1 : follows]) else None


def _near(clause: Sequence[Token], at: int, role: str) -> object:
    """What a cue beside the number says: before it as far as the glue goes, or right after it."""
    for place in range(at + 1, min(at + 4, len(clause))):
        if clause[place].number is not None or clause[place].text in (",", ";", "and"):
            break
        if role in clause[place].roles:
            return clause[place].roles[role]
    for place in range(at - 1, max(-1, at - 8), -1):
        token = clause[place]
        if token.number is not None or token.text in (",", ";"):
            break
        if role in token.roles:
            return token.roles[role]
    return ""


def _scope_of(clause: Sequence[Token], at: int, name: str) -> str:
    """`each of 4 GPUs had a batch size of 16`: of a setting the whole clause says what one value stands for."""
    near = str(_near(clause, at, "scope"))
    if near or name not in ("batch_size", "samples"):
        return near
    return next((str(token.roles["scope"]) for token in clause if token.roles.get("scope") == "device"), "")


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


def _has_before(clause: Sequence[Token], at: int, role: str) -> bool:
    return any(
        role in token.roles for token in clause[max(0, at - 3) : at] if token.number is None and token.text != ","
    )


def _bound(clause: Sequence[Token], at: int) -> int:
    """`at least`, `up to`; what was raised up to 20 is 20."""
    if _has_before(clause, at, "at_least"):
        return 1
    if not _has_before(clause, at, "at_most"):
        return 0
    up = next((n for n in range(at - 1, max(-1, at - 3), -1) if clause[n].text == "up"), None)
    raised = up is not None and any(
        token.term or token.roles.keys() & {"up", "did"} for token in clause[max(0, up - 4) : up]
    )
    return 0 if raised else -1


def _is_part(clause: Sequence[Token], at: int) -> bool:
    """`after 3 epochs nothing improves`, `the first 2 epochs`: unless the run is shorter than that."""
    for place in range(at - 1, max(-1, at - 4), -1):
        if clause[place].text in ("after", "first", "last", "every", "within", "another", "each", "initial", "final"):
            return True
        if "about" not in clause[place].roles and clause[place].text not in ("only", "just", "the", "some"):
            return False
    return False


def _listed(values: list[Value]) -> Iterator[Value]:
    """A setting that is given several values in a sentence has no one of them."""
    for one in values:
        several = {
            other.number.value
            for other in values
            if other.name == one.name and other.modality == one.modality and not other.denied
        }
        yield replace(one, listed=True) if len(several) > 1 or one.number.upper is not None else one


# Changes


_AS_LEVEL = {"accuracy", "cpu", "utilisation", "mfu", "error_rate", "f1"}
_MOVED = {
    "increase",
    "decrease",
    "drop",
    "gain",
    "rise",
    "reduction",
    "improvement",
    "difference",
    "speedup",
    "change",
    "decline",
    "loss",
}


def _changes(clause: Sequence[Token], bound: dict[int, str], how: str) -> Iterator[Change]:
    for at, token in enumerate(clause):
        number = token.number
        kind = _kind(clause, at)
        if kind == "":
            continue
        direction, implied = _direction(clause, at)
        name = implied or _metric_near(clause, at)
        if name == "" or name in SETTINGS or name == "?":
            continue
        if kind == "percent" and (direction == 0 or (name in _AS_LEVEL and _is_level(clause, at))):
            continue
        if kind == "points" and name not in _AS_LEVEL and name:
            continue
        value = abs(number.value) if number is not None else float(str(token.roles["factor"]))
        slack = number.slack if number is not None else 0.0
        about = _has_before(clause, at, "about") or number is None or number.in_words
        yield Change(
            name=name,
            kind=kind,
            value=value,
            slack=max(
                1.2 * slack,
                (0.1 if number is not None and not number.in_words else 0.2) * value if about else 0.02 * value,
            )
            + 1e-9,
            direction=direction,
            start=token.start,
            end=token.end,
            modality=how,
            bound=1 if _has_before(clause, at, "at_least") else -1 if _has_before(clause, at, "at_most") else 0,
            about=about,
            denied=mood.is_denied(clause),
        )


def _kind(clause: Sequence[Token], at: int) -> str:
    token = clause[at]
    number = token.number
    if number is None:
        return "factor" if "factor" in token.roles and not _of_a_setting(clause, at) else ""
    if number.unit in (PERCENT, POINTS):
        return "percent" if number.unit == PERCENT else "points"
    if number.unit == TIMES:
        return "factor"
    if number.unit != NONE or token.rate:
        return ""
    following = [one.text for one in clause[at + 1 : at + 3]]
    if following[:1] == ["times"] and len(following) > 1 and _compares(clause[at + 2]):
        return "factor"
    before = [one.text for one in clause[max(0, at - 3) : at]]
    return "factor" if "factor" in before and "of" in before else ""


def _compares(token: Token) -> bool:
    return bool(token.roles.keys() & {"up", "down"}) or token.text in ("as", "the", "that", "more", "less", "higher")


def _of_a_setting(clause: Sequence[Token], at: int) -> bool:
    """`doubled the batch size`, `half of the work`, `twice the number of steps`: of no figure that is measured."""
    following = clause[at + 1 : at + 5]
    term = next((token.term for token in following if token.term), "")
    return term in SETTINGS or term in ("samples", "tokens") or any(token.text in _WORK for token in following)


_WORK = {
    "work", "job", "amount", "number", "computations", "examples", "images", "size", "data", "cores", "parameters",
    "model",
}  # fmt: skip


def _direction(clause: Sequence[Token], at: int) -> tuple[int, str]:
    """Which way, and the metric where the word tells it: `23 % faster`, `drops by 23 %`, `(-23 %)`."""
    number = clause[at].number
    if number is not None and number.written == "signed":
        return (-1 if number.value < 0 else 1), ""
    for place in (*range(at + 1, min(at + 5, len(clause))), *range(at - 1, max(-1, at - 11), -1)):
        token = clause[place]
        if place > at and (token.text in (",", ";", "and", "but") or token.number is not None):
            continue
        for role, sign in (("up", 1), ("down", -1)):
            if role in token.roles:
                return _moved(str(token.roles[role]), sign)
    return 0, ""


def _moved(about: str, sign: int) -> tuple[int, str]:
    """`faster` speaks of speed, `longer` of time; `better` only of what is named."""
    return sign, {"speed": "speed", "time": "time", "accuracy": "accuracy"}.get(about, "")


def _metric_near(clause: Sequence[Token], at: int) -> str:
    """The metric that a difference is of: right after it, else the nearest before it; `?` where something else is."""
    for place in range(at + 1, min(at + 6, len(clause))):
        token = clause[place]
        if token.text in (",", ";", "and", "but", "than", "when", "with", "(") or token.number is not None:
            break
        if token.term in METRICS or token.term in SETTINGS:
            return token.term
    for place in range(at - 1, -1, -1):
        token = clause[place]
        if token.term in METRICS:
            return token.term
        if token.term in SETTINGS and not _has_value(clause, place):
            return "?"
    return ""


def _has_value(clause: Sequence[Token], place: int) -> bool:
    """`with batch size 512`: it is given a value, and not itself changed."""
    return any(
        token.number is not None and token.number.unit == NONE for token in clause[max(0, place - 2) : place + 4]
    )


def _is_level(clause: Sequence[Token], at: int) -> bool:
    """`increased to 98.4 %`, `an accuracy of 98.4 %`: where it came to, not by how much it moved."""
    before = [token.text for token in clause[max(0, at - 4) : at] if not token.roles.keys() & {"about"}]
    last = before[-1] if before else ""
    if at and clause[at - 1].roles.keys() & {"up", "down"}:
        return False
    if last in ("by", "um", "en", "de") or (last == "of" and len(before) > 1 and before[-2] in _MOVED):
        return False
    after = clause[at + 1] if at + 1 < len(clause) else None
    if after is not None and (after.roles.keys() & {"up", "down"}) and not after.term:
        return False
    number = clause[at].number
    return not (number is not None and number.written == "signed") and (
        last in ("to", "of", "at", "is", "was", "were", "=", ":", ">", "→", "with")
        or (number is not None and number.value > 30)
    )


# Rankings


def _rankings(clause: Sequence[Token], values: Sequence[Value], bound: dict[int, str], how: str) -> Iterator[Ranking]:
    for at, token in enumerate(clause):
        if "best" not in token.roles or token.number is not None:
            continue
        kind = str(token.roles["best"])
        following = next((one.term for one in clause[at + 1 : at + 5] if one.term), "")
        if following in SETTINGS:
            continue  # the largest batch size
        name, sign, better = _extreme(kind, following, clause)
        if name == "" and better == 0:
            continue
        bare = tuple(
            one.number
            for n, one in enumerate(clause)
            if one.number is not None and n not in bound and one.number.unit == NONE
        )
        yield Ranking(
            name=name,
            sign=sign,
            better=better,
            of=tuple(one for one in values if one.is_setting and not one.denied),
            bare=bare,
            start=token.start,
            end=token.end,
            modality=how,
            denied=mood.is_denied(clause),
        )


def _extreme(kind: str, following: str, clause: Sequence[Token]) -> tuple[str, int, int]:
    if kind[:-1] in ("speed", "accuracy", "time"):
        return kind[:-1], (1 if kind.endswith("+") else -1), 0
    named = [one.term for one in clause if one.term in METRICS]
    name = following if following in METRICS else named[0] if len(set(named)) == 1 else ""
    if kind in ("+", "-"):
        return (name if following in METRICS else ""), (1 if kind == "+" else -1), 0
    return name, 0, 1 if kind == "better" else -1
