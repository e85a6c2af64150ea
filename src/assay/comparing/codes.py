"""Runs of two versions of a program are not repeats: they are split, and a note reports it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.comparing.rows import Row
from assay.spec import short_id

CODE = "code"
_PROGRAMS = "These runs are of"
_SHORT = 6  # characters of a hash, beside the name of its script


def hash_of(row: Row) -> str | None:
    """None where the code is unknown: an imported run, or one of an older Assay."""
    return row.summary.code.hash if row.summary.code is not None else None


def first_runs(rows: Sequence[Row]) -> dict[str, Row]:
    """The earliest run of each code, in order of time."""
    found: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: (row.summary.started or "", row.summary.id)):
        known = hash_of(row)
        if known is not None:
            found.setdefault(known, row)
    return found


def labels_of(rows: Sequence[Row]) -> dict[str | None, str]:
    """What each code is called, the oldest first: its script where there are several, its hash where one changed."""
    firsts = first_runs(rows)
    scripts = {code: str(row.summary.code and row.summary.code.script) for code, row in firsts.items()}
    counts = Counter(scripts.values())
    if len(counts) == 1:
        return {code: code for code in firsts}
    return {code: name if counts[name] == 1 else f"{name} {code[:_SHORT]}" for code, name in scripts.items()}


def is_mixed(rows: Sequence[Row]) -> bool:
    """Whether these runs have more than one version of the code, as far as is known."""
    return len({hash_of(row) for row in rows} - {None}) > 1


def split_note(rows: Sequence[Row]) -> str:
    """The note of a comparison that was split by code."""
    return f"{_versions(rows)}, so they are compared and not averaged. {_see(rows)}"


def is_of_programs(note: str) -> bool:
    """Whether a note warns that different programs are compared, and not versions of one."""
    return note.startswith(_PROGRAMS)


def confounded_note(rows: Sequence[Row], by: Sequence[str]) -> str | None:
    """The note that the code may explain the difference, if each group has one version and the versions differ.

    No note if runs are grouped by name, which compares programs, or if the code is text on the command line.
    """
    codes = [row.summary.code for row in rows if row.summary.code is not None and row.summary.code.hash]
    if by in (["name"], [CODE]) or any(code.inline for code in codes) or not is_mixed(rows):
        return None
    what = " and ".join(by[:2]) if len(by) < 3 else "the settings"
    return f"{_versions(rows)}, together with {what}: either may explain a difference. {_see(rows)}"


def _versions(rows: Sequence[Row]) -> str:
    firsts = first_runs(rows).values()
    scripts = {row.summary.code.script for row in firsts if row.summary.code is not None and row.summary.code.script}
    if len(scripts) == 1:
        return f"The code of `{scripts.pop()}` changed between these runs ({len(firsts)} versions)"
    return f"{_PROGRAMS} {len(scripts) or len(firsts)} different programs"


def _see(rows: Sequence[Row]) -> str:
    first, *_, last = first_runs(rows).values()
    programs = Counter(row.summary.program for row in rows if row.summary.program)
    if len(programs) > 1:
        return f"Compare the runs of one: assay compare --where program={programs.most_common(1)[0][0]}"
    return f"See what changed with: assay diff {short_id(first.summary.id)} {short_id(last.summary.id)}"
