"""Of the course: GroqFlow's BERT-tiny, whose builds are known by their rate."""

from __future__ import annotations

from assay.systems.system import Course

#: on-chip inferences per second, as the compiler computes them, to the sequence length of the build
LENGTHS = {37576.72: 128, 23391.20: 256}
COURSE = Course(about="BERT-tiny: two of its builds are known by their on-chip rate, and so is their sequence length")
