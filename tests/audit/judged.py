"""Pages in, findings out: what a user would see of them."""

from __future__ import annotations

from pathlib import Path

from assay.audit.audit import judge, load
from assay.audit.finding import Finding


def judged(folder: Path, pages: str | dict[str, str]) -> list[Finding]:
    """Findings on one page, or on several by their file names, judged together."""
    written = {"page.md": pages} if isinstance(pages, str) else pages
    for name, text in written.items():
        (folder / name).write_text(text)
    cases, problems = load([str(folder / name) for name in written], folder / "runs")
    assert not problems
    return judge(cases)


def codes(folder: Path, pages: str | dict[str, str]) -> set[str]:
    return {one.code for one in judged(folder, pages)}
