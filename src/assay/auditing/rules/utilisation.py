"""`impossible-figure` of a sentence: a model FLOPs utilisation above 100 %, of which no log is needed.

A speed-up of 120 % is none, nor is an MFU that grew by 120 % or is 120 % of another; and an author who calls the figure
impossible knows it already.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.auditing.case import Case
from assay.language.utilisation import doubts_a_figure, utilisation_above_all
from assay.model.finding import DOUBTFUL, Finding


def stated(case: Case) -> Iterator[Finding]:
    """Sentences of a page that give an MFU above 100 %, and paragraphs that doubt it left out."""
    doubted = {(one.source, one.paragraph) for one in case.sentences if doubts_a_figure(one.text)}
    reported = [value for run in case.runs if (value := run.value("mfu")) is not None]
    for sentence in case.sentences:
        share = utilisation_above_all(sentence.text, decimal_comma=sentence.decimal_comma)
        if share is None or (sentence.source, sentence.paragraph) in doubted:
            continue
        if any(abs(share - 100 * value) < 1 for value in reported):  # raised as a figure of its run
            continue
        yield Finding(
            code="impossible-figure",
            severity=DOUBTFUL,
            message=f"a model FLOPs utilisation of {share:.4g} % is impossible: the peak or the FLOPs are wrong",
            hint="divide the model's FLOPs per second by the peak of all devices in the precision that was used",
            source=sentence.source,
            evidence=(sentence.evidence(),),
        )
