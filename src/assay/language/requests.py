"""Whether a sentence is about all requests to a server together: `the benchmark took 41 s`, `500 requests`."""

from __future__ import annotations

import re

_WHOLE = re.compile(
    r"(?i)\b(?:bench\w{0,12}|runs?|ran|tests?|measure\w{0,6}|experiments?|total|duration|dauer|lauf|lasted|"
    r"all requests|[\d,]{1,9} requests)\b"
)


def is_of_all_requests(text: str) -> bool:
    return _WHOLE.search(text) is not None
