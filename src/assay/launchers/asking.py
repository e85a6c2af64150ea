"""A scheduler asked through its own commands: what they have in common, whichever it is."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.errors import RunError
from assay.launchers.base import NotAnswering

_PATIENCE_S = 60.0
#: ids that surely fit into one command line
_AT_ONCE = 500


@dataclass(frozen=True, kw_only=True)
class Asking:
    """`away` is what its commands say where the scheduler itself cannot be reached."""

    name: str
    away: tuple[str, ...]

    def ask(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        try:  # without closing files one by one, starting it costs a third
            return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  timeout=_PATIENCE_S, close_fds=False, check=False)  # fmt: skip
        except FileNotFoundError:
            hint = f"run this where {self.name}'s commands are: `assay doctor` says more"
            raise RunError(f"no `{words[0]}` here", hint) from None
        except subprocess.TimeoutExpired:
            raise self.silent(f"`{words[0]}` took more than {_PATIENCE_S:.0f} s") from None

    def silent(self, why: str) -> NotAnswering:
        return NotAnswering(f"{self.name.lower()} does not answer: {why}")

    def check_there(self, said: str) -> None:
        """Raises where a complaint means that no one heard the question."""
        if any(text in said for text in self.away):
            raise self.silent(said)

    def cancel(self, word: str, jobs: Mapping[str, str]) -> None:
        ids = [job_id for job_id in jobs.values() if job_id]
        for at in range(0, len(ids), _AT_ONCE):
            self.ask([word, *ids[at : at + _AT_ONCE]])
