"""The words of a command line: which program they start, by what, with which variables, and what its arguments set.

    env LR=0.1 torchrun --nproc_per_node=4 train.py --batch-size 32 -j4 +model.depth=3 --layers 64 128

The traps: `torchrun`, `srun -n 4` and `python -u` have their own options, and some of those take the next word. Whether
`--amp data` is a flag and a file or a setting with its value, only the program knows: it is read as a setting, unless
someone knows the flag to take no value.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.quantities import Quantity, named, settings

#: the file of ours that runs a script with other constants
CONSTANTS = "assay_constants.py"
#: programs that start another one; some are shell scripts themselves (pyenv's shims), none is the one that is meant
LAUNCHERS = re.compile(
    r"python[\d.]*|pypy[\d.]*|ipython3?|(?:ba|z|da)?sh|env|nice|nohup|time|timeout|taskset|numactl|torchrun|accelerate"
    r"|assay_constants\.py|deepspeed|horovodrun|srun|mpirun|mpiexec|aprun|jsrun|conda|mamba|uv|poetry|pipenv|hatch"
)
_PYTHONS = re.compile(r"python[\d.]*|pypy[\d.]*|ipython3?")
_SHELLS = re.compile(r"(?:ba|z|da)?sh")
#: modules that start another one
_MODULES = re.compile(
    r"torch\.distributed\.(?:run|launch)|torch_xla\.distributed\.\w+|accelerate(?:\.commands\.launch)?|deepspeed(?:\.\w+)*"
    r"|horovod\.\w+|cProfile|profile|pdb|coverage|scalene|viztracer|memory_profiler|kernprof|assay\.systems\.steps"
)
_TAKE_MODULES = ("torchrun", "accelerate", "deepspeed", "uv", CONSTANTS)
MODULE_FLAGS = ("-m", "--module")
_VERBS = ("run", "launch", "exec")
_SCRIPTS = (".py", ".sh", ".bash", ".R", ".jl", ".pl", ".lua", ".js")
#: options of launchers that take no value
_BARE = frozenset(
    [
        "--oversubscribe",
        "--allow-run-as-root",
        "--standalone",
        "--exclusive",
        "--overlap",
        "--no-capture-output",
        "--live-stream",
        "--cpu",
        "--multi_gpu",
        "--multi-gpu",
        "--use_deepspeed",
        "--use_fsdp",
        "--verbose",
        "--foreground",
        "--preserve-status",
        "--no-python",
        "-v",
        "-i",
        "-l",
        "--localalloc",
        "--tag-output",
    ]
)
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
#: the 2 of `2>file`
_NUMBERED = re.compile(r"(?<!\S)\d(?=[<>])")
#: what a shell does itself
_BUILTINS = frozenset(
    [
        "cd",
        "export",
        "set",
        "source",
        ".",
        "ulimit",
        "module",
        "unset",
        "umask",
        "echo",
        "true",
        ":",
        "trap",
        "wait",
        "exec",
        "mkdir",
    ]
)
_KEYWORDS = frozenset(["for", "while", "until", "if", "case", "do", "then", "select", "function"])


@dataclass(frozen=True, kw_only=True)
class Line:
    """One command. `program` is a script, a module or an executable; empty for code that stands in the line itself."""

    variables: tuple[tuple[str, str], ...] = ()
    constants: tuple[tuple[str, str], ...] = ()  # those at the top of the script that are given another value
    before: tuple[str, ...] = ()  # launchers with their options
    program: str = ""
    arguments: tuple[str, ...] = ()


def read(words: Sequence[str]) -> Line:
    """What the words start. A shell's `-c` text is read where it is one plain command."""
    line, at = Line(), 0
    while at < len(words):
        name = words[at].rpartition("/")[2]
        if not LAUNCHERS.fullmatch(name):
            return replace(line, program=words[at], arguments=tuple(words[at + 1 :]))
        found = _launched(words, at, name)
        if found is None:
            inner = _in_shell(words, at) if _SHELLS.fullmatch(name) else None
            line = replace(line, before=(*line.before, *words[at:]))
            return line if inner is None else _joined(line, inner)
        start, after, is_code = found
        given = [word.partition("=") for word in words[at + 1 : start] if _ASSIGNED.match(word)]
        named = tuple((key, value) for key, _, value in given)
        line = replace(
            line,
            variables=(*line.variables, *named) if name == "env" else line.variables,
            constants=named if name == CONSTANTS else line.constants,
            before=(*line.before, *words[at:start]),
        )
        if is_code:
            return replace(line, arguments=tuple(words[after:]))
        at = start
        if words[start - 1] in MODULE_FLAGS and (_PYTHONS.fullmatch(name) or name in _TAKE_MODULES):
            if not _MODULES.fullmatch(words[start]):
                return replace(line, program=words[start], arguments=tuple(words[after:]))
            further = _launched(words, start, words[start])
            if further is None:
                return replace(line, program=words[start], arguments=tuple(words[after:]))
            line = replace(line, before=(*line.before, *words[start : further[0]]))
            at = further[0]
    return line


