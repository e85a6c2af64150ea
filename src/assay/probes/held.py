"""What one process holds, from /proc: its resident size and peak, its share of what it shares, what it has mapped.

Memory that is nobody's file (heap, stacks) is either its own or shared with its forks; what is mapped from a file may
be shared with any stranger who runs the same program. The two are kept apart, because only the first belongs to the
tree in proportion.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

_KIB = 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Size:
    """Resident now, and the most since the program was started."""

    rss_bytes: int
    peak_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """Proportional parts: what is shared by n processes counts as one nth of it for each."""

    pss_bytes: int
    anonymous_pss_bytes: int  # of memory without a file
    mapped_pss_bytes: int  # of files and shared memory
    mapped_rss_bytes: int  # of the same, in full


def size(pid: int) -> Size | None:
    """None where the process has ended."""
    text = _content(pid, "status", 4096)
    peak, rss = _figure(text, b"\nVmHWM:"), _figure(text, b"\nVmRSS:")
    return None if peak is None or rss is None else Size(rss_bytes=rss, peak_bytes=max(rss, peak))


def held(pid: int) -> Held | None:
    """None where the process is gone, another user's, or the kernel too old (before 4.14)."""
    text = _content(pid, "smaps_rollup", 4096)
    pss, rss = _figure(text, b"\nPss:"), _figure(text, b"\nRss:")
    if pss is None or rss is None:
        return None
    anonymous = _figure(text, b"\nAnonymous:") or 0
    share = _figure(text, b"\nPss_Anon:")
    if share is None:  # before 5.4 only the sum is known
        share = pss * anonymous // rss if rss else 0
    return Held(
        pss_bytes=pss,
        anonymous_pss_bytes=share,
        mapped_pss_bytes=max(0, pss - share),
        mapped_rss_bytes=max(0, rss - anonymous),
    )


def mapped(pid: int) -> dict[tuple[bytes, bytes], tuple[int, int]]:
    """By device and inode of what is mapped: bytes of it that are resident, and the proportional part of them.

    A page of a private mapping that was written to is no longer the file's, and is not counted here.
    """
    found: dict[tuple[bytes, bytes], tuple[int, int]] = {}
    for area in _content(pid, "smaps", 1 << 26).split(b"VmFlags:"):
        at = area.find(b"-", 0, 64)
        start = area.rfind(b"\n", 0, at) + 1 if at >= 0 else -1
        words = area[start : start + 120].split(None, 5) if start >= 0 else []
        if len(words) < 5 or words[4] == b"0":
            continue
        anonymous = _figure(area, b"\nAnonymous:") or 0
        rss = (_figure(area, b"\nRss:") or 0) - anonymous
        if rss > 0:
            before = found.get((words[3], words[4]), (0, 0))
            pss = max(0, (_figure(area, b"\nPss:") or 0) - anonymous)
            found[words[3], words[4]] = before[0] + rss, before[1] + pss
    return found


def distinct_bytes(pids: list[int]) -> int:
    """What these processes have mapped, everything once and in full, even if others have mapped it too.

    What each of them touched is known, not which pages they touched in common: the most that one of them touched, or
    the sum of their proportional parts, is the least that it can be.
    """
    most: dict[tuple[bytes, bytes], int] = {}
    shares: dict[tuple[bytes, bytes], int] = {}
    for pid in pids:
        for what, (rss, pss) in mapped(pid).items():
            most[what] = max(rss, most.get(what, 0))
            shares[what] = pss + shares.get(what, 0)
    return sum(max(bytes_, shares[what]) for what, bytes_ in most.items())


def _figure(text: bytes, name: bytes) -> int | None:
    at = text.find(name)
    if at < 0:
        return None
    at += len(name)
    return int(text[at : at + 32].split(None, 1)[0]) * _KIB


def _content(pid: int, name: str, most_bytes: int) -> bytes:
    """Empty where it cannot be read; a long file comes in pieces."""
    try:
        fd = os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    pieces, left = [], most_bytes
    try:
        while left > 0 and (piece := os.read(fd, min(left, 1 << 20))):
            pieces.append(piece)
            left -= len(piece)
    except OSError:  # it ended meanwhile
        pass
    finally:
        os.close(fd)
    return b"".join(pieces)
