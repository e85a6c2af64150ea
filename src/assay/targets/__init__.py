"""Targets are kinds of hardware: one file each, and one line in this table."""

from __future__ import annotations

from assay.targets.base import Target
from assay.targets.cerebras import TARGET as CEREBRAS
from assay.targets.cpu import TARGET as CPU
from assay.targets.cuda import TARGET as CUDA
from assay.targets.graphcore import TARGET as GRAPHCORE
from assay.targets.groq import TARGET as GROQ
from assay.targets.sambanova import TARGET as SAMBANOVA

TARGETS: dict[str, Target] = {one.name: one for one in (CPU, CUDA, CEREBRAS, GRAPHCORE, SAMBANOVA, GROQ)}
