"""What differs between two runs, in the terminal: the most telling first, long diffs shortened."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.comparing.figures import figure, show_value
from assay.differing.values import Change, CodeChange, Difference, FileChange, ResultChange
from assay.model.code import Code
from assay.text import counted, printable
from assay.units import GROWING, show_number
from assay.views import terminal, words

#: lines of a diff that are shown without --all: of one file, and in total
_OF_A_FILE, _OF_ALL = 40, 80
_FEW = 8
_NOT_SET = "not set"
TITLES = {
    "settings": "Settings",
    "command": "Command",
    "packages": "Packages",
    "machine": "Machine",
    "environment": "Environment",
    "data": "Model and data",
}


class Line(NamedTuple):
    """A line of `code` that does not fit is cut with …; any other is wrapped."""

    text: str
    style: str = ""
    code: bool = False


def print_difference(found: Difference, again: str, *, whole: bool) -> None:
    """To stdout: shortened on a terminal, whole in a pipe. `again` is the command that shows all of it."""
    colour, width = terminal.colours(sys.stdout), terminal.columns()
    for text, style, code in lines(found, again, whole=whole or not sys.stdout.isatty()):
        shown = printable(text.replace("\n", " ↵ "))
        for line in [terminal.shortened(shown, width)] if code else terminal.folded(shown, width):
            print(terminal.painted(line, style, colour))


def lines(found: Difference, again: str, *, whole: bool) -> Iterator[Line]:
    """Each with its style."""
    yield from map(Line, heads(found))
    sections = found.sections()
    for name in ("settings", "command"):
        yield from _changes(TITLES[name], sections[name], again, whole=True)
    yield from _code(found.code, again, whole=whole)
    for name in ("packages", "machine", "environment", "data"):
        yield from _changes(TITLES[name], sections[name], again, whole=whole)
    yield from _results(found)
    closing = list(closing_lines(found))
    yield from (Line(""), *(Line(text, "dim") for text in closing)) if closing else ()


def heads(found: Difference) -> list[str]:
    names = [printable(one.name) for one in (found.a, found.b)]
    width = max(map(len, names))
    pairs = zip("AB", names, (found.a, found.b), strict=True)
    return [f"{letter}  {name:<{width}}  {one.id}  {words.status_words(one)}" for letter, name, one in pairs]


def _changes(title: str, changes: Sequence[Change], again: str, *, whole: bool) -> Iterator[Line]:
    if not changes:
        return
    yield Line("")
    yield Line(title, "bold")
    shown = changes if whole else changes[:_FEW]
    names = {one.name: "" if one.name == title.lower() else f"{one.name}  " for one in shown}  # no name twice
    width = max(map(len, names.values()))
    for one in shown:
        if len(one.a or "") + len(one.b or "") > 60:  # long ones beneath each other, so that they can be compared
            if names[one.name]:
                yield Line(f"  {one.name}")
            yield Line(f"    - {_or_not_set(one.a)}", "red")
            yield Line(f"    + {_or_not_set(one.b)}", "green")
        else:
            how = f"  ({one.how})" if one.how else ""
            yield Line(f"  {names[one.name]:<{width}}{_or_not_set(one.a)} → {_or_not_set(one.b)}{how}")
    if len(shown) < len(changes):
        yield Line(f"  and {len(changes) - len(shown)} more: {again}", "dim")


def _or_not_set(text: str | None) -> str:
    return _NOT_SET if text is None else text


def _code(code: CodeChange, again: str, *, whole: bool) -> Iterator[Line]:
    said = code_words(code)
    if said is None:
        return
    yield Line("")
    yield Line(said, "bold")
    room = _OF_ALL
    for file in code.files:
        limit = len(file.diff) if whole else min(_OF_A_FILE, room)
        room -= min(limit, file.diff.count("\n") + 1)
        yield from _file(file, limit, again)


def code_words(code: CodeChange) -> str | None:
    """A heading; None if the code is the same."""
    if code.same:
        return None
    if code.problem:
        return f"Code: {code.problem}"
    commits = [_version(one) for one in (code.a, code.b)]
    which = f"{counted(len(code.files), 'file')} changed"
    return f"Code: {which} ({commits[0]} → {commits[1]})" if all(commits) else f"Code: {which}"


def _version(code: Code | None) -> str:
    """`3f2a91c0aa`, `3f2a91c0aa at 1b2c3d4 with changes`"""
    if code is None:
        return ""
    dirty = " with uncommitted changes" if code.dirty else ""
    return f"{code.hash}, commit {code.commit[:7]}{dirty}" if code.commit else str(code.hash)


def _file(file: FileChange, limit: int, again: str) -> Iterator[Line]:
    if file.problem:
        yield Line(f"  {file.path}: {file.kind}; {file.problem}")
        return
    shown, every = file.diff.split("\n")[: limit + 2], file.diff.split("\n")
    yield Line(f"  {file.path}: {file.kind}, {_size(file)}")
    for line in shown[2:]:
        yield Line(f"  {line}", _style(line), code=True)
    if len(shown) < len(every):
        yield Line(f"  … {len(every) - len(shown):,} more lines: {again}", "dim")


def _size(file: FileChange) -> str:
    parts = [
        f"{counted(count, 'line')} {word}"
        for count, word in ((file.added, "added"), (file.removed, "removed"))
        if count
    ]
    return ", ".join(parts)


def _style(line: str) -> str:
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")


def _results(found: Difference) -> Iterator[Line]:
    both = [one for one in found.results if one.difference is not None]
    if not both:
        return
    cells = [[one.label, *result_cells(one)] for one in both]
    widths = [max(terminal.width_of(row[at]) for row in cells) for at in range(4)]
    yield Line("")
    yield Line("Results", "bold")
    for row, one in zip(cells, both, strict=True):
        label, first, second, apart = map(_padded, row, widths)
        yield Line(f"  {label}  {first} → {second}  {apart}".rstrip(), "green" if one.better == "b" else "")


def _padded(text: str, width: int) -> str:
    return text + " " * (width - terminal.width_of(text))


def result_cells(one: ResultChange) -> tuple[str, str, str]:
    """(the first run's, the second's, the difference with its unit and in per cent)"""
    first, second = ("–" if value is None else _shown(one, value) for value in (one.a, one.b))
    if one.difference is None:
        return first, second, ""
    if not one.difference:
        return first, second, "the same"
    sign = "+" if one.difference > 0 else "−"
    if one.unit in ("share", "%"):
        points = abs(one.difference) * figure(one.name).scale
        return first, second, f"{sign}{show_number(float(f'{points:.3g}'))} points"
    share = "" if one.percent is None else f" ({sign}{_percent(abs(one.percent))})"
    return first, second, f"{sign}{_shown(one, abs(one.difference))}{share}"


def _shown(one: ResultChange, value: float) -> str:
    unit = "%" if one.unit == "share" else one.unit
    text = show_value(figure(one.name), value)
    return text if not unit or one.unit in GROWING else f"{text} {unit}"


def _percent(value: float) -> str:
    return f"{value:,.0f} %" if value >= 10 else f"{value:.2g} %"


def closing_lines(found: Difference) -> Iterator[str]:
    """What only one run reports, what is the same, what is unknown, and that one run each is not enough."""
    only = [
        (side, [one.label for one in found.results if getattr(one, other) is None])
        for side, other in (("A", "b"), ("B", "a"))
    ]
    for side, names in only:
        if names:
            more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
            yield f"Only {side} reports {', '.join(names[:_FEW])}{more}."
    for side, run in (("A", found.a), ("B", found.b)):
        if (lost := words.not_finite_words(run)) is not None:
            yield f"In {side}, {lost}."
    if found.same:
        yield f"The same in both: {', '.join(found.same)}."
    if found.unknown:
        yield f"Not recorded for both: {', '.join(found.unknown)}."
    if any(one.difference for one in found.results):
        yield "One run each does not show whether a difference is noise. Repeat both, then use: assay compare"
