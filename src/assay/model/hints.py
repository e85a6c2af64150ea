"""The types of the fields of a class, each text read once."""

from __future__ import annotations

import sys

#: by module and text: `float | None` stands at a hundred fields, and a start has no time to read it a hundred times
_HINTS: dict[tuple[str, str], object] = {}


def hints_of(cls: type) -> dict[str, object]:
    """The types of all fields, as `typing.get_type_hints` gives them."""
    found: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        for name, text in getattr(base, "__annotations__", {}).items():
            key = base.__module__, text
            if key not in _HINTS:
                _HINTS[key] = eval(text, vars(sys.modules[base.__module__]))
            found[name] = _HINTS[key]
    return found
