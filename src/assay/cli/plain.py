"""Output in a C locale: the signs that we draw with, in ASCII."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Mapping

#: plain replacements of the signs that we use, of the same width
_SIGNS = {
    "…": ".", "–": "-", "—": "-", "−": "-", "·": "|", "±": "~", "×": "x", "★": "*", "→": ">", "←": "<", "µ": "u",
    "≥": ">", "≤": "<", "≈": "~", "°": "o", "‘": "'", "’": "'", "“": '"', "”": '"', "█": "#", "▇": "#", "▆": "#",
    "▅": "=", "▄": "=", "▃": "-", "▂": "_", "▁": "_", "░": ".", "▒": ":", "▓": "#", "│": "|", "─": "-",
}  # fmt: skip
_PLAIN = ("C", "POSIX")
#: what these print is data, and stays as it is
_DATA = frozenset({"--json", "--csv", "--markdown", "--output"})


def is_plain(environment: Mapping[str, str]) -> bool:
    """Whether the user's locale is C. Python sets LC_CTYPE itself where LANG is C, so that it does not count then."""
    everything = environment.get("LC_ALL")
    if everything:
        return everything in _PLAIN
    return environment.get("LANG") in _PLAIN and environment.get("LC_CTYPE", "") in ("", "C.UTF-8", *_PLAIN)


def prepare_streams(words: list[str], environment: Mapping[str, str]) -> None:
    """What the user's encoding cannot show is escaped; in a C locale all but data is written in ASCII."""
    plain = is_plain(environment) and not _DATA.intersection(words)
    codecs.register_error("assay-plain", _instead)
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        if plain:
            stream.reconfigure(encoding="ascii", errors="assay-plain")  # type: ignore[union-attr]


def _instead(problem: UnicodeError) -> tuple[str, int]:
    assert isinstance(problem, UnicodeEncodeError)
    text = problem.object[problem.start : problem.end]
    return "".join(map(_sign, text)), problem.end


def _sign(sign: str) -> str:
    """One sign for a terminal without UTF-8: without its accent, or replaced by a plain one, or `?`."""
    import unicodedata

    bare = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
    return _SIGNS.get(sign) or bare or "?"
