"""Texts that make a pattern work hard, derived from the pattern itself: what it repeats, after what comes before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

try:
    from re import _constants as sre  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # before Python 3.11
    import sre_constants as sre  # type: ignore[no-redef]
    import sre_parse as parser  # type: ignore[no-redef]

_TRIED = "0a A,.-=:|#\"'([{<\\/_*\t%+~`>\x1b]\x07é→"
_LONG = 12  # a repeat of fewer is no pump
_MOST = 80
#: a word of what people write; longer ones are cut off for the patterns that read prose
_WORD = 250


def pumps(pattern: str | bytes, flags: int) -> list[tuple[str, str, str]]:
    """(before, repeated, after), each of which may be long."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    tree = parser.parse(text, flags & ~re.UNICODE if isinstance(pattern, bytes) else flags)
    cores: dict[tuple[str, str, str], None] = {}
    for before, body, after in _repeats(list(tree), ""):
        for piece in body:
            cores[before, piece, after] = None
            cores["", before + piece, ""] = None
            cores["", piece, ""] = None
            cores[before, piece * (_WORD // len(piece)) + " ", ""] = None
            cores["", (before + piece * _WORD)[:_WORD] + " ", ""] = None
    whole = _sample(list(tree))
    for cut in range(1, len(list(tree)) + 1):
        cores["", _sample(list(tree)[:cut]), ""] = None
    cores["", whole[:-1] or "a", ""] = None
    cores["", " ", ""] = None
    cores["", "0", ""] = None
    cores["", "a", ""] = None
    chosen = [core for core in cores if core[1]]
    if len(chosen) > _MOST:
        chosen = chosen[:: -(-len(chosen) // _MOST)]
    return [(before, piece, f"{after}\x01") for before, piece, after in chosen]


def _repeats(tree: list[Any], before: str) -> Iterator[tuple[str, list[str], str]]:
    """Every long repeat with a text that leads to it, texts that it takes, and one that comes after."""
    for at, (kind, value) in enumerate(tree):
        lead = before + _sample(tree[:at])
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT) or str(kind) == "POSSESSIVE_REPEAT":
            _, most, body = value
            if most >= _LONG:
                yield lead, [one for one in _pieces(list(body), tree[at + 1 :]) if one], _follows(tree[at + 1 :])
            yield from _repeats(list(body), lead)
        elif kind == sre.SUBPATTERN:
            yield from _repeats(list(value[3]), lead)
        elif str(kind) == "ATOMIC_GROUP":
            yield from _repeats(list(value), lead)
        elif kind == sre.BRANCH:
            for branch in value[1]:
                yield from _repeats(list(branch), lead)
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _repeats(list(value[1]), lead)


def _follows(tree: list[Any]) -> str:
    """What comes next, or must not."""
    return "".join(
        _sample(list(value[1])) if kind == sre.ASSERT_NOT else _one((kind, value)) for kind, value in tree[:3]
    )


def _pieces(body: list[Any], after: list[Any]) -> list[str]:
    """What the repeat takes once: characters of a class, and of those first the ones that what follows takes, too."""
    if len(body) == 1 and body[0][0] in (sre.IN, sre.ANY, sre.NOT_LITERAL, sre.CATEGORY):
        taken = [c for c in _TRIED if _takes(body[0], c)]
        shared = [c for c in taken if any(_takes_first(one, c) for one in after[:3])]
        return list(dict.fromkeys([*shared[:4], *taken[:3]])) or [_sample(body)]
    branches = body[0][1][1] if len(body) == 1 and body[0][0] == sre.BRANCH else None
    if len(body) == 1 and body[0][0] == sre.SUBPATTERN:
        return _pieces(list(body[0][1][3]), after)
    samples = [_sample(list(branch)) for branch in branches] if branches else [_sample(body)]
    return [*samples, "".join(samples[:2])]


def _takes_first(node: Any, char: str) -> bool:
    kind, value = node
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        return bool(value[2]) and _takes_first(value[2][0], char)
    if kind == sre.SUBPATTERN:
        return bool(value[3]) and _takes_first(value[3][0], char)
    if kind == sre.BRANCH:
        return any(branch and _takes_first(branch[0], char) for branch in value[1])
    return _takes(node, char)


def _takes(node: Any, char: str) -> bool:
    kind, value = node
    if kind == sre.ANY:
        return char != "\n"
    if kind == sre.LITERAL:
        return value == ord(char)
    if kind == sre.NOT_LITERAL:
        return value != ord(char)
    if kind == sre.IN:
        negated = value[0][0] == sre.NEGATE
        return any(_in_class(one, char) for one in value[negated:]) != negated
    return False


def _in_class(one: Any, char: str) -> bool:
    kind, value = one
    if kind == sre.LITERAL:
        return value == ord(char)
    if kind == sre.RANGE:
        return value[0] <= ord(char) <= value[1]
    name = str(value)
    inside = {"DIGIT": char.isdigit(), "SPACE": char.isspace(), "WORD": char.isalnum() or char == "_"}
    found = next(answer for key, answer in inside.items() if name.endswith(key))
    return found != ("_NOT_" in name)


def _sample(tree: list[Any]) -> str:
    """A short text that the pattern takes, as far as it can be seen without trying."""
    return "".join(map(_one, tree))


def _one(node: Any) -> str:
    kind, value = node
    if kind == sre.LITERAL:
        return chr(value)
    if kind in (sre.IN, sre.ANY, sre.NOT_LITERAL):
        return next((c for c in _TRIED if _takes(node, c)), "") or _listed(value)
    if kind == sre.BRANCH:
        return next((text for text in (_sample(list(one)) for one in value[1]) if text), "")
    if kind == sre.SUBPATTERN:
        return _sample(list(value[3]))
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        return _sample(list(value[2])) * max(1, min(value[0], 4))
    return ""


def _listed(value: Any) -> str:
    for kind, one in value if isinstance(value, list) else ():
        if kind == sre.LITERAL:
            return chr(one)
        if kind == sre.RANGE:
            return chr(one[0])
    return ""
