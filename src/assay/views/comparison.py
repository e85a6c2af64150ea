"""A comparison in the terminal: the answer, one table, the verdicts, where the time went, and the models."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from assay.comparing.codes import is_of_programs
from assay.comparing.comparison import Comparison
from assay.comparing.figures import Figure, show_interval, show_plus_minus, show_value
from assay.comparing.groups import Group, show_setting
from assay.comparing.target import Reached
from assay.stats import describe, is_vague
from assay.text import capital, counted, printable
from assay.units import show_joules, show_number, show_seconds
from assay.views import terminal
from assay.views.answer import answers, title
from assay.views.answer_served import by_load
from assay.views.grid import Cell, Column, Grid, Styled
from assay.views.judging import best_words, spelled_out, tests_used

_SPENT = {
    "steps": ("steps", show_number),
    "samples": ("samples", show_number),
    "epochs": ("epochs", show_number),
    "tokens": ("tokens", show_number),
    "seconds": ("training", show_seconds),
    "energy": ("energy", show_joules),
}


#: a setting of more columns may be cut
_WIDE = 16
_WHOLE = ("steps", "samples", "tokens")
_FROM_START = "after the start of the run (it does not report when training begins)"


@dataclass(frozen=True, kw_only=True)
class Console:
    """How wide it is printed, and whether in colours."""

    width: int
    colour: bool

    def show(self, table: Grid) -> None:
        for line in table.fitted(self.width).lines(self.width, colour=self.colour):
            print(line)


def print_comparison(found: Comparison) -> None:
    """To stdout: fitted on a terminal, whole in a pipe."""
    console = _console()
    _answers(found, console)
    _table(found, console)
    _say(console)
    _say(console, f"axis      {found.axis.why}", hang=10)
    if len(found.groups) > 1:
        _say(console, f"baseline  {title(found, found.baseline)} ({found.baseline_why})", hang=10)
    for block in (_verdicts, _reached, _shares, _models, _notes):
        block(found, console)


def print_short(found: Comparison) -> None:
    """The answer, the figures, and what to know about them."""
    console = _console()
    _answers(found, console)
    if len(found.groups) > 1:
        _table(found, console)
    else:
        console.show(_one_group(found, found.groups[0]))
    _notes(found, console)


def _console() -> Console:
    return Console(width=terminal.columns(otherwise=1000), colour=terminal.colours(sys.stdout))


def _answers(found: Comparison, console: Console) -> None:
    lines = answers(found)
    for note in filter(is_of_programs, found.notes):  # before any answer: the figures may not mean the same
        _say(console, note, style="yellow", hang=2)
        _say(console)
    for line in lines:
        _say(console, line, hang=2)
    if lines:
        _say(console)


def _table(found: Comparison, console: Console) -> None:
    whole = _figures_table(found)
    shown = whole.fitted(console.width)
    console.show(shown)
    left_out = len(whole.columns) - len(shown.columns)
    if left_out:
        rest = ", ".join(one.name for one in found.columns[-left_out:])
        _say(console, f"Not shown at {console.width} columns: {rest} (choose with --columns)", style="dim", hang=2)
    if found.columns and any(len(one.rows) > 1 for one in found.groups):
        _say(console, "Mean ± standard deviation over runs, 95 % interval of the mean beneath", style="dim")


def _one_group(found: Comparison, group: Group) -> Grid:
    """Runs of one setting: a line for each metric, with its lowest and highest."""
    rows: list[list[Cell]] = []
    for one in found.columns:
        sample, spread = group.sample(one.name), found.spread(group, one.name)
        if spread is None:
            continue
        ends = f"{show_value(one, min(sample), spread.sd)} … {show_value(one, max(sample), spread.sd)}"
        rows.append([one.heading, figure_lines(found, group, one)[0], ends if len(sample) > 1 else ""])
    runs = f"{len(group.rows)} runs" if len(group.rows) > 1 else "1 run"
    middle = "mean ± sd" if len(group.rows) > 1 else "value"
    last = "min … max" if len(group.rows) > 1 else ""
    return Grid(
        columns=[Column(heading=runs), Column(heading=middle, right=True), Column(heading=last, right=True)], rows=rows
    )


def _say(console: Console, text: str = "", style: str = "", hang: int = 0) -> None:
    """Print a text, wrapped to the width; continued lines are indented by `hang` columns."""
    for line in terminal.paragraph(printable(text), console.width, hang):
        print(terminal.painted(line, style, console.colour))


def _figures_table(found: Comparison) -> Grid:
    labels = zip(*(key_cells(found, group) for group in found.groups), strict=True)
    keys = [
        Column(heading=printable(name), right=_numeric(found, name), cut=max(map(len, (name, *shown))) > _WIDE)
        for name, shown in zip(found.by or ["runs"], labels, strict=True)
    ]
    figures = [Column(heading=heading(found, one), right=True) for one in found.columns]
    return Grid(
        columns=[*keys, Column(heading="n", right=True), *figures],
        rows=[_figures_row(found, group) for group in found.groups],
    )


def _figures_row(found: Comparison, group: Group) -> list[Cell]:
    style = "dim" if group.simulated else ""
    labels = [Styled(printable(text), style) for text in [*key_cells(found, group), str(len(group.rows))]]
    return [*labels, *(_cell(found, group, one, style) for one in found.columns)]


def heading(found: Comparison, one: Figure) -> str:
    if one.kind == "outcome" and found.axis.at:
        return f"{one.heading}\n{found.axis.at}"
    return one.heading


def key_cells(found: Comparison, group: Group) -> list[str]:
    """One cell per setting, with `*` if it is only claimed and `~` if it is inferred."""
    if not found.by:
        return [group.label]
    labels = [show_setting(value) + group.mark(name) for name, value in zip(found.by, group.key, strict=True)]
    labels[-1] += " (simulated)" if group.simulated else ""
    return labels


def _numeric(found: Comparison, name: str) -> bool:
    if name not in found.by:
        return False
    place = found.by.index(name)
    return all(isinstance(group.key[place], (int, float)) for group in found.groups if group.key[place] is not None)


def figure_lines(found: Comparison, group: Group, one: Figure) -> tuple[str, str]:
    """`2,924 ± 11` and `2,901–2,945`; the second is empty for a single run, and for an interval that says nothing."""
    spread = found.spread(group, one.name)
    if spread is None:
        return "", ""
    few = f" (n={spread.n})" if spread.n != len(group.rows) else ""
    first = show_plus_minus(one, spread.mean, spread.sd) + few
    if spread.low is None or spread.high is None or not spread.sd or is_vague(spread.low, spread.high):
        return first, ""
    return first, show_interval(one, spread.low, spread.high, spread.sd)


def _cell(found: Comparison, group: Group, one: Figure, style: str) -> Cell:
    first, second = figure_lines(found, group, one)
    best = bool(first) and found.winner(one.name) == group.label
    return Styled(f"{first} ★" if best else first, "bold green" if best else style, beneath=second)


def _verdicts(found: Comparison, console: Console) -> None:
    names = spelled_out(found)
    for name in names:
        verdicts = [verdict for verdict in found.verdicts if verdict.figure.name == name]
        one, width = verdicts[0].figure, max(len(verdict.group) for verdict in verdicts)
        at = f" {found.axis.at}" if one.kind == "outcome" and found.axis.at else ""
        _say(console)
        _say(console, f"{capital(one.noun)}{at}, against {title(found, found.baseline)}", style="bold")
        for verdict in verdicts:
            _say(console, f"  {verdict.group:<{width}}  {verdict.text}", hang=width + 4)
        for best in found.bests:
            if best.figure.name == name and len(found.groups) > 2:  # of two, the sentence above names it
                style = "green" if best.winner else "dim"
                _say(console, f"  {best_words(best)}", style=style, hang=4)
    if found.verdicts and not names:
        _say(console)
        text = f"Not listed: how each setting differs from {title(found, found.baseline)}"
        _say(console, f"{text} (name a metric: --columns {found.verdicts[0].figure.name})", style="dim", hang=2)
    used = tests_used(found) if names else []
    if used:
        _say(console)
    for text in used:
        _say(console, text, style="dim", hang=2)


def _reached(found: Comparison, console: Console) -> None:
    if found.target is None:
        return
    _say(console)
    _say(console, f"to {found.target.text}", style="bold")
    for one in found.reached:
        _say(console, f"  {one.group.label}: " + " · ".join(reached_words(one)), hang=4)


def reached_words(one: Reached) -> Iterator[str]:
    """What it took to reach the target; a group in which a run never reached it has no mean."""
    if one.unknown:
        yield f"not known for {one.unknown} of {counted(one.unknown + one.of, 'run')}: not reported during training"
    if one.of > 1:
        yield f"reached by {one.count} of {one.of}"
    elif one.of:
        yield "reached" if one.count else "not reached"
    if one.count < one.of:
        return
    for axis, sample in one.spent.items():
        word, show = _SPENT[axis]
        spread = describe(sample)
        shown = show(round(spread.mean) if axis in _WHOLE else spread.mean)
        sd = f" ± {show(round(spread.sd) if axis in _WHOLE else spread.sd)}" if spread.sd else ""
        if axis == "seconds" and one.from_start:
            begins = "of training (its start is estimated)" if one.estimated else _FROM_START
            yield f"{shown}{sd} {begins}"
        else:
            yield f"{shown}{sd} {word}" if axis in (*_WHOLE, "epochs") else f"{shown}{sd} of {word}"


def _shares(found: Comparison, console: Console) -> None:
    if not found.shares:
        return
    names = [name for name in dict.fromkeys(name for one in found.shares for name in one.shares) if name != "other"]
    headings = ("time", "training", *map(printable, names), "other")
    rows = []
    for one in found.shares:
        cells = [_percent(one.shares.get(name)) for name in [*names, "other"]]
        train = one.shares.get("train")
        trained = show_seconds(train * one.wall_s) if train else ""
        rows.append([f"  {printable(one.group)}", show_seconds(one.wall_s), trained, *cells])
    _say(console)
    _say(console, "Where the time went", style="bold")
    console.show(
        Grid(
            columns=[Column(heading=""), *(Column(heading=text, right=True) for text in headings)],
            rows=rows,
            gap=2 if console.width > 100 else 1,  # phases are many, and their names long
        )
    )


def _percent(share: float | None) -> str:
    if not share:
        return ""
    return f"{100 * share:.0f} %" if share >= 0.005 else "< 1 %"


def _models(found: Comparison, console: Console) -> None:
    for model in by_load(found.models):
        _say(console)
        valid = f", valid from {show_number(model.valid[0])} to {show_number(model.valid[1])}" if model.valid else ""
        _say(console, f"{capital(model.title)}{valid if model.holds else ''}", style="bold")
        for text in model.says:
            _say(console, f"  {capital(text)}", hang=4)


def _notes(found: Comparison, console: Console) -> None:
    if not all(map(is_of_programs, found.notes)):
        _say(console)
    for note in found.notes:
        if not is_of_programs(note):
            _say(console, capital(note), style="dim", hang=2)
