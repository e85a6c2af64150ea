"""A report as a notebook: a cell for each section, figures inside, and a last cell that makes the comparison again."""

from __future__ import annotations

import base64
import json

from assay.views.charts.draw import png, still
from assay.views.report.data import ReportData
from assay.views.report.document import document
from assay.views.report.markdown import markdown


def notebook(data: ReportData) -> str:
    page = document(data)
    pictures = {f"{one.id}.png": png(still(one.chart, data.datasets, one.run)) for one in page.figures()}
    sections = markdown(page, lambda one: f"attachment:{one.id}.png").split("\n## ")
    texts = [sections[0], *(f"## {text}" for text in sections[1:])]
    cells = [_markdown(text.strip("\n"), pictures) for text in texts]
    code = _code(data)
    return json.dumps({"cells": cells + code, "metadata": _PYTHON, "nbformat": 4, "nbformat_minor": 4}, indent=1) + "\n"


_PYTHON = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def _markdown(text: str, pictures: dict[str, bytes]) -> dict[str, object]:
    shown = {name: picture for name, picture in pictures.items() if f"(attachment:{name})" in text}
    held = {name: {"image/png": base64.b64encode(picture).decode()} for name, picture in shown.items()}
    attached = {"attachments": held} if held else {}
    return {"cell_type": "markdown", "metadata": {}, **attached, "source": text.splitlines(keepends=True)}


def _code(data: ReportData) -> list[dict[str, object]]:
    """Runs that are kept can be loaded again; those that were only read from a log here cannot."""
    ids = [record.id for record in data.records if record.summary.how != "parsed"]
    if len(ids) < len(data.records):
        return []
    text = f"import assay\n\nruns = assay.load(*{json.dumps(ids)})\nassay.compare(runs)"
    lines = text.splitlines(keepends=True)
    return [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": lines}]
