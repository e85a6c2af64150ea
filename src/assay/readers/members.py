"""Objects that are printed one member a line: JSON files, pasted with their braces or without, and blocks of results.

    {                                                     ***** train metrics *****
      "epoch": 3.0,                                         epoch                    =        3.0
      "eval_accuracy": 0.7231,                              train_runtime            = 0:16:32.65
      "train_runtime": 992.6524                             train_samples_per_second =      31.11
    }

The trap: members of an outer object stand around those of an inner one, and a paste may begin or end anywhere. So what
stands together between two braces is read together, whatever is missing around it.
"""

from __future__ import annotations

import json
import re

from assay.core.dates import clock_seconds
from assay.lines import Line
from assay.reading.reader import figure

_MEMBER = re.compile(
    r'"(?P<name>[^"]{1,80})"\s*:\s*(?P<value>-?\d[\d.eE+-]*|"[^"]{0,400}"|true|false|null|NaN|-?Infinity)\s*,?$'
)
_EDGE = re.compile(r'(?:"[^"]{1,80}"\s*:\s*)?[\[{]$|[\]}]{1,8},?$')
#: values of a list, one a line; a member that holds a whole one
_OF_LIST = re.compile(r'(?:"[^"]{0,200}"|-?\d[\d.eE+-]*),?$|"[^"]{1,80}"\s*:\s*[\[{].{0,400}[\]}],?$')
_HEAD = re.compile(r"\*{3,} ?(?P<part>\w{1,20}) (?:metrics|results) ?\*{3,}$")
_SET = re.compile(r"(?P<name>[a-z]\w{0,60}(?: \([A-Z]{2}\))?)\s*=\s*(?P<value>[-+]?\d[\w.:+-]*)$")
_CLOCK = re.compile(r"\d+:\d\d:\d\d(?:\.\d+)?")
_MOST_KEPT = 500


class Members:
    """What was gathered of the object that is being printed; empty between two of them."""

    def __init__(self) -> None:
        self._held: dict[str, object] = {}
        self._in_block = False
        self.line: Line | None = None  # of the first member

    def __bool__(self) -> bool:
        return bool(self._held) or self._in_block

    def take(self, line: Line, text: str) -> bool:
        """Whether the line goes on with what is gathered, or begins it."""
        if text[0] == '"' and len(self._held) < _MOST_KEPT:
            found = _MEMBER.match(text)
            if found:
                return self._keep(line, found["name"], json.loads(found["value"]))
            return bool(self) and _OF_LIST.match(text) is not None
        if text[0] == "*" and _HEAD.match(text):
            self._in_block = not self._held
            return self._in_block
        found = _SET.match(text) if self._in_block else None
        if found is None:
            return False
        value = clock_seconds(found["value"]) if _CLOCK.fullmatch(found["value"]) else figure(found["value"])
        return self._keep(line, found["name"], found["value"] if value is None else value)

    @staticmethod
    def is_edge(text: str) -> bool:
        """A line that only opens or closes an object or a list."""
        return _EDGE.match(text) is not None

    def close(self) -> dict[str, object]:
        """What was gathered, and nothing of it is kept."""
        held, self._held, self._in_block = self._held, {}, False
        return held

    def _keep(self, line: Line, name: str, value: object) -> bool:
        if not self._held:
            self.line = line
        self._held[name] = value
        return True
