"""What varies between runs: the settings that were changed, else the names that people gave."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from assay.comparing.rows import CLAIMED, Row, Setting
from assay.core.distinguishing import last_part, most_telling_first, tells
from assay.model.values import Value

#: of ten thousand rows, quickly
_SYSTEM, _MODEL, _STUDY = attrgetter("summary.system"), attrgetter("summary.model"), attrgetter("summary.study")
_SYSTEM_AND_DEVICE = attrgetter("summary.system", "summary.device")


def varying(rows: Sequence[Row]) -> list[str]:
    """System, device, model and settings of which there are several; else the names that people gave."""
    systems = set(map(_SYSTEM, rows))
    devices = set(map(_SYSTEM_AND_DEVICE, rows))
    found = ["system"] if len(systems) > 1 else []
    if len({device for _, device in devices}) > 1 and (not found or len(devices) > len(systems)):
        found.append("device")  # unless each system has one device
    found += ["model"] if len(set(map(_MODEL, rows))) > 1 else []
    told = _told(rows)
    keys = [key for key in most_telling_first(filter(tells, told)) if key not in found]
    cells = _cells(rows)
    if cells:  # a study lists what it varies: other differences between its runs were not chosen
        keys = [key for key in keys if any(_is_chosen(row, key) for row in rows)]
    found += _without_followers(rows, [key for key in keys if _varies(key, *told[key], len(rows))])
    if not found and len(cells) != 1 and len(_given_names(rows)) > 1:
        return ["name"]
    return found


def _given_names(rows: Sequence[Row]) -> set[str]:
    """The names that people gave; those that Assay made for the runs of one program count as a single one."""
    names = {row.summary.name for row in rows}
    programs = {row.summary.program for row in rows}
    if len(programs) > 1 or None in programs:
        return names
    made = {row.summary.name for row in rows if row.summary.study or _is_made(row)}
    return (names - made) | ({""} if made else set())


def _is_made(row: Row) -> bool:
    """`train`, `train-lr0.1`"""
    program = str(row.summary.program)
    return row.summary.name == program or row.summary.name.startswith(f"{program}-")


def _cells(rows: Sequence[Row]) -> set[str]:
    """The cells of the study, if all runs belong to one; repeats share a cell."""
    whole = len(set(map(_STUDY, rows))) == 1 and all(row.summary.study and row.summary.cell for row in rows)
    return {str(row.summary.cell) for row in rows} if whole else set()


def _is_chosen(row: Row, key: str) -> bool:
    """By a study: its command may state more, such as where each run puts its files."""
    return key in row.summary.claims and row.summary.claim_sources.get(key, "study") == "study"


def _without_followers(rows: Sequence[Row], keys: Sequence[str]) -> list[str]:
    """A setting that only follows from another adds nothing, such as the global batch."""
    asked = [key for key in keys if any(key in row.summary.claims for row in rows)]
    return [key for key in keys if key in asked or not any(follows(rows, key, leader) for leader in asked)]


def follows(rows: Sequence[Row], key: str, leader: str) -> bool:
    """Whether each value of the leader goes with exactly one value of the other."""
    if not all(leader in row.settings for row in rows):
        return False
    values = {(value_of(row, leader), value_of(row, key)) for row in rows}
    pairs = {(str(first), str(second)) for first, second in values}
    return len(pairs) == len({first for first, _ in pairs})


def _told(rows: Sequence[Row]) -> dict[str, tuple[list[Setting], int]]:
    """Each setting with its different values, and how many runs know it; thousands of runs share a few values."""
    found: dict[str, dict[int, Setting]] = {}
    counts: dict[str, int] = {}
    for row in rows:
        for key, setting in row.settings.items():
            counts[key] = counts.get(key, 0) + 1
            found.setdefault(key, {})[id(setting)] = setting
    return {key: (list(known.values()), counts[key]) for key, known in found.items()}


def _varies(key: str, known: Sequence[Setting], count: int, runs: int) -> bool:
    """Two values; or one that is claimed of some runs and not of others: someone changed it there.

    What only some logs show is not a change: the others may just not print it.
    """
    values = {last_part(key, setting.value) for setting in known}
    if not tells(key, values):
        return False
    return len(values) > 1 or (count < runs and all(setting.origin == CLAIMED for setting in known))


def value_of(row: Row, name: str) -> Value | None:
    """The value of a setting, or of any field of the summary."""
    if name in row.settings:
        return row.settings[name].value
    found = row.summary.value(name)
    if found is None or isinstance(found, (bool, int, float, str)):
        return found
    return ", ".join(map(str, found)) if isinstance(found, tuple) else str(found)
