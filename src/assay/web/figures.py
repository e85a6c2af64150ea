"""Which charts a run's page shows: one for every figure it reports, its phases, and the machine."""

from __future__ import annotations

from typing import Any

from assay.views.charts import machine, results
from assay.views.charts.base import AXES, Chart, Columns
from assay.views.columns import FIGURES


def run_sections(data: dict[str, Columns], titles: dict[str, str]) -> tuple[list[dict[str, Any]], dict[str, Chart]]:
    """(sections in order, descriptions by id)."""
    charts: dict[str, Chart] = {}
    made = [_progress(data, titles, charts), _time(data, charts), _machine(data, charts)]
    return [section for section in made if section["charts"]], charts


def _section(section_id: str, title: str) -> dict[str, Any]:
    return {"id": section_id, "title": title, "axes": [], "charts": []}


def _add(section: dict[str, Any], charts: dict[str, Chart], name: str, chart: Chart, caption: str, **more: Any) -> None:
    charts[name] = chart
    section["charts"].append({"id": name, "caption": caption, "follows_axis": False, **more})


def _progress(data: dict[str, Columns], titles: dict[str, str], charts: dict[str, Chart]) -> dict[str, Any]:
    columns = data.get("curves", {})
    section = _section("progress", "While it ran")
    section["axes"] = [[axis, text] for axis, text in AXES.items() if any(v is not None for v in columns.get(axis, []))]
    keys = [key for key in FIGURES if key in titles] + [key for key in titles if key not in FIGURES]
    for key in keys if section["axes"] else []:
        if sum(value is not None for value in columns.get(key, [])) > 1:
            chart = progress_chart(key, titles[key], section["axes"][0][0])
            _add(section, charts, f"progress-{key}", chart, results.label(titles[key]), follows_axis=True)
    return section


def progress_chart(key: str, title: str, axis: str) -> Chart:
    """One line needs no legend; the figure is called what the program calls it."""
    chart = results.progress(key, axis)
    chart["height"] = 200
    encoding = chart["encoding"]
    encoding["color"] = {**encoding["color"], "legend": None}
    encoding["y"] = {**encoding["y"], "title": results.label(title)}
    encoding["tooltip"] = [{**tip, "title": title} if tip["field"] == key else tip for tip in encoding["tooltip"]]
    return chart


def _phases(data: dict[str, Columns], name: str) -> list[str]:
    return list(dict.fromkeys(data.get(name, {}).get("phase", [])))


def _time(data: dict[str, Columns], charts: dict[str, Chart]) -> dict[str, Any]:
    section = _section("time", "Where the time went")
    if data.get("shares", {}).get("phase"):
        _add(
            section,
            charts,
            "shares",
            machine.time_shares(_phases(data, "shares")),
            "shares of the time, each moment given to its innermost phase",
        )
    if data.get("spans", {}).get("phase"):
        _add(
            section, charts, "timeline", machine.timeline(_phases(data, "spans")), "phases against the run's own clock"
        )
    return section


def _machine(data: dict[str, Columns], charts: dict[str, Chart]) -> dict[str, Any]:
    section = _section("machine", "The machine meanwhile")
    known = set(data.get("machine", {}).get("panel", []))
    phases = _phases(data, "spans")
    if "pss_bytes" in known:
        known.discard("rss_bytes")
    for panel, (title, _) in machine.PANELS.items():
        if panel in known:
            _add(section, charts, f"machine-{panel}", machine.resources(panel, phases), f"{title}, phases behind it")
    return section
