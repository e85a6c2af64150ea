"""Settings in a file's name: `mnist_b12_e20_lr0.01.txt`, `bert_bs1024.log`, `8tasks-1stlog`, `ntasks08`.

A number without a word is not a setting, and one followed by a letter (`e2e`) is part of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.core.commandline import as_setting
from assay.quantities import BY_NAME, named

_ENDING = re.compile(r"(?i)\.(?:log|txt|out|md|gz|csv|json|html|ipynb|yaml|yml|py|err)\b")
_PIECE = re.compile(
    r"(?P<word>[A-Za-z]{1,20}(?:[_-](?:size|rate|len|length)(?![A-Za-z]))?)|(?P<number>\d{1,9}(?:\.\d{1,9})?(?:e-?\d{1,2}(?![A-Za-z\d]))?)|(?P<gap>[_\-.=]+)"
)
#: letters that stand for a setting in names of files alone
_LETTERS = {
    "b": "batch_size",
    "batch": "batch_size",
    "e": "epochs",
    "ep": "epochs",
    "epoch": "epochs",
    "seq": "seq_len",
    "tasks": "num_tasks",
    "task": "num_tasks",
    "ntask": "num_tasks",
}
_NAMES = ("batch_size", "epochs", "lr", "num_tasks", "seq_len")
_COUNTED = ("epochs", "num_tasks")
_NUMBERED = frozenset({"run", "exp", "job", "test", "trial", "part"})


#: a GPU, and no batch of 200
_GPU = re.compile(r"(?i)(?<![a-z\d])g?b[123]00(?![a-z\d])")


def settings_of_name(name: str) -> Iterator[tuple[str, int | float]]:
    """(name, value) of each setting that the name gives one value."""
    found: dict[str, set[int | float]] = {}
    for setting, value in _told(_GPU.sub("", _ENDING.sub("", name))):
        found.setdefault(setting, set()).add(value)
    return ((setting, values.pop()) for setting, values in found.items() if len(values) == 1)


def _told(stem: str) -> Iterator[tuple[str, int | float]]:
    pieces = [(one.lastgroup or "", one[0]) for one in _PIECE.finditer(stem)]
    used: set[int] = set()
    for at, (kind, word) in enumerate(pieces):
        setting = _setting(word) if kind == "word" else None
        if setting is None or (at and pieces[at - 1][0] == "word"):
            continue
        if len(word) < 3 and at and pieces[at - 1][0] != "gap":
            continue
        after = _number_after(pieces, at)
        if after is not None and not _goes_on(pieces, after, setting):
            value = _value(setting, pieces[after][1])
            if value is not None:
                used.add(after)
                yield setting, value
            continue
        before = _number_before(pieces, at) if setting in _COUNTED and len(word) > 2 else None
        if before is not None and before not in used:
            value = _value(setting, pieces[before][1])
            if value is not None:
                used.add(before)
                yield setting, value


def _setting(word: str) -> str | None:
    known = named(word)
    name = known.name if known is not None and known.settable else _LETTERS.get(word.lower(), "")
    return name if name in _NAMES else None


def _number_after(pieces: list[tuple[str, str]], at: int) -> int | None:
    place = at + 2 if at + 1 < len(pieces) and pieces[at + 1][0] == "gap" else at + 1
    return place if place < len(pieces) and pieces[place][0] == "number" else None


def _goes_on(pieces: list[tuple[str, str]], at: int, setting: str) -> bool:
    """`e2e`, `seq64_512`: the number is not the whole of it."""
    if at + 1 < len(pieces) and pieces[at + 1][0] == "word":
        return True
    return setting == "seq_len" and at + 2 < len(pieces) and pieces[at + 1][1] == "_" and pieces[at + 2][0] == "number"


def _number_before(pieces: list[tuple[str, str]], at: int) -> int | None:
    """`8tasks`, `20_epochs`; the number of `run_3_epochs` is that of the run."""
    place = at - 2 if at and pieces[at - 1][0] == "gap" else at - 1
    if place < 0 or pieces[place][0] != "number":
        return None
    if place and pieces[place - 1][0] == "word":
        return None
    if place == 0 and pieces[0][1].startswith("0"):
        return None  # `08_epochs.md`: the eighth page
    return None if place > 1 and pieces[place - 2][1].lower() in _NUMBERED else place


def _value(setting: str, text: str) -> int | float | None:
    value = float(text)
    if setting == "lr" and "." not in text and "e" not in text:
        return None
    made = as_setting(BY_NAME[setting], value)
    return made or None
