"""What a logger puts before a line: when, how loud, who, where.

06/11/2025 10:00:31 - INFO - __main__ -   Num examples = 3668
[INFO|trainer.py:1812] 2024-01-05 09:10:12,001 >>   Num examples = 3,668
[2024-01-05 09:10:12,001] [INFO] [config.py:979:print]   train_batch_size ............. 32
"""

from __future__ import annotations

import re

_DATE = r"\[?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d/\d\d/\d{4})[T ,]{1,2}\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?\]?"
_LEVEL = r"\[?(?:INFO|WARNING|DEBUG)\]?(?=[\s:-])"
_PLACE = r"\[(?:INFO\|)?[\w./-]{1,60}:\d{1,6}(?::[\w<>]{1,40})?\]|\[Rank \d{1,5}\]"
_WHO = r"[\w.]{1,60} ?(?=[-:] )"
_FIRST = re.compile(rf"(?:{_DATE}|{_LEVEL}|{_PLACE})")
_MORE = re.compile(rf"\s{{0,8}}(?:[-|:,]|>>)?\s{{0,8}}(?:{_DATE}|{_LEVEL}|{_PLACE})|\s{{0,8}}[-:] {_WHO}")
_END = re.compile(r"\s{0,40}(?:>>|[-|:])?\s{0,40}")


def without_head(text: str) -> str:
    """The line as its program said it; unchanged where no logger stands before it."""
    found = _FIRST.match(text)
    if found is None:
        return text
    at = found.end()
    while more := _MORE.match(text, at):
        at = more.end()
    end = _END.match(text, at)
    return text[end.end() if end else at :]
