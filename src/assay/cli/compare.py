"""`assay compare`"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import listed, metric_option, rename_option, runs_dir_option, where_option
from assay.cli.output import print_json
from assay.cli.start import say_warning
from assay.comparing import WISHES
from assay.errors import UsageError
from assay.model.event import Event
from assay.model.summary import Summary
from assay.parts import need
from assay.selecting import named_runs, none_chosen
from assay.spec import runs_dir
from assay.store.find import chosen
from assay.summary.chosen import renamed, renames_of
from assay.summary.index import no_collector, summaries

if TYPE_CHECKING:
    from assay.comparing.comparison import Comparison, Wish
    from assay.comparing.gate import Gate


@click.command()
@click.argument("words", nargs=-1, metavar="[RUN | FOLDER | FILE]…")
@where_option
@click.option(
    "--against",
    multiple=True,
    metavar="RUNS",
    help="Use these runs as the baseline: a run, folder, file, condition, or a file made with `assay ls --json`.",
)
@click.option(
    "--fail-if",
    "limits",
    multiple=True,
    metavar="'METRIC -N%'",
    help="With --against: exit 1 if a change beyond this limit is shown, 0 if it is ruled out, 3 if undecided.",
)
@click.option("--by", metavar="A,B,…", help="Group by these settings (default: all that vary).")
@click.option(
    "--baseline", metavar="GROUP", help="Compare with this group: its settings, or the name of one of its runs."
)
@click.option(
    "--axis",
    type=click.Choice(["steps", "samples", "epochs", "tokens", "seconds", "energy", "end"]),
    help="Compare results at equal steps, samples, … (default: samples if known).",
)
@click.option("--to", metavar="TARGET", help="Show what it took to reach loss=7.5 or accuracy=97%.")
@click.option(
    "--margin",
    multiple=True,
    metavar="[METRIC] SIZE",
    help="Test whether groups differ by less than this: 2%, 'loss 0.05'.",
)
@metric_option
@rename_option
@click.option("--sort", metavar="FIELD", help="Sort groups by a metric; -FIELD puts the largest first.")
@click.option("--columns", metavar="A,B,…", help="Compare these metrics.")
@click.option("--json", "as_json", is_flag=True, help="Print groups, verdicts and models as one JSON object.")
@click.option("--csv", "as_csv", is_flag=True, help="Print one row per group as CSV.")
@click.option(
    "--only",
    metavar="A,B,…",
    help="With --markdown: only these parts (table, verdicts, best, target, time, models, notes).",
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print the table and its sentences as Markdown.")
@runs_dir_option
def command(words: tuple[str, ...], conditions: tuple[str, ...], **options: Any) -> int:
    """Compare runs: which setting is better, by how much, and whether it could be noise.

    RUN is a name or an id, or the beginning of either, which selects all runs that begin so. FOLDER is a folder of
    runs, and FILE a log or page that contains runs. Without arguments, all runs are compared.

    With --fail-if, the exit code is 0 if every limit is shown to be kept, 1 if one is shown to be broken (at an error
    rate of 5 %), 3 if the data cannot decide, and 2 if the command line is wrong.
    """
    if sum(options[name] for name in ("as_json", "as_csv", "as_markdown")) > 1:
        raise UsageError("choose one of --json, --csv and --markdown")
    if options["only"] and not options["as_markdown"]:
        raise UsageError("--only needs --markdown", "add --markdown")
    with ExitStack() as stack, no_collector():
        wish, folder = wish_of(**{name: options[name] for name in WISHES}), runs_dir(options["runs_dir"])
        if options["against"] or options["limits"]:
            return _against(words, conditions, wish, folder, stack, options)
        _show(compared(words, conditions, wish, folder, stack, renames=options["renames"]), options)
        return 0


def _against(
    words: Sequence[str],
    conditions: Sequence[str],
    wish: Wish,
    folder: Path,
    stack: ExitStack,
    options: dict[str, Any],
) -> int:
    """The exit code of the check, if one was asked for."""
    if not options["against"]:
        hint = "assay compare --against main-runs --fail-if 'samples_per_s_avg -2%'"
        raise UsageError("--fail-if needs a baseline: --against RUNS", hint)
    from assay.cli.against import compared_against
    from assay.comparing.margins import limit

    limits = [limit(text) for text in options["limits"]]
    found, checked = compared_against(words, options["against"], conditions, limits, wish, folder, stack)
    _show(found, options, checked)
    return checked.exit_code if checked else 0


def wish_of(
    by: str | None = None,
    baseline: str | None = None,
    axis: str | None = None,
    to: str | None = None,
    columns: str | None = None,
    sort: str | None = None,
    margin: str | Sequence[str] = (),
    metric: str | None = None,
) -> Wish:
    """The options of a comparison, from the words of the command line."""
    need("`assay compare`", "scipy")
    from assay.comparing import margins
    from assay.comparing.comparison import Wish
    from assay.comparing.target import parse_target

    target = parse_target(to) if to else None
    within = [margins.margin(text) for text in (listed(margin) if isinstance(margin, str) else margin)]
    return Wish(
        by=listed(by),
        baseline=baseline,
        axis=axis,
        columns=listed(columns),
        sort=sort,
        target=target,
        margins=within,
        metric=metric,
    )


def compared(
    words: Sequence[str],
    conditions: Sequence[str],
    wish: Wish,
    folder: Path,
    stack: ExitStack,
    base: Path = Path(),
    renames: Sequence[str] = (),
) -> Comparison:
    """The runs that words and conditions choose, compared. Files lie as seen from `base`."""
    from assay.comparing.comparison import compare

    runs = named_runs(words, folder, stack, say_warning, base)
    kept = chosen(renamed(summaries(list(runs.values())), renames_of(renames)), conditions)
    if not kept:
        raise none_chosen(folder, some=bool(runs))

    def events_of(summary: Summary) -> Iterable[Event]:
        from assay.store.reading import read_events

        return read_events(runs[summary.id].run)

    return compare(kept, events_of, wish)


def _show(found: Comparison, options: dict[str, Any], checked: Gate | None = None) -> None:
    from assay.views import comparison_files as files
    from assay.views import gate

    if options["as_json"]:
        print_json({**files.as_dict(found), **({"gate": gate.as_dict(checked)} if checked else {})})
        return
    if checked and not options["as_csv"]:
        print(*gate.gate_lines(checked), sep="\n", end="\n\n")
    if options["as_csv"]:
        print(files.as_csv(found), end="")
    elif options["as_markdown"]:
        print(files.as_markdown(found, listed(options["only"])), end="")
    else:
        from assay.views.comparison import print_comparison

        print_comparison(found)
