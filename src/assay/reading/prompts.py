"""What was typed at a prompt: of a shell, of its themes, of root, of Windows; and whether it starts a run.

    (venv) [user@cer-login ~]$ python run.py CSX        ➜ bench git:(main) ✗ torchrun train.py        % python x.py

The trap: `95 % of the time` and `> quoted` look alike. Such signs are a prompt only where a command follows them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from assay import systems

_PROMPT = re.compile(
    r"\s*(?:`+)?(?:\([\w.+-]+\)\s*)*(?!\s)(?:"
    r"(?:\[?[\w.-]+@[\w.-]+(?:[ :~][^\]$#%>|]*(?<!\s))?\]?|[\w.-]+)?\s*(?P<sign>[$%]|(?<=\])#|Singularity>)(?=\s)"
    r"|[\w.-]+@[\w.-]+:[~/][^\s$#%>|]*#(?=\s)"  # root's
    r"|[➜❯]\s+(?:(?:\S+\s+)?git:\(\S+\)\s+(?:✗\s+)?|~\S*\s+)?(?=[a-z./])"  # of zsh and its themes
    r"|(?:PS )?[A-Z]:\\[^>|<*?]{0,200}>(?=\s?\w)"  # of Windows
    r")"
)
_BARE_PROMPT = re.compile(r"^\s*(?:\([\w.+-]+\)\s*)*\[?[\w.-]+@[\w.-]+[ :][^|]*[$#%]\s*$")
#: signs that are a prompt only where a command follows them: `% python train.py`, `> torchrun …`
_BARE_SIGN = re.compile(r"\s{0,3}[%>]\s+(?=[\w./])")
_LONGEST = 300


class Typed(NamedTuple):
    """A command, empty at a bare prompt."""

    command: str
    launches: bool = False


def typed(text: str) -> Typed | None:
    """What was typed on a line; None where it shows no prompt."""
    if not any(sign in text for sign in "$%#>➜❯"):
        return None
    bare = _BARE_SIGN.match(text)
    if bare and _launch().match(text[bare.end() :]):
        return Typed(text[bare.end() :].strip(), launches=True)
    prompt = _PROMPT.match(text[:_LONGEST])
    command = text[prompt.end() :].strip() if prompt else ""
    if prompt is None or not command:
        return Typed("") if _BARE_PROMPT.match(text[:_LONGEST]) else None
    if prompt["sign"] == "%" and not re.match(r"\s*\(?[\w.-]+[)@]", text):
        return None  # "95 % of the time"
    command = command.strip("` ")
    return Typed(command, launches=_launch().search(command) is not None)


@cache
def _launch() -> re.Pattern[str]:
    """How a command starts a run: with a program that is known for it, a script, or a log that it shows."""
    own = "".join(f"|{re.escape(name)}" for name in systems.all_of(lambda one: one.launches))
    return re.compile(
        rf"(?:^|[\s;&|/])(?:python[\d.]*|srun|sbatch|torchrun|mpirun|mpiexec|qsub|accelerate|nohup|time{own})\s"
        r"|^(?:\./|bash |sh |source )\S+\.sh\b|^cat \S+\.(?:log|out|txt)\b"
    )


def launched(text: str) -> str:
    """The command of a line without a prompt, if it starts a run; empty where it is something else."""
    return text.strip() if _launch().search(text[:_LONGEST]) is not None else ""
