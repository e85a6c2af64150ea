"""The types of fields, which decide what is accepted of a file."""

from __future__ import annotations

import typing
from collections.abc import Iterator

from assay.model import event, job, request, summary  # noqa: F401  # every kind of record
from assay.model.hints import hints_of
from assay.model.record import Record


def _kinds(cls: type) -> Iterator[type]:
    for one in cls.__subclasses__():
        yield one
        yield from _kinds(one)


def test_the_types_of_all_fields_are_those_that_python_finds() -> None:
    kinds = set(_kinds(Record))
    assert len(kinds) > 20
    for kind in kinds:
        assert hints_of(kind) == typing.get_type_hints(kind)
