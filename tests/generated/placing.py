"""Where a lie stands on its page."""

from __future__ import annotations

from dataclasses import dataclass

from .experiments import Group
from .layouts import Said

#: a sentence that stands in the section of a run, in the discussion, in its heading, or a log in place of another
HERE, DISCUSSION, TITLE, INTRO, OUTPUT, TABLE = "here", "discussion", "title", "intro", "output", "table"


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A lie made: where it goes, and the group whose section that is."""

    where: str
    said: Said
    group: Group | None = None
    figure: str = ""  # of which the lie speaks
    quiet: bool = False  # the page says nothing else of its runs, since that would be a second lie
