"""`assay write`"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import runs_dir_option
from assay.cli.start import say_error, say_warning
from assay.comparing import WISHES
from assay.errors import AssayError, UsageError, did_you_mean
from assay.model.summary import Summary
from assay.parts import need
from assay.spec import runs_dir
from assay.store.find import condition

if TYPE_CHECKING:
    from assay.views.written.draft import Figure
    from assay.views.written.page import Answer, Written

_ENDINGS = {"html": ".html", "markdown": ".md"}


@click.command()
@click.argument("drafts", nargs=-1, required=True, metavar="DRAFT.md…")
@click.option(
    "-o", "--output", "target", metavar="FILE | FOLDER/", help="Default: next to each draft, as `….page.html`."
)
@click.option(
    "--format", "kind", type=click.Choice(list(_ENDINGS)), help="Default: by the extension of FILE, else html."
)
@click.option("--figures", type=click.Choice(["png", "svg"]), default="svg", help="File format of charts in Markdown.")
@click.option("--check", is_flag=True, help="Write nothing: check commands, options, conditions, charts and figures.")
@runs_dir_option
def command(
    drafts: tuple[str, ...], target: str | None, kind: str | None, figures: str, check: bool, **options: Any
) -> None:
    """Write a page whose figures come from runs.

    A draft is Markdown. A fenced block named `assay` holds commands, one per line (compare, report --charts, audit,
    ls, show), and their output replaces it. {{wall_s: study=demo batch_size=8}} becomes the mean of that metric over
    the repeats. Paths are relative to the folder of the draft.
    """
    folder = runs_dir(options["runs_dir"]).absolute()
    kind = kind or ("markdown" if target and target.endswith((".md", ".markdown")) else "html")
    for draft in map(Path, drafts):
        if draft.is_dir():
            raise UsageError(f"`{draft}` is a folder, not a draft", "name a Markdown file: assay write draft.md")
        if not draft.is_file():
            raise UsageError(f"there is no draft `{draft}`", "name a Markdown file: assay write draft.md")
    places = [(Path(draft), _place(Path(draft), target, kind, len(drafts))) for draft in drafts]
    for draft, place in places:
        if place.resolve() == draft.resolve():
            raise UsageError(f"the page would replace its draft `{draft}`", "choose another name with -o")
    need("`assay write`", "jinja2", "markdown_it", "vl_convert", "scipy")
    problems = []
    for draft, place in places:
        try:
            if check:
                _check(draft)
                continue
            _save(_written(draft, folder), place, kind, figures)
            click.echo(f"{place.resolve()}")
        except AssayError as problem:
            problems.append(problem)
    for one in problems[:-1]:  # the other drafts are written, or checked, all the same
        say_error(one.message, one.hint)
    if problems:
        raise problems[-1]


def _place(draft: Path, target: str | None, kind: str, count: int) -> Path:
    if target is None:
        return draft.with_name(f"{draft.stem}.page{_ENDINGS[kind]}")
    if target.endswith("/") or Path(target).is_dir():
        return Path(target) / f"{draft.stem}{_ENDINGS[kind]}"
    if count > 1:
        raise UsageError(f"{count} drafts cannot be written to one file `{target}`", f"name a folder: -o {target}/")
    return Path(target)


def _written(draft: Path, folder: Path) -> Written:
    from assay.summary.index import load_all, summaries
    from assay.views.written.page import write

    known = cache(lambda: summaries(load_all(folder, say_warning)))  # once a page, however many figures it has
    with ExitStack() as stack:
        where = Where(folder=folder, base=draft.parent, stack=stack)
        return write(draft, lambda text: _answer(text, where), lambda figure: _figure(figure, known()))


@dataclass(frozen=True, kw_only=True)
class Where:
    """The runs, the folder that paths start at, and what lives as long as the page is being written."""

    folder: Path
    base: Path
    stack: ExitStack


def _check(draft: Path) -> None:
    """What can be wrong with a draft before there are any runs."""
    from dataclasses import fields
    from difflib import get_close_matches

    from assay.comparing.figures import FIGURES
    from assay.views.report.sections import check_charts
    from assay.views.written.page import Answer, write

    known = {*(one.name for one in fields(Summary)), *(one.name for one in FIGURES)}

    def check(text: str) -> Answer:
        options = _parsed(text)[1]
        for one in options.get("conditions") or ():
            condition(one)
        check_charts([name for name in (options.get("charts") or "").split(",") if name])
        return Answer()

    def figure(wanted: Figure) -> str:
        for one in wanted.conditions:
            condition(one)
        if wanted.name not in known and get_close_matches(wanted.name, known, n=1):  # else it is a program's own
            raise UsageError(f"there is no figure called `{wanted.name}`", did_you_mean(wanted.name, known))
        return ""

    write(draft, check, figure)


def _save(page: Written, place: Path, kind: str, figures: str) -> None:
    from assay.store.layout import write_whole
    from assay.text import visible
    from assay.views.written.html import html
    from assay.views.written.markdown import write_markdown

    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if kind == "markdown":
            write_markdown(page, place, figures)
        else:
            write_whole(place, visible(html(page)).encode("utf-8", "replace"))
    except OSError as problem:
        raise AssayError(f"cannot write `{place}`: {problem.strerror}") from None


def _answer(text: str, where: Where) -> Answer:
    name, options = _parsed(text)
    return _KNOWN[name](options, where)


def _parsed(text: str) -> tuple[str, dict[str, Any]]:
    """A command of a page, and its options as the command itself would read them; they are only read."""
    from assay.cli.start import load

    try:
        words = shlex.split(text)
    except ValueError as problem:
        raise UsageError(f"`{text}` cannot be read: {problem}", "close its quotes") from None
    words = words[1:] if words[:1] == ["assay"] else words
    if not words or words[0] not in _KNOWN:
        known = ", ".join(_KNOWN)
        raise UsageError(f"`{words[0] if words else text}` cannot be used in a page", f"use one of: {known}")
    try:
        found = dict(load(words[0]).make_context(words[0], list(words[1:])).params)
    except click.exceptions.UsageError as problem:
        raise UsageError(problem.format_message(), f"assay {words[0]} --help") from None
    del found["runs_dir"]  # a page is of one folder
    return words[0], found


def _compare(options: dict[str, Any], where: Where) -> Answer:
    from assay.cli.compare import compared, wish_of
    from assay.cli.options import listed
    from assay.views.comparison_files import as_markdown
    from assay.views.written.page import Answer

    wish = wish_of(**{name: options[name] for name in WISHES})
    found = compared(options["words"], options["conditions"], wish, where.folder, where.stack, where.base)
    return Answer(markdown=as_markdown(found, listed(options["only"])), how=_how(row.summary for row in found.rows))


def _how(summaries: Iterable[Summary]) -> str:
    """`executed`, or how many of each where there are several: what was simulated is marked wherever it is shown."""
    counts = Counter(str(summary.how or "described") for summary in summaries)
    return ", ".join(counts) if len(counts) < 2 else ", ".join(f"{count} {how}" for how, count in counts.items())


def _report(options: dict[str, Any], where: Where) -> Answer:
    """Its charts; a whole report has its own command."""
    from assay.cli.report import gathered
    from assay.views.markup import table
    from assay.views.report.sections import sections
    from assay.views.written.page import Answer, Placed

    if not options["charts"]:
        raise UsageError("a page shows single charts, not a whole report", "name them: report … --charts progress-loss")
    options["runs_dir"] = where.folder
    data = gathered(options["words"], options["conditions"], options, where.stack, where.base)
    chosen, charts = sections(data, still=True)
    placed = [
        Placed(chart=charts[one["id"]], caption=one["caption"], run=one["run"], data=data.datasets)
        for section in chosen
        for one in section["charts"]
    ]
    tables = [line for section in chosen if section["latency"] for line in table(section["latency"])]
    return Answer(markdown="\n".join(tables), charts=placed, how=_how(record.summary for record in data.records))


def _audit(options: dict[str, Any], where: Where) -> Answer:
    from assay.cli.audit import audited

    found = audited(options.pop("words"), where.folder, **options, base=where.base)
    for problem in found.problems:
        if not found.text:
            raise problem
        say_warning(problem.message)
    return _as_printed(found.text)


def _ls(options: dict[str, Any], where: Where) -> Answer:
    from assay.cli.ls import listing

    conditions = (*options.pop("words"), *options.pop("conditions"))
    return _as_printed(listing(where.folder, conditions=conditions, base=where.base, **options))


def _show(options: dict[str, Any], where: Where) -> Answer:
    from assay.cli.show import shown
    from assay.store.find import find_run

    if options["live"] or options["show_output"]:
        raise UsageError("--live and --output cannot be used in a page", "write: show RUN")
    return _as_printed(
        shown([find_run(where.folder, word) for word in options["runs"] or ("last",)], as_json=options["as_json"])
    )


def _as_printed(text: str) -> Answer:
    """What the terminal shows, as it is."""
    from assay.views.markup import fenced
    from assay.views.written.page import Answer

    return Answer(markdown="\n".join(fenced(text.rstrip())))


def _figure(wanted: Figure, known: Sequence[Summary]) -> str:
    """One figure over the repeats of a setting: `58.3 s ± 0.7 % (n = 3)`. Different runs are not repeats."""
    from assay.comparing.figures import figure, show_plus_minus
    from assay.comparing.rows import but_warmups, rows_of
    from assay.comparing.varying import varying
    from assay.stats import describe
    from assay.store.find import chosen

    rows = rows_of(but_warmups(chosen(known, wanted.conditions)), [wanted.name]).rows
    asked = f"{{{{{wanted.name}: {' '.join(wanted.conditions)}}}}}"
    values = [row.figures[wanted.name] for row in rows if wanted.name in row.figures]
    if not values:
        raise AssayError(f"{asked}: no matching run has `{wanted.name}`")
    differ = [name for name in varying(rows) if name != "name"]
    if differ:
        raise UsageError(f"{asked}: these runs differ in {', '.join(differ)}", "add a condition, such as batch_size=64")
    spread = describe(values)
    marks = ", simulated" if any(row.simulated for row in rows) else ""
    return f"{show_plus_minus(figure(wanted.name), spread.mean, spread.sd)} (n = {spread.n}{marks})"


_KNOWN: dict[str, Callable[[dict[str, Any], Where], Answer]] = {
    "compare": _compare,
    "report": _report,
    "audit": _audit,
    "ls": _ls,
    "show": _show,
}
