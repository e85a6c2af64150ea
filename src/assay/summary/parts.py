"""The programs that a command ran, as a short table: those that a person would name, not what they ran in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.model.event import PartEnd
from assay.model.part import Part

#: (node, rank) of a recorder: the process that it started
Roots = Mapping[tuple[str, int], int]
#: the largest of them
_MOST = 10
#: programs below this share of the run's time and of its CPU time are not listed
_WORTH = 0.01


def parts(ended: Sequence[PartEnd], roots: Roots, wall_s: float, cpu_s: float) -> tuple[Part, ...]:
    """In order of their start; none where there is only one. `roots` are the commands' processes, by recorder."""
    seen: dict[tuple[str, int], list[PartEnd]] = {}
    for one in ended:
        seen.setdefault((one.node, one.rank), []).append(one)
    found = [one for recorder, root in roots.items() for one in _level(seen.get(recorder, []), root)]
    worth = [one for one in found if (one.wall_s or 0) > _WORTH * wall_s or (one.cpu_s or 0) > _WORTH * cpu_s]
    if len(worth) < 2:
        return ()
    largest = sorted(worth, key=lambda one: one.wall_s or 0, reverse=True)[:_MOST]
    several = len({one.of_rank for one in largest}) > 1
    made = [_told(one if several else one.replace(of_rank=None)) for one in sorted(largest, key=_first)]
    return tuple(made)


def _first(one: PartEnd) -> tuple[float, int]:
    """By start; processes of one job by their rank, since they start at once."""
    return (0.0 if one.of_rank is not None else one.began_s or 0.0), one.of_rank or 0


def _level(ended: Sequence[PartEnd], root: int) -> list[PartEnd]:
    """What the command itself ran; where that is one wrapper, what the wrapper ran."""
    became = [one for one in ended if one.pid == root]  # `sh -c 'a; b'` ends as `b`
    until_s = became[0].began_s if became else None
    level = [one for one in ended if one.parent == root and not _is_after(one, until_s)] + became
    while len(level) == 1:
        only = level[0]
        below = [one for one in ended if one.parent == only.pid and one is not only and not _is_before(one, only)]
        if len(below) < 2:
            break
        level = below
    return level


def _is_after(one: PartEnd, at_s: float | None) -> bool:
    return at_s is not None and (one.began_s or 0) > at_s


def _is_before(one: PartEnd, other: PartEnd) -> bool:
    """A process number may be used again."""
    return (one.began_s or 0) < (other.began_s or 0)


def _told(one: PartEnd) -> Part:
    size = one.memory_bytes_max
    return Part(
        command=one.command,
        began_s=one.began_s,
        wall_s=one.wall_s,
        cpu_s=one.cpu_s,
        memory_bytes_max=None if size is None else round(size),
        rank=one.of_rank,
        node=one.node or None,
    )
