"""Which system a text speaks of, by its words."""

from __future__ import annotations

import re

from assay.ingest.needed import words_of

_WORDS = {
    "cerebras": r"cerebras|\bcsx\b|\bcs-?[23]\b|model ?zoo|cszoo|\bwsjob\b|wafer",
    "graphcore": r"graphcore|pop(?:torch|lar|art|run)|\bipus?\b|--ipus|gc-(?:login|poplar)|mnist_poptorch",
    "sambanova": r"samba ?(?:nova|flow)?|\brdus?\b|\bsn[1-4]0\b|\bsn30|bertlarge|transformers_on_rdu",
    "groq": r"groq",
    "psrecord": r"psrecord",
}
_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _WORDS.items()}
_NEEDED = {name: words_of(pattern, re.IGNORECASE) for name, pattern in _WORDS.items()}


def named(text: str) -> list[str]:
    """Systems that a text names, the one named most first."""
    lower = text.lower()
    likely = [name for name, words in _NEEDED.items() if any(word in lower for word in words)]
    counts = {name: len(_PATTERNS[name].findall(text)) for name in likely}
    return sorted((name for name, count in counts.items() if count), key=lambda name: -counts[name])
