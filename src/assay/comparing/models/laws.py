"""Laws of scaling, fitted to rates at several numbers of processes: Amdahl's, Gustafson's and the universal one (USL).

Each says what the rate of a single process would be and what takes away from it. They count processes, not multiples of
the fewest that were run, so that a series that begins at 2 or 4 gives the same answer as one that begins at 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assay.stats.linear import Linear, Parts, Quotient, fit_parts

Rates = Mapping[float, Sequence[float]]
#: a law that misses by less serves, whatever the repeats say; without repeats, one that misses by more does not
_GOOD_ENOUGH, _UNTESTED = 0.01, 0.05


@dataclass(frozen=True, kw_only=True)
class Law:
    """What adds up to `time` (processes over rate) or to the rate itself, and which quotient is the serial share."""

    name: str
    parts: Callable[[float], Parts]
    of_time: bool
    serial: tuple[Parts, Parts]


#: p / rate = a + b·(p − 1), and b / a is the serial share
AMDAHL = Law(name="Amdahl's law", parts=lambda p: (1, p - 1), of_time=True, serial=((0, 1), (1, 0)))
#: rate = a + c·(p − 1), and 1 − c / a is the serial share
GUSTAFSON = Law(name="Gustafson's law", parts=lambda p: (1, p - 1), of_time=False, serial=((1, -1), (1, 0)))
#: p / rate = a + b·(p − 1) + c·p·(p − 1): waiting for what is shared, and agreeing with every other process
USL = Law(
    name="the universal scaling law", parts=lambda p: (1, p - 1, p * (p - 1)), of_time=True,
    serial=((0, 1, 0), (1, 0, 0)),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Fitted:
    law: Law
    line: Linear

    @property
    def serial(self) -> Quotient:
        return self.line.quotient(*self.law.serial)

    @property
    def agreeing(self) -> Quotient:
        """The cost of agreeing with each other process (USL)."""
        return self.line.quotient((0, 0, 1), (1, 0, 0))

    @property
    def peak(self) -> Quotient:
        """The number of processes at which the rate is highest (USL): open where agreeing may cost nothing."""
        squared = self.line.quotient((1, -1, 0), (0, 0, 1))
        low, high = (None if end is None else math.sqrt(max(0.0, end)) for end in (squared.low, squared.high))
        return Quotient(value=math.sqrt(max(0.0, squared.value)) if squared.value > 0 else math.nan, low=low, high=high)

    @property
    def half(self) -> Quotient:
        """The number of processes of which half the time is lost (Amdahl)."""
        return self.line.quotient((1, 1), (0, 1))

    @property
    def misfit(self) -> str:
        """Why the law is not to be trusted here; empty where it is."""
        off = f"{self.law.name} misses by up to {100 * self.line.worst:.1f} %"
        if self.line.p_fit is None:
            return f"{off}, and there are no repeats to judge that by" if self.line.worst > _UNTESTED else ""
        if self.line.p_fit < 0.05 and self.line.worst > _GOOD_ENOUGH:
            return f"{off}, more than noise explains"
        serial = self.serial
        if serial.high is not None and serial.high < 0:
            return "the speed-up is more than linear, which no law of scaling allows"
        return ""


def fitted(law: Law, rates: Rates) -> Fitted | None:
    """None where there are too few numbers of processes for the law to miss any of them."""
    if len(rates) <= len(law.parts(1)):
        return None
    points = [
        (law.parts(count), count / rate if law.of_time else rate) for count, found in rates.items() for rate in found
    ]
    line = fit_parts(points)
    return None if line is None else Fitted(law=law, line=line)
