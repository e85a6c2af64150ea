"""The kinds of claims that a sentence makes."""

from __future__ import annotations

from dataclasses import dataclass

from assay.language import modality as mood
from assay.language.kinds import SETTINGS
from assay.language.numbers import Number


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The run or runs that something is said of: those with a setting, a bare number, or the second of them."""

    name: str = ""  # of the setting; empty for a bare number: `2048 was the fastest`
    readings: tuple[float, ...] = ()
    order: int = 0  # the first, the second; -1 the last
    extreme: int = 0  # 1 the largest value of the setting, -1 the smallest
    relative: bool = False  # `the larger batch`: of two


@dataclass(frozen=True, kw_only=True)
class Value:
    """A setting or a metric is given a value; `was` is the one before, `bound` 1 for at least and -1 for at most."""

    name: str
    number: Number
    start: int
    end: int
    modality: str = mood.DONE
    was: Number | None = None
    scope: str = ""
    split: str = ""
    average: str = ""
    about: bool = False
    bound: int = 0
    denied: bool = False
    failed: bool = False
    listed: bool = False  # one of several values
    part: bool = False  # it may be no more than a part of the run

    @property
    def is_setting(self) -> bool:
        return self.name in SETTINGS


@dataclass(frozen=True, kw_only=True)
class Change:
    """A difference with its size; `direction` 1 up, -1 down, 0 not said.

    `kind`: percent, points, factor, or difference in the unit of the metric (`12 s longer`).
    """

    name: str
    kind: str
    value: float
    slack: float
    direction: int
    start: int
    end: int
    modality: str = mood.DONE
    bound: int = 0
    about: bool = False
    denied: bool = False
    scope: str = ""  # of each epoch, step or sample
    of: tuple[Subject, ...] = ()  # what is so much more or less
    than: tuple[Subject, ...] = ()  # than this


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One is called faster, higher or more accurate than another. `sign` 1: more of the metric `name`, 0: as much."""

    name: str
    sign: int
    of: tuple[Subject, ...]
    than: tuple[Subject, ...]
    start: int
    end: int
    modality: str = mood.DONE
    denied: bool = False


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a setting does to a metric: with more of the one, more (1), less (-1) or the same (0) of the other."""

    setting: str
    name: str
    sign: int
    start: int
    end: int
    linear: bool = False
    modality: str = mood.DONE
    denied: bool = False


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """One is called the best, the fastest, the highest. `name` is the metric or empty; `sign` 1 highest, -1 lowest."""

    name: str
    sign: int
    better: int  # 1 best, -1 worst, 0 where only high or low is said
    of: tuple[Subject, ...]
    start: int
    end: int
    modality: str = mood.DONE
    denied: bool = False


@dataclass(frozen=True, kw_only=True)
class Said:
    """All that one sentence claims."""

    text: str
    values: tuple[Value, ...] = ()
    changes: tuple[Change, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    effects: tuple[Effect, ...] = ()
    roles: frozenset[str] = frozenset()  # every cue in it
    metrics: tuple[str, ...] = ()  # every metric that it names
    relatives: tuple[tuple[int, Subject], ...] = ()  # `the larger batch`, and where it stands
    modality: str = mood.DONE
