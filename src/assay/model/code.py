"""The code that a run ran: which files, and one short hash of them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.model.record import Record, fact
from assay.model.values import NOTHING


@dataclass(frozen=True, kw_only=True)
class CodeFile(Record):
    """One file of the code."""

    path: str = fact("Its path, relative to the folder of the script.", "")
    sha256: str | None = fact("The hash of its content.")
    kept: bool | None = fact("Whether its text is in the folder `code` of the run, with secrets masked.")
    text: str | None = fact("That text, until it is written there.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)


@dataclass(frozen=True, kw_only=True)
class Code(Record):
    """The version of a program. Two runs have the same code if `hash` is the same."""

    hash: str | None = fact("Ten digits of the hash of the script and the modules it imports; absent where unknown.")
    script: str | None = fact("The name of the script or program.")
    inline: bool | None = fact("Whether the code is the text after `-c` on the command line.")
    commit: str | None = fact("The commit of the script's repository.")
    dirty: bool | None = fact("Whether the repository, or the script itself, differs from that commit.")
    files: tuple[CodeFile, ...] = fact("The files, the script first; in run.json alone.", ())
    left_out: int | None = fact("Number of imported modules that were not read.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)

    @property
    def version(self) -> str | None:
        """The hash, if the code lies in files: text on a command line differs by the settings in it."""
        return None if self.inline else self.hash

    def __str__(self) -> str:
        """As a table shows it and a condition names it."""
        return self.hash or (self.commit or "unknown")[:10]

    def in_short(self) -> Code:
        """What a summary keeps of it."""
        return self.replace(files=(), left_out=None)
