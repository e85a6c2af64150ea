"""`assay compare`, from summaries to verdicts, in one function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache

from assay.comparing.axis import END, Axis, at_axis, choose, is_outcome
from assay.comparing.best import Best, best_of
from assay.comparing.called import called, said_of
from assay.comparing.calls import as_requests
from assay.comparing.curves import Curve, curve_of
from assay.comparing.families import Families
from assay.comparing.figures import FIGURES, MACHINE, OUTCOME, RATE, TOTAL, Figure, figure, show_plus_minus
from assay.comparing.groups import Group, Grouping, find_group, group
from assay.comparing.judged import scale_of
from assay.comparing.margins import Amount
from assay.comparing.models import MODELS
from assay.comparing.models.base import Model
from assay.comparing.models.convergence import convergence_model
from assay.comparing.models.overall import overall_model
from assay.comparing.models.servers import servers_model
from assay.comparing.models.tradeoff import tradeoff_model
from assay.comparing.outliers import Odd, said_of_outliers
from assay.comparing.rows import LEFT_OUT, Row, Rows, but_warmups, rows_of
from assay.comparing.served import told_by_others
from assay.comparing.shares import Shares, where_time_went
from assay.comparing.target import Reached, Target, common_target, reach
from assay.comparing.verdict import Verdict
from assay.comparing.verdicts import judge, verdict_of
from assay.errors import AssayError, UsageError, did_you_mean
from assay.model.event import Event
from assay.model.summary import Summary
from assay.quantities import BY_NAME
from assay.stats import Spread, describe, describe_on
from assay.summary.chosen import metric_named
from assay.text import html_table

#: reading the events of more runs than this takes longer than anyone waits unasked
_MOST_CURVES = 200
_THROUGHPUTS = ("samples_per_s", "tokens_per_s", "inferences_per_s")


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What was asked for on the command line; the rest is chosen, and said."""

    by: Sequence[str] = ()
    baseline: str | None = None
    axis: str | None = None
    columns: Sequence[str] = ()
    sort: str | None = None
    target: Target | None = None
    margins: Sequence[Amount] = ()
    metric: str | None = None  # what to judge by first: `val_bpb`, `val_bpb:min`


@dataclass(frozen=True, kw_only=True)
class Comparison:
    by: list[str]
    groups: list[Group]
    columns: list[Figure]
    axis: Axis
    baseline: Group
    baseline_why: str
    verdicts: list[Verdict]
    bests: list[Best]
    shares: list[Shares]
    models: list[Model]
    families: Families = field(repr=False)
    target: Target | None = None
    reached: list[Reached] = field(default_factory=list)
    outliers: list[Odd] = field(default_factory=list)
    chosen: bool = False  # someone named the metrics or the baseline
    notes: list[str] = field(default_factory=list)

    def spread(self, one: Group, name: str) -> Spread | None:
        """Mean, spread and interval over the runs of a group; no interval exceeds what is possible."""
        sample = one.sample(name)
        if not sample:
            return None
        found = describe_on(scale_of(figure(name), [sample]), sample)
        below = found.low is not None and found.low < 0 <= min(sample)  # a loss, say, that was never negative
        return replace(found, low=0.0) if below else found

    def between(self, one: Figure, group: Group, other: Group) -> Verdict:
        """Any two groups that know the figure, whichever is the baseline."""
        return verdict_of(one, group, other, self.families)

    @property
    def rows(self) -> list[Row]:
        """Every run that is compared, group by group."""
        return [row for group in self.groups for row in group.rows]

    def _repr_html_(self) -> str:
        """In a notebook: the groups with their means, and the verdicts."""
        heads = ["group", "n", *(one.heading for one in self.columns)]
        rows = [
            [one.label, len(one.rows), *(self._cell(one, column) for column in self.columns)] for one in self.groups
        ]
        said = [(f"{one.figure.noun}: {one.group} against {one.baseline}", one.text) for one in self.verdicts]
        return html_table(heads, rows) + (html_table(("difference", "verdict"), said) if said else "")

    def _cell(self, one: Group, column: Figure) -> str:
        spread = self.spread(one, column.name)
        return show_plus_minus(column, spread.mean, spread.sd) if spread else ""

    def winner(self, name: str) -> str | None:
        return next((best.winner for best in self.bests if best.figure.name == name), None)


