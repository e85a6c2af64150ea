"""How much identical runs differ, if that is known; used for pages without repeats."""

from __future__ import annotations

import re

from assay import systems
from assay.auditing.case import Case, Sentence
from assay.comparing.spreads import is_of
from assay.model.known import KnownSpread, plain

#: names in sentences that differ from those in the table
_NAMES = {"rate": "samples_per_s"}
#: models and data that people name: a sentence or heading that names another than the table's is of another task
_TASKS = re.compile(
    r"bert(?:[-_ ]?(?:large|base|tiny|small))?|gpt[-_ ]?[234]?|llama|resnet|vit\b|u-?net|cifar|imagenet|mnist|squad",
    re.IGNORECASE,
)


def known(case: Case, sentence: Sentence, figure: str) -> KnownSpread | None:
    """The known noise of the system that a sentence is about, unless another model or task is named."""
    wanted = _NAMES.get(figure, figure)
    for one in systems.of(sentence.system).spreads:
        if one.figure == wanted:
            named = [found[0] for found in _TASKS.finditer(f"{sentence.title} {sentence.text}")]
            fitting = [word for word in named if one.is_called(word) or plain(word) in one.task]
            another = bool(named) and not fitting
            return None if another or case.once(_has_others, sentence.system, one) else one
    return None


def _has_others(case: Case, system: str, one: KnownSpread) -> bool:
    """Whether a run of this system has another model or task."""
    return any(is_of(one, run.summary) is False for run in case.of(system))
