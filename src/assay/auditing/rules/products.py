"""`wrong-arithmetic` of batches: "each of 4 GPUs had a batch size of 16, a global batch of 96"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import prod

from assay.auditing.case import Case, Sentence
from assay.language.cues import has
from assay.language.modality import DONE
from assay.language.said import Value
from assay.model.finding import DOUBTFUL, WRONG, Finding

CODE = "wrong-arithmetic"
#: what a batch is multiplied by where each device takes one
_TIMES = ("num_procs", "num_nodes", "num_tasks", "grad_accum")


def check(case: Case) -> Iterator[Finding]:
    """In each sentence that gives both batches; else in the paragraph as a whole."""
    whole = [one for one in case.sentences if not one.cut]
    for _, group in groupby(whole, key=lambda one: (one.source, one.paragraph)):
        sentences = list(group)
        alone = [(one, values) for one in sentences if _is_complete(values := _values([one]))]
        for sentence, values in alone or [(sentences[-1], _values(sentences))]:
            yield from _checked(case, sentence, values)


def _values(sentences: Sequence[Sentence]) -> list[Value]:
    return [
        value
        for sentence in sentences
        for said in sentence.said()
        for value in said.values
        if value.modality == DONE and not (value.denied or value.bound or value.about or value.failed or value.was)
    ]


def _is_complete(values: Sequence[Value]) -> bool:
    return None not in (_batch(values, "device"), _batch(values, "global"))


def _batch(values: Sequence[Value], scope: str) -> float | None:
    return _only([one for one in values if one.name == "batch_size" and one.scope == scope])


def _only(values: Sequence[Value]) -> float | None:
    """The value, where there is one and no other."""
    found = {one.number.value for one in values if one.number.upper is None and not one.number.others}
    return found.pop() if len(found) == 1 and len(values) else None


def _checked(case: Case, sentence: Sentence, values: Sequence[Value]) -> Iterator[Finding]:
    batch, whole = _batch(values, "device"), _batch(values, "global")
    named = {name: _only([one for one in values if one.name == name]) for name in _TIMES}
    given = [name for name in _TIMES if any(one.name == name for one in values)]
    factors = [value for name in given if (value := named[name]) is not None]
    if batch is None or whole is None or len(factors) != len(given) or named["num_procs"] is None:
        return
    if whole in _products(batch, factors):
        return
    product = batch * prod(factors)
    explained = "grad_accum" not in given and whole % product == 0
    if any(has(one.text, "split_model", *(["grad_accum"] if explained else [])) for one in case.sentences):
        return  # the accumulation stands elsewhere, or not every device takes a batch
    shown = " × ".join(f"{one:g}" for one in (*factors, batch))
    yield Finding(
        code=CODE,
        severity=DOUBTFUL if explained else WRONG,
        message=f"a global batch of {whole:,.10g} does not follow: {shown} is {product:,.10g}"
        + (f"; are gradients accumulated over {whole / product:g} steps?" if explained else ""),
        hint="give the batch of a device, the devices and the accumulation steps that make up the global batch",
        source=sentence.source,
        evidence=(sentence.evidence(),),
    )


def _products(batch: float, factors: Sequence[float]) -> set[float]:
    """With every factor, or without one: devices may be those of a node or of all nodes."""
    return {batch * prod(factors), *(batch * prod(factors) / one for one in factors if len(factors) > 1)}
