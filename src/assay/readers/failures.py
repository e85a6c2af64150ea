"""Known failures: what a log says, what it means, what to do. One line per failure; the first match is reported.

Failures of one system are kept with it; these can happen anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.model.known import KnownFailure


def _failure(pattern: str, code: str, hint: str) -> KnownFailure:
    return KnownFailure(pattern=pattern, code=code, hint=hint)


#: the order matters: the more particular first
GENERAL = (
    _failure(
        r"No module named ['\"]transformers\.modeling_layers['\"]",
        "missing-module",
        "peft is newer than transformers: pip install peft==0.17.1",
    ),
    _failure(
        r"ModuleNotFoundError|No module named|ImportError",
        "missing-module",
        "install the package in the environment that runs the program",
    ),
    _failure(
        r"execve\(\): \w+=",
        "env-after-srun",
        "an assignment after srun is taken for the program: put it before srun, or write srun env NAME=VALUE …",
    ),
    _failure(
        r"Requested node configuration is not available",
        "impossible-request",
        "more tasks than the nodes asked for can hold: raise --nodes, or lower --ntasks",
    ),
    _failure(r"Invalid generic resource|Invalid account|invalid partition|Invalid qos", "impossible-request",
             "ask for what this cluster has: sinfo -o '%P %G'"),
    _failure(r"error: (?:ambiguous option|unrecognized arguments|argument \S+: |the following arguments are required)",
             "bad-flag", "see the program's --help"),
    _failure(r"CUDA out of memory|OOM when allocating|"
             r"OutOfMemoryError|MemoryError|oom[-_]kill|[Oo]ut [Oo]f [Mm]emory|[Ee]xceeded (?:\w{1,20} )?memory limit",
             "out-of-memory", "a smaller batch, or more memory for the job"),
    _failure(r"DUE TO TIME LIMIT|PBS: job killed: walltime", "time-limit", "ask for more time, or do less in one job"),
    _failure(r"PBS: job killed: (?:v?mem|pmem)", "out-of-memory", "a smaller batch, or more memory for the job"),
    _failure(r"CANCELLED AT", "cancelled", "the job was cancelled; start it again if that was not meant"),
    _failure(r"CondaError", "unknown", "set up the environment as the message says"),
    _failure(r"Permission denied|PermissionError", "permission", "install into an environment of your own"),
    _failure(r"FileNotFoundError|No such file or directory|can't open file", "missing-file", "check the path"),
    _failure(r"KeyboardInterrupt", "interrupted", "stopped by hand"),
)  # fmt: skip


class Failures:
    """All that are known: those of systems first, which are the more particular."""

    def __init__(self, own: Iterable[KnownFailure] = ()) -> None:
        every = (*own, *GENERAL)
        self._known = [(re.compile(one.pattern), one) for one in every]
        alone = [one.alone for one in every if one.alone]
        self._alone = re.compile("|".join(f"(?:{pattern})" for pattern in alone or ["(?!)"]))
        self.anchors = tuple(dict.fromkeys(anchor for one in every for anchor in one.anchors))

    def diagnose(self, text: str) -> KnownFailure | None:
        """The known failure that a text describes."""
        return next((failure for pattern, failure in self._known if pattern.search(text)), None)

    def may_tell(self, text: str) -> bool:
        """Whether a line holds a word of those that end a run by themselves."""
        lower = text.lower()
        return any(anchor in lower for anchor in self.anchors)

    def ends_a_run(self, text: str) -> bool:
        """Whether a line says by itself that this was the end, in the words of one system."""
        return self._alone.search(text) is not None


#: without what single systems bring
_GENERAL = Failures()


def diagnose(text: str) -> KnownFailure | None:
    """The failure that anyone may meet, of which a text tells."""
    return _GENERAL.diagnose(text)
