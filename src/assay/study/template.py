"""Commands with `{setting}` in them: filled word by word, so that no value is ever read by a shell.

`{amp:--use-amp}` is `--use-amp` where the setting `amp` is on, and nothing where it is off. `{{x}}` is a literal `{x}`;
other braces are left alone, as in `--config '{"a": 1}'`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from assay.errors import UsageError, did_you_mean
from assay.study.shells import read_by_a_shell

_NAME, _FLAGS = r"[A-Za-z_]\w*", r":[ ]{0,9}(-[^{}]*)"
#: a literal, a setting, and the words of a setting that is on
_PLACE = re.compile(rf"\{{\{{({_NAME}(?:{_FLAGS})?)\}}\}}|\{{({_NAME})(?:{_FLAGS})?\}}")
_FLAG = re.compile(rf"\{{({_NAME}){_FLAGS}\}}")
#: what stands for a flag while a line is split into words: it may have spaces of its own
_HELD = "\0{}\0"
ON, OFF = ("on", "true", "yes", "1"), ("off", "false", "no", "0")
#: words that mean something to a shell and nothing to a program
_SHELL_SIGNS = {"|", "||", "&&", "&", ";", ">", ">>", "<", "2>", "2>&1", "&>"}


def split(command: object) -> list[str]:
    """The words of a command that is written as one line or as a list."""
    if isinstance(command, list) and command and not any(isinstance(word, list) for word in command):
        words = [text for word in command for text in (_flags(word) if isinstance(word, dict) else [_text(word)])]
    elif isinstance(command, str) and command.strip():
        try:
            words = _split_line(command)
        except ValueError as problem:
            raise UsageError(f"the command cannot be read: {str(problem).lower()}") from None
        sign = next((word for word in words if word in _SHELL_SIGNS), None)
        if sign:
            hint = "put a pipeline into a script, and run the script"
            raise UsageError(f"`{sign}` has no effect, because no shell reads the command", hint)
    else:
        raise UsageError("`command` must be a line or a list of words")
    if not words or not words[0]:
        raise UsageError("`command` is empty")
    return words


def _text(word: object) -> str:
    return "" if word is None else str(word)


def _flags(given: Mapping[str, object]) -> list[str]:
    """`{amp: --use-amp}` in a list of words."""
    for name, words in given.items():
        if not _FLAG.fullmatch(f"{{{name}:{words}}}"):
            hint = "write {setting: --flag}; the flag is added when the setting is on"
            raise UsageError(f"`{{{name}: {_text(words)}}}` in the command is not a setting and its flag", hint)
    return [f"{{{name}:{words}}}" for name, words in given.items()]


def _split_line(line: str) -> list[str]:
    flags = [found[0] for found in _FLAG.finditer(line)]
    numbers = iter(range(len(flags)))
    words = shlex.split(_FLAG.sub(lambda found: _HELD.format(next(numbers)), line))
    for index, flag in enumerate(flags):
        words = [word.replace(_HELD.format(index), flag) for word in words]
    return words


def names_in(words: Sequence[str]) -> list[str]:
    """The settings that a template uses, in order."""
    return list(dict.fromkeys(found[3] for word in words for found in _PLACE.finditer(word) if found[3]))


def flags_in(words: Sequence[str]) -> list[str]:
    """The settings that only turn words on and off."""
    return list(dict.fromkeys(found[3] for word in words for found in _PLACE.finditer(word) if found[4]))


def fill(words: Sequence[str], values: Mapping[str, object]) -> list[str]:
    """Each word with its values put in. A value stays inside its word, whatever it holds."""

    def one(found: re.Match[str]) -> str:
        if found[1]:
            return "{" + found[1] + "}"
        return show(values[found[3]]) if found[4] is None else found[4] if is_on(found[3], values[found[3]]) else ""

    filled = []
    for word in words:
        flag = _FLAG.fullmatch(word)
        if flag is None:
            filled.append(_PLACE.sub(one, word))
        elif is_on(flag[1], values[flag[1]]):
            filled += shlex.split(flag[2])
    return filled


def literal(words: Sequence[str], keep: Sequence[str]) -> list[str]:
    """A template of these very words: braces are braces, but for the names to keep."""
    return [_PLACE.sub(lambda found: found[0] if found[3] in keep else "{" + found[0] + "}", word) for word in words]


def is_on(name: str, value: object) -> bool:
    """Whether a setting that turns words on and off is on."""
    word = show(value).lower()
    if word not in (*ON, *OFF):
        hint = f"list on and off, or write {{{name}}} where the program takes the value"
        raise UsageError(f"`{name}` turns a flag on or off, but its value is `{value}`", hint)
    return word in ON


def show(value: object) -> str:
    """As a program expects to read it: true and false in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def check(words: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a name that is no setting, and a setting inside a script that a shell would read."""
    for found in (found for word in words for found in _FLAG.finditer(word)):
        try:
            shlex.split(found[2])
        except ValueError as problem:
            raise UsageError(f"`{found[0]}` cannot be read: {str(problem).lower()}") from None
    for name in names_in(words):
        if name not in known:
            close = did_you_mean(name, known, f"give `{name}` values in the grid.")
            hint = f"{close} A literal {{{name}}} is written {{{{{name}}}}}"
            raise UsageError(f"the command uses `{{{name}}}`, which is not a setting", hint)
    for at in read_by_a_shell(words, lambda word: bool(names_in([word]))):
        inside = names_in([words[at]]) if at < len(words) else []
        if inside:
            hint = f"give it to a script as an argument: sh -c '… \"$1\"' sh {{{inside[0]}}}"
            raise UsageError(
                f"`{{{inside[0]}}}` is inside a shell script, which would run its value as shell code", hint
            )
