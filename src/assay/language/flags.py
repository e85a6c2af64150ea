"""Settings on a command line by the names of the table: `--batch-size 512`, `--lr=0.1`, `-b 8`, `epochs=10`."""

from __future__ import annotations

from collections.abc import Iterator

from assay.language.arguments import pairs
from assay.language.numbers import number_of
from assay.quantities import Quantity, named, settings

_SHORT = {flag: one for one in settings() for flag in one.flags}


def settings_of_command(command: str) -> Iterator[tuple[str, int | float]]:
    """(name, value) of a line that someone shows, in order; of one that is given twice, the first."""
    words = [word.strip("\"',;") for word in command.replace("\\", " ").split()]
    seen: set[str] = set()
    for flag, text in pairs(words):
        quantity = quantity_of(flag)
        number = _value(quantity, text) if quantity and isinstance(text, str) else None
        if quantity and number is not None and quantity.name not in seen:
            seen.add(quantity.name)
            yield quantity.name, number


def flags_of_command(command: str) -> set[str]:
    """Names of the settings that it gives, whatever their values."""
    flags = {word.partition("=")[0] for word in command.split() if word.startswith("-")}
    return {one.name for flag in flags if (one := quantity_of(flag)) is not None}


def quantity_of(flag: str) -> Quantity | None:
    """The setting of the table that a flag or the key of a `key=value` word names."""
    if flag in _SHORT:
        return _SHORT[flag]
    found = named(flag.lstrip("-").lstrip("+"))
    return found if found is not None and found.settable else None


def _value(quantity: Quantity, text: str) -> int | float | None:
    number = number_of(text)
    if number is None or number.unit or number.upper is not None:
        return None
    return as_setting(quantity, number.value)


def as_setting(quantity: Quantity, value: float) -> int | float | None:
    """The number as this setting takes it: whole where only whole numbers make sense, and in the range of reason."""
    if quantity.whole:
        return int(value) if value.is_integer() and 0 <= value < 10**9 else None
    return float(f"{value:.12g}") if 0 <= value < 100 else None  # 3 * 10^-4 is 0.0003
