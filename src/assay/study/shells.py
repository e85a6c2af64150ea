"""Which words of a command a shell will read as its own language, whatever starts that shell.

A shell is looked for at every word, so that `env`, `nice`, `timeout`, `sudo`, `xargs` or `docker exec` before it need
not be understood: `timeout 5 bash -o pipefail -c SCRIPT` has its script where `bash -o pipefail -c SCRIPT` has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

_SHELLS = frozenset(("sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh"))
#: options of shells in long form that take the next word
_TAKES = ("--rcfile", "--init-file")
#: programs that give their words to a shell elsewhere, behind the name of a host where they take one
_REMOTE = frozenset(("ssh", "rsh", "slogin", "mosh"))
_ALL_OF_IT = frozenset(("eval", "watch", "parallel", "pdsh", "clush", "pwsh", "powershell"))
#: programs whose `-c` takes a script
_WITH_C = frozenset(("su", "runuser", "script", "flock"))
#: programs that start another one; behind any other program, `watch` or `ssh` is a word like all words
_PREFIXES = re.compile(
    r"env|nice|nohup|time|timeout|sudo|doas|stdbuf|setsid|taskset|numactl|ionice|chrt|xargs|srun|mpirun|mpiexec|strace"
    r"|flock|docker|podman|apptainer|singularity|conda|sshpass|uv|find"
)
_SSH_TAKES = frozenset(f"-{letter}" for letter in "BbcDEeFIiJLlmOopQRSWw")
#: a script that has a shell read its own arguments once more
_READ_AGAIN = re.compile(r"""\beval\b|-\w{0,8}c\s+"[^"\n]{0,500}\$[\d@*{]|\b(?:ssh|rsh|su)\s[^;|&\n]{0,500}\$[\d@*{]""")


def read_by_a_shell(words: Sequence[str], unknown: Callable[[str], bool]) -> Iterator[int]:
    """The positions of words that a shell would read as code. `unknown` marks words that get a value."""
    started = _PREFIXES.fullmatch(Path(words[0]).name) is not None
    for index, word in enumerate(words):
        name = Path(word).name
        if name in _SHELLS or (index == 0 and unknown(word)):  # a program that is a setting may be a shell
            yield from _of_shell(words, index)
        elif index and not started:
            continue
        elif name in _REMOTE:
            yield from range(_behind_host(words, index), len(words))
        elif name in _ALL_OF_IT:
            yield from range(index + 1, len(words))
        elif name in _WITH_C:
            yield from _of_option(words, index, ("-c", "--command", "--session-command"))
        elif name == "env":
            yield from _of_option(words, index, ("-S", "--split-string"))


def _of_shell(words: Sequence[str], index: int) -> Iterator[int]:
    """Of `sh OPTIONS -c SCRIPT NAME ARGUMENTS`: the script, and its arguments where it reads them once more."""
    at, has_script = index + 1, False
    while at < len(words) and words[at][:1] in ("-", "+") and words[at] not in ("-", "--"):
        option = words[at]
        yield at  # a value in an option could be any option
        short = not option.startswith("--")
        has_script = has_script or (short and "c" in option[1:]) or option == "--command"
        taken = sum(option.count(letter) for letter in "oO") if short else int(option in _TAKES)
        at += 1 + taken
    at += words[at : at + 1] == ["--"]
    if has_script and at < len(words):
        yield at
        if _READ_AGAIN.search(words[at]):
            yield from range(at + 1, len(words))


def _behind_host(words: Sequence[str], index: int) -> int:
    at = index + 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _SSH_TAKES else 1
    return at + 1


def _of_option(words: Sequence[str], index: int, options: Sequence[str]) -> Iterator[int]:
    """The word after one of these options, or the rest of the same word."""
    for at in range(index + 1, len(words)):
        if words[at] in options:
            yield at + 1
        elif words[at].startswith(tuple(f"{option}=" if option.startswith("--") else option for option in options)):
            yield at
