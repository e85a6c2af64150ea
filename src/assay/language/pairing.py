"""Which run a figure belongs to: `0.91 for lr=1e-2 and 0.87 for lr=1e-3`, `8 and 16 took 3 s and 4 s`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.language.said import Said, Subject, Value


@dataclass(frozen=True, kw_only=True)
class Told:
    """A figure, and the settings of the run that it is said of; none where the sentence names no run.

    `beside` are others of its metric that the sentence gives of runs that it does not name.
    """

    value: Value
    of: tuple[Subject, ...] = ()
    beside: tuple[Value, ...] = ()


def told(said: Said) -> Iterator[Told]:
    """Each figure with its run; figures of which it is not clear whose they are, are left out."""
    settings, figures = _settings(said), _figures(said)
    several = [name for name, listed in settings.items() if len({_key(one) for _, one in listed}) > 1]
    common = tuple(listed[0][1] for name, listed in settings.items() if name not in several)
    for values in figures.values():
        if not several:
            yield from (_of_one(one, values, common) for one in values)
        if len(several) == 1 and len(settings[several[0]]) == len(values):
            for value, (_, subject) in zip(values, settings[several[0]], strict=True):
                yield Told(value=value, of=(subject, *common))


def _of_one(value: Value, values: Sequence[Value], common: tuple[Subject, ...]) -> Told:
    """`The bigger batch takes longer (261 s against 168 s)`: of two times only one belongs to the run that is named."""
    alike = [one for one in values if _is_beside(one, value, bool(common))]
    if len(alike) == 1:
        return Told(value=value, of=common)
    return Told(value=value, beside=tuple(one for one in alike if one is not value))


def _is_beside(one: Value, value: Value, named: bool) -> bool:
    """Whether it may be the same figure of another run: of a run that is named, the test and the training are two."""
    if one.scope != value.scope or one.modality != value.modality or {one.average, value.average} & _STATISTICS:
        return one is value
    return not named or (one.split, one.average) == (value.split, value.average)


_STATISTICS = frozenset({"p90", "p95", "p99", "p99.9", "median", "std"})


def _key(subject: Subject) -> tuple[object, ...]:
    return subject.readings[:1], subject.extreme


def _settings(said: Said) -> dict[str, list[tuple[int, Subject]]]:
    """By name, in the order of the sentence; of `from 16 to 32` both."""
    found: list[tuple[int, Subject]] = [(start, one) for start, one in said.relatives]
    for one in said.values:
        if one.is_setting and one.scope != "device" and one.number.upper is None:
            for number in (one.was, one.number) if one.was else (one.number,):
                found.append((number.start, Subject(name=one.name, readings=number.readings)))
    by_name: dict[str, list[tuple[int, Subject]]] = {}
    for start, subject in sorted(found, key=lambda pair: pair[0]):
        by_name.setdefault(subject.name, []).append((start, subject))
    return by_name


def _figures(said: Said) -> dict[str, list[Value]]:
    """By metric, in the order of the sentence; of `from 12 s to 9 s` both."""
    by_name: dict[str, list[Value]] = {}
    for one in said.values:
        if one.is_setting:
            continue
        listed = by_name.setdefault(one.name, [])
        if one.was is not None:
            listed.append(replace(one, number=one.was, was=None, start=one.was.start, end=one.was.end))
        listed.append(replace(one, was=None))
    return {name: sorted(listed, key=lambda one: one.start) for name, listed in by_name.items()}
