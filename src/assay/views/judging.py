"""What a comparison states beside its verdicts: which group is best, and what the tests corrected and assumed."""

from __future__ import annotations

from assay.comparing.best import Best
from assay.comparing.comparison import Comparison
from assay.comparing.pairs import ALIKE, IN_ROUNDS
from assay.comparing.verdict import Verdict
from assay.text import listing
from assay.views.answer_served import SPOKEN_FOR, served_answers

#: from this many runs on, a group's own noise is considered
_FEW = 4


def spelled_out(found: Comparison) -> list[str]:
    """The metrics whose differences are listed group by group.

    For servers at several loads such a list would be long and useless: it compares every load with one load of
    one server. What a reader wants is in the answer, and by load below it.
    """
    names = list(dict.fromkeys(verdict.figure.name for verdict in found.verdicts))
    if found.chosen or not served_answers(found.models):
        return names
    return [name for name in names if not name.startswith(SPOKEN_FOR)]


def tests_used(found: Comparison) -> list[str]:
    """What was corrected or assumed where differences were judged."""
    lines = []
    asked = max((verdict.comparisons for verdict in found.verdicts if verdict.p_corrected is not None), default=0)
    if asked > 1:
        lines.append(f"p-values are corrected for all {asked} pairs of settings; the intervals are not")
    if any(ALIKE in verdict.assumptions and max(verdict.n) < _FEW for verdict in found.verdicts):
        lines.append("With fewer than four runs of each, all settings are assumed to vary equally from run to run")
    if any(IN_ROUNDS in verdict.assumptions for verdict in found.verdicts):
        lines.append("Each run is compared with the others of its round, so the noise is what is left within rounds")
    if any(_is_geometric(verdict) for verdict in found.verdicts):
        lines.append(
            "Ratios (×) are of geometric means, which differ from the means in the table where runs vary a lot"
        )
    return lines


def _is_geometric(verdict: Verdict) -> bool:
    """Whether someone who divides the means of the table gets another ratio than the one we quote."""
    group, baseline = verdict.means
    return not verdict.in_points and bool(group and baseline) and abs(verdict.ratio.value * baseline / group - 1) > 0.01


def best_words(best: Best) -> str:
    if best.winner is not None:
        return f"best: {best.winner}; its difference from every other is significant"
    if best.once is not None:
        return f"no clear winner: {best.once} leads, but was run once"
    tied = best.tied
    shown = listing([*tied[:6], f"{len(tied) - 6} more"] if len(tied) > 6 else tied)
    return f"no clear winner: the differences between {shown} could be noise"
