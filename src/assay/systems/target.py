"""What a target is: a kind of hardware, how to see that it is here, and how a workload starts on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.workloads import Settings


@dataclass(frozen=True, kw_only=True)
class Found:
    """Whether a target or place can be used here, in one line."""

    ready: bool
    says: str


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How one workload starts on one target, as a template that is filled word by word.

    A part in a tuple is only there when its settings are: `("--lr", "{lr}")`. `{run}` is the run's own directory, so
    that `{run}/model_dir` is fresh for every run; `{config}` is a copy of a file with settings written into it.
    """

    command: Sequence[str | tuple[str, ...]]
    config: Mapping[str, str] = field(default_factory=dict)  # key in the file: template
    #: other ways to start the same, by the key that the top of the configuration file has then
    forms: Mapping[str, Recipe] = field(default_factory=dict)
    setup: Sequence[str] = ()  # lines of shell before the job, where it has a place; `{cwd}` is where it starts
    compile: Sequence[str | tuple[str, ...]] = ()
    makes: str = ""  # what the compile step leaves: it is skipped, and called cached, where that is there
    env: Mapping[str, str] = field(default_factory=dict)  # set before the launcher, never after it
    needs: str = ""  # what must be in the folder it starts in
    modes: Mapping[str, Recipe] = field(default_factory=dict)  # other ways to start the same: `validate`
    about: str = ""  # what a mode does, in a line
    validates: bool = False  # it is lowered for the hardware and not run: no speed can come of it
    #: of a program of ours: its settings, all of which it takes as name=value
    settings: Callable[[], type[Settings]] | None = None
    given: Mapping[str, str] = field(default_factory=dict)  # settings it gets unless they are set: the device
    python: Callable[[], str] | None = None  # finds the interpreter that has what it needs, or says what to do


@dataclass(frozen=True, kw_only=True)
class Target:
    """One kind of hardware."""

    name: str
    title: str
    detect: Callable[[], Found]
    reader: str
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    #: what to ask a scheduler for, by launcher, where the place does not say
    request: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    #: keys of a request that ask for the same devices as `gres` does: left out where a place has that
    same_as_gres: tuple[str, ...] = ()
    notes: str = ""
    follows: str = ""  # whose description of the hardware its recipes follow, and of when


def present(parts: Sequence[str | tuple[str, ...]], settings: Sequence[str]) -> list[str]:
    """The words of a template for which there are settings."""
    from string import Formatter

    words: list[str] = []
    for part in parts:
        group = (part,) if isinstance(part, str) else part
        names = [name for word in group for _, name, _, _ in Formatter().parse(word) if name]
        if isinstance(part, str) or all(name in settings or name in ("run", "config", "seed") for name in names):
            words += group
    return words


def by_tools(tools: Sequence[str], folders: Sequence[str], ready: str, missing: str) -> Found:
    """Ready where one of these programs is on PATH, or one of these folders exists."""
    import shutil

    tool = next((path for name in tools if (path := shutil.which(name))), None)
    folder = next((name for name in folders if Path(os.path.expandvars(name)).is_dir()), None)
    if tool or folder:
        return Found(ready=True, says=f"{ready} ({tool or folder})")
    return Found(ready=False, says=missing)
