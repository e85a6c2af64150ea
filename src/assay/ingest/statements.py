"""Settings as people state them: `batch size of 512`, `20 epochs`, `lr = 0.03`, `from 10 to 20 epochs`, a file name.

These are claims: what someone says of a run, never what the run shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assay.ingest import hearsay
from assay.ingest.bounded import KEPT, Bounded
from assay.readers.settings import WHOLE

_NAMES = {
    "lr": r"le?a?r?ning[ _-]?rates?|\blr\b",
    "epochs": r"(?:(?:number|#) of (?:training )?|num_?|n_?|training |train )?epoc?h?s?\b",
    "test_batch_size": r"test(?:ing)?[ _-]?batch[ _-]?sizes?",
    "batch_size": r"(?:training |train[ _-]?|mini[ -]?|global )?batch[ _-]?sizes?|\bbs\b|\bbatch(?= ?(?:=|:|\d|of \d))",
    "num_tasks": r"(?:--)?n[ _-]?tasks?\b|(?<!per[ _-])\b(?:number of )?tasks?\b",
    "num_nodes": r"(?:--)?(?<!per[ _-])\b(?:number of )?nodes?\b",
    "seq_len": r"(?:max(?:imum)?[ _-]?)?seq(?:uence)?s?[ _-]?len(?:gth)?s?|\bmsl\b",
    "max_steps": r"\bmax[ _-]?steps?\b",
}
#: no pattern for a setting fits where none of these stands
_WORDS = {
    "lr": ("ning", "lr"),
    "epochs": ("epo",),
    "test_batch_size": ("test",),
    "batch_size": ("batch", "bs"),
    "num_tasks": ("task",),
    "num_nodes": ("node",),
    "seq_len": ("seq", "msl"),
    "max_steps": ("max",),
}
_DIGIT = re.compile(r"\d")
_NUMBER = r"(?:\d+(?:,\d+)*(?:\.\d+)?(?:[eE]-?\d+)?|\.\d+)"
_ANY_NUMBER = Bounded(_NUMBER)
_LISTED = Bounded(rf"(?<![\w.])({_NUMBER})(?![\w.]|\s*%)")
_NAMED = {name: Bounded(rf"(?i){pattern}") for name, pattern in _NAMES.items()}
_LINK = (
    r"\s*(?:\([^)\d]*\)\s*)?(?:(?:values?|flags?|parameter|(?<=s )number)\s*)?"
    r"(?:=|:|->|→|⇒|\bis\b|\bwas\b|\bof\b|\bto\b|\bas\b|\bat\b|\bwith\b|\bset\b|\bequals?\b|\bbeing\b|\buntil\b|"
    r"\b(?:up|down)(?= to\b)|\b(?:increased|decreased|changed|reduced|raised|lowered|bumped)(?= to\b)|"
    r"~|≈|\(|\s|-(?=\s))*"
)
_AFTER = {
    name: Bounded(rf"(?i)(?:{pattern}){_LINK}(?P<value>{_NUMBER})(?!\d)(?![\w.]*[%x])(?!\s*%)(?!\.\d)(?!\s?[-–]\s?\d)")
    for name, pattern in _NAMES.items()
}
_BEFORE = {
    name: Bounded(rf"(?i)(?<![\w.,-])(?P<value>{_NUMBER})[ -]?(?:{pattern})")
    for name, pattern in _NAMES.items()
    if name not in ("lr", "max_steps")
}
_FROM_TO = {
    name: Bounded(
        rf"(?i)(?:{pattern})\b[^.;]{{0,60}}?\bfrom\s+(?:\w+\s+){{0,4}}?(?P<old>{_NUMBER})\s+(?:and\s+)?to\s+(?:\w+\s+){{0,3}}?(?P<new>{_NUMBER})(?!\s*(?:,|and|to)\s*\d)"
    )
    for name, pattern in _NAMES.items()
}
#: `epochs: 10 -> 20`: what it was before, and what it is now; `512 -> 1024 -> 2048` is of no one run
_ARROW = {
    name: Bounded(
        rf"(?i)(?:{pattern})\s*(?:[:=]|\bis\b|\bwas\b)?\s*\(?(?P<old>{_NUMBER})\s*(?:→|⇒|-+>|=+>)\s*(?P<new>{_NUMBER})"
        r"(?!\s*(?:→|⇒|-+>|=+>|,|and|to)\s*\d)(?!\s*%)"
    )
    for name, pattern in _NAMES.items()
}
_SERIES = {
    name: Bounded(rf"(?i)(?:{pattern})\s*[:=]?\s*\(?{_NUMBER}(?:\s*(?:→|⇒|-+>|=+>)\s*{_NUMBER}){{2,}}")
    for name, pattern in _NAMES.items()
}
#: `halving the tasks halved the throughput, from 4576 to 2298`: the figure went from one to the other, not the setting
_FIGURE = Bounded(
    r"(?i)\b(?:throughput|(?<!learning )(?<!learning_)(?<!learning-)rate|accuracy|loss|time|duration|latency|memory|"
    r"IPS)\b"
)
_INSTEAD = Bounded(rf"(?i)(?<!\d)(?<!\d,)(?P<new>{_NUMBER})[^.;]{{0,40}}?instead of[^.;\d]{{0,40}}(?P<old>{_NUMBER})")
_ITERATED = Bounded(
    rf"(?i)(?<!\d)(?P<first>{_NUMBER})(?:\s*(?:,|and|or|vs\.?|versus|to|/|&)+\s*(?:and\s+|or\s+)?{_NUMBER})+"
)
_FLAGS = {
    "lr": r"--(?:lr|learning[-_]rate)",
    "epochs": r"--(?:num[-_])?epochs",
    "batch_size": r"--(?:train[-_])?batch[-_]size|-b(?= )",
    "num_tasks": r"--ntasks|-n(?= \d)",
    "num_nodes": r"--nodes|-N(?= \d)",
    "seq_len": r"--max[-_]seq[-_]len(?:gth)?|--seq[-_]len(?:gth)?",
    "max_steps": r"--max[-_]steps",
}
_FLAG = {name: re.compile(rf"(?<!\S)(?:{flag})[ =]+(?P<value>{_NUMBER})(?![\w.])") for name, flag in _FLAGS.items()}
_IN_FILE_NAME = {
    "lr": Bounded(r"(?i)(?:^|[_\-.])(?:lr|learning_?rate)[_=-]?(?P<value>\d*\.\d+|\d+e-?\d+)"),
    "epochs": Bounded(
        r"(?i)(?:(?:^|[_\-.]|claimed_)(?:epochs?|ep|e)[_=-]?(?P<value>\d+)(?![\d.]*\.\d)|"
        r"(?<![\d.])(?<!run[_-])(?<!exp[_-])(?<!job[_-])(?<!test[_-])(?:^|(?<=[_\-.]))"
        r"(?P<before>\d+)[_-]?epochs?(?![a-z]|[_=-]?\d))"
    ),
    "batch_size": Bounded(r"(?i)(?:^|[_\-.])(?:batch[_-]?size|batch|bs|b)[_=-]?(?P<value>\d+)(?!\d*\.\d)"),
    # `8tasks-1stlog`, `run1_ntasks16`: a number that stands apart before the word is its own only where none follows
    "num_tasks": Bounded(
        r"(?i)(?:(?:^|[_\-.])(?:ntasks?|tasks?)[_=-]?(?P<value>\d+)|"
        r"(?<![\d.])(?P<before>\d+)(?:n?tasks?|[_-]n?tasks?(?!s|[_=-]?\d)))"
    ),
    "seq_len": Bounded(r"(?i)(?:^|[_\-.])(?:seq(?:_?len(?:gth)?)?|msl)[_=-]?(?P<value>\d+)(?!_\d)"),
}


_SETTING = rf"(?:{'|'.join(_NAMES.values())})\s*[=:]+\s*{_NUMBER}"
_ONLY = Bounded(rf"(?i)[\s*_#>-]*{_SETTING}(?:[\s,;|*_]+(?:and\s+)?{_SETTING})*[\s*_.]*")
#: `instead of 20 epochs`, `unlike 40`, `(not 20)`: the value that it was not
_DENIED = Bounded(
    r"(?i)(?:\binstead of|\brather than|\bunlike|\bnot|\bthan|\bcompared (?:to|with))\s+(?:a |the |with )*$"
)
#: `at epoch 5`, `by epoch 1`, `epoch 6 of 10`: a moment of a run, not its length
_MOMENT = Bounded(r"(?i)\b(?:at|after|by|until|till|in|from|around|since|to|before|during|through)\s+(?:the )?$")
_OF_MANY = Bounded(r"(?i)\s*(?:of|/)\s*\d|\s+(?:took|takes)\b")
#: `after 3 epochs nothing improves`, `the first 2 epochs`: a part of a run, unless the run is shorter than that
_PART = Bounded(r"(?i)\b(?:after|first|last|every|within|another|each|initial|final)(?: about| only| just| the)*\s+$")


@dataclass(frozen=True, slots=True)
class Statement:
    """One setting that someone gave one value; `line` 0 is the file's name.

    `part`: it may be no more than a part of the run. `failed`: the sentence speaks of something that did not work.
    """

    name: str
    value: int | float
    line: int
    text: str
    changed_from: int | float | None = None
    part: bool = False
    failed: bool = False


def statements(text: str, line: int) -> list[Statement]:
    """What one line says; a setting that is given several values at once says nothing of one run."""
    return list(_told(text, line)) if _DIGIT.search(text) else []


@lru_cache(maxsize=KEPT)
def _told(text: str, line: int) -> Sequence[Statement]:
    """Kept for a while: whoever looks at a line asks more than once."""
    sentences = hearsay.SENTENCE.split(text)
    if len(sentences) > 1 and any(hearsay.of_failure(one) for one in sentences):
        worked = " ".join(one for one in sentences if not hearsay.of_failure(one))
        failed = " ".join(one for one in sentences if hearsay.of_failure(one))
        return [*_statements(worked, line), *_statements(failed, line)]
    return _statements(text, line)


def _statements(text: str, line: int) -> list[Statement]:
    text = hearsay.of_runs(text)
    lower = text.lower()
    names = [name for name, words in _WORDS.items() if any(word in lower for word in words)]
    found: list[Statement] = []
    taken: list[tuple[int, int]] = []
    taken += [series.span() for name in names for series in _SERIES[name].finditer(text)]
    for name in names:
        change = _FROM_TO[name].search(text) or _ARROW[name].search(text)
        if (
            change
            and not _overlaps(change.span(), taken)
            and not _FIGURE.search(text, change.start(), change.start("old"))
        ):
            statement = _make(name, change["new"], line, text, old=change["old"])
            if statement:
                found.append(statement)
                taken.append(change.span())
    values: dict[str, list[tuple[str, tuple[int, int]]]] = {}
    for name in names:
        for patterns in (_AFTER, _BEFORE):
            for one in patterns[name].finditer(text) if name in patterns else ():
                if not _overlaps(one.span(), taken) and not _is_other(name, text, one):
                    values.setdefault(name, []).append((one["value"], one.span()))
                    taken.append(one.span())
    for name, told in values.items():
        others = [span for other, spans in values.items() if other != name for _, span in spans]
        statement = _single(name, told, line, text, others)
        if statement and all(other.name != name for other in found):
            found.append(statement)
    failed = hearsay.of_failure(text)
    return [replace(one, failed=failed) if failed else one for one in found if one.name != "test_batch_size"]


def _is_other(name: str, text: str, match: re.Match[str]) -> bool:
    """A value that it did not have, or a moment on the way."""
    before = text[: match.start()]
    if _DENIED.search(before):
        return True
    if name != "epochs" or match.start("value") == match.start() or "=" in match[0] or ":" in match[0]:
        return False
    return (
        match[0].lower().startswith("epoch")
        and not match[0].lower().startswith("epochs")
        and bool(_MOMENT.search(before) or _OF_MANY.match(text, match.end()))
    )


def is_only(text: str) -> bool:
    """`Epochs: 20`, `BS=512`: a line that gives settings their values, and holds nothing else."""
    return _ONLY.fullmatch(text.strip()) is not None


def _single(
    name: str, values: list[tuple[str, tuple[int, int]]], line: int, text: str, others: list[tuple[int, int]]
) -> Statement | None:
    first, span = values[0]
    instead = _INSTEAD.search(text, max(0, span[0] - 1))
    if instead and instead["new"] == first:
        return _make(name, first, line, text, old=instead["old"])
    if len({value for value, _ in values}) > 1 or _listed(text, span, others):
        return None
    statement = _make(name, first, line, text)
    if statement and name == "epochs" and _PART.search(text[: span[0]]):
        return replace(statement, part=True)
    return statement


def _listed(text: str, span: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    """The value is one of several: `512, 1024 and 2048`; in `lr 0.05, 20 epochs` each number is of another setting."""
    for one in _ITERATED.finditer(text):
        if one.start() < span[1] and span[0] < one.end() and "=" not in one[0]:
            numbers = [(n.start() + one.start(), n.end() + one.start()) for n in _ANY_NUMBER.finditer(one[0])]
            if any(not _overlaps(number, [span, *others]) for number in numbers):
                return True
            if sum(_overlaps(number, [span]) for number in numbers) > 1:
                return True
    return False


def _overlaps(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and begin < span[1] for begin, end in taken)


def _make(name: str, text: str, line: int, whole: str, old: str | None = None) -> Statement | None:
    value = _value(name, text)
    if value is None:
        return None
    return Statement(name, value, line, whole, None if old is None else _value(name, old))


def _value(name: str, text: str) -> int | float | None:
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    if name in WHOLE:
        return int(value) if value.is_integer() and 0 < value < 10**9 else None
    return value if 0 < value < 100 else None


def flag_statements(command: str, line: int) -> Iterator[Statement]:
    """Settings on a command line."""
    for name, pattern in _FLAG.items():
        found = pattern.search(command)
        value = _value(name, found["value"]) if found else None
        if value is not None:
            yield Statement(name, value, line, command)


#: a GPU, and no batch of 200
_GPU = re.compile(r"(?i)(?<![a-z\d])g?b[123]00(?![a-z\d])")


def file_name_statements(name: str) -> Iterator[Statement]:
    """`mnist_b12_e20_lr0.01.txt`, `bert_bs1024.log`, `ntasks08`; a number without a word says nothing."""
    stem = _GPU.sub("", re.sub(r"(?i)\.(?:log|txt|out|md|gz|csv|json)\b", "", name))
    for setting, pattern in _IN_FILE_NAME.items():
        found = pattern.search(stem)
        if found is None:
            continue
        text = found["value"] or (found.groupdict().get("before") or "")
        value = _value(setting, text) if text else None
        if value is not None:
            yield Statement(setting, value, 0, name)


def listed_values(text: str, name: str) -> set[float]:
    """Every value that a sentence lists for a setting: `different batch sizes, specifically 2048, and 512`."""
    if name not in _NAMES or not _NAMED[name].search(text):
        return set()
    return {float(number.replace(",", "")) for number in _LISTED.findall(text)}