def _joined(outer: Line, inner: Line) -> Line:
    return replace(inner, variables=(*outer.variables, *inner.variables), before=(*outer.before[:1], *inner.before))


def _launched(words: Sequence[str], at: int, name: str) -> tuple[int, int, bool] | None:
    """(where what a launcher starts stands, where its arguments begin, whether it is code); None where that is unclear.

    Of `python -c CODE`, the place is that of the code."""
    if _PYTHONS.fullmatch(name) or _SHELLS.fullmatch(name):
        return _interpreted(words, at, is_shell=_SHELLS.fullmatch(name) is not None)
    for here in range(at + 1, len(words)):
        word, last = words[here], words[here - 1]
        if (last == "--" and word != "-m") or (last in MODULE_FLAGS and name in _TAKE_MODULES):
            return here, here + 1, False
        if word.startswith("-") or _ASSIGNED.match(word):
            continue
        known = word.endswith(_SCRIPTS) or LAUNCHERS.fullmatch(word.rpartition("/")[2]) or word.startswith("./")
        is_value = last.startswith("-") and "=" not in last and last not in _BARE and here - 1 > at
        if known or not (is_value or word[:1].isdigit() or word in _VERBS):
            return here, here + 1, False
    return None


def _interpreted(words: Sequence[str], at: int, *, is_shell: bool) -> tuple[int, int, bool] | None:
    here = at + 1
    while here < len(words):
        word = words[here]
        if re.fullmatch(r"-[A-Za-z]*c", word):
            return None if is_shell or here + 1 >= len(words) else (here + 1, here + 2, True)
        if word == "-m" and not is_shell and here + 1 < len(words):
            return here + 1, here + 2, False
        if not word.startswith("-"):
            return here, here + 1, False
        here += 2 if word in ("-X", "-W", "-o") else 1
    return None


def _in_shell(words: Sequence[str], at: int) -> Line | None:
    """The one command of `sh -c TEXT` that a shell does not do itself; None where there are several, or a program."""
    code = next((here + 1 for here in range(at + 1, len(words)) if re.fullmatch(r"-[A-Za-z]*c", words[here])), None)
    if code is None or code >= len(words) or len(words[code]) > 20_000:
        return None
    text = _NUMBERED.sub("", words[code].replace("\n", " ; "))
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        commands = list(_simple_commands(list(lexer)))
    except ValueError:
        return None
    kept = [one for one in commands if one and one[0] not in _BUILTINS]
    if len(kept) != 1 or any(one[:1] and one[0] in _KEYWORDS for one in commands):
        return None
    count = next((at for at, word in enumerate(kept[0]) if not _ASSIGNED.match(word)), len(kept[0]))
    given = [word.partition("=") for word in kept[0][:count]]
    line = read(kept[0][count:])
    return replace(line, variables=(*((key, value) for key, _, value in given), *line.variables))


def _simple_commands(tokens: Sequence[str]) -> Iterator[list[str]]:
    command: list[str] = []
    redirected = False
    for token in tokens:
        if redirected:
            redirected = False
        elif (token and all(sign in "<>" for sign in token)) or token in (">&", ">|", "&>", "&>>"):
            redirected = True
        elif token and all(sign in "();&|" for sign in token):
            yield command
            command = []
        else:
            command.append(token)
    yield command


