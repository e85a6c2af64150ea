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

from assay.ingest.printed import is_a_log

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


_ITEM = re.compile(r"\s{0,3}(?:[-*+]|\d{1,3}[.)])\s")
_FOUR = ("    ", "\t")


def indented(texts: Sequence[str]) -> frozenset[int]:
    """Lines of Markdown that four spaces make a block of code, as far as it holds what a program printed.

    A block begins after an empty line, and not below an item of a list, where it goes on with the item's text.
    """
    found: set[int] = set()
    fenced = in_item = False
    at = 0
    while at < len(texts):
        text = texts[at]
        fenced ^= MARK.match(text) is not None
        if text.strip() and not text.startswith(_FOUR):
            in_item = _ITEM.match(text) is not None or (in_item and text[:1].isspace())
        end = at
        if (
            not fenced
            and not in_item
            and text.startswith(_FOUR)
            and text.strip()
            and (at == 0 or not texts[at - 1].strip())
        ):
            while end < len(texts) and (not texts[end].strip() or texts[end].startswith(_FOUR)):
                end += 1
            while not texts[end - 1].strip():
                end -= 1
            found |= set(range(at, end)) if is_a_log(one for one in texts[at:end] if one.strip()) else set()
        at = max(end, at + 1)
    return frozenset(found)