def compare(
    summaries: Iterable[Summary],
    events_of: Callable[[Summary], Iterable[Event]],
    wish: Wish,
    curve: Callable[[Row], Curve] | None = None,
) -> Comparison:
    """Group, choose the axis, judge against the baseline, fit models. `curve`: from `curves`, if the caller has it."""
    given = list(summaries)
    first, way = metric_named(wish.metric, given) if wish.metric else ("", 0)
    if not wish.columns and not first:
        first = common_objective(given)
    prepared = _prepared(given, wish, first)
    rows, told = as_requests(prepared.rows)
    curve = curve or curves(events_of)
    axis = choose(rows, wish.axis)
    grouping = group(at_axis(rows, axis, curve), wish.by)
    _check_names(wish, grouping)
    named = {amount.figure for amount in wish.margins}
    columns = [called(one, rows) for one in _columns(grouping.groups, wish.columns, named, first)]
    columns = [replace(one, better=way) if one.name == first and way else one for one in columns]
    groups = _sorted(grouping, wish.sort)
    judged = _judged(columns, first, asked=bool(wish.columns))
    baseline, why = _baseline(grouping, wish.baseline, judged)
    target, reached, convergence = _converge(wish, groups, axis, curve)
    # where no budget could be made equal, outcomes of unequal work are not compared, unless someone insists
    guarded = (TOTAL, OUTCOME) if axis.name == END and wish.axis is None else (TOTAL,)
    _check_margins(wish.margins, judged)
    families = Families(groups=groups, guarded=guarded, margins=wish.margins)
    models = [model for make in MODELS.values() for model in make(grouping.groups)]
    models += servers_model(grouping.groups, events_of)
    models += overall_model(grouping.by, groups, columns) + tradeoff_model(columns, families)
    odd = [found for one in judged for found in families.outliers(one)]
    return Comparison(
        by=grouping.by,
        groups=groups,
        columns=columns,
        axis=axis,
        baseline=baseline,
        baseline_why=why,
        verdicts=judge(judged, families, baseline),
        bests=[best for one in columns if (best := best_of(one, families)) is not None],
        shares=where_time_went(groups),
        families=families,
        models=models + ([convergence] if convergence else []),
        target=target,
        reached=reached,
        outliers=odd,
        chosen=bool(wish.columns or wish.baseline),
        notes=[*prepared.notes, *told, *said_of(prepared.rows), *grouping.notes,
               *_unread(prepared.rows, groups, axis), *said_of_outliers(odd)],
    )  # fmt: skip


def common_objective(summaries: Iterable[Summary]) -> str:
    """What most of these runs would be compared by; empty where that is their time."""
    names = Counter(str(one.objective.get("name", "")) for one in summaries if one.status not in LEFT_OUT)
    name = next((name for name, _ in names.most_common(1)), "")
    return name if figure(name).kind in (OUTCOME, RATE) else ""


def _prepared(summaries: Iterable[Summary], wish: Wish, first: str) -> Rows:
    """The runs that can be compared; an error if there are none."""
    found = rows_of(but_warmups(summaries), extra=(*wish.columns, *filter(None, [first])))
    if found.rows:
        return found
    why = f": {found.notes[0]}" if found.notes else ""
    raise AssayError(f"nothing to compare{why}", "list the runs: assay ls")


def curves(events_of: Callable[[Summary], Iterable[Event]]) -> Callable[[Row], Curve]:
    """Each run's events are read once, and only if someone asks."""
    rows: dict[str, Row] = {}

    @cache
    def read(run_id: str) -> Curve:
        return curve_of(rows[run_id], events_of(rows[run_id].summary))

    def curve(row: Row) -> Curve:
        run_id = row.summary.id
        rows.setdefault(run_id, row)
        return read(run_id)

    return curve


def _columns(
    groups: Sequence[Group], asked: Sequence[str], named: Set[str | None] = frozenset(), first: str = ""
) -> list[Figure]:
    """The objective that the table does not have; one throughput, step time, outcomes, totals, and one kind of memory:
    whatever is known, in that order; and what a margin names."""
    if asked:
        return [figure(name) for name in asked]
    known = [one for one in FIGURES if any(group.sample(one.name) for group in groups)]
    names = [one.name for one in known]
    throughput = next((name for name in _THROUGHPUTS if name in names), None)
    memory = next((one.name for one in known if one.kind == MACHINE and "bytes" in one.name), None)
    if all(group.sample("requests_per_s") for group in groups):  # time and memory are those of the client
        known, memory = [one for one in known if one.name != "wall_s"], None
    skipped = {name for name in _THROUGHPUTS if name != throughput}
    skipped |= {one.name for one in known if one.kind == MACHINE and one.name != memory}
    skipped |= {"train_s"} if "step_ms" in names else set()
    skipped |= told_by_others(groups) - named
    shown = [one for one in known if one.name not in skipped]
    if not first or not any(group.sample(first) for group in groups):
        return shown
    # a figure of the table stands before those of its kind, any other before all
    at = next((at for at, one in enumerate(shown) if one.kind == BY_NAME[first].kind), 0) if first in BY_NAME else 0
    return [*shown[:at], figure(first), *(one for one in shown[at:] if one.name != first)]


