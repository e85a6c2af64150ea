"""Of the course: BERT-large, whose tasks are worked out where the log does not count them."""

from __future__ import annotations

from assay.systems.system import Course

SEQUENCES, TOKENS = 256, 128  # of one task's step, and of one sequence
COURSE = Course(about=f"BERT-large: {SEQUENCES} sequences of {TOKENS} tokens a task, unless the log says otherwise")
