"""Where a command takes a setting: `{NAME}` in its words, a flag of its program, a constant at the top of its script.

    --grid LR=0.1,0.01        python train.py --lr {LR}      python train.py --lr 0.5      LR = 0.5 in train.py

The command gets a place for the value, so that a study, its file and its jobs treat all three alike. What cannot be set
for certain is refused: two runs of one thing under two names are worse than no run.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.core.commandline import CONSTANTS, MODULE_FLAGS, Line, pairs, read
from assay.errors import UsageError, did_you_mean
from assay.facts.declarations import Declared, declared_by
from assay.facts.settings import COMMAND, script_of, stated
from assay.inside import assay_constants
from assay.quantities import named
from assay.spec import Value
from assay.study import template
from assay.study.what import GIVEN

#: how the names of shells end, which start a script of theirs and not of Python
_SHELL = "sh"


def with_values(command: Sequence[str], values: Mapping[str, Value], cwd: Path) -> tuple[list[str], list[str]]:
    """(the command with these values, a sentence about each that is no `{NAME}`)"""
    words, notes = with_places(command, {name: [value] for name, value in values.items()}, cwd)
    return template.fill(template.literal(words, list(values)), values), notes


def with_places(
    command: Sequence[str], values: Mapping[str, Sequence[Value]], cwd: Path
) -> tuple[list[str], list[str]]:
    """(the command with a place for each setting, a sentence about each that had none)"""
    words, notes = list(command), list[str]()
    if set(template.names_in(words)) - {*values, *GIVEN}:
        return words, notes  # one that is misspelled: the study names it
    for name, possible in values.items():
        if not name.isidentifier():
            hint = "write {X} where the program takes the value, and name that: --grid X=…"
            raise UsageError(f"`{name}` is not a name that can have a place in the command", hint)
        if name not in template.names_in(words):
            words, note = _placed(words, name, possible, cwd)
            notes.append(note)
    return words, notes


def _placed(words: list[str], name: str, values: Sequence[Value], cwd: Path) -> tuple[list[str], str]:
    line = read(words)
    at = len(line.before)
    if not line.program or words[at : at + 1] != [line.program]:
        raise UsageError(f"`{name}` has no place in the command", f"write {{{name}}} where the program takes the value")
    script = script_of(line, cwd)
    declared = declared_by(script)
    for index in range(at + 1, len(words)):
        if (found := _in_word(words, index, name, declared)) is not None:
            flag, changed = found
            return changed, f"{name} is the value of {flag}"
    if (own := _flag(name, declared)) is not None:
        return [*words, *_given(name, own, declared)], f"{name} is passed as {own}"
    if script.suffix != ".py" or not script.is_file():
        message = f"the command does not use `{name}`, so every value would give the same run"
        raise UsageError(message, f"write {{{name}}} where the program takes the value")
    return _constant(words, at, line, name, values, script, cwd)


def _in_word(words: list[str], index: int, name: str, declared: Declared) -> tuple[str, list[str]] | None:
    """(flag, changed words) where this word is the flag or key of the setting, with its value."""
    flag, equals, _ = words[index].partition("=")
    own = declared.long(flag) or flag
    if name not in (own.lstrip("-+").replace("-", "_"), own.lstrip("-+")) or (not equals and not flag.startswith("-")):
        return None
    if equals:
        return flag, [*words[:index], f"{flag}={{{name}}}", *words[index + 1 :]]
    (value,) = (one for _, one in list(pairs(words[index:], declared.switches))[:1])
    if isinstance(value, bool):
        return flag, [*words[:index], f"{{{name}:{flag}}}", *words[index + 1 :]]
    if value != words[index + 1]:
        raise UsageError(f"`{flag}` has several values here", f"write {{{name}}} in the place of the one to change")
    return flag, [*words[: index + 1], f"{{{name}}}", *words[index + 2 :]]


def _flag(name: str, declared: Declared) -> str | None:
    """The longest flag that a script declares under this name."""
    fitting = [
        flag for flag, long in declared.names.items() if name in (long, long.replace("-", "_"), flag.lstrip("-"))
    ]
    return max(fitting, key=len, default=None)


def _given(name: str, flag: str, declared: Declared) -> list[str]:
    """The words that pass it."""
    if flag not in declared.switches:
        return [f"{flag}={{{name}}}"] if flag.startswith("--") else [flag, f"{{{name}}}"]
    default = declared.flags.get(declared.names[flag])
    if default is not None and default.value is True:
        hint = f"name the flag that turns it off: {{no_{name}:--no-{name}}} in the command"
        raise UsageError(f"`{flag}` is on by default, so the flag changes nothing", hint)
    return [f"{{{name}:{flag}}}"]


def _constant(
    words: list[str], at: int, line: Line, name: str, values: Sequence[Value], script: Path, cwd: Path
) -> tuple[list[str], str]:
    source = script.read_bytes()
    if reason := assay_constants.why_not(source, name):
        try:
            known = [*assay_constants.constants_of(ast.parse(source)), *declared_by(script).names.values()]
        except (SyntaxError, ValueError):
            known = []
        message = f"`{name}` cannot be set: it is no flag of {script.name}, and {reason}"
        raise UsageError(message, did_you_mean(name, known, f"write {{{name}}} where the program takes the value."))
    value, at_line = assay_constants.constants_of(ast.parse(source))[name]
    for one in values:
        try:
            assay_constants.value_like(value, template.show(one))
        except ValueError as problem:
            raise UsageError(f"`{name}` cannot be set: {problem}") from None
    said = stated(words, cwd)
    same = next((one for one in said.claims if one.lower() == name.lower()), None) or _by_table(name, said.claims)
    if same is not None and said.sources[same].startswith((COMMAND, "config")):
        message = f"`{name}` cannot be set: the command gives {same} itself ({said.sources[same]})"
        raise UsageError(message, "leave that out of the command, or write the value there")
    return _through_us(words, at, line, name), f"{name} is a constant of {script.name} (line {at_line})"


def _by_table(name: str, claims: Mapping[str, Value]) -> str | None:
    known = named(name)
    return known.name if known is not None and known.name in claims else None


def _through_us(words: list[str], at: int, line: Line, name: str) -> list[str]:
    """The command with our file before the script; with one more constant where it stands there already."""
    place = f"{name}={{{name}}}"
    ours = next((index for index in range(at) if words[index].endswith(CONSTANTS)), None)
    if ours is not None:
        return [*words[: ours + 1], place, *words[ours + 1 :]]
    if not at or words[at - 1].endswith(_SHELL):
        hint = f"start it with Python: python {line.program}"
        raise UsageError(f"`{name}` cannot be set: the command starts {line.program} by itself", hint)
    module = words[at - 1] in MODULE_FLAGS
    head, target = (words[: at - 1], ["-m", *words[at:]]) if module else (words[:at], words[at:])
    return [*head, str(Path(assay_constants.__file__)), place, "--", *target]
