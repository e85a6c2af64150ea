"""The fields that every event has, whatever its kind, stored typed and quick to make."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import ClassVar, TypeVar, cast

from assay.model.hints import hints_of
from assay.model.record import LAST_T, LONGEST_S, Record, Report, fact, ignore
from assay.model.values import MOST, NOTHING, is_small, number

VERSION = 1
#: names in JSON that say how an event came about: no program may give them another meaning
ENVELOPE = frozenset({"v", "t", "mono_s", "kind", "from", "rank", "node", "line", "offset", "at_s", "came_t"})
#: the same as attributes, and fields that are not facts
_NO_FACT = ENVELOPE - {"kind", "from"} | {"source", "values", "extra"}
#: names that distinguish curves
_ONE_VALUE = frozenset({"gpu", "host"})
_AS_IT_IS = frozenset({int, float, bool})
_REST = ("values", "extra")
#: a number that every check of numbers takes
_SURELY = 1e11


#: numbers of an object, in an order that is known
Numbers = Callable[[dict[str, object]], tuple[float, ...]]


def _zero(raw: dict[str, object]) -> tuple[float, ...]:
    return (0,)


@dataclass(frozen=True, kw_only=True)
class Event(Record):
    """The fields that every event has; each kind adds its own."""

    kind: ClassVar[str] = ""

    v: int = fact("Version of the format.", VERSION)
    t: float | None = fact("Wall clock, in seconds since 1970; absent where the event is undated.", most=LAST_T)
    mono_s: float | None = fact("Monotonic clock of the writer's host.", most=LONGEST_S)
    source: str = fact(
        "Who reports it: self (the program), reader:NAME, probe:NAME, launcher, guard.", "self", key="from"
    )
    rank: int = fact("Rank of the process that reports it.", 0)
    node: str = fact("Node of the process that reports it, if the run has several.", "")
    line: int | None = fact("Line of the output, or of the source, that shows it.")
    offset: int | None = fact("Byte of the output where that line begins.")
    at_s: float | None = fact("Seconds since the run began; worked out when a record is read.")
    came_t: float | None = fact("When the line came, beside the date that it carries itself; not written.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)

    @classmethod
    def of(cls: type[E], raw: object, report: Report = ignore) -> E:
        """The value of a JSON object; `report` hears of every field that does not fit."""
        return cls._one_by_one(raw, report) if type(raw) is dict else super().of(raw, report)

    @classmethod
    def _one_by_one(cls: type[E], raw: dict[str, object], report: Report) -> E:
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
                if 0 <= value < _SURELY and key in (reals if kind is float else wholes):  # type: ignore[operator]
                    held[key] = value
                    continue
                unusual = unusual or not -_SURELY < value < _SURELY  # type: ignore[operator]
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
        """`reader`, `probe`, `self`, …: the kind of source, without its name."""
        return self.source.partition(":")[0]

    @property
    def speaker(self) -> str:
        """The name of the source: `cerebras` in `reader:cerebras`; may be empty."""
        return self.source.partition(":")[2]

    def facts(self) -> Iterator[tuple[str, object]]:
        """What it reports, by name, without the fields that every event has."""
        for name, value in self.__dict__.items():
            if name not in _NO_FACT and value is not None and value != () and value != "":
                yield name, value
        yield from self.extra.items()

    def value(self, name: str) -> object:
        """The value with that name, or None."""
        found = None if name in _NO_FACT else self.__dict__.get(name)
        return self.extra.get(name) if found is None else found

    def figure(self, name: str) -> float | None:
        """The same, where it is a finite number."""
        return number(self.value(name))

    def at(self: E, at_s: float) -> E:
        """The same, so many seconds after the run began."""
        return made(type(self), {**self.__dict__, "at_s": at_s})

    def replace(self: E, **changes: object) -> E:
        """A copy with other values; an unknown field raises."""
        if not changes.keys() <= self.__dataclass_fields__.keys():
            raise TypeError(f"{type(self).__name__} has no field {sorted(changes.keys() - self.__dataclass_fields__)}")
        return made(type(self), {**self.__dict__, **changes})

    def as_json(self) -> dict[str, object]:
        """The object that `of` reads back, in the order in which it was reported."""
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


@dataclass(frozen=True, kw_only=True)
class Way:
    """How objects of one kind and shape, that is of the same names and types in the same order, become events."""

    cls: type[Event]
    usual: bool = False
    figures: Numbers = _zero  # those of fields: none below zero, or beyond what every check takes
    says_kind: bool = False  # whether `kind` is among the names
    says_who: bool = False  # whether `from` is
    lists: tuple[str, ...] = ()  # fields that are lists of texts
    rest: str = ""
    others: tuple[str, ...] = ()  # what no field is named after
    numbers: Numbers = _zero  # those of the others: none beyond what every check takes

    def event(self, raw: dict[str, object]) -> Event | None:
        """None where a value is unusual. NaN is not less than anything."""
        if not self.usual:
            return None
        figures = self.figures(raw)
        try:
            if min(figures) < 0 or not sum(figures) < _SURELY:
                return None
            if self.others and not sum(map(abs, self.numbers(raw))) < _SURELY:
                return None
        except OverflowError:  # an integer of four hundred digits
            return None
        held = raw.copy()
        if self.says_kind:
            del held["kind"]
        if self.says_who:
            held["source"] = held.pop("from")
        for name in self.lists:
            texts = held[name]
            if not isinstance(texts, list) or not all(type(text) is str for text in texts):
                return None
            held[name] = tuple(texts)
        if self.others:
            held[self.rest] = {name: held.pop(name) for name in self.others}
        return made(self.cls, held)


def way_of(cls: type[Event], raw: dict[str, object]) -> Way:
    texts, wholes, reals, known = _PLAIN.get(cls) or _plain(cls)
    fit = {str: texts, int: wholes, float: reals, list: _lists(cls)}
    named = [key for key in raw if key != "kind"]
    held = [key for key in named if key in fit.get(type(raw[key]), ())]
    others = [key for key in named if key not in held]
    if any(key in known or type(raw[key]) not in (str, int, float) for key in others):
        return Way(cls=cls)
    numbers = [key for key in named if type(raw[key]) in (int, float)]
    return Way(
        cls=cls,
        usual=True,
        figures=_numbers([key for key in numbers if key in held]),
        says_kind="kind" in raw,
        says_who="from" in held,
        lists=tuple(key for key in held if type(raw[key]) is list),
        rest=cls.rest,
        others=tuple(others),
        numbers=_numbers([key for key in numbers if key in others]),
    )


def _numbers(keys: list[str]) -> Numbers:
    if not keys:
        return _zero
    return cast("Numbers", itemgetter(*keys, *keys[: len(keys) == 1]))  # of one alone it would be no tuple


def _lists(cls: type[Event]) -> frozenset[str]:
    hints = hints_of(cls)
    return frozenset(one.name for one in dataclasses.fields(cls) if hints[one.name] == tuple[str, ...])


_Names = tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]
_PLAIN: dict[type[Event], _Names] = {}


def _plain(cls: type[Event]) -> _Names:
    """Names in JSON of which any text, whole number or fraction within bounds fits, and all that are known."""
    hints = hints_of(cls)
    of = {f.metadata["key"] or f.name: hints[f.name] for f in dataclasses.fields(cls) if f.name not in _REST}
    texts, wholes, reals = (
        frozenset(name for name, hint in of.items() if hint in hints_of)
        for hints_of in ((str, str | None), (int, int | None, float, float | None), (float, float | None))
    )
    _PLAIN[cls] = (texts, wholes, reals, frozenset(of))
    return _PLAIN[cls]


def place(event: E, at_s: float) -> E:
    """A faster `Event.at`, for a new event that nothing else refers to."""
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

    def figure(self, name: str) -> float | None:
        return number(self.values.get(name))

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
