"""Systems: everything that one vendor or tool brings, as one value each, and one line in this table.

Other packages add theirs by an entry point: `assay.systems` for a whole system, `assay.readers` for a reader alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, TypeGuard, TypeVar

from assay import plugins
from assay.store.notices import notice
from assay.systems.cerebras import SYSTEM as CEREBRAS
from assay.systems.cpu import SYSTEM as CPU
from assay.systems.cuda import SYSTEM as CUDA
from assay.systems.graphcore import SYSTEM as GRAPHCORE
from assay.systems.groq import SYSTEM as GROQ
from assay.systems.psrecord import SYSTEM as PSRECORD
from assay.systems.sambanova import SYSTEM as SAMBANOVA
from assay.systems.system import System

if TYPE_CHECKING:
    from assay.reading.reader import Reader
    from assay.reading.splitter import Kit
    from assay.systems.target import Target

T = TypeVar("T")

#: in the order in which their readers are asked about a line that no run is expecting
BUILT_IN: dict[str, System] = {
    "cpu": CPU,
    "cuda": CUDA,
    "cerebras": CEREBRAS,
    "groq": GROQ,
    "psrecord": PSRECORD,
    "sambanova": SAMBANOVA,
    "graphcore": GRAPHCORE,
}


@cache
def every() -> dict[str, System]:
    """All systems by name; those of other packages come after ours, so that they change nothing of what ours read."""
    added = plugins.load("assay.systems", _is_system, BUILT_IN)
    return {**BUILT_IN, **{name: one for name, one in added.items() if _is_sound(one)}}


def of(name: str | None) -> System:
    """The system of this name; one without anything to say for itself where there is none."""
    return every().get(name or "") or System(name=name or "generic")


def all_of(pick: Callable[[System], Iterable[str]]) -> tuple[str, ...]:
    """What all systems list under one field, together."""
    return tuple(dict.fromkeys(word for one in every().values() for word in pick(one)))


def targets() -> dict[str, Target]:
    """The kinds of hardware."""
    loaded = {name: _loaded(one, one.target, "target") for name, one in every().items()}
    return {name: one for name, one in loaded.items() if one is not None}


def readers() -> dict[str, type[Reader]]:
    """All readers by name: of the systems, then those that belong to none, ours first."""
    return dict(kit().readers)


@cache
def kit() -> Kit:
    """What logs are read with; put together when the first one is."""
    from assay.reading.failures import Failures
    from assay.reading.jobs import Account
    from assay.reading.reports import Report
    from assay.reading.script import Script
    from assay.reading.splitter import Kit

    neutral: dict[str, type[Reader]] = {"serving": Report, "accounting": Account, "generic": Script}
    found = {name: kind for name, one in every().items() if (kind := _loaded(one, one.reader, "reader"))} | neutral
    found |= plugins.load("assay.readers", _is_reader, found)
    found = {name: kind for name, kind in found.items() if name in (*BUILT_IN, *neutral) or _begins(name, kind)}
    return Kit(readers=found, failures=Failures(one for system in every().values() for one in system.failures))


def _loaded(system: System, load: Callable[[], T] | None, what: str) -> T | None:
    """Its reader or target; None where there is none, or where another package's cannot be loaded."""
    try:
        return load() if load is not None else None
    except (Exception, SystemExit) as problem:
        if system.name in BUILT_IN:
            raise
        said = f"the {what} of `{system.name}` cannot be loaded ({type(problem).__name__}: {problem})"[:300]
        notice(f"{what} {system.name}", f"{said}; it is not used")
        return None


def _begins(name: str, kind: type[Reader]) -> bool:
    """Whether a reader of another package can be had at all; what it does later ends where readers are asked."""
    try:
        return kind() is not None
    except Exception as problem:
        notice(f"reader {name}", f"the reader `{name}` does not start ({problem!r}) and is not used"[:300])
        return False


def _is_system(value: object) -> TypeGuard[System]:
    return isinstance(value, System)


def _is_sound(system: System) -> bool:
    """Whether all that another package wrote as a pattern is one."""
    import re

    failures = [text for one in system.failures for text in (one.pattern, one.alone)]
    records = [text for one in system.cuts for text in (one.begins, one.whole, one.rest)]
    texts: list[str | bytes] = [system.words, *failures, *records]
    for text in texts:
        try:
            re.compile(text)
        except (re.error, TypeError) as problem:
            said = (
                f"`{text!r}` of the system `{system.name}` is not a valid pattern ({problem}); the system is not used"
            )
            notice(f"pattern {system.name}", said)
            return False
    return True


def _is_reader(value: object) -> TypeGuard[type[Reader]]:
    from assay.reading.reader import Reader

    return isinstance(value, type) and issubclass(value, Reader)


def remedies(system: System) -> list[tuple[str, str]]:
    """(code, remedy) of each failure that it is known for."""
    from assay.reading.failures import GENERAL

    own = [(one.code, one.hint) for one in system.failures]
    return own + [(code, next(one.hint for one in GENERAL if one.code == code)) for code in system.known_for]
