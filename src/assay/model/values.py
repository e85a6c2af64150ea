"""What a setting or a figure may be, and the checks that keep everything else out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final, NoReturn, TypeAlias

#: a setting or a figure: what JSON, a command line and a log can all hold
Value: TypeAlias = bool | int | float | str
#: what a program may have been set to: lists and objects too, as far as JSON holds them
Setting: TypeAlias = Value | list[object] | dict[str, object]
#: squares and products of figures must stay numbers
MOST = 1e100
_LARGEST_INT = 1 << 63
_DEEPEST = 8


class _Nothing(Mapping[str, NoReturn]):
    """An empty mapping that can be the default of a frozen field: no dataclass of any Python takes a dict for one."""

    def __getitem__(self, key: str) -> NoReturn:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __hash__(self) -> int:
        return 0


NOTHING: Final[Mapping[str, NoReturn]] = _Nothing()


def number(value: object) -> float | None:
    """The value as a finite number, or None: booleans, text and NaN are not figures."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if type(value) is not int and (isinstance(value, bool) or not isinstance(value, (int, float))):
        return None
    try:
        return value if math.isfinite(value) else None
    except OverflowError:  # an integer of four hundred digits
        return None


def finite(value: object) -> object:
    """The same, ready for strict JSON: what is not a finite number is null, and every key is text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(inner) for inner in value]
    return value


def is_small(value: object, depth: int = 0) -> bool:
    """Whether a value has a sensible size: numbers within bounds, lists and objects not too deep."""
    kind = type(value)
    if kind is float:
        return -MOST <= value <= MOST or not math.isfinite(value)  # type: ignore[operator,arg-type]
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return -_LARGEST_INT < value < _LARGEST_INT  # type: ignore[operator]
    if depth >= _DEEPEST or not isinstance(value, (dict, list)):
        return False
    return all(is_small(one, depth + 1) for one in (value.values() if isinstance(value, dict) else value))
