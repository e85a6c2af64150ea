"""How people write a number with its unit. A style is picked once, so that a lie is spelled as the truth would be.

Each style is a function from a value to text and the range of truths that a fair reader lets the text stand for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, kw_only=True)
class Spelling:
    """`write` gives the text of a value; `slack` is the share by which a truth may differ and the text be fair."""

    write: Callable[[float], str]
    slack: float
    unit: str = ""


def _rounded(value: float, digits: int) -> str:
    """To so many significant digits, never in powers."""
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    shown = round(value, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{shown:.{places}f}"


def _commas(text: str) -> str:
    whole, dot, rest = text.partition(".")
    return f"{int(whole):,}{dot}{rest}"


def _clock(seconds: float) -> tuple[int, int]:
    whole = round(seconds)
    return whole // 60, whole % 60


def _minutes(value: float) -> str:
    return f"{value / 60:.1f}"


def _around_percent(value: float) -> str:
    """`just under 92 %`, `a bit over 91 %`."""
    whole = round(100 * value)
    return f"just under {whole} %" if whole > 100 * value else f"a bit over {whole} %"


_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def _around_minutes(seconds: float) -> str:
    """`about three and a half minutes`, where that is near enough; else in digits."""
    halves = round(seconds / 30)
    if abs(30 * halves - seconds) > 0.06 * seconds or halves > 2 * len(_WORDS) - 2 or (halves % 2 and halves > 9):
        return f"about {_minutes(seconds)} minutes"
    return f"about {_WORDS[halves // 2]}{' and a half' if halves % 2 else ''} minutes"


def accuracy(rng: Random, places: int = 4) -> Spelling:
    """0.9123: 91.23 %, 91.2%, 0.912, about 91 %."""
    return rng.choice((
        Spelling(write=lambda v: f"{100 * v:.{places - 2}f}%", slack=0.0002),
        Spelling(write=lambda v: f"{100 * v:.{places - 2}f} %", slack=0.0002),
        Spelling(write=lambda v: f"{100 * v:.1f}%", slack=0.0007),
        Spelling(write=lambda v: f"{100 * v:.1f} %", slack=0.0007),
        Spelling(write=lambda v: f"{100 * v:.1f} percent", slack=0.0007),
        Spelling(write=lambda v: f"{v:.{places}f}", slack=0.0002),
        Spelling(write=lambda v: f"{v:.3f}", slack=0.0007),
        Spelling(write=lambda v: f"about {100 * v:.0f} %", slack=0.011),
        Spelling(write=lambda v: f"~{100 * v:.0f}%", slack=0.011),
        Spelling(write=lambda v: f"roughly {100 * v:.0f}%", slack=0.011),
        Spelling(write=_around_percent, slack=0.012),
    ))  # fmt: skip


def loss(rng: Random, places: int = 4) -> Spelling:
    few = max(2, places - 2)
    return rng.choice((
        Spelling(write=lambda v: f"{v:.{places}f}", slack=0.001),
        Spelling(write=lambda v: f"{v:.{few}f}", slack=0.02),
        Spelling(write=lambda v: f"about {_rounded(v, 2)}", slack=0.06),
        Spelling(write=lambda v: f"~{_rounded(v, 2)}", slack=0.06),
    ))  # fmt: skip


def seconds(rng: Random, value: float, places: int = 1) -> Spelling:
    """214.6: 214.6 s, 215 seconds, 3.6 minutes, 3 min 35 s."""
    fine = f".{min(places, 2)}f"
    forms = (
        Spelling(write=lambda v: f"{v:{fine}} s", slack=0.003),
        Spelling(write=lambda v: f"{v:{fine}} seconds", slack=0.003),
        Spelling(write=lambda v: f"{v:{fine}}s", slack=0.003),
        Spelling(write=lambda v: f"{v:.0f} s", slack=0.02),
        Spelling(write=lambda v: f"{v:.0f} sec", slack=0.02),
        Spelling(write=lambda v: f"about {_rounded(v, 2)} seconds", slack=0.07),
        Spelling(write=lambda v: f"{_minutes(v)} minutes", slack=0.08),
        Spelling(write=lambda v: f"{_minutes(v)} min", slack=0.08),
        Spelling(write=lambda v: "{} min {} s".format(*_clock(v)), slack=0.02),
        Spelling(write=lambda v: "{}m{:02d}s".format(*_clock(v)), slack=0.02),
        Spelling(write=_around_minutes, slack=0.08),
    )  # fmt: skip
    return rng.choice(forms if value > 100 else forms[:6])


def rate(rng: Random, unit: str = "samples/s") -> Spelling:
    """1405.3: 1405.3 samples/s, 1,405 samples per second, 1.4k samples/s, about 1400."""
    of = unit.partition("/")[0]
    return rng.choice((
        Spelling(write=lambda v: f"{v:.1f} {unit}", slack=0.002),
        Spelling(write=lambda v: f"{_commas(f'{v:.1f}')} {unit}", slack=0.002),
        Spelling(write=lambda v: f"{_rounded(v, 4)} {of} per second", slack=0.004),
        Spelling(write=lambda v: f"{_commas(_rounded(v, 4))} {of}/sec", slack=0.004),
        Spelling(write=lambda v: f"about {_rounded(v, 2)} {of} per second", slack=0.07),
        Spelling(write=lambda v: f"~{_commas(_rounded(v, 3))} {unit}", slack=0.03),
        Spelling(write=lambda v: _thousands(v) + f" {unit}", slack=0.06),
    ))  # fmt: skip


def _thousands(value: float) -> str:
    return f"{value / 1000:.1f}k" if value >= 1000 else _rounded(value, 3)


def milliseconds(rng: Random) -> Spelling:
    return rng.choice((
        Spelling(write=lambda v: f"{v:.2f} ms", slack=0.003),
        Spelling(write=lambda v: f"{v:.1f} ms", slack=0.03),
        Spelling(write=lambda v: f"{v:.2f} milliseconds", slack=0.003),
        Spelling(write=lambda v: f"about {_rounded(v, 2)} ms", slack=0.07),
    ))  # fmt: skip


def memory(rng: Random, places: int = 1) -> Spelling:
    """3482.1 MiB: 3482 MiB, 3.4 GiB."""
    return rng.choice((
        Spelling(write=lambda v: f"{v:.{min(places, 1)}f} MiB", slack=0.003),
        Spelling(write=lambda v: f"{v:.0f} MiB", slack=0.003),
        Spelling(write=lambda v: f"{v / 1024:.2f} GiB", slack=0.01),
        Spelling(write=lambda v: f"about {v / 1024:.1f} GiB", slack=0.08),
    ))  # fmt: skip


def percent(rng: Random) -> Spelling:
    """A share of change: 0.33 is 33 %."""
    return rng.choice((
        Spelling(write=lambda v: f"{100 * v:.0f} %", slack=0.02),
        Spelling(write=lambda v: f"{100 * v:.0f}%", slack=0.02),
        Spelling(write=lambda v: f"{100 * v:.1f}%", slack=0.003),
        Spelling(write=lambda v: f"about {100 * v:.0f} %", slack=0.04),
        Spelling(write=lambda v: f"{100 * v:.0f} percent", slack=0.02),
    ))  # fmt: skip


def factor(rng: Random) -> Spelling:
    """A ratio without the word that follows it: 1.5x, 1.48 times."""
    return rng.choice((
        Spelling(write=lambda v: f"{v:.1f}x", slack=0.04),
        Spelling(write=lambda v: f"{v:.2f}x", slack=0.006),
        Spelling(write=lambda v: f"{v:.1f} times", slack=0.04),
        Spelling(write=lambda v: f"{v:.2f} times", slack=0.006),
        Spelling(write=lambda v: f"{v:.1f}×", slack=0.04),
        Spelling(write=lambda v: f"about {v:.1f} times", slack=0.06),
    ))  # fmt: skip


def count(value: float, rng: Random) -> str:
    """1024: 1024, 1,024, 1k, 2^10."""
    whole = int(value)
    forms = [str(whole)] * 6
    if whole >= 1000:
        forms += [f"{whole:,}"] * 2
    if whole in (1024, 2048):
        forms.append(f"{whole // 1024}k")
    return rng.choice(forms)


def learning_rate(value: float, rng: Random) -> str:
    """0.001: 0.001, 1e-3, 10^-3, .001."""
    plain = f"{value:.6f}".rstrip("0")
    forms = [plain] * 4
    power = math.floor(math.log10(value) + 1e-9)
    lead = value / 10**power
    shown = f"{lead:g}"
    forms += [f"{shown}e{power}"] * 2
    if shown == "1":
        forms.append(f"10^{power}")
    elif power < -2:
        forms.append(f"{shown}*10^{power}")
    return rng.choice(forms)
