"""Studies as grids: a row for every combination, a box for every run of it."""

from __future__ import annotations

from collections.abc import Sequence

from assay.facts.settings import STUDY
from assay.model.summary import Summary
from assay.model.values import Setting
from assay.summary.index import summaries
from assay.units import show_number
from assay.views.table import COLUMNS
from assay.web.folder import Entry

#: what did not come from the hardware itself is marked wherever it is shown
_MARKED = ("simulated", "validated", "parsed")
_FIGURES = ("samples_per_s_own", "loss", "accuracy", "wall_s")


def grids(entries: Sequence[Entry]) -> list[dict[str, object]]:
    """The newest study first; runs of none are left out."""
    found: dict[str, list[tuple[Entry, Summary]]] = {}
    for entry, summary in zip(entries, summaries([entry.listed for entry in entries]), strict=True):
        if summary.study is not None:
            found.setdefault(summary.study, []).append((entry, summary))
    return [_grid(name, runs) for name, runs in reversed(found.items())]


def _grid(name: str, runs: list[tuple[Entry, Summary]]) -> dict[str, object]:
    cells: dict[str, list[tuple[Entry, Summary]]] = {}
    for entry, summary in runs:
        if not summary.warmup:
            cells.setdefault(str(summary.cell), []).append((entry, summary))
    varied = _varied([members[0][1] for members in cells.values()])
    ordered = sorted(cells.values(), key=lambda members: [_order(value) for value in _settings(members, varied)])
    rows = [_row(members, varied) for members in ordered]
    states = [str(summary.status) for members in cells.values() for _, summary in members]
    return {
        "name": name,
        "varied": varied,
        "rows": rows,
        "counts": {state: states.count(state) for state in dict.fromkeys(states)},
        "folders": [entry.listed.folder for entry, _ in runs][:50],
        "heads": [column.heading for column in COLUMNS if column.field in _FIGURES],
    }


def _varied(firsts: Sequence[Summary]) -> list[str]:
    """Settings that differ between combinations."""
    claims = [_of_study(summary) for summary in firsts]
    names = list(dict.fromkeys(name for one in claims for name in one))
    found = [name for name in names if len({str(one.get(name)) for one in claims}) > 1]
    return found or names[:1]


def _of_study(summary: Summary) -> dict[str, Setting]:
    """What the study set, without what the words of its command say besides."""
    sources = summary.claim_sources
    return {name: value for name, value in summary.claims.items() if sources.get(name, STUDY) == STUDY}


def _settings(members: list[tuple[Entry, Summary]], varied: Sequence[str]) -> list[str]:
    """As the study asked for them."""
    first = members[0][1]
    settings = {**first.params, **first.claims}
    return [_text(settings.get(name)) for name in varied]


def _row(members: list[tuple[Entry, Summary]], varied: Sequence[str]) -> dict[str, object]:
    ended = [summary for _, summary in members if summary.status == "completed"]
    figures = []
    for column in COLUMNS:
        if column.field in _FIGURES:
            values = sorted(value for one in ended if (value := one.reported(column.field)) is not None)
            figures.append(column.show(values[len(values) // 2]) if values else "")
    return {
        "settings": _settings(members, varied),
        "runs": [
            {
                "folder": entry.listed.folder,
                "status": str(summary.status),
                "repeat": _text(summary.repeat),
            }
            for entry, summary in sorted(members, key=lambda one: one[1].repeat or 0)
        ],
        "figures": figures,
        "marks": [how for how in _MARKED if any(summary.how == how for _, summary in members)],
    }


def _order(text: str) -> tuple[int, float, str]:
    try:
        return 0, float(text.replace(",", "")), text
    except ValueError:
        return 1, 0.0, text


def _text(value: object) -> str:
    if value is None:
        return ""
    return show_number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)[:200]
