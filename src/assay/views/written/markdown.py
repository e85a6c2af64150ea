"""A written page as Markdown, its figures in a folder beside it."""

from __future__ import annotations

from pathlib import Path

from assay.store.layout import write_whole
from assay.text import visible
from assay.views.charts.draw import save, still
from assay.views.written.page import PLACE, Written


def write_markdown(page: Written, target: Path, ending: str) -> None:
    """The page last, so that it never points to a missing figure."""
    folder = target.with_name(f"{target.stem}-figures")
    text = visible(page.markdown)
    if page.charts:
        folder.mkdir(parents=True, exist_ok=True)
    for at, one in enumerate(page.charts):
        path = folder / f"{at + 1}.{ending}"
        save(still(one.chart, one.data, one.run), path)
        text = text.replace(f"({PLACE}{at})", f"({folder.name}/{path.name})")
    write_whole(target, text.encode("utf-8", "replace"))
