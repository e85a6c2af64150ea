"""Which fences of a page open and which close, where a part of it was cut out, and which of them hold a log.

A page that was cut begins in the middle of a fence: the first mark closes it, and all that follow are the other way
round. A mark that names a language only ever opens. And people paste output into fences of a language that it is not:

    ```python
    Step     Training Loss
    50       1.976400
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MARK = re.compile(r"^\s*(?:>\s*)?(?P<ticks>```+|~~~+)(?P<rest>.*)$")
_LANGUAGE = re.compile(r"\s*[A-Za-z][\w+-]*\s*")
_CODE = re.compile(
    r"^\s*(?:import |from \w[\w.]* import |def |class |return\b|for \w+ in |while |if .*:$|elif |else:|with .*:$|try:|"
    r"except|@\w|print\(|#include|public |int main|\w[\w.\[\]'\"]* = \w|[\w.]+\([^()]*\)$)"
)
_OUTPUT = re.compile(
    r"^\s*(?:Traceback \(most|File \"[^\"]+\", line \d|TrainOutput\(|\d+\s+\d+\.\d+|\[ *\d+/\d+ |"
    r"\[?\d{4}-\d\d-\d\d[ T]\d\d:|(?i:step|epoch|iter(?:ation)?)\b[ :=\[]*\d+.{0,40}loss|"
    r"\"(?:train|eval|test|predict)_\w+\": |"
    r"\"(?:final_|best_|val_)?(?:loss|accuracy|acc|f1|perplexity)\": ?\d|"
    r"\{['\"](?:train|eval|test)?_?(?:loss|accuracy|runtime))"
    r"|%\|.{0,40}\| *\d+/\d+ \["
)


_QUOTES = re.compile(r"\s*[rRbBuU]{0,2}(?P<quotes>\'\'\'|\"\"\")\s*")
_FEWEST_LINES = 3


def quoted(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Spans of lines between two lines of three quotes: a log that was pasted into code as a string."""
    found: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for at, text in enumerate(texts):
        mark = _QUOTES.fullmatch(text)
        if mark and opened is None:
            opened = (at + 1, mark["quotes"])
        elif mark and opened is not None and mark["quotes"] == opened[1]:
            found += [(opened[0], at)] if at - opened[0] >= _FEWEST_LINES else []
            opened = None
    return found


def begins_inside(texts: Sequence[str]) -> bool:
    """Whether the first line of a page stands in a fence that was opened before it."""
    marks = [found["rest"] for found in map(MARK.match, texts) if found]
    marks = [rest for rest in marks if not rest.rstrip().endswith("```")]
    if not marks or marks[0].strip():
        return False
    tail = next((text for text in reversed(texts) if text.strip()), "")
    ends_with_mark = MARK.match(tail) is not None
    return not _fits(marks, False, ends_with_mark) and _fits(marks, True, ends_with_mark)


def _fits(marks: list[str], inside: bool, ends_with_mark: bool) -> bool:
    for rest in marks:
        if inside and _LANGUAGE.fullmatch(rest):
            return False  # what names a language opens
        inside = not inside
    return not (inside and ends_with_mark)


def holds_output(texts: Sequence[str]) -> bool:
    """Whether what stands in a fence of code was printed, whatever language the fence names."""
    filled = [text for text in texts if text.strip()]
    printed = sum(_OUTPUT.search(text) is not None for text in filled)
    code = sum(_CODE.match(text) is not None and not _OUTPUT.search(text) for text in filled)
    traced = any("Traceback (most recent call last)" in text for text in filled)
    stored = bool(filled) and filled[0].lstrip()[:1] in ("{", "[")  # a file of results, most of which is no figure
    return printed >= 1 and (traced or stored or (code == 0 and 3 * printed >= len(filled)))
