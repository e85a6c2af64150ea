"""Numbers of the command line that have limits, with the limits in words: click writes `1<=x<=10000`."""

from __future__ import annotations

import click


class Whole(click.IntRange):
    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(str(value))
        except ValueError:
            self.fail(f"`{value}` is not a whole number", param, ctx)
        _check(self, number, param, ctx)
        return number

    def _describe_range(self) -> str:
        return span(self)


class Real(click.FloatRange):
    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(str(value))
        except ValueError:
            self.fail(f"`{value}` is not a number", param, ctx)
        _check(self, number, param, ctx)
        return number

    def _describe_range(self) -> str:
        return span(self)


def span(limits: click.IntRange | click.FloatRange) -> str:
    """`1 to 10000`, `0 or more`, `more than 0`"""
    if limits.max is not None:
        return f"{limits.min:g} to {limits.max:g}"
    return f"more than {limits.min:g}" if limits.min_open else f"{limits.min:g} or more"


def _check(
    limits: click.IntRange | click.FloatRange, number: float, param: click.Parameter | None, ctx: click.Context | None
) -> None:
    """What is not a number is beyond no limit, and is refused as well."""
    least, most = limits.min, limits.max
    above = least is None or number > least or (number == least and not limits.min_open)
    if not (above and (most is None or number <= most)):
        limits.fail(f"it must be {span(limits)}, not {number:.12g}", param, ctx)
