"""Groq: GroqChips, through GroqFlow's proof points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.systems.groq.course import COURSE
from assay.systems.groq.state import STATE
from assay.systems.system import Cut, System

if TYPE_CHECKING:
    from assay.reading.reader import Reader
    from assay.systems.target import Target

_ROW = rb"^\s*\|\s*(?:Source|cpu|groq|gpu)\s*\|"


def _reader() -> type[Reader]:
    from assay.systems.groq.reader import Groq

    return Groq


def _target() -> Target:
    from assay.systems.groq.target import TARGET

    return TARGET


SYSTEM = System(
    name="groq",
    words=r"groq",
    reader=_reader,
    target=_target,
    known_for=("missing-module", "permission"),
    course=COURSE,
    cuts=(
        # blanks after a bar may be the beginning of a cell that was cut
        Cut(begins=_ROW, whole=rb"\|\s?$", rest=rb"^(?!\+)(?!" + _ROW[1:] + rb").*\|"),
        Cut(begins=rb"Input shape of model ", whole=rb" to \{[^{}]*\}", full=True),
    ),
    files=(STATE,),
    packages=("groqflow",),
)
