"""Commands with `{setting}` in them: filled word by word, so that no value is ever read by a shell.

`{{x}}` is a literal `{x}`; other braces are left alone, as in `--config '{"a": 1}'`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from assay.errors import UsageError, did_you_mean
from assay.study.shells import read_by_a_shell

_PLACE = re.compile(r"\{\{([A-Za-z_]\w*)\}\}|\{([A-Za-z_]\w*)\}")
#: words that mean something to a shell and nothing to a program
_SHELL_SIGNS = {"|", "||", "&&", "&", ";", ">", ">>", "<", "2>", "2>&1", "&>"}


def split(command: object) -> list[str]:
    """The words of a command that is written as one line or as a list."""
    if isinstance(command, list) and command and not any(isinstance(word, (dict, list)) for word in command):
        words = ["" if word is None else str(word) for word in command]
    elif isinstance(command, str) and command.strip():
        try:
            words = shlex.split(command)
        except ValueError as problem:
            raise UsageError(f"the command cannot be read: {str(problem).lower()}") from None
        sign = next((word for word in words if word in _SHELL_SIGNS), None)
        if sign:
            hint = "a study's command is a program and its words: put a pipeline into a script"
            raise UsageError(f"`{sign}` means nothing without a shell", hint)
    else:
        raise UsageError("`command` must be a line or a list of words")
    if not words or not words[0]:
        raise UsageError("`command` is empty")
    return words


def names_in(words: Sequence[str]) -> list[str]:
    """The settings that a template uses, in order."""
    return list(dict.fromkeys(found[2] for word in words for found in _PLACE.finditer(word) if found[2]))


def fill(words: Sequence[str], values: Mapping[str, object]) -> list[str]:
    """Each word with its values put in. A value stays inside its word, whatever it holds."""

    def one(found: re.Match[str]) -> str:
        return "{" + found[1] + "}" if found[1] else show(values[found[2]])

    return [_PLACE.sub(one, word) for word in words]


def show(value: object) -> str:
    """As a program expects to read it: true and false in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def check(words: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a name that is no setting, and a setting inside a script that a shell would read."""
    for name in names_in(words):
        if name not in known:
            hint = did_you_mean(name, known) if known else "name it under `grid` or `set`"
            raise UsageError(f"`{{{name}}}` in the command is no setting of this study", hint)
    for at in read_by_a_shell(words, lambda word: bool(names_in([word]))):
        inside = names_in([words[at]]) if at < len(words) else []
        if inside:
            hint = f"give it to a script as an argument: sh -c '… \"$1\"' sh {{{inside[0]}}}"
            raise UsageError(
                f"`{{{inside[0]}}}` stands inside a shell script, which would read its value as shell", hint
            )