_KEY = re.compile(r"(?:\+{1,2})?[A-Za-z_][\w.@/:-]*")
_FLAG = re.compile(r"--?[A-Za-z][\w.@/:-]*")
_INNER = re.compile(r"\s*\+{0,2}([A-Za-z_][\w.@/-]*)\s*=\s*([^=\s].*)", re.DOTALL)
_NEGATIVE = re.compile(r"-\.?\d[\d.eE+_-]*")
_NUMBER = re.compile(r"[+-]?\.?\d[\d.eE+_-]*")
#: `-j4`, `-t2`, `-d8s`
_GLUED = re.compile(r"(-[A-Za-z])(\d[\w.]{0,12})")
_LONGEST = 100


def pairs(words: Sequence[str], bare: Collection[str] = ()) -> Iterator[tuple[str, str | bool]]:
    """(flag or key, value) of arguments, in order; True where a flag stands alone, as those of `bare` do. Other words
    are passed over."""
    return ((flag, value) for flag, value in split_arguments(words, bare) if flag)


def split_arguments(words: Sequence[str], bare: Collection[str] = ()) -> Iterator[tuple[str, str | bool]]:
    """The same with the words that stand alone, each behind an empty flag."""
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
            if _names_another(words, word, values, at):
                yield values[0], words[at]
                at += 1
                continue
            yield from _inner(word, " ".join(values)) if values else [(word, True)]
        else:
            yield "", word


def _values(words: Sequence[str], at: int) -> list[str]:
    """What follows a flag: one word, or several numbers."""
    if at >= len(words) or _begins_another(words[at]):
        return []
    end = at + 1
    while end < len(words) and _NUMBER.fullmatch(words[end]) and _NUMBER.fullmatch(words[at]):
        end += 1
    return list(words[at:end])


def _names_another(words: Sequence[str], flag: str, values: Sequence[str], at: int) -> bool:
    """`-var dt 0.005 -var steps 500`: a flag that is given several times, each with a name and its number."""
    is_name = len(values) == 1 and values[0].isidentifier() and words.count(flag) > 1
    return is_name and at < len(words) and _NUMBER.fullmatch(words[at]) is not None


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


_FLAGS_OF_TABLE = {flag: one for one in settings() for flag in one.flags}


def settings_of_command(command: str) -> Iterator[tuple[str, int | float]]:
    """(name, value) of a line that someone shows, in order; of one that is given twice, the first."""
    words = [word.strip("\"',;") for word in command.replace("\\", " ").split()]
    seen: set[str] = set()
    for flag, text in pairs(words):
        quantity = quantity_of(flag)
        number = _value(quantity, text) if quantity and isinstance(text, str) else None
        if quantity and number is not None and quantity.name not in seen:
            seen.add(quantity.name)
            yield quantity.name, number


def flags_of_command(command: str) -> set[str]:
    """Names of the settings that it gives, whatever their values."""
    flags = {word.partition("=")[0] for word in command.split() if word.startswith("-")}
    return {one.name for flag in flags if (one := quantity_of(flag)) is not None}


def quantity_of(flag: str) -> Quantity | None:
    """The setting of the table that a flag or the key of a `key=value` word names."""
    if flag in _FLAGS_OF_TABLE:
        return _FLAGS_OF_TABLE[flag]
    found = named(flag.lstrip("-").lstrip("+"))
    return found if found is not None and found.settable else None


def _value(quantity: Quantity, text: str) -> int | float | None:
    from assay.core.numbers import quantity as number_of  # pages alone need it, and a run's start does not

    number = number_of(text)
    return None if number is None or number.unit.base else as_setting(quantity, number.value)


def as_setting(quantity: Quantity, value: float) -> int | float | None:
    """The number as this setting takes it: whole where only whole numbers make sense, and in the range of reason."""
    if quantity.whole:
        return int(value) if value.is_integer() and 0 <= value < 10**9 else None
    return float(f"{value:.12g}") if 0 <= value < 100 else None  # 3 * 10^-4 is 0.0003
