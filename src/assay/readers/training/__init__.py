"""Training frameworks whose lines need more than their named figures to be understood: one file each.

The generic reader asks these before it looks at a line itself. `FORMS` are whole lines, `DIALECTS` lines of figures
whose names have a special meaning.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.readers.told import NOTHING, Dialect, Form, Told
from assay.readers.training import (
    composer,
    deepspeed,
    detection,
    ezpz,
    graphs,
    huggingface,
    jaxlike,
    megatron,
    milabench,
    mlperf,
    scripts,
    timmlike,
    torchtitan,
    torchtune,
)

FORMS: tuple[Form, ...] = (
    *torchtitan.FORMS,
    *megatron.FORMS,
    *deepspeed.FORMS,
    *composer.FORMS,
    *huggingface.FORMS,
    *jaxlike.FORMS,
    *timmlike.FORMS,
    *detection.FORMS,
    *graphs.FORMS,
    *ezpz.FORMS,
    *scripts.FORMS,
)
DIALECTS: tuple[Dialect, ...] = (
    *torchtitan.DIALECTS,
    *ezpz.DIALECTS,
    *graphs.DIALECTS,
    *deepspeed.DIALECTS,
    *torchtune.DIALECTS,
    *composer.DIALECTS,
)
#: one of these is in every such line
WORDS = (*(one.word for one in FORMS), *(one.word for one in DIALECTS), *mlperf.WORDS, *milabench.WORDS)


def form_of(text: str) -> Told | None:
    """What a line says that only one framework prints."""
    for form in FORMS:
        found = form.pattern.search(text) if form.word in text else None
        told = form.read(found) if found else None
        if told is not None:
            return told
    return None


def names_of(text: str) -> Mapping[str, tuple[str, float]]:
    """What the names of its figures mean, if they have a special meaning."""
    return next((one.names for one in DIALECTS if one.word in text and one.pattern.search(text)), NOTHING)
