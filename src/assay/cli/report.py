"""`assay report`"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import listed, runs_dir_option
from assay.cli.output import json_text
from assay.cli.start import say, say_warning
from assay.errors import AssayError, UsageError
from assay.parts import need
from assay.spec import runs_dir

if TYPE_CHECKING:
    from assay.views.report.data import ReportData

_FORMATS = ("html", "markdown", "json", "csv")
_PACKAGES = {"html": ("jinja2", "vl_convert"), "markdown": ("vl_convert",), "json": (), "csv": ()}


@click.command()
@click.argument("words", nargs=-1, metavar="[RUN | FOLDER | FILE]…")
@click.option("--where", "conditions", multiple=True, metavar="CONDITION", help="Only runs that meet it.")
@click.option("-o", "--output", "target", metavar="FILE", help="Where to write it (default: report.html, report.md …).")
@click.option("--format", "kind", type=click.Choice(_FORMATS), help="Default: by the ending of the file, else html.")
@click.option("--title", help="What the report is called.")
@click.option("--by", metavar="A,B,…", help="Group by these settings (default: all that vary).")
@click.option("--baseline", metavar="GROUP", help="Compare with this group.")
@click.option("--charts", metavar="A,B,…", help="Only these charts: progress-loss,machine-cpu_pct … (default: all).")
@click.option(
    "--figures", type=click.Choice(["png", "svg"]), default="svg", help="For markdown: how figures are drawn."
)
@runs_dir_option
def command(words: tuple[str, ...], conditions: tuple[str, ...], **options: Any) -> None:
    """Write a report: one file that opens offline, or a Markdown page with its figures beside it."""
    kind = options["kind"] or _kind_of(options["target"])
    target = Path(options["target"] or {"html": "report.html", "markdown": "report.md"}.get(kind, ""))
    _check(target, kind)
    need("`assay report`", *_PACKAGES[kind], "scipy")
    with ExitStack() as stack:
        _write(gathered(words, conditions, options, stack), kind, target, options["figures"])


def gathered(
    words: tuple[str, ...], conditions: tuple[str, ...], options: dict[str, Any], stack: ExitStack, base: Path = Path()
) -> ReportData:
    """What the options of this command ask for."""
    from assay.cli.progress import counted
    from assay.comparing.comparison import Wish
    from assay.selecting import chosen_runs
    from assay.views.report.data import gather

    folder = runs_dir(options["runs_dir"])
    runs = chosen_runs(words, conditions, folder, stack, say_warning, base)
    if not runs:
        raise AssayError(
            "no run meets that" if words or conditions else f"no runs in `{folder}`", "make one: assay run -- COMMAND"
        )
    wish = Wish(by=listed(options["by"]), baseline=options["baseline"])
    with counted(len(runs), "reading runs") as tell:
        only = tuple(listed(options["charts"]))
        return gather(options["title"] or _title(words, folder), runs, wish, tell, only)


def _kind_of(target: str | None) -> str:
    endings = {".md": "markdown", ".markdown": "markdown", ".json": "json", ".csv": "csv"}
    return endings.get(Path(target).suffix.lower(), "html") if target else "html"


def _title(words: tuple[str, ...], folder: Path) -> str:
    return ", ".join(Path(word).name for word in words[:3]) if words else folder.resolve().parent.name


def _check(target: Path, kind: str) -> None:
    """Before the work: a file that cannot be written would cost it."""
    if kind in ("json", "csv") and not target.name:
        return
    folder = target.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"cannot write `{target}`: there is no folder `{folder}`")
    if target.is_dir():
        raise UsageError(f"cannot write `{target}`: it is a folder", f"-o {target}/report.html")


def _write(data: ReportData, kind: str, target: Path, figures: str) -> None:
    """To the file, whole or not at all; what programs read also to standard output."""
    from assay.store.layout import write_whole

    try:
        if kind == "markdown":
            from assay.views.report.markdown import write_markdown

            write_markdown(data, target, figures)
        elif target.name:
            write_whole(target, _content(data, kind).encode("utf-8", "replace"))
        else:
            click.echo(_content(data, kind), nl=False)
            return
    except OSError as problem:
        raise AssayError(f"cannot write `{target}`: {problem.strerror}") from None
    from assay.views.answer import answers

    for sentence in answers(data.comparison) if data.comparison else ():
        say(sentence)
    click.echo(f"{target.resolve()}")


def _content(data: ReportData, kind: str) -> str:
    if kind == "csv":
        from assay.views.runs_csv import runs_csv

        return runs_csv(record.summary for record in data.records)
    if kind == "json":
        from assay.views.report.plain import as_dict

        return json_text(as_dict(data))
    from assay.views.report.html import html

    return html(data)
