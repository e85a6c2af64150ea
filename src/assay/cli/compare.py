"""`assay compare`"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import listed, runs_dir_option
from assay.cli.output import print_json
from assay.cli.start import say_warning
from assay.errors import AssayError, UsageError
from assay.model.event import Event
from assay.model.summary import Summary
from assay.parts import need
from assay.selecting import named_runs
from assay.spec import runs_dir
from assay.store.find import chosen
from assay.summary.index import no_collector, summaries

if TYPE_CHECKING:
    from assay.comparing.comparison import Comparison, Wish
    from assay.comparing.gate import Gate

#: options that say what is wanted; a study names them, too
WISHES = ("by", "baseline", "axis", "to", "columns", "sort", "margin")


@click.command()
@click.argument("words", nargs=-1, metavar="[RUN | FOLDER | FILE]…")
@click.option(
    "--where", "conditions", multiple=True, metavar="CONDITION", help="Only runs that meet it; may be repeated."
)
@click.option(
    "--against",
    multiple=True,
    metavar="RUNS",
    help="Hold these runs against others: a run, a folder, a file, a condition, or what `ls --json` kept.",
)
@click.option(
    "--fail-if",
    "limits",
    multiple=True,
    metavar="'FIGURE -N%'",
    help="With --against: exit 1 where this is shown, 0 where it is ruled out, 3 where the data cannot say.",
)
@click.option("--by", metavar="A,B,…", help="Group by these settings (default: all that vary).")
@click.option(
    "--baseline", metavar="GROUP", help="Compare with this group: its settings, or the name of one of its runs."
)
@click.option(
    "--axis",
    type=click.Choice(["steps", "samples", "epochs", "tokens", "seconds", "energy", "end"]),
    help="Read results at an equal budget of this (default: samples, where they are known).",
)
@click.option("--to", metavar="TARGET", help="What reaching it took: loss=7.5, accuracy=97%.")
@click.option(
    "--margin",
    multiple=True,
    metavar="[FIGURE] SIZE",
    help="Say where groups are shown to differ by less than this: 2%, 'loss 0.05'.",
)
@click.option("--sort", metavar="FIELD", help="Order groups by the mean of a figure; -FIELD for the greatest first.")
@click.option("--columns", metavar="A,B,…", help="Compare these figures.")
@click.option("--json", "as_json", is_flag=True, help="Groups, verdicts and models as one object.")
@click.option("--csv", "as_csv", is_flag=True, help="One row a group.")
@click.option(
    "--only", metavar="A,B,…", help="With --markdown: only some of table,verdicts,best,target,time,models,notes."
)
@click.option("--markdown", "as_markdown", is_flag=True, help="A table and its sentences, for a page.")
@runs_dir_option
def command(words: tuple[str, ...], conditions: tuple[str, ...], **options: Any) -> int:
    """Compare runs: grouped by what varies, judged by their repeats, at an equal budget.

    RUN is a name, an id, or the beginning of some: all that begin so are taken. A FOLDER of runs stands for all of
    them, and a FILE (or a folder of files) for the runs that a log or a page tells of. With nothing given, all runs.

    With --fail-if, exit 0 when every limit is shown to be kept, 1 when one is shown to be broken (at an error rate of
    5 %), 3 when the data cannot say; 2 is a wrong command line.
    """
    if sum(options[name] for name in ("as_json", "as_csv", "as_markdown")) > 1:
        raise UsageError("choose one of --json, --csv and --markdown")
    if options["only"] and not options["as_markdown"]:
        raise UsageError("--only goes with --markdown")
    with ExitStack() as stack, no_collector():
        wish, folder = wish_of(**{name: options[name] for name in WISHES}), runs_dir(options["runs_dir"])
        if options["against"] or options["limits"]:
            return _against(words, conditions, wish, folder, stack, options)
        _show(compared(words, conditions, wish, folder, stack), options)
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
) -> Wish:
    """What is wanted of a comparison, from words as the options of this command take them."""
    need("`assay compare`", "scipy")
    from assay.comparing import margins
    from assay.comparing.comparison import Wish
    from assay.comparing.target import parse_target

    target = parse_target(to) if to else None
    within = [margins.margin(text) for text in (listed(margin) if isinstance(margin, str) else margin)]
    return Wish(
        by=listed(by), baseline=baseline, axis=axis, columns=listed(columns), sort=sort, target=target, margins=within
    )


def compared(
    words: Sequence[str],
    conditions: Sequence[str],
    wish: Wish,
    folder: Path,
    stack: ExitStack,
    base: Path = Path(),
) -> Comparison:
    """The runs that words and conditions choose, compared. Files lie as seen from `base`."""
    from assay.comparing.comparison import compare

    runs = named_runs(words, folder, stack, say_warning, base)
    kept = chosen(summaries(list(runs.values())), conditions)
    if not kept:
        raise AssayError("no run meets that" if runs else f"no runs in `{folder}`")

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
