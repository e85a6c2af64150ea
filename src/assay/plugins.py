"""What other packages add to Assay through entry points, by group: systems, readers, launchers, workloads, commands.

A package that cannot be loaded costs one warning that names it. A look at the folders of installed packages takes a few
milliseconds, and the module that reads them properly ten times that; so it is loaded where there is something to read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, TypeGuard, TypeVar

from assay.bundle import BUNDLE, folders
from assay.store.notices import notice

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
_OURS = b"[assay."
_INSTALLED = (".dist-info", ".egg-info")


def load(group: str, fits: Callable[[object], TypeGuard[T]], taken: Iterable[str] = ()) -> dict[str, T]:
    """What is registered under a group and is what it should be, by name; a name that is `taken` stays whose it is."""
    found: dict[str, T] = {}
    for one in registered(group):
        try:
            value = one.load()
        except (Exception, SystemExit) as problem:
            warn(one, f"cannot be loaded ({type(problem).__name__}: {problem})"[:300])
            continue
        if not fits(value):
            warn(one, f"is not a {group.removeprefix('assay.').removesuffix('s')}")
        elif getattr(value, "name", one.name) != one.name:
            warn(one, f"calls itself `{value.name}`")  # type: ignore[attr-defined]
        elif one.name in {*taken, *found}:
            warn(one, "has a name that is taken")
        else:
            found[one.name] = value
    return found


@cache
def registered(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, not loaded yet."""
    if not _mentioned(group):
        return ()
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


@cache
def _mentioned(group: str) -> bool:
    """The bundle's list of folders is right while the bundle is valid: nothing was installed in them since."""
    known = tuple(folders())
    if group not in BUNDLE.facts:
        BUNDLE.facts[group] = group in _groups(known)
    return BUNDLE.facts[group] or group in _groups(tuple(one for one in dict.fromkeys(sys.path) if one not in known))


@cache
def _groups(folders: tuple[str, ...]) -> frozenset[str]:
    """Our groups that something in these folders belongs to."""
    return frozenset(group for path in _lists(folders) for group in _ours(path))


def _lists(folders: Iterable[str]) -> Iterator[str]:
    """The lists of entry points of all that is installed in them."""
    for folder in folders:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        yield from (f"{folder or '.'}/{name}/entry_points.txt" for name in names if name.endswith(_INSTALLED))


def _ours(path: str) -> list[str]:
    try:
        with open(path, "rb", buffering=0) as file:
            parts = file.read().split(_OURS)[1:]
    except OSError:
        return []
    return [f"assay.{part.partition(b']')[0].decode(errors='replace')}" for part in parts]


def warn(one: EntryPoint, what: str) -> None:
    """Report a problem once."""
    package = one.dist.name if one.dist is not None else one.value
    notice(f"plug-in {one.group} {one.name}", f"`{one.name}` of the package `{package}` {what} and is not used")
