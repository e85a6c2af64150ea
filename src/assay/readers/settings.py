"""The settings that a log may print, by all their spellings, and their values."""

from __future__ import annotations

from assay.quantities import settings
from assay.reading.reader import figure

#: spelled in lower case with underscores, to what we call it
SETTING_NAMES = {spelling: one.name for one in settings() for spelling in (one.name, *one.spellings)}
WHOLE = frozenset(one.name for one in settings() if one.whole)


def setting_value(name: str, text: str) -> int | float | None:
    """A number as this setting takes it: whole where only whole numbers make sense."""
    value = figure(text.strip("'\""))
    if value is None:
        return None
    if name in WHOLE or SETTING_NAMES.get(name.lower()) in WHOLE:
        return int(value) if value.is_integer() else None
    return value
