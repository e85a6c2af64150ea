"""A page as blocks, and the forms in which it may be written: Markdown, HTML, a notebook, plain text."""

from __future__ import annotations

import html
import json
import textwrap
from dataclasses import dataclass, replace
from random import Random


@dataclass(frozen=True, kw_only=True)
class Said:
    """A text of the honest page, and what stands there in its lying twin."""

    true: str
    false: str

    def of(self, lying: bool) -> str:
        return self.false if lying else self.true


def same(text: str) -> Said:
    return Said(true=text, false=text)


@dataclass(frozen=True, kw_only=True)
class Heading:
    level: int
    text: Said


@dataclass(frozen=True, kw_only=True)
class Text:
    """A paragraph, or a list where `listed`."""

    sentences: tuple[Said, ...]
    listed: bool = False


@dataclass(frozen=True, kw_only=True)
class Grid:
    header: tuple[str, ...]
    rows: tuple[tuple[Said, ...], ...]
    caption: str = ""


@dataclass(frozen=True, kw_only=True)
class Log:
    command: str
    output: Said


Block = Heading | Text | Grid | Log


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a page is written down."""

    form: str = "md"  # md, html, ipynb, txt
    width: int = 0  # wrapped at so many columns, 0 for not at all
    prompt: str | None = "$ "  # None: the command is not shown
    fence: str = "```"
    bullet: str = "- "

    @property
    def suffix(self) -> str:
        return "." + self.form


PROMPTS = ("$ ", "user@node042:~/hw$ ", "(venv) [anna@login1 mnist]$ ", "% ", "> ", None, None)
FENCES = ("```", "```", "```text", "~~~", "```console")


def some_layout(rng: Random) -> Layout:
    return Layout(
        form=rng.choice(("md", "md", "md", "md", "html", "ipynb", "txt")),
        width=rng.choice((0, 0, 0, 66, 78)),
        prompt=rng.choice(PROMPTS),
        fence=rng.choice(FENCES),
        bullet=rng.choice(("- ", "* ", "1. ")),
    )


def render(blocks: list[Block], layout: Layout, lying: bool) -> str:
    """The page as text in its form."""
    write = {"md": _markdown, "html": _html, "ipynb": _notebook, "txt": _plain}[layout.form]
    return write(blocks, layout, lying)


def _wrapped(text: str, width: int, hang: str = "") -> str:
    if not width:
        return text
    return textwrap.fill(text, width, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False)


def _log(block: Log, layout: Layout, lying: bool) -> str:
    shown = f"{layout.prompt}{block.command}\n" if layout.prompt is not None and block.command else ""
    return shown + block.output.of(lying)


def _paragraph(block: Text, layout: Layout, lying: bool) -> str:
    sentences = [one.of(lying) for one in block.sentences]
    if block.listed:
        hang = " " * len(layout.bullet)
        return "\n".join(_wrapped(f"{layout.bullet}{one}", layout.width, hang) for one in sentences)
    if any(not text.endswith((".", "!", ":")) for one in block.sentences for text in (one.true, one.false)):
        return "\n\n".join(_wrapped(one, layout.width) for one in sentences)
    return _wrapped(" ".join(sentences), layout.width)


def _grid(block: Grid, lying: bool) -> str:
    rows = [[cell.of(lying) for cell in row] for row in block.rows]
    lines = ["| " + " | ".join(block.header) + " |", "|" + "---|" * len(block.header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + (f"\n\n{block.caption}" if block.caption else "")


def _markdown(blocks: list[Block], layout: Layout, lying: bool) -> str:
    parts = []
    for block in blocks:
        if isinstance(block, Heading):
            parts.append("#" * block.level + " " + block.text.of(lying))
        elif isinstance(block, Text):
            parts.append(_paragraph(block, layout, lying))
        elif isinstance(block, Grid):
            parts.append(_grid(block, lying))
        else:
            close = layout.fence[:3]
            parts.append(f"{layout.fence}\n{_log(block, layout, lying)}\n{close}")
    return "\n\n".join(parts) + "\n"


def _plain(blocks: list[Block], layout: Layout, lying: bool) -> str:
    parts = []
    for block in blocks:
        if isinstance(block, Heading):
            text = block.text.of(lying)
            parts.append(f"{text}\n{('=' if block.level < 2 else '-') * len(text)}")
        elif isinstance(block, Text):
            parts.append(_paragraph(block, layout, lying))
        elif isinstance(block, Grid):
            parts.append(_grid(block, lying))
        else:
            parts.append(_log(block, layout, lying))
    return "\n\n".join(parts) + "\n"


def _html(blocks: list[Block], layout: Layout, lying: bool) -> str:
    parts = ["<!DOCTYPE html>", "<html><head><meta charset='utf-8'><title>Report</title></head><body>"]
    for block in blocks:
        if isinstance(block, Heading):
            parts.append(f"<h{block.level}>{html.escape(block.text.of(lying))}</h{block.level}>")
        elif isinstance(block, Text) and block.listed:
            items = "".join(f"<li>{html.escape(one.of(lying))}</li>\n" for one in block.sentences)
            parts.append(f"<ul>\n{items}</ul>")
        elif isinstance(block, Text):
            text = _paragraph(block, layout, lying)
            parts += [f"<p>{html.escape(one)}</p>" for one in text.split("\n\n")]
        elif isinstance(block, Grid):
            parts.append(_html_grid(block, lying))
        else:
            parts.append(f"<pre><code>{html.escape(_log(block, layout, lying))}</code></pre>")
    return "\n".join([*parts, "</body></html>"]) + "\n"


def _html_grid(block: Grid, lying: bool) -> str:
    head = "".join(f"<th>{html.escape(one)}</th>" for one in block.header)
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell.of(lying))}</td>" for cell in row) + "</tr>\n" for row in block.rows
    )
    caption = f"<caption>{html.escape(block.caption)}</caption>" if block.caption else ""
    return f"<table>{caption}\n<tr>{head}</tr>\n{rows}</table>"


def _notebook(blocks: list[Block], layout: Layout, lying: bool) -> str:
    cells: list[dict[str, object]] = []
    for block in blocks:
        if isinstance(block, Log):
            output = {"output_type": "stream", "name": "stdout", "text": block.output.of(lying) + "\n"}
            source = f"!{block.command}" if block.command and layout.prompt is not None else "main()"
            cells.append({
                "cell_type": "code", "execution_count": len(cells) + 1, "metadata": {}, "source": source, "outputs": [output],
            })  # fmt: skip
        else:
            text = _markdown([block], replace(layout, form="md"), lying).rstrip("\n")
            cells.append({"cell_type": "markdown", "metadata": {}, "source": text})
    page = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(page, indent=1, ensure_ascii=False) + "\n"
