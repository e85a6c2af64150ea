"""How a frozen dataclass is read from JSON and written back: by its own annotations, one field at a time.

A value of the wrong type is set aside and reported; a field that this version does not know is kept in `extra` and
written back as it came, so that an older Assay loses nothing of a newer one's record.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, get_args, get_origin

from assay.model.hints import hints_of
from assay.model.values import MOST, NOTHING, Setting, Value, is_small

Self = TypeVar("Self", bound="Record")
Report = Callable[[str], None]
_AS_IT_IS = frozenset({str, int, float, bool})
#: what a check answers for a value that does not fit
_BAD = object()
Check = Callable[[object], object]


#: the last second of the year 9999: no calendar goes further
LAST_T = 253402300799.0
#: a span of more seconds is none
LONGEST_S = 1e12


def fact(doc: str, default: object = None, *, key: str | None = None, most: float = MOST) -> Any:
    """A field with the one line that documents it, its name in JSON where that is another, and its largest value."""
    return dataclasses.field(default=default, metadata={"doc": doc, "key": key, "most": most})


def ignore(text: str) -> None:
    """Ignore problems."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """A value with a JSON form. Absent fields are absent there too, never null."""

    #: the field that takes what no other field does
    rest: ClassVar[str] = "extra"

    @classmethod
    def of(cls: type[Self], raw: object, report: Report = ignore) -> Self:
        """The value of a JSON object; `report` hears of every field that does not fit."""
        made = object.__new__(cls)
        if not isinstance(raw, Mapping):
            report(f"a {cls.__name__.lower()} must be an object, not {type(raw).__name__}")
            return made
        checks, held, others = _checks(cls), made.__dict__, {}
        for key, value in raw.items():
            known = checks.get(key)
            if known is None:
                others[key] = value
            elif value is not None:
                name, check = known
                fits = check(value)
                if fits is _BAD:
                    report(f"`{key}` is not {_wanted(cls, name)}")
                else:
                    held[name] = fits
                    if report is not ignore:
                        _report_inner(cls, name, key, value, fits, report)
        if others:
            cls._take(held, others, report)
        return made

    @classmethod
    def _take(cls, held: dict[str, object], others: dict[str, object], report: Report) -> None:
        """What no field is named after: kept as it came."""
        held[cls.rest] = others

    def as_json(self) -> dict[str, Any]:
        """The object that `of` reads back."""
        found: dict[str, Any] = {}
        held = self.__dict__  # a field that is not there has its default, and no default is worth writing
        for key, name in _keys(type(self)):
            value = held.get(name)
            if value is None or value == () or value == "":
                continue
            if type(value) in _AS_IT_IS:
                found[key] = value
            elif value or not isinstance(value, Mapping):
                found[key] = _plain(value)
        found.update(held.get(self.rest, NOTHING))
        return found

    def replace(self: Self, **changes: Any) -> Self:
        """A copy with other values; an unknown field raises."""
        return dataclasses.replace(self, **changes)


def _report_inner(cls: type[Record], name: str, key: str, raw: object, fits: object, report: Report) -> None:
    """What was set aside inside a field whose rest was kept."""
    if isinstance(fits, Record):
        type(fits).of(raw, lambda text: report(f"`{key}.{text.removeprefix('`')}"))
    elif isinstance(fits, dict) and isinstance(raw, Mapping):
        for one in raw.keys() - fits.keys():
            inner = get_args(_asked_for(cls, name)[0])[1]
            report(f"`{key}.{str(one)[:60]}` is not {_WORDS.get(inner, 'a value of a sensible size')}")


def _plain(value: object) -> object:
    if isinstance(value, Record):
        return value.as_json()
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return value


#: what a field asks for, in words
_WORDS: dict[Any, str] = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
_BOUNDS = {LAST_T: "a date", LONGEST_S: "seconds"}


def _asked_for(cls: type[Record], name: str) -> list[Any]:
    """The types of a field by its annotation, without None."""
    hint = hints_of(cls)[name]
    return [one for one in get_args(hint) if one is not type(None)] if isinstance(hint, types.UnionType) else [hint]


def _wanted(cls: type[Record], name: str) -> str:
    bound, options = _BOUNDS.get(cls.__dataclass_fields__[name].metadata["most"]), _asked_for(cls, name)
    if bound or len(options) > 1:
        return bound or "one value"
    origin, inner = get_origin(options[0]), get_args(options[0])
    if origin is tuple:
        lists = {str: "a list of texts", int: "two whole numbers"}
        return lists.get(inner[0], "a list of objects")
    return _WORDS.get(options[0]) or ("an object" if origin is None else "names with a value each")


_KEYS: dict[type[Record], tuple[tuple[str, str], ...]] = {}
_CHECKS: dict[type[Record], dict[str, tuple[str, Check]]] = {}


def _keys(cls: type[Record]) -> tuple[tuple[str, str], ...]:
    """(name in JSON, name of the attribute) of every field but those that take the rest."""
    if cls not in _KEYS:
        _KEYS[cls] = tuple(
            (field.metadata.get("key") or field.name, field.name)
            for field in dataclasses.fields(cls)
            if field.name not in (cls.rest, "extra")
        )
    return _KEYS[cls]


def _checks(cls: type[Record]) -> dict[str, tuple[str, Check]]:
    if cls not in _CHECKS:
        hints = hints_of(cls)
        most = {field.name: field.metadata.get("most", MOST) for field in dataclasses.fields(cls)}
        _CHECKS[cls] = {key: (name, _bounded(check_of(hints[name]), most[name])) for key, name in _keys(cls)}
    return _CHECKS[cls]


def _bounded(check: Check, most: float) -> Check:
    if most == MOST:
        return check

    def bounded(value: object) -> object:
        fits = check(value)
        return fits if isinstance(fits, (int, float)) and 0 <= fits <= most else _BAD

    return bounded


def check_of(annotation: Any) -> Check:
    """The check of one annotation: the value as the model holds it, or the answer that it does not fit."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if annotation == Value:
        return _value
    if annotation == Setting:
        return _setting
    if origin in (types.UnionType, typing.Union):
        return _either([check_of(one) for one in inner if one is not type(None)])
    if origin is tuple:
        return _list_of(check_of(inner[0]), None if inner[-1] is Ellipsis else len(inner))
    if origin is not None and issubclass(origin, Mapping):
        return _mapping_of(check_of(inner[1]))
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return _record_of(annotation)
    return _PLAIN[annotation]


