"""Undo what copying and pasting does to a log: a prefix before every line, records cut at the width of a terminal."""

from __future__ import annotations

import re

Physical = list[tuple[int, bytes]]

_PREFIXES = (b"> ", b">", b"# ", b"#", b"// ", b"    ", b"\t")
_DATED = re.compile(rb"^\W{0,8}\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d")
_PRINTED = re.compile(
    rb"^\s*(?:\d{4}-\d\d-\d\d[ T]\d\d:|\[\d\d:\d\d|srun: |\(?[\w.-]+\)? ?\[?\w+@|Epochs?:|Loss: |\||\+--|"
    rb"Processed \d|Step=)"
)
_FRESH = re.compile(
    rb"^\s*(?:```|\$ |#|\||\+--|srun: |slurmstepd: |Traceback|[\w.]+(?:Error|Exception): |"
    rb"\(?[\w.-]+\)? ?\[?\w+@|[-*] |\d+[.)] )"
)
_WHOLE_STEP = re.compile(rb"GlobalRate=[\d.]+ samples/sec")
_TABLE = re.compile(rb"^\s*\|\s*(?:Source|cpu|groq|gpu)\s*\|")
_ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
_NARROWEST = 40
_AROUND = 12


def mend(physical: Physical) -> Physical:
    """The same lines, each under the number where it began."""
    plain = [(number, _ESCAPES.sub(b"", raw) if b"\x1b" in raw else raw) for number, raw in physical]
    return _unwrap(_unprefix(plain))


def _unprefix(physical: Physical) -> Physical:
    """A sign or an indent before every line of the file, or of a block that is a log without it."""
    filled = [raw for _, raw in physical if raw.strip()]
    for prefix in _PREFIXES:
        if len(filled) >= 3 and all(raw.startswith(prefix) or raw.strip() == prefix.strip() for raw in filled):
            return [(number, raw.removeprefix(prefix)) for number, raw in physical]
    result: Physical = []
    at = 0
    while at < len(physical):
        end = at
        while end < len(physical) and physical[end][1].lstrip().startswith((b"#", b">")):
            end += 1
        block = [(number, raw.lstrip().lstrip(b"#>").removeprefix(b" ")) for number, raw in physical[at:end]]
        printed = sum(_PRINTED.match(raw) is not None for _, raw in block)
        if len(block) >= 3 and printed >= len(block) // 2:
            result += block
        else:
            result += physical[at:end]
        if end < len(physical):
            result.append(physical[end])
        at = end + 1
    return result


def _unwrap(physical: Physical) -> Physical:
    """Join what belongs to one record, where the record shows that it was cut."""
    widths = [_width(raw) for _, raw in physical]
    result: Physical = []
    at = 0
    while at < len(physical):
        number, raw = physical[at]
        last = at
        while last + 1 < len(physical) and last - at < 8 and _cut(raw, physical[last + 1][1], widths, last):
            last += 1
            raw = raw.rstrip(b"\r\n") + physical[last][1]
        result.append((number, raw))
        at = last + 1
    return result


def _cut(record: bytes, following: bytes, widths: list[int], at: int) -> bool:
    """Whether a record goes on in the next line."""
    if not following.strip() or b"\r" in record[:-1]:
        return False
    if _TABLE.match(record):
        fresh = following.startswith(b"+") or _TABLE.match(following) is not None
        return not record.rstrip().endswith(b"|") and not fresh and b"|" in following
    if b"{'" in record and b"_per_second'" in record and b"}" not in record:
        return _DATED.match(following) is None
    full = widths[at] >= _NARROWEST and widths[at] == max(widths[max(0, at - _AROUND) : at + _AROUND])
    if not full or _DATED.match(following) or _FRESH.match(following):
        return False
    if _DATED.match(record):
        return True
    return b"Loss=" in record and b"Step=" not in following and not _WHOLE_STEP.search(record)


def _width(raw: bytes) -> int:
    """Frames of a bar, drawn over each other, have no width that counts."""
    raw = raw.rstrip(b"\r")
    return 0 if b"\r" in raw else len(raw.decode("utf-8", "replace"))
