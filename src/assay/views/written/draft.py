"""A draft: Markdown in which fenced blocks named `assay` hold commands, and `{{figure: conditions}}` one figure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.errors import AssayError

_OPENS = re.compile(r"(?P<fence>`{3,}|~{3,})\s*(?P<name>[\w-]*)")
_FIGURE = re.compile(r"\{\{\s*(?P<name>[\w.]+)\s*:(?P<conditions>[^{}]*)\}\}")


@dataclass(frozen=True, kw_only=True)
class Text:
    """Lines of the author's own, with their fences."""

    line: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Command:
    """A line of a block: what is typed after `assay`. One that begins with `?` may find nothing."""

    line: int
    text: str
    may_fail: bool = False


@dataclass(frozen=True, kw_only=True)
class Figure:
    """`{{wall_s: study=demo batch_size=8}}`"""

    name: str
    conditions: list[str]


def parse(text: str, name: str) -> Iterator[Text | Command]:
    """In order. A block that is never closed is an error: half a page would be taken for commands."""
    kept: list[str] = []
    fence, is_ours, began = "", False, 0
    for number, line in enumerate(text.splitlines(), 1):
        if not fence and (opens := _OPENS.fullmatch(line.rstrip())):
            fence, is_ours, began = opens["fence"], opens["name"] == "assay", number
            if is_ours:
                yield Text(line=number - len(kept), text="\n".join(kept))
                kept = []
                continue
        elif fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
            if is_ours:
                continue
        if not (fence and is_ours):
            kept.append(line)
        elif line.strip() and not line.lstrip().startswith("#"):
            may_fail = line.lstrip().startswith("?")
            yield Command(line=number, text=line.strip().removeprefix("?").strip(), may_fail=may_fail)
    if fence:
        raise AssayError(f"{name}:{began}: this block is never closed", f"end it with {fence}")
    yield Text(line=0, text="\n".join(kept))


def figures(text: str) -> Iterator[str | Figure]:
    """The text between figures, and the figures."""
    at = 0
    for found in _FIGURE.finditer(text):
        yield text[at : found.start()]
        yield Figure(name=found["name"], conditions=found["conditions"].split())
        at = found.end()
    yield text[at:]
