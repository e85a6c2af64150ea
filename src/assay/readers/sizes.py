"""Memory as logs print it: `max_mem: 2940M`, `MaxMemAllocated=19.52GB`, `memory: 8.44GiB(13.20%)`, `… (GB)": 91.15`.

The trap: what is held now and the most that was held stand in one line; only the most is a peak. And frameworks divide
by 1024 whatever they call the unit.
"""

from __future__ import annotations

import re

FACTORS = {"k": float(1 << 10), "m": float(1 << 20), "g": float(1 << 30), "t": float(1 << 40)}
PEAK = "gpu_mem_bytes_max"
_NUMBER = r"\d+(?:\.\d+)?(?!\d)"
_MOST = re.compile(
    r"(?i)\b(?:max_?mem(?:ory)?(?:_?alloc(?:ated)?)?|peak[_ ]mem(?:ory)?(?:[_ ]\w{1,12})?|maxmemallocated|"
    r"max(?:imum)? (?:gpu )?mem(?:ory)?(?: \w{1,12})?)"
    rf"\s{{0,8}}(?:[:=]\s{{0,8}})?(?P<value>{_NUMBER})\s{{0,8}}(?P<unit>[KMGT])(?:i?B)?\b"
)
_HELD = re.compile(
    rf"(?i)\b(?:gpu[_ ])?mem(?:ory)?(?: us(?:ed|age))?\s*[:=]\s*(?P<value>{_NUMBER})\s?(?P<unit>[KMGT])i?B\b"
    rf"(?!.{{0,20}}\bmax: (?P<most>{_NUMBER})\s?(?P<most_unit>[KMGT])i?B)"
)
_IN_BRACKETS = re.compile(rf"(?i)\bmemory: {_NUMBER}\s?[KMGT]i?B \(max: (?P<value>{_NUMBER})\s?(?P<unit>[KMGT])i?B\)")
_NAMED = re.compile(
    r"(?i)(?:max_memory_allocated|peak_memory(?:_\w{1,12})?|max[_ ]allocated)(?: \((?P<unit>[KMGT])i?B\))?$"
)


def peak(text: str) -> tuple[int, float] | None:
    """(where the number stands, what one of it is in bytes) of the most memory that a line reports."""
    if "mem" not in text and "Mem" not in text:
        return None
    found = _MOST.search(text) or _IN_BRACKETS.search(text) or _HELD.search(text)
    return None if found is None else (found.start("value"), FACTORS[found["unit"].lower()])


def named_bytes(name: str) -> float | None:
    """What one of `max_memory_allocated (GB)` is in bytes; None if the name means something else."""
    found = _NAMED.match(name)
    return None if found is None or found["unit"] is None else FACTORS[found["unit"].lower()]
