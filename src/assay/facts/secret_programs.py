"""Secrets that a program takes by a letter or a place: `sshpass -p PW`, `mysql -pPW`, `wandb login KEY`."""

from __future__ import annotations

import os
import re
from typing import Iterator, Sequence  # noqa: UP035 - a measured program's Python may be 3.8

from . import secret_table as table
from .secret_names import name_says

#: the words of a shell's line; what separates commands is a word of its own
_WORD = re.compile(r"""(?:[^\s"'\\;|&()<>]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+|[;|&()]""", re.DOTALL)
_LINE = re.compile(r"(?:[^\\\n]|\\.)+", re.DOTALL)
#: where the arguments of a program end: at another one, too, so that no word is looked at twice
_ENDS = frozenset(";|&()") | table.STARTERS


def programs_in_text(text: str, mask: str) -> str:
    """Each line of a shell's text in which such a program is started."""
    if len(text.split(None, 1)) < 2:  # one word starts nothing
        return text
    starts_one = table.compiled(table.STARTS_ONE)
    if not starts_one.search(text):
        return text
    return _LINE.sub(lambda line: _line(line[0], mask) if starts_one.search(line[0]) else line[0], text)


def _line(line: str, mask: str) -> str:
    found = list(_WORD.finditer(line))
    words = [re.sub(r"^([\"'])(.*)\1$", r"\2", word[0], flags=re.DOTALL) for word in found]
    masked = mask_programs(words, list(words), mask)
    kept, at = [], 0
    for word, before, after in zip(found, words, masked):  # noqa: B905 - not before Python 3.10
        if before != after:
            kept += [line[at : word.start()], after]
            at = word.end()
    return "".join(kept) + line[at:]


def mask_programs(words: Sequence[str], masked: list[str], mask: str) -> list[str]:
    """`masked` with more of it hidden: what the programs among the words take as a secret."""
    for index, word in enumerate(words):
        name = os.path.basename(word) if len(word) < 200 else ""
        if name in table.PROGRAMS:
            for at, shown in _taken(table.PROGRAMS[name], _until_separator(words, index + 1), mask):
                masked[index + 1 + at] = shown
        elif name in table.SETTERS:
            for at in _set_by(_until_separator(words, index + 1)):
                masked[index + 1 + at] = mask
        elif name in ("echo", "printf"):
            for at in _piped(words, index):
                masked[at] = mask
    return masked


def _until_separator(words: Sequence[str], begin: int) -> Sequence[str]:
    """The arguments of one program."""
    end = next((at for at in range(begin, len(words)) if words[at] in _ENDS), len(words))
    return words[begin:end]


def _taken(takes: table.Takes, words: Sequence[str], mask: str) -> Iterator[tuple[int, str]]:
    if takes.only_after and takes.only_after not in words:
        return
    flags, glued, pairs = takes.flags.split(), [*takes.glued.split(), *takes.flags.split()], takes.pairs.split()
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        short = word[:2] if re.match(r"-\w", word) and len(word) > 2 else ""
        if before in flags and _is_value(word):
            yield at, mask
        elif short in glued and _is_value(word[2:]):
            yield at, short + mask
        elif _names(before, pairs) and _pair(word, mask):
            yield at, _pair(word, mask)
        elif short in pairs and _pair(word[2:], mask):
            yield at, short + _pair(word[2:], mask)
        elif takes.prefix and word.startswith(takes.prefix) and _is_value(word[len(takes.prefix) :]):
            yield at, takes.prefix + mask
    yield from ((at, mask) for at in _placed(takes, words))


def _placed(takes: table.Takes, words: Sequence[str]) -> Iterator[int]:
    """Secrets by their position: the first word after a known one, or the last word."""
    for verb in takes.after.split():
        if verb in words:
            begin = list(words).index(verb) + 1
            plain = [at for at in range(begin, len(words)) if not words[at].startswith("-")]
            if plain and _is_value(words[plain[0]]) and "=" not in words[plain[0]]:
                yield plain[0]
    if set(takes.last.split()) & set(words) and len(words) > 3 and _is_value(words[-1]):
        yield len(words) - 1


def _names(before: str, flags: Sequence[str]) -> bool:
    """`-u`, or the last letter of several: `-su`."""
    return before in flags or (re.fullmatch(r"-[A-Za-z]{2,5}", before) is not None and "-" + before[-1] in flags)


def _pair(word: str, mask: str) -> str:
    """`user:password` with the second half hidden; nothing where there is none, or it is a number of a group."""
    found = re.match(r"([^:%,=\s]*[:%,=])(.+)", word, re.DOTALL)
    return found[1] + mask if found and _is_value(found[2]) and not found[2].isdigit() else ""


def _set_by(words: Sequence[str]) -> Iterator[int]:
    """`aws configure set aws_secret_access_key VALUE`"""
    if not {"set", "config", "configure"} & set(words[:3]):
        return
    for at, word in enumerate(words[1:-1], 1):
        parts = re.split("[:/.]", word[-100:])
        if not word.startswith("-") and any(name_says(part) == "sure" for part in parts) and _is_value(words[at + 1]):
            yield at + 1


def _piped(words: Sequence[str], index: int) -> Iterator[int]:
    """`echo PW | sudo -S …`: what is said to a program that waits for a password."""
    said = _until_separator(words, index + 1)
    end = index + 1 + len(said)
    if words[end : end + 1] == ["|"] and table.READS_IT & set(words[end + 1 : end + 12]):
        yield from (index + 1 + at for at, word in enumerate(said) if not word.startswith("-") and _is_value(word))


def _is_value(word: str) -> bool:
    """Something said, and not the name of a variable or of an option."""
    return bool(word) and not re.match(r"[\"']?(?:\$[\w({]|`)|--?[A-Za-z][\w-]*$|\*\*\*", word)
