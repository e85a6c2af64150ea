"""The words of a command line: which program they start, by what, with which variables and arguments.

    env LR=0.1 torchrun --nproc_per_node=4 train.py --batch-size 32

The trap: `torchrun`, `srun -n 4` and `python -u` have their own options, and some of those take the next word.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

#: programs that start another one; some are shell scripts themselves (pyenv's shims), none is the one that is meant
LAUNCHERS = re.compile(
    r"python[\d.]*|pypy[\d.]*|ipython3?|(?:ba|z|da)?sh|env|nice|nohup|time|timeout|taskset|numactl|torchrun|accelerate"
    r"|deepspeed|horovodrun|srun|mpirun|mpiexec|aprun|jsrun|conda|mamba|uv|poetry|pipenv|hatch"
)
_PYTHONS = re.compile(r"python[\d.]*|pypy[\d.]*|ipython3?")
_SHELLS = re.compile(r"(?:ba|z|da)?sh")
#: modules that start another one
_MODULES = re.compile(
    r"torch\.distributed\.(?:run|launch)|torch_xla\.distributed\.\w+|accelerate(?:\.commands\.launch)?|deepspeed(?:\.\w+)*"
    r"|horovod\.\w+|cProfile|profile|pdb|coverage|scalene|viztracer|memory_profiler|kernprof|assay\.systems\.steps"
)
_TAKE_MODULES = ("torchrun", "accelerate", "deepspeed", "uv")
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
        given = [word.partition("=") for word in words[at + 1 : start] if name == "env" and _ASSIGNED.match(word)]
        line = replace(
            line,
            variables=(*line.variables, *((key, value) for key, _, value in given)),
            before=(*line.before, *words[at:start]),
        )
        if is_code:
            return replace(line, arguments=tuple(words[after:]))
        at = start
        if words[start - 1] in ("-m", "--module") and (_PYTHONS.fullmatch(name) or name in _TAKE_MODULES):
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
        if last == "--" or (last in ("-m", "--module") and name in _TAKE_MODULES):
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
