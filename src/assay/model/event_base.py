"""What every event says of itself, whatever its kind, and how it is held: typed, and quick to make."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from assay.model.record import LAST_T, LONGEST_S, Record, Report, fact
from assay.model.values import MOST, NOTHING, is_small, number

VERSION = 1
#: names in JSON that say how an event came about: no program may give them another meaning
ENVELOPE = frozenset({"v", "t", "mono_s", "kind", "from", "rank", "node", "line", "offset", "at_s", "came_t"})
#: the same as attributes, and what is no fact by itself
_NO_FACT = ENVELOPE - {"kind", "from"} | {"source", "values", "extra"}
_AS_IT_IS = frozenset({int, float, bool})


@dataclass(frozen=True, kw_only=True)
class Event(Record):
    """What every event says of itself; each kind adds its own fields."""

    kind: ClassVar[str] = ""

    v: int = fact("Version of the format.", VERSION)
    t: float | None = fact("Wall clock, in seconds since 1970; absent where the event is undated.", most=LAST_T)
    mono_s: float | None = fact("Monotonic clock of the writer's host.", most=LONGEST_S)
    source: str = fact("Who says it: self (the program), reader:NAME, probe:NAME, launcher, guard.", "self", key="from")
    rank: int = fact("Rank of the process that says it.", 0)
    node: str = fact("Node of the process that says it, where a run has several.", "")
    line: int | None = fact("Line of the output, or of the source, that shows it.")
    offset: int | None = fact("Byte of the output where that line begins.")
    at_s: float | None = fact("Seconds since the run began; worked out when a record is read.")
    came_t: float | None = fact("When the line came, beside the date that it carries itself; not written.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)

    @property
    def origin(self) -> str:
        """`reader`, `probe`, `self`, …: who says it, without the name."""
        return self.source.partition(":")[0]

    @property
    def speaker(self) -> str:
        """`cerebras` of `reader:cerebras`; empty where there is no name."""
        return self.source.partition(":")[2]

    def facts(self) -> Iterator[tuple[str, object]]:
        """What it reports, by name, without what it says of itself."""
        for name, value in self.__dict__.items():
            if name not in _NO_FACT and value is not None and value != () and value != "":
                yield name, value
        yield from self.extra.items()

    def value(self, name: str) -> object:
        """The fact of that name; None where there is none."""
        found = None if name in _NO_FACT else self.__dict__.get(name)
        return self.extra.get(name) if found is None else found

    def figure(self, name: str) -> float | None:
        """The same, where it is a finite number."""
        return number(self.value(name))

    def replace(self: E, **changes: Any) -> E:
        """The same with other fields; a name that is no field is a mistake of ours and raises."""
        if not changes.keys() <= self.__dataclass_fields__.keys():
            raise TypeError(f"{type(self).__name__} has no field {sorted(changes.keys() - self.__dataclass_fields__)}")
        return made(type(self), self.__dict__ | changes)

    def as_json(self) -> dict[str, Any]:
        """The object that `of` reads back, in the order in which it was told."""
        found: dict[str, Any] = {"kind": self.kind}
        for name, value in self.__dict__.items():
            if type(value) in _AS_IT_IS:
                found[name] = value
            elif name == "values" or name == "extra":
                found.update(value)
            elif name == "source":
                found["from"] = value
            elif value is not None and value != "" and value != ():
                found[name] = value.as_json() if isinstance(value, Record) else value
        return found


E = TypeVar("E", bound=Event)


def made(cls: type[E], held: dict[str, object]) -> E:
    """Without `__init__`, which sets every field one by one: a large log is millions of events."""
    made = object.__new__(cls)
    made.__dict__.update(held)
    return made


@dataclass(frozen=True, kw_only=True)
class Open(Event):
    """An event whose names are the program's own: everything outside the envelope is a value."""

    rest: ClassVar[str] = "values"

    values: Mapping[str, object] = fact("What it reports, by the names it was given.", NOTHING)

    def facts(self) -> Iterator[tuple[str, object]]:
        return iter(self.values.items())

    def value(self, name: str) -> object:
        return self.values.get(name)

    @classmethod
    def _take(cls, held: dict[str, object], others: dict[str, object], report: Report) -> None:
        """A loss that became NaN is news, so it stays; a figure beyond all bounds becomes infinite."""
        held["values"] = others
        for name in [name for name, value in others.items() if not cls._fits(value)]:
            report(f"`{name if len(name) <= 60 else name[:60] + '…'}` is not a value of a sensible size")
            value = others.pop(name)
            if isinstance(value, (int, float)):
                others[name] = float(value) if -MOST < value < MOST else math.inf

    @classmethod
    def _fits(cls, value: object) -> bool:
        return is_small(value)