def _text(value: object) -> object:
    return value if isinstance(value, str) else _BAD


def _whole(value: object) -> object:
    if type(value) is int:
        return value if abs(value) < 1 << 63 else _BAD
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53 else _BAD


def _real(value: object) -> object:
    if type(value) is float:
        return value if -MOST <= value <= MOST else _BAD
    return value if type(value) is int and abs(value) < 1 << 63 else _BAD


def _truth(value: object) -> object:
    return value if isinstance(value, bool) else _BAD


def _value(value: object) -> object:
    if isinstance(value, (str, bool)) or (type(value) is int and abs(value) < MOST):  # a seed may have over 64 bits
        return value
    return _real(value)


def _setting(value: object) -> object:
    return value if value is not None and is_small(value) else _value(value)


def _anything(value: object) -> object:
    return value


_PLAIN: dict[Any, Check] = {str: _text, int: _whole, float: _real, bool: _truth, object: _anything, Any: _anything}


def _either(checks: list[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]

    def check(value: object) -> object:
        return next((fits for one in checks if (fits := one(value)) is not _BAD), _BAD)

    return check


def _list_of(inner: Check, length: int | None) -> Check:
    def check(value: object) -> object:
        if not isinstance(value, (list, tuple)) or (length is not None and len(value) != length):
            return _BAD
        fits = tuple(inner(one) for one in value)
        return _BAD if _BAD in fits else fits

    return check


def _mapping_of(inner: Check) -> Check:
    """Entries that do not fit are left out; the others stay."""

    def check(value: object) -> object:
        if not isinstance(value, Mapping):
            return _BAD
        fits = {key: one for key, raw in value.items() if isinstance(key, str) and (one := inner(raw)) is not _BAD}
        return fits if fits or not value else _BAD

    return check


def _record_of(cls: type[Record]) -> Check:
    def check(value: object) -> object:
        return cls.of(value) if isinstance(value, Mapping) else _BAD

    return check
