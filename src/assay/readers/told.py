"""The facts of a line, an object or a block of a log, before they become events."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from assay.model.values import NOTHING as NOTHING
from assay.model.values import number

#: of an epoch of training, and tokens of a step: no settings, but what totals are made of
NUM_EXAMPLES, TOKENS_PER_STEP = "num_examples", "tokens_per_step"


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """Figures of this moment, figures of the whole run, settings, and how it ended, as far as it says so itself."""

    facts: Mapping[str, object] = NOTHING
    results: Mapping[str, object] = NOTHING
    closing: Mapping[str, object] = NOTHING  # figures of the whole run, unless more training follows
    settings: Mapping[str, object] = NOTHING
    words: Mapping[str, str] = NOTHING  # model and device
    completed: bool = False
    status: str = ""  # where it says that it did not complete
    exit_code: int | None = None
    t: float | None = None


class Form(NamedTuple):
    """A line that one framework prints, and what it says. A line without `word` is none of it."""

    word: str
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Told | None]


class Dialect(NamedTuple):
    """A line of figures whose names have a special meaning: `tps` is for one device, `mtps` counts millions.

    `names` are spelled as `canonical` spells them, to a quantity and the factor that its unit asks for; a name that
    stands for nothing is left out.
    """

    word: str
    pattern: re.Pattern[str]
    names: Mapping[str, tuple[str, float]]


def named_model(found: re.Match[str]) -> Told:
    """The model that a line names."""
    return Told(words={"model": found["model"]})


def as_share(facts: dict[str, object]) -> None:
    """Utilisation is in per cent or in shares of 1, and less than nothing before there is any."""
    mfu = number(facts["mfu"])
    if mfu is None or mfu < 0:
        del facts["mfu"]
    elif mfu > 1.5:
        facts["mfu"] = mfu / 100
