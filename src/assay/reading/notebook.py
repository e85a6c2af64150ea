"""Jupyter notebooks as lines of text: prose from Markdown cells, logs from outputs, code fenced off."""

from __future__ import annotations

import json
from collections.abc import Iterator

from assay.errors import AssayError


def lines(content: bytes, name: str) -> Iterator[tuple[int, bytes]]:
    """Numbered from 1 through the cells in order."""
    return enumerate((text.encode("utf-8", "replace") for text in _texts(content, name)), 1)


def _texts(content: bytes, name: str) -> Iterator[str]:
    try:
        book = json.loads(content)
        cells = book["cells"] if "cells" in book else book["worksheets"][0]["cells"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise AssayError(f"`{name}` is not a notebook: its JSON cannot be read") from None
    for cell in _list(cells):
        if isinstance(cell, dict):
            yield from _cell(cell)


def _cell(cell: dict[str, object]) -> Iterator[str]:
    source = _text(cell.get("source", cell.get("input", ""))).split("\n")
    if cell.get("cell_type") != "code":
        yield from source
        yield ""
        return
    # a shell line of a notebook is a command, the rest is source code
    for line in source:
        if line.lstrip().startswith(("!", "%%bash")):
            yield "$ " + line.lstrip(" !")
    yield "```python"
    yield from source
    yield "```"
    # what a cell printed is one log, though its two streams are kept in turns
    printed = [_output(output) for output in _list(cell.get("outputs")) if isinstance(output, dict)]
    if printed:
        yield "```"
        for text in printed:
            yield from text.removesuffix("\n").split("\n")
        yield "```"


def _output(output: dict[str, object]) -> str:
    if "text" in output:
        return _text(output["text"])
    if "traceback" in output:
        return _text([f"{line}\n" for line in _list(output["traceback"])])
    data = output.get("data", {})
    return _text(data.get("text/plain", "")) if isinstance(data, dict) else ""


def _list(value: object) -> list[object]:
    """Tools write null where there is nothing."""
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    if value is None:
        return ""
    return "".join(map(_text, value)) if isinstance(value, list) else str(value)
