"""`assay report`"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import listed, runs_dir_option, where_option
from assay.cli.output import json_text
from assay.cli.start import say, say_warning
from assay.errors import AssayError, UsageError
from assay.parts import need
from assay.spec import runs_dir
from assay.text import printable, visible

if TYPE_CHECKING:
    from assay.views.report.data import ReportData

#: a format, the ending of its files, and the packages that it takes
_FORMATS = {
    "html": (".html", ("jinja2", "vl_convert")),
    "pdf": (".pdf", ("jinja2", "vl_convert")),
    "markdown": (".md", ("vl_convert",)),
    "notebook": (".ipynb", ("vl_convert",)),
    "json": (".json", ()),
    "csv": (".csv", ()),
}
_FOR_PROGRAMS = ("json", "csv")


@click.command()
@click.argument("words", nargs=-1, metavar="[RUN | FOLDER | FILE]…")
@where_option
@click.option("-o", "--output", "target", metavar="FILE", help="File to write (default: report.html, report.md …).")
@click.option(
    "--format", "kind", type=click.Choice(list(_FORMATS)), help="Default: by the extension of the file, else html."
)
@click.option("--interactive", is_flag=True, help="Make the charts of the HTML interactive (1 MB larger).")
@click.option("--title", help="Title of the report (default: the question of the study).")
@click.option("--by", metavar="A,B,…", help="Group by these settings (default: all that vary).")
@click.option("--baseline", metavar="GROUP", help="Compare with this group.")
@click.option("--charts", metavar="A,B,…", help="Only these charts: progress-loss,machine-cpu_pct … (default: all).")
@click.option("--figures", type=click.Choice(["png", "svg"]), default="svg", help="File format of charts in Markdown.")
@runs_dir_option
def command(words: tuple[str, ...], conditions: tuple[str, ...], **options: Any) -> None:
    """Write a report: the answer on page one, then the details.

    By the ending of FILE: .html opens offline, .pdf is printed by Chromium, .md has its figures beside it, .ipynb is a
    notebook; .json and .csv are for programs.
    """
    kind = options["kind"] or _kind_of(options["target"])
    ending, packages = _FORMATS[kind]
    target = Path(options["target"] or ("" if kind in _FOR_PROGRAMS else f"report{ending}"))
    _check(target, kind, interactive=options["interactive"])
    need("`assay report`", *packages, "scipy")
    with ExitStack() as stack:
        data = gathered(words, conditions, options, stack)
    _write(data, kind, target, options)


def gathered(
    words: tuple[str, ...], conditions: tuple[str, ...], options: dict[str, Any], stack: ExitStack, base: Path = Path()
) -> ReportData:
    """What the options of this command ask for."""
    from assay.cli.progress import counted
    from assay.comparing.comparison import Wish
    from assay.selecting import chosen_runs, none_chosen
    from assay.summary.index import no_collector
    from assay.views.report.data import gather

    folder = runs_dir(options["runs_dir"])
    runs = chosen_runs(words, conditions, folder, stack, say_warning, base)
    if not runs:
        raise none_chosen(folder, some=bool(words or conditions))
    wish = Wish(by=listed(options["by"]), baseline=options["baseline"])
    with counted(len(runs), "reading runs") as tell, no_collector():
        only = tuple(listed(options["charts"]))
        return gather(options["title"], runs, wish, tell, only, otherwise=_title(words, folder))


def _kind_of(target: str | None) -> str:
    endings = {ending: kind for kind, (ending, _) in _FORMATS.items()} | {".markdown": "markdown", ".htm": "html"}
    ending = Path(target).suffix.lower() if target else ".html"
    if ending and ending not in endings:
        raise UsageError(f"cannot write `{target}`: unknown ending", f"use {', '.join(endings)}, or --format")
    return endings.get(ending, "html")


def _title(words: tuple[str, ...], folder: Path) -> str:
    return ", ".join(Path(word).name for word in words[:3]) if words else folder.resolve().parent.name


def _check(target: Path, kind: str, *, interactive: bool) -> None:
    """Before the work: a file that cannot be written would cost it."""
    if interactive and kind != "html":
        raise UsageError(f"--interactive is for HTML, not {kind}", "use -o report.html")
    if kind == "pdf":
        from assay.views.report.pdf import browser

        browser()
    if kind in _FOR_PROGRAMS and not target.name:
        return
    folder = target.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"cannot write `{target}`: there is no folder `{folder}`")
    if target.is_dir():
        raise UsageError(f"cannot write `{target}`: it is a folder", f"-o {target}/report.html")


def _write(data: ReportData, kind: str, target: Path, options: dict[str, Any]) -> None:
    """To the file, whole or not at all; what programs read also to standard output."""
    from assay.store.layout import write_whole

    try:
        if kind == "markdown":
            from assay.views.report.markdown import write_markdown

            write_markdown(data, target, options["figures"])
        elif target.name:
            write_whole(target, _content(data, kind, interactive=options["interactive"]))
        else:
            click.echo(_content(data, kind), nl=False)
            return
    except OSError as problem:
        raise AssayError(f"cannot write `{target}`: {problem.strerror}") from None
    from assay.views.report.words import answer
    from assay.views.terminal import error_columns, folded

    for sentence in answer(data) if data.comparison else ():
        for line in folded(sentence, error_columns()):
            say(printable(line))
    click.echo(f"{target.resolve()}")


def _content(data: ReportData, kind: str, *, interactive: bool = False) -> bytes:
    """All of the file."""
    if kind == "pdf":
        from assay.views.report.html import html
        from assay.views.report.pdf import browser, pdf

        return pdf(visible(html(data)), browser())
    return _text(data, kind, interactive=interactive).encode("utf-8", "replace")


def _text(data: ReportData, kind: str, *, interactive: bool) -> str:
    if kind == "csv":
        from assay.views.runs_csv import runs_csv

        return runs_csv(record.summary for record in data.records)
    if kind == "json":
        from assay.views.report.plain import as_dict

        return json_text(as_dict(data))
    if kind == "notebook":
        from assay.views.report.notebook import notebook

        return notebook(data)
    from assay.views.report.html import html

    return visible(html(data, interactive=interactive))
