"""What Assay says, in its own source: no phrase that nobody would say to a colleague."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from voice import banned_in

SOURCE = Path(__file__).parent.parent / "src" / "assay"
#: texts that are read, not said: patterns and words that readers and the audit look for in pages of others
_READ = ("readers", "language", "systems", "serving", "quantities.py", "ingest")
#: what a page shows: texts in quotes, of a script; what stands between tags or in a label, of a template
_QUOTED = re.compile(r"""\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'|`[^`\n]{0,400}`""")
_SHOWN = re.compile(r">[^<>{}]{0,400}|(?:aria-label|title|placeholder)=\"[^\"]{0,400}")


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Every text of a file that a person could see; f-strings with … for what is put in. No docstrings."""
    tree = ast.parse(path.read_text())
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values]
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs | inside:
            yield node.lineno, node.value


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Of the module, its classes and its functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield getattr(node, "lineno", 1), " ".join((ast.get_docstring(node) or "").split())


def test_no_docstring_is_one_that_nobody_would_say() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {phrase}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, text in docstrings(path)
        for phrase in banned_in(text)
    ]
    assert not found, "\n".join(found)


def test_no_text_of_the_source_is_one_that_nobody_would_say() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {phrase}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in _READ
        for line, text in sentences(path)
        if " " in text
        for phrase in banned_in(text)
    ]
    assert not found, "\n".join(found)


def test_no_text_of_the_pages_is_one_that_nobody_would_say() -> None:
    pages = [path for kind in ("*.html", "*.js") for path in sorted(SOURCE.rglob(kind)) if "vendor" not in path.parts]
    assert len(pages) > 5
    found = [
        f"{path.relative_to(SOURCE)}:{number}: {phrase}"
        for path in pages
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if not line.lstrip().startswith(("//", "{#", "*"))
        for text in (_QUOTED if path.suffix == ".js" else _SHOWN).findall(line)
        if " " in text
        for phrase in banned_in(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "best: 2,048, told from every other",
        "64.7 MiB highest seen, 64.7 MiB on average (PSS)",
        "nothing to say against 9 runs in 1 source",
        "left out: 1 interrupted (interrupted)",
        "2 runs tell only a total of seconds; it agrees with the training time of the others and is taken for it",
        "the rate wanders: an interval up to step 100 took 7.2 times the usual, and 54 % of the time went that way",
        "loss at 512,000 samples is not known of 2 of 7 runs, only at their end: left out",
        "seen by the recorder; no line of its output tells it",
        "extrapolation: 64 would take 6.70–8.00 ms a step; it was not tried, and no more is known",
    ],
)
def test_the_sentences_that_the_guide_names_are_found(text: str) -> None:
    assert banned_in(text)
