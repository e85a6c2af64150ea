"""Studies as grids: a row for every combination, a box for every run of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import TypedDict

from assay.facts.settings import STUDY
from assay.model.summary import Summary
from assay.model.values import Setting
from assay.quantities import BY_NAME
from assay.store.layout import RunDir
from assay.study.planned import Planned
from assay.summary.index import summaries
from assay.summary.splits import PARTS
from assay.units import CELLS, show_number
from assay.views.table import COLUMNS, Column
from assay.web.folder import Entry

#: what did not come from the hardware itself is marked wherever it is shown
_MARKED = ("simulated", "validated", "parsed")
_FIGURES = (
    "samples_per_s_own", "loss", "accuracy", "wall_s", "tokens_per_s", "output_tokens_per_s", "ttft_p50_ms",
    "e2e_p50_ms",
)  # fmt: skip
_SHOWN = tuple(column for column in COLUMNS if column.field in _FIGURES)
Plans = Callable[[str], Sequence[Planned]]
#: of a study's name and one of its runs: its question, and the baseline that its file names
About = Callable[[str, RunDir], tuple[str, str]]


class Row(TypedDict):
    """`left`: runs of it that have not begun."""

    settings: list[str]
    left: int
    runs: list[dict[str, str]]
    figures: list[str]
    marks: list[str]


def grids(
    entries: Sequence[Entry], plans: Plans = lambda name: (), about: About = lambda name, run: ("", "")
) -> list[dict[str, object]]:
    """The newest study first; runs of none are left out. `plans` says what a study wants besides the runs it has."""
    found: dict[str, list[tuple[Entry, Summary]]] = {}
    for entry, summary in zip(entries, summaries([entry.listed for entry in entries]), strict=True):
        if summary.study is not None:
            found.setdefault(summary.study, []).append((entry, summary))
    return [
        _grid(name, runs, plans(name), about(name, runs[0][0].listed.run)) for name, runs in reversed(found.items())
    ]


def _grid(
    name: str, runs: list[tuple[Entry, Summary]], plan: Sequence[Planned], about: tuple[str, str]
) -> dict[str, object]:
    cells: dict[str, list[tuple[Entry, Summary]]] = {}
    for entry, summary in runs:
        if not summary.warmup:
            cells.setdefault(str(summary.cell), []).append((entry, summary))
    wanted = {one.cell: one for one in plan}
    claims = [_of_study(members[0][1]) for members in cells.values()]
    varied = _varied(claims, [one.settings for one in plan])
    rows = [_row(members, varied, _left(wanted.get(cell), members)) for cell, members in cells.items()]
    rows += [_row([], varied, one.runs, one.settings) for cell, one in wanted.items() if cell not in cells]
    rows.sort(key=lambda row: [_order(value) for value in row["settings"]])
    known = [at for at, _ in enumerate(_SHOWN) if any(row["figures"][at] for row in rows)]
    states = [str(summary.status) for members in cells.values() for _, summary in members]
    counts = {state: states.count(state) for state in dict.fromkeys(states)}
    left = sum(row["left"] for row in rows)
    return {
        "name": name,
        "question": about[0],
        "baseline": about[1] if _is_there(about[1], varied, rows) else "",
        "varied": varied,
        "same": [[key, _text(value)] for key, value in (claims or [{}])[0].items() if key not in varied],
        "rows": [{**row, "figures": [row["figures"][at] for at in known]} for row in rows],
        "counts": counts | ({"to do": left} if left else {}),
        "folders": [entry.listed.folder for entry, _ in runs][:50],
        "heads": [_heading(_SHOWN[at], [summary for _, summary in runs]) for at in known],
    }


def _heading(column: Column, runs: Sequence[Summary]) -> str:
    """An accuracy with the part of the data that it is of: `validation accuracy`."""
    parts = {PARTS.get(one.accuracy_of or "") for one in runs if one.accuracy is not None}
    named = " and ".join(sorted(filter(None, parts))) if column.field == "accuracy" else ""
    return f"{named} {column.heading}".strip()


def _left(wanted: Planned | None, members: Sequence[object]) -> int:
    """Runs that have not begun; one that failed and is done again counts twice among those that have."""
    return max(0, wanted.runs - len(members)) if wanted else 0


def _is_there(baseline: str, varied: Sequence[str], rows: Sequence[Row]) -> bool:
    """`batch_size=16`: one that has no run yet, or is written in another way, is left to whoever looks."""
    name, _, value = baseline.partition("=")
    return name in varied and any(
        row["runs"] and row["settings"][varied.index(name)].replace(",", "") == value for row in rows
    )


def _varied(claims: Sequence[Mapping[str, object]], planned: Sequence[Mapping[str, object]]) -> list[str]:
    """Settings that differ between combinations; a plan holds only those that it varies."""
    names = list(dict.fromkeys(name for one in (*planned, *claims) for name in one))
    found = [name for name in names if _differs(name, claims) or _differs(name, planned)]
    return found or names[:1]


def _differs(name: str, settings: Sequence[Mapping[str, object]]) -> bool:
    return len({str(one.get(name)) for one in settings}) > 1


def _of_study(summary: Summary) -> dict[str, Setting]:
    """What the study set, without what the words of its command say besides."""
    sources = summary.claim_sources
    return {name: value for name, value in summary.claims.items() if sources.get(name, STUDY) == STUDY}


def _settings(members: list[tuple[Entry, Summary]]) -> Mapping[str, object]:
    """As the study asked for them."""
    return {**members[0][1].params, **members[0][1].claims}


def _row(
    members: list[tuple[Entry, Summary]],
    varied: Sequence[str],
    left: int,
    planned: Mapping[str, object] | None = None,
) -> Row:
    """One combination; `planned` are its settings where it has no run yet."""
    ended = [summary for _, summary in members if summary.status == "completed"]
    settings = _settings(members) if planned is None else planned
    figures = []
    for column in _SHOWN:
        values = [value for one in ended if (value := one.reported(column.field)) is not None]
        figures.append(_shown(column, median(values)) if values else "")
    return {
        "settings": [_text(settings.get(name)) for name in varied],
        "left": left,
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


def _shown(column: Column, value: float) -> str:
    """In its unit, also where a list makes the cell of more than one field."""
    known = BY_NAME.get(column.field)
    return CELLS[known.unit](value) if column.made and known else column.show(value)


def _order(text: str) -> tuple[int, float, str]:
    try:
        return 0, float(text.replace(",", "")), text
    except ValueError:
        return 1, 0.0, text


def _text(value: object) -> str:
    if value is None:
        return ""
    return show_number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)[:200]
