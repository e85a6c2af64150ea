"""`assay audit`"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import runs_dir_option, where_option
from assay.cli.output import json_text
from assay.cli.progress import progress
from assay.cli.start import say_error, say_warning
from assay.errors import AssayError, UsageError
from assay.spec import given_runs_dir, runs_dir
from assay.views import terminal

if TYPE_CHECKING:
    from assay.auditing.case import Case
    from assay.reading.sources import Tell


@click.command()
@click.argument("words", nargs=-1, metavar="[RUN | FILE | FOLDER]…")
@where_option
@click.option(
    "--by",
    type=click.Choice(["folder"]),
    help="Print one row for each folder below FOLDER, such as a person or a team.",
)
@click.option("--list", "list_rules", is_flag=True, help="List the codes of findings with their meaning.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the findings (or the rows of --by) as CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print a list of findings as JSON.")
@runs_dir_option
def command(words: tuple[str, ...], **options: Any) -> int:
    """Check claims against the evidence.

    Name runs, logs, or pages of prose with logs and tables; without arguments, all runs of the runs folder are checked.
    The exit code is 1 if something is wrong, so that a script can check a page before you submit it.
    """
    given = options.pop("runs_dir")
    folder, evidence = runs_dir(given), given_runs_dir(given)
    with progress(not (options["as_json"] or options["as_csv"])) as tell:
        colour, room = terminal.colours(sys.stdout), terminal.columns()
        found = audited(words, folder, evidence=evidence, tell=tell, colour=colour, room=room, **options)
    for problem in found.problems:
        say_error(problem.message, problem.hint)
    sys.stdout.write(found.text)
    return found.exit_code


@dataclass(frozen=True, kw_only=True)
class Audited:
    """What is to be printed, what could not be read, and the exit code to leave with."""

    text: str
    problems: Sequence[AssayError] = ()
    exit_code: int = 0


def audited(
    words: tuple[str, ...],
    folder: Path,
    *,
    by: str | None,
    list_rules: bool,
    as_csv: bool,
    as_json: bool,
    conditions: Sequence[str] = (),
    base: Path = Path(),
    evidence: Path | None = None,
    tell: Tell | None = None,
    colour: bool = False,
    room: int = terminal.UNLIMITED,
) -> Audited:
    """What the options of this command ask for. Files lie as seen from `base`."""
    from assay.auditing.audit import judge, load
    from assay.views import findings as view

    if list_rules:
        return Audited(text=terminal.folded_text(view.rules_text(), room))
    if not words and not folder.is_dir():
        raise UsageError("nothing to audit", "name a run, a file or a folder: assay audit report.md")
    with ExitStack() as stack:
        sources = _chosen(words, conditions, folder, stack, base) if conditions else words or (str(folder),)
        cases, problems = load(sources, folder, tell, base, evidence)
    if by:
        text, wrong = _by_folder(cases, words, as_csv=as_csv, as_json=as_json, colour=colour)
    else:
        findings = judge(cases, problems)
        wrong = any(one.severity == "wrong" for one in findings)
        if as_json:
            text = json_text([finding.as_dict() for finding in findings])
        elif as_csv:
            text = view.csv_text(findings)
        else:
            text = view.findings_text(findings, cases, colour=colour, room=room) if cases else ""
    return Audited(text=text, problems=problems, exit_code=1 if wrong or (problems and not cases) else 0)


def _chosen(
    words: tuple[str, ...], conditions: Sequence[str], folder: Path, stack: ExitStack, base: Path
) -> tuple[str, ...]:
    """The runs that words and conditions choose, by their paths."""
    from assay.selecting import chosen_runs

    runs = chosen_runs(words, conditions, folder, stack, say_warning, base)
    if not runs:
        raise AssayError("no runs match", "list the runs: assay ls")
    return tuple(str(run.path) for run in runs)


def _by_folder(
    cases: Sequence[Case], words: tuple[str, ...], *, as_csv: bool, as_json: bool, colour: bool
) -> tuple[str, bool]:
    """(what is to be printed, whether anything is wrong)"""
    from assay.auditing.people import rows_of
    from assay.views import people as view

    rows = rows_of(cases, words)
    wrong = any(row.count("wrong") for row in rows)
    if as_json:
        return json_text([row.as_dict() for row in rows]), wrong
    if as_csv:
        return view.csv_text(rows), wrong
    return view.rows_text(rows, terminal.columns(otherwise=200), colour=colour) if rows else "", wrong
