"""Which charts a run's page shows: one for every figure it reports, its phases, and the machine."""

from __future__ import annotations

from assay.views.charts import machine, results
from assay.views.charts.base import AXES, Chart, Columns, Figure, Section, section, words_of
from assay.views.columns import FIGURES


def run_sections(data: dict[str, Columns], titles: dict[str, str]) -> tuple[list[Section], dict[str, Chart]]:
    """(sections in order, descriptions by id)."""
    charts: dict[str, Chart] = {}
    made = [_progress(data, titles, charts), _time(data, charts), _machine(data, charts)]
    return [part for part in made if part["charts"]], charts


def _add(
    section: Section, charts: dict[str, Chart], name: str, chart: Chart, caption: str, *, follows_axis: bool = False
) -> None:
    charts[name] = chart
    section["charts"].append(Figure(id=name, caption=caption, follows_axis=follows_axis, run=""))


def _progress(data: dict[str, Columns], titles: dict[str, str], charts: dict[str, Chart]) -> Section:
    columns = data.get("curves", {})
    made = section("progress", "While it ran")
    made["axes"] = [(axis, text) for axis, text in AXES.items() if any(v is not None for v in columns.get(axis, []))]
    keys = [key for key in FIGURES if key in titles] + [key for key in titles if key not in FIGURES]
    for key in keys if made["axes"] else []:
        if sum(value is not None for value in columns.get(key, [])) > 1:
            chart = progress_chart(key, titles[key], made["axes"][0][0])
            _add(made, charts, f"progress-{key}", chart, results.label(titles[key]), follows_axis=True)
    return made


def progress_chart(key: str, title: str, axis: str) -> Chart:
    """One line needs no legend; the figure is called what the program calls it."""
    return {**results.progress(key, axis, title), "height": 200}


def _phases(data: dict[str, Columns], name: str) -> list[str]:
    return words_of(data.get(name, {}), "phase")


def _time(data: dict[str, Columns], charts: dict[str, Chart]) -> Section:
    made = section("time", "Where the time went")
    if data.get("shares", {}).get("phase"):
        _add(
            made,
            charts,
            "shares",
            machine.time_shares(_phases(data, "shares")),
            "shares of the time, each moment given to its innermost phase",
        )
    if data.get("spans", {}).get("phase"):
        _add(made, charts, "timeline", machine.timeline(_phases(data, "spans")), "phases against the run's own clock")
    return made


def _machine(data: dict[str, Columns], charts: dict[str, Chart]) -> Section:
    made = section("machine", "The machine meanwhile")
    phases = _phases(data, "spans")
    for panel, title in machine.panels(set(data.get("machine", {}).get("panel", []))).items():
        _add(made, charts, f"machine-{panel}", machine.resources(panel, phases), f"{title}, phases behind it")
    return made
