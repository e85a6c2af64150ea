"""What the arguments of a program set: flags with a value, flags that stand alone, `key=value` words.

    --lr 0.1   --lr=0.1   --amp   -b 32   lr=0.1   +model.depth=3   --gin_bindings="train.lr = 0.1"   --layers 64 128

The trap: whether `--amp data` is a flag and a file or a setting with its value, only the program knows. It is read as a
setting, unless someone knows the flag to take no value; words that stand alone never are settings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

_KEY = re.compile(r"(?:\+{1,2})?[A-Za-z_][\w.@/:-]*")
_FLAG = re.compile(r"--?[A-Za-z][\w.@/:-]*")
_INNER = re.compile(r"\s*\+{0,2}([A-Za-z_][\w.@/-]*)\s*=\s*([^=\s].*)", re.DOTALL)
_NEGATIVE = re.compile(r"-\.?\d[\d.eE+_-]*")
_NUMBER = re.compile(r"[+-]?\.?\d[\d.eE+_-]*")
#: `-j4`, `-t2`, `-d8s`
_GLUED = re.compile(r"(-[A-Za-z])(\d[\w.]{0,12})")
_LONGEST = 100


def pairs(words: Sequence[str], bare: Collection[str] = ()) -> Iterator[tuple[str, str | bool]]:
    """(flag or key, value) of arguments, in order; True where a flag stands alone, as those of `bare` do.

    Other words are passed over."""
    at, flags = 0, True
    while at < len(words):
        word, at = words[at], at + 1
        key, equals, value = word.partition("=")
        if word == "--":
            flags = False
        elif flags and (glued := _GLUED.fullmatch(word)):
            yield glued[1], glued[2]
        elif equals and len(key) <= _LONGEST and (_KEY if not key.startswith("-") else _FLAG).fullmatch(key):
            yield from _inner(key, value)
        elif flags and not equals and len(word) <= _LONGEST and _FLAG.fullmatch(word):
            values = [] if word in bare else _values(words, at)
            at += len(values)
            yield from _inner(word, " ".join(values)) if values else [(word, True)]


def _values(words: Sequence[str], at: int) -> list[str]:
    """What follows a flag: one word, or several numbers."""
    if at >= len(words) or _begins_another(words[at]):
        return []
    end = at + 1
    while end < len(words) and _NUMBER.fullmatch(words[end]) and _NUMBER.fullmatch(words[at]):
        end += 1
    return list(words[at:end])


def _begins_another(word: str) -> bool:
    return word.startswith("-") and not _NEGATIVE.fullmatch(word)


def _inner(key: str, value: str) -> Iterator[tuple[str, str | bool]]:
    """`--gin_bindings="train.lr = 0.1"`, `--set lr=0.1,depth=3`: what is set stands in the value."""
    parts = [part for part in re.split(r"[;\n]", value) if part.strip()]
    commas = value.split(",")
    parts = commas if len(commas) > 1 and all(map(_INNER.fullmatch, commas)) else parts
    found = [_INNER.fullmatch(part) for part in parts]
    if key.startswith("-") and found and all(found):
        yield from ((one[1], one[2].strip()) for one in found if one)
    else:
        yield key, value
