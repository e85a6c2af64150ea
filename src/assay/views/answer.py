"""The answer of a comparison in a few plain sentences: what is best where that is certain, and what may be chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from assay.comparing.best import Best
from assay.comparing.comparison import Comparison
from assay.comparing.figures import OUTCOME, Figure, show_value
from assay.comparing.groups import Group, show_setting
from assay.comparing.verdict import FEWEST, Verdict, apart, unless
from assay.stats import describe
from assay.text import capital, listing
from assay.units import GROWING
from assay.views.answer_served import SPOKEN_FOR, served_answers

_MOST_NAMED = 6
#: metrics of a server that get no sentence if one of these has one, because it says as much
_SAID_BY = {
    "requests_per_s": ("output_tokens_per_s",),
    "prompt_tokens_per_s": ("output_tokens_per_s",),
    "total_tokens_per_s": ("output_tokens_per_s",),
    **{f"{name}_mean_ms": (f"{name}_p50_ms",) for name in ("ttft", "tpot", "itl", "e2e")},
    **{f"itl_{key}_ms": (f"tpot_{key}_ms",) for key in ("mean", "p50", "p99")},
    "tpot_p99_ms": ("e2e_p99_ms",),
}
#: more runs are not advised
_MOST_ADVISED = 100


def answers(found: Comparison, asked: str = "") -> list[str]:
    """A sentence or two for each judged metric, those that the question names first, then in the order of the table; of
    servers, the telling ones."""
    told = sorted(sentences(found), key=lambda one: not is_named(one[0], asked))
    return [*served_answers(found.models), *(text for _, text in told)]


def is_named(best: Best, asked: str) -> bool:
    """Whether the question names its metric."""
    return best.figure.noun.lower() in asked.lower()


def sentences(found: Comparison) -> list[tuple[Best, str]]:
    """A sentence for each metric worth one, except those that a sentence about the server covers."""
    covered = SPOKEN_FOR if served_answers(found.models) else ()
    told = [best for best in telling(found) if not best.figure.name.startswith(covered)]
    return [(best, _answer(found, best, _verdicts(found, best))) for best in told]


def question(abouts: Iterable[str | None], found: Comparison | None) -> tuple[str, str]:
    """(the question, the rest of the description) of the study of all runs, else a question made from what varies."""
    said = set(abouts)
    text = " ".join((said.pop() or "").split()) if len(said) == 1 else ""
    if text:
        asked, mark, rest = text.partition("?")
        return capital(f"{asked}{mark}"), capital(rest.strip(" :;,.-"))
    if found and found.by and found.by != ["name"] and len(found.groups) > 1:
        return f"What changes with {listing([name.replace('_', ' ') for name in found.by])}?", ""
    return "", ""


def _verdicts(found: Comparison, best: Best) -> list[Verdict]:
    return [verdict for verdict in found.verdicts if verdict.figure.name == best.figure.name]


def telling(found: Comparison) -> list[Best]:
    """The judged metrics, without those that only repeat another one."""
    judged = {best.figure.name for best in found.bests}
    known = {verdict.figure.name for verdict in found.verdicts}
    told = [best for best in found.bests if judged.isdisjoint(_SAID_BY.get(best.figure.name, ()))]
    return [best for best in told if best.figure.name in known]


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
    """The one that leads was run once, or those that could be as good were."""
    if len(ranked[0].sample(best.figure.name)) > 1:
        single = [one for one in ranked[1:] if len(one.sample(best.figure.name)) < 2]
        were = "The other was" if len(ranked) == 2 else f"{len(single)} of the {len(ranked) - 1} others were"
        were = "The others were" if len(single) == len(ranked) - 1 > 1 else were
        lead = _leads(found, best.figure, ranked[0], ranked[1])
        return f"{lead}. {were} run once, so this could be chance. {_more_runs()}"
    verdict = found.between(best.figure, ranked[0], ranked[1])
    could = f"so chance could explain its lead if {unless(verdict)}" if verdict.once else "so this could be chance"
    return f"{_leads(found, best.figure, ranked[0], ranked[1])}. The first was run once, {could}. {_more_runs()}"


def _won(found: Comparison, one: Figure, ranked: Sequence[Group]) -> str:
    first = ranked[0]
    other = found.baseline if found.baseline is not first else ranked[1]
    text = f"{_leads(found, one, first, other)} ({apart(found.between(one, first, other))})"
    told = "The difference" if len(ranked) == 2 else "Its difference from every other"
    return f"{text}. {told} is significant."


def _leads(found: Comparison, one: Figure, first: Group, other: Group) -> str:
    """`Loss is lowest with lr 0.1: 0.331, against 0.489 with 0.01`"""
    text = f"{_noun(found, one)} is {'highest' if one.better > 0 else 'lowest'} with {title(found, first)}: "
    return text + f"{_value(found, one, first)}, against {_value(found, one, other)} with {_short(found, other)}"


def _shared(found: Comparison, one: Figure, ranked: Sequence[Group], tied: Sequence[Group], advice: str) -> str:
    """Some cannot win, and between the others nothing is certain."""
    worse = [each for each in ranked if each not in tied]
    word = "lower" if one.better > 0 else "higher"
    text = f"{_noun(found, one)} is significantly {word} with {_each(found, one, worse, '{label} ({value})')}. "
    return text + f"{_each(found, one, tied, named=True)} may differ by chance alone.{advice}"


def _none(found: Comparison, one: Figure, ranked: Sequence[Group], verdicts: Sequence[Verdict]) -> str:
    unjudged = all(verdict.p_corrected is None and max(verdict.n) > 1 for verdict in verdicts)
    if unjudged and any(verdict.difference.delta for verdict in verdicts):
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
    """How far two groups are apart; empty for more."""
    return f" ({apart(found.between(one, *ranked))})" if len(ranked) == 2 else ""


def _advice(tied: Sequence[Group], verdicts: Sequence[Verdict]) -> str:
    """How many runs the largest of the unclear differences would need; empty if that is too many."""
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
    return f"{capital(one.noun)}{at}"


def title(found: Comparison, group: Group) -> str:
    """`batch_size 512`: the settings with their names."""
    pairs = zip(found.by, group.key, strict=True)
    named = [(f"{name} " if name != "name" else "") + show_setting(value) for name, value in pairs if value is not None]
    if named or not found.by:
        return listing(named) or group.label
    return f"no {found.by[0]} given" if len(found.by) == 1 else "no settings given"


def _short(found: Comparison, group: Group, *, named: bool = True) -> str:
    """The value alone where one setting varies and the sentence has `named` it; else names, too."""
    return group.label if named and len(found.by) < 2 and group.key != (None,) else title(found, group)


def _each(
    found: Comparison,
    one: Figure,
    groups: Sequence[Group],
    form: str = "{value} with {label}",
    *,
    named: bool = False,
) -> str:
    """Each group with its figure; the first with the name of its setting, unless the sentence has `named` it."""
    shown = [
        form.format(value=_value(found, one, group), label=_short(found, group, named=at > 0 or named))
        for at, group in enumerate(groups[:_MOST_NAMED])
    ]
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
