"""`assay audit`"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import runs_dir_option
from assay.cli.output import print_json
from assay.cli.progress import progress
from assay.cli.start import say_error
from assay.errors import AssayError, UsageError
from assay.spec import runs_dir

if TYPE_CHECKING:
    from assay.auditing.case import Case


@click.command()
@click.argument("words", nargs=-1, metavar="[RUN | FILE | FOLDER]…")
@click.option("--by", type=click.Choice(["folder"]), help="One row for each folder below FOLDER: a person, a team.")
@click.option("--list", "list_rules", is_flag=True, help="Explain every finding code.")
@click.option("--csv", "as_csv", is_flag=True, help="Findings as CSV; with --by, its rows.")
@click.option("--json", "as_json", is_flag=True, help="A list of findings, and nothing else.")
@click.option("--rewrite", is_flag=True, help="Write a page anew, with what its evidence shows, as Markdown.")
@click.option("--section", default="", metavar="TITLE", help="With --rewrite: only what stands under this heading.")
@runs_dir_option
def command(
    words: tuple[str, ...], by: str | None, list_rules: bool, as_csv: bool, as_json: bool, **options: Any
) -> int:
    """Check what was claimed against what the evidence shows.

    Runs (all of the runs folder if none is named), logs, and pages of prose with logs and tables. Exit 1 when
    something is wrong, so that it can guard a submission.
    """
    from assay.auditing.audit import judge, load
    from assay.views import findings as view

    if list_rules:
        view.print_rules()
        return 0
    if options["rewrite"]:
        click.echo(rewritten(words, options["section"]), nl=False)
        return 0
    folder = runs_dir(options["runs_dir"])
    if not words and not folder.is_dir():
        raise UsageError("nothing to audit", "name a run, a file or a folder: assay audit report.md")
    with progress(not (as_json or as_csv)) as tell:
        cases, problems = load(words or (str(folder),), folder, tell)
    for problem in problems:
        say_error(problem.message, problem.hint)
    if by:
        wrong = _by_folder(cases, words, as_csv=as_csv, as_json=as_json)
        return _exit_code(wrong, cases, problems)
    findings = judge(cases)
    if as_json:
        print_json([finding.as_dict() for finding in findings])
    elif as_csv:
        view.print_csv(findings)
    elif cases:
        view.print_findings(findings, cases)
    return _exit_code(any(one.severity == "wrong" for one in findings), cases, problems)


def rewritten(words: tuple[str, ...], section: str) -> str:
    """Pages written anew, after each other."""
    from assay.ingest.files import sources
    from assay.views.rewritten import rewrite

    if not words:
        raise UsageError("no page to write anew", "assay audit --rewrite page.md")
    texts = []
    for source in sources(list(words)):
        if isinstance(source, AssayError):
            raise source
        texts.append(rewrite(source, section))
    return "\n".join(texts)


def _by_folder(cases: Sequence[Case], words: tuple[str, ...], *, as_csv: bool, as_json: bool) -> bool:
    from assay.auditing.people import rows_of
    from assay.views import people as view

    rows = rows_of(cases, words)
    if as_json:
        print_json([row.as_dict() for row in rows])
    elif as_csv:
        view.print_csv(rows)
    elif rows:
        view.print_rows(rows)
    return any(row.count("wrong") for row in rows)


def _exit_code(wrong: bool, cases: Sequence[Case], problems: Sequence[AssayError]) -> int:
    return 1 if wrong or (problems and not cases) else 0
