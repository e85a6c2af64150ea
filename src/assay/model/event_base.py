"""What every event says of itself, whatever its kind, and how it is held: typed, and quick to make."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeVar, get_type_hints

from assay.model.record import LAST_T, LONGEST_S, Record, Report, fact, ignore
from assay.model.values import MOST, NOTHING, is_small, number

VERSION = 1
#: names in JSON that say how an event came about: no program may give them another meaning
ENVELOPE = frozenset({"v", "t", "mono_s", "kind", "from", "rank", "node", "line", "offset", "at_s", "came_t"})
#: the same as attributes, and what is no fact by itself
_NO_FACT = ENVELOPE - {"kind", "from"} | {"source", "values", "extra"}
#: names that tell curves apart
_ONE_VALUE = frozenset({"gpu", "host"})
_AS_IT_IS = frozenset({int, float, bool})
_REST = ("values", "extra")
#: a number that every check of numbers takes
_SURELY = 1e11


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

    @classmethod
    def of(cls: type[E], raw: object, report: Report = ignore) -> E:
        """The value of a JSON object; `report` hears of every field that does not fit.

        Almost all lines of a record are plain figures and words; only the others are looked at one field at a time.
        """
        if type(raw) is not dict:
            return super().of(raw, report)
        (texts, wholes, reals, known), unusual = _PLAIN.get(cls) or _plain(cls), False
        held: dict[str, object] = {}
        others: dict[str, object] = {}
        for key, value in raw.items():
            kind = type(value)
            if kind is str:
                if key in texts:
                    held["source" if key == "from" else key] = value
                    continue
            elif kind is float or kind is int:
                if 0 <= value < _SURELY and key in (reals if kind is float else wholes):
                    held[key] = value
                    continue
                unusual = unusual or not -_SURELY < value < _SURELY
            else:
                unusual = True
            if key in known:
                return super().of(raw, report)
            others[key] = value
        if unusual:
            cls._take(held, others, report)
        elif others:
            held[cls.rest] = others
        return made(cls, held)

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

    def at(self: E, at_s: float) -> E:
        """The same, so many seconds after the run began."""
        return made(type(self), {**self.__dict__, "at_s": at_s})

    def replace(self: E, **changes: object) -> E:
        """The same with other fields; a name that is no field is a mistake of ours and raises."""
        if not changes.keys() <= self.__dataclass_fields__.keys():
            raise TypeError(f"{type(self).__name__} has no field {sorted(changes.keys() - self.__dataclass_fields__)}")
        return made(type(self), {**self.__dict__, **changes})

    def as_json(self) -> dict[str, object]:
        """The object that `of` reads back, in the order in which it was told."""
        found: dict[str, object] = {"kind": self.kind}
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


#: gives an event its fields, and no one ever changes them after
hold = Record.__dict__["__dict__"].__set__


def made(cls: type[E], held: dict[str, object]) -> E:
    """Without `__init__`, which sets every field one by one: a large log is millions of events."""
    made = object.__new__(cls)
    hold(made, held)
    return made


_Names = tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]
_PLAIN: dict[type[Event], _Names] = {}


def _plain(cls: type[Event]) -> _Names:
    """Names in JSON of which any text, whole number or fraction within bounds fits, and all that are known."""
    hints = get_type_hints(cls)
    of = {f.metadata["key"] or f.name: hints[f.name] for f in dataclasses.fields(cls) if f.name not in _REST}
    texts, wholes, reals = (
        frozenset(name for name, hint in of.items() if hint in hints_of)
        for hints_of in ((str, str | None), (int, int | None, float, float | None), (float, float | None))
    )
    _PLAIN[cls] = (texts, wholes, reals, frozenset(of))
    return _PLAIN[cls]


def place(event: E, at_s: float) -> E:
    """`Event.at` for an event that was made a moment ago and that no one else holds: the same, and quicker."""
    event.__dict__["at_s"] = at_s
    return event


@dataclass(frozen=True, kw_only=True)
class Open(Event):
    """An event whose names are the program's own: everything outside the envelope is a value."""

    rest: ClassVar[str] = "values"

    values: Mapping[str, object] = fact("What it reports, by the names it was given.", NOTHING)

    def as_json(self) -> dict[str, object]:
        held = self.__dict__
        if "extra" in held:  # made by `__init__`, which sets all that is absent, too
            return super().as_json()
        found = {"kind": self.kind, **held}
        if "source" in found:
            found["from"] = found.pop("source")
        found.update(found.pop("values", NOTHING))
        return found

    def facts(self) -> Iterator[tuple[str, object]]:
        return iter(self.values.items())

    def value(self, name: str) -> object:
        return self.values.get(name)

    @classmethod
    def _take(cls, held: dict[str, object], others: dict[str, object], report: Report) -> None:
        """A loss that became NaN is news, so it stays; a figure beyond all bounds becomes infinite."""
        held["values"] = others
        for name in _ONE_VALUE & others.keys():
            if isinstance(others[name], (list, dict)):
                report(f"`{name}` is not one value")
                del others[name]
        for name in [name for name, value in others.items() if not cls._fits(value)]:
            report(f"`{name if len(name) <= 60 else name[:60] + '…'}` is not a value of a sensible size")
            value = others.pop(name)
            if isinstance(value, (int, float)):
                others[name] = float(value) if -MOST < value < MOST else math.inf

    @classmethod
    def _fits(cls, value: object) -> bool:
        return is_small(value)
