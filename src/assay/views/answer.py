"""The answer of a comparison in a few plain sentences: what is best where that is certain, and what may be chance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from assay.comparing.best import Best
from assay.comparing.comparison import Comparison
from assay.comparing.figures import OUTCOME, Figure, show_value
from assay.comparing.groups import Group, show_setting
from assay.comparing.sentences import FEWEST, apart, unless
from assay.comparing.verdict import Verdict
from assay.stats import describe
from assay.text import listing
from assay.units import GROWING

_MOST_NAMED = 6
#: more runs than this no one will make for such a difference
_MOST_ADVISED = 100


def answers(found: Comparison) -> list[str]:
    """A sentence or two for each metric that is judged, in the order of the table."""
    lines = []
    for best in found.bests:
        verdicts = [verdict for verdict in found.verdicts if verdict.figure.name == best.figure.name]
        if verdicts:
            lines.append(_answer(found, best, verdicts))
    return lines


def _answer(found: Comparison, best: Best, verdicts: Sequence[Verdict]) -> str:
    runners = [one for one in found.groups if not one.simulated and one.sample(best.figure.name)]
    ranked = sorted(runners, key=lambda one: -best.figure.better * describe(one.sample(best.figure.name)).mean)
    if best.winner is not None:
        return _won(found, best.figure, ranked)
    if best.once is not None:
        return _alone(found, best, ranked)
    tied = [one for one in ranked if one.label in best.tied]
    if len(tied) < len(ranked):
        return _shared(found, best.figure, ranked, tied, _advice(tied, verdicts))
    return _none(found, best.figure, ranked, verdicts)


def _alone(found: Comparison, best: Best, ranked: Sequence[Group]) -> str:
    """The one that leads was run once."""
    figures = _each(found, best.figure, ranked)
    verdict = found.between(best.figure, ranked[0], ranked[1])
    could = f"so chance could explain its lead if {unless(verdict)}" if verdict.once else "so this could be chance"
    return f"{_noun(found, best.figure)}: {figures}. {best.once} was run once, {could}. {_more_runs()}"


def _won(found: Comparison, one: Figure, ranked: Sequence[Group]) -> str:
    first = ranked[0]
    other = found.baseline if found.baseline is not first else ranked[1]
    text = f"{_noun(found, one)} is {'highest' if one.better > 0 else 'lowest'} with {title(found, first)}: "
    text += f"{_value(found, one, first)}, against {_value(found, one, other)} with {other.label}"
    text += f" ({apart(found.between(one, first, other))})"
    told = "The difference" if len(ranked) == 2 else "Its difference from every other"
    return f"{text}. {told} is significant."


def _shared(found: Comparison, one: Figure, ranked: Sequence[Group], tied: Sequence[Group], advice: str) -> str:
    """Some cannot win, and between the others nothing is certain."""
    worse = [each for each in ranked if each not in tied]
    word = "lower" if one.better > 0 else "higher"
    text = f"{_noun(found, one)} is significantly {word} with {_each(found, one, worse, '{label} ({value})')}. "
    return text + f"{_each(found, one, tied)} may differ by chance alone.{advice}"


def _none(found: Comparison, one: Figure, ranked: Sequence[Group], verdicts: Sequence[Verdict]) -> str:
    if all(verdict.p_corrected is None and max(verdict.n) > 1 for verdict in verdicts) and verdicts[0].difference.delta:
        text = f"{_noun(found, one)} cannot be judged: {_each(found, one, ranked)}."
        return f"{text} The repeats are identical to the last digit, so they do not show how far runs differ."
    figures = f"{_each(found, one, ranked)}{_between(found, one, ranked)}"
    if (small := _all_within(found, one, ranked)) is not None:
        return f"{_noun(found, one)} is shown to differ by less than {small}: {figures}."
    text = f"{_noun(found, one)} shows no significant difference: {figures}."
    if all(max(verdict.n) == 1 for verdict in verdicts):
        return f"{text} {_more_runs()}"
    return text + _advice(ranked, verdicts)


def _all_within(found: Comparison, one: Figure, ranked: Sequence[Group]) -> str | None:
    """The margin, where every pair is shown to lie within it."""
    margin = found.families.margin(one)
    if margin is None or len(ranked) > _MOST_NAMED:
        return None
    same = all(found.between(one, *pair).same for pair in combinations(ranked, 2))
    return margin.text(one) if same else None


def _between(found: Comparison, one: Figure, ranked: Sequence[Group]) -> str:
    """Of two groups: how far they are apart."""
    return f" ({apart(found.between(one, *ranked))})" if len(ranked) == 2 else ""


def _advice(tied: Sequence[Group], verdicts: Sequence[Verdict]) -> str:
    """How many runs the widest of the differences that may be chance would take; empty where no one would do them."""
    labels = [one.label for one in tied]
    doubtful = [verdict for verdict in verdicts if verdict.group in labels and verdict.baseline in labels]
    widest = max(doubtful, key=lambda verdict: abs(verdict.difference.delta), default=None)
    if widest is None or widest.needed is None or widest.needed > _MOST_ADVISED:
        return ""
    return f" If a difference of this size is real, about {widest.needed} runs of each would show it."


def _more_runs() -> str:
    return f"Run each at least {FEWEST} times."


def _noun(found: Comparison, one: Figure) -> str:
    at = f" {found.axis.at}" if one.kind == OUTCOME and found.axis.at else ""
    return f"{one.noun[:1].upper()}{one.noun[1:]}{at}"


def title(found: Comparison, group: Group) -> str:
    """`batch_size 512`: the settings with their names."""
    pairs = zip(found.by, group.key, strict=True)
    return ", ".join(f"{name} {show_setting(value)}" for name, value in pairs if value is not None) or group.label


def _each(found: Comparison, one: Figure, groups: Sequence[Group], form: str = "{value} with {label}") -> str:
    shown = [form.format(value=_value(found, one, group), label=group.label) for group in groups[:_MOST_NAMED]]
    return listing(shown if len(groups) <= _MOST_NAMED else [*shown, f"{len(groups) - _MOST_NAMED} more"])


def _value(found: Comparison, one: Figure, group: Group) -> str:
    spread = found.spread(group, one.name)
    assert spread is not None
    return f"{show_value(one, spread.mean, spread.sd)}{_unit(one)}"


def _unit(one: Figure) -> str:
    if one.unit in GROWING:
        return ""
    if one.name.endswith("_ms"):
        return " ms"
    if one.name.endswith("_per_s"):
        return " " + one.heading.partition(" (")[0]
    return " %" if one.unit == "share" else ""
