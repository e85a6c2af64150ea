"""What other packages add to Assay through entry points: `assay.systems`, `assay.readers`, `assay.launchers`.

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
    if not _any():
        return ()
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


@cache
def _any() -> bool:
    """The bundle's list of folders is right while the bundle is valid: nothing was installed in them since."""
    known, others = folders(), [one for one in dict.fromkeys(sys.path) if one not in folders()]
    if "plugins" not in BUNDLE.facts:
        BUNDLE.facts["plugins"] = any(map(_mentions_us, _lists(known)))
    return BUNDLE.facts["plugins"] or any(map(_mentions_us, _lists(others)))


def _lists(folders: Iterable[str]) -> Iterator[str]:
    """The lists of entry points of all that is installed in them."""
    for folder in folders:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        yield from (f"{folder or '.'}/{name}/entry_points.txt" for name in names if name.endswith(_INSTALLED))


def _mentions_us(path: str) -> bool:
    try:
        with open(path, "rb", buffering=0) as file:
            return _OURS in file.read()
    except OSError:
        return False


def warn(one: EntryPoint, what: str) -> None:
    """Report a problem once."""
    package = one.dist.name if one.dist is not None else one.value
    notice(f"plug-in {one.group} {one.name}", f"`{one.name}` of the package `{package}` {what} and is not used")
