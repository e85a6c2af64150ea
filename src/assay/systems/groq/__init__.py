"""Groq: GroqChips, through GroqFlow's proof points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.systems.groq.state import STATE
from assay.systems.groq.target import TARGET
from assay.systems.system import Course, Cut, System

if TYPE_CHECKING:
    from assay.readers.base import Reader

_ROW = rb"^\s*\|\s*(?:Source|cpu|groq|gpu)\s*\|"


def _reader() -> type[Reader]:
    from assay.systems.groq.reader import Groq

    return Groq


SYSTEM = System(
    name="groq",
    words=r"groq",
    reader=_reader,
    target=TARGET,
    known_for=("missing-module", "permission"),
    course=Course(
        about="BERT-tiny: two of its builds are known by their on-chip rate, and so is their sequence length"
    ),
    cuts=(Cut(begins=_ROW, whole=rb"\|\s*$", rest=rb"^(?!\+)(?!" + _ROW[1:] + rb").*\|"),),
    files=(STATE,),
    packages=("groqflow",),
)