def main_figure(groups: Sequence[Group]) -> Figure | None:
    """The first that a comparison of these groups judges."""
    first = common_objective(row.summary for group in groups for row in group.rows)
    return next(iter(_judged(_columns(groups, (), first=first), first, asked=False)), None)


def _judged(columns: Sequence[Figure], first: str, *, asked: bool) -> list[Figure]:
    """Speeds and outcomes; seconds and joules only where no rate says it better."""
    if asked:
        return list(columns)
    rates = [one for one in columns if one.kind == RATE and one.better]
    totals = [] if rates else [one for one in columns if one.kind == TOTAL]
    found = rates + [one for one in columns if one.kind == OUTCOME and one.better] + totals
    own = [one for one in columns if one.name == first and (first not in BY_NAME or one not in found)]
    return own + [one for one in found if one not in own]


def _check_names(wish: Wish, grouping: Grouping) -> None:
    """A misspelt metric is refused; one that exists may be missing from these runs."""
    reported = {name for one in grouping.groups for row in one.rows for name in row.figures}
    known = reported | set(BY_NAME) | set(grouping.by)
    for name in filter(None, (*wish.columns, (wish.sort or "").lstrip("-"))):
        if name not in known:
            raise UsageError(f"no run reports `{name}`", did_you_mean(name, reported | set(grouping.by)))


def _check_margins(margins: Sequence[Amount], judged: Sequence[Figure]) -> None:
    known = [one.name for one in judged]
    for amount in margins:
        if amount.figure is not None and amount.figure not in known:
            message = f"`{amount.figure}` is not compared here, so it has no margin"
            raise UsageError(message, did_you_mean(amount.figure, known))


def _sorted(grouping: Grouping, field_name: str | None) -> list[Group]:
    """By a figure's mean, those that do not know it last; else in the order of the settings."""
    if not field_name:
        return grouping.groups
    name, backwards = field_name.lstrip("-"), field_name.startswith("-")
    if name in grouping.by:
        return grouping.groups[::-1] if backwards else grouping.groups
    known = [one for one in grouping.groups if one.sample(name)]
    known.sort(key=lambda one: describe(one.sample(name)).mean, reverse=backwards)
    return known + [one for one in grouping.groups if not one.sample(name)]


def _baseline(grouping: Grouping, asked: str | None, judged: Sequence[Figure]) -> tuple[Group, str]:
    """The group to compare with, which must have the judged metrics, and why it was chosen."""
    if asked:
        return find_group(grouping.groups, grouping.by, asked), "as requested"
    real = [one for one in grouping.groups if not one.simulated] or grouping.groups
    names = [one.name for one in judged if sum(bool(group.sample(one.name)) for group in real) > 1]
    known = {id(group): sum(bool(group.sample(name)) for name in names) for group in real}
    real = [group for group in real if known[id(group)] == max(known.values())]
    if grouping.by == ["name"]:
        return min(real, key=lambda one: one.rows[0].summary.started or ""), "the first that was run"
    which = "the first" if real[0] is grouping.groups[0] else "the first with most of the compared metrics"
    return real[0], f"{which}; choose with --baseline"


def _converge(
    wish: Wish, groups: Sequence[Group], axis: Axis, curve: Callable[[Row], Curve]
) -> tuple[Target | None, list[Reached], Model | None]:
    """To the target that was asked for; else, for a few runs of several batch sizes, to the one that all reached."""
    target, real = wish.target, [one for one in groups if not one.simulated]
    if target is None:
        runs = [row for one in real for row in one.rows]
        several = len({row.batch for row in runs}) > 1 and all(
            row.batch and row.summary.loss is not None for row in runs
        )
        if not several or len(runs) > _MOST_CURVES:
            return None, [], None
        target = common_target("loss", real, curve)
        if target is None:
            return None, [], None
        return None, [], convergence_model(target, reach(target, real, curve))
    reached = reach(target, groups, curve)
    return target, reached, convergence_model(target, [one for one in reached if not one.group.simulated])


def _unread(before: Sequence[Row], groups: Sequence[Group], axis: Axis) -> list[str]:
    """Outcomes that are known only at the end of runs that had unequal budgets."""
    notes = []
    if axis.equal:
        return []
    for name in dict.fromkeys(name for row in before for name in row.figures if is_outcome(name)):
        had, kept = sum(name in row.figures for row in before), sum(len(one.sample(name)) for one in groups)
        if kept < had:
            which = (
                f"{figure(name).noun} {axis.at} is unknown for {had - kept} of {had} runs, which report only their last"
            )
            notes.append(f"{which} value; they are left out there (to compare last values: assay compare --axis end)")
    return notes
