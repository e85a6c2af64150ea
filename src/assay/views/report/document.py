"""A report before it is HTML, Markdown or a notebook: page one, then the details, all figures numbered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.views.answer import telling
from assay.views.charts.base import Chart, Figure, Section, Table
from assay.views.report import words
from assay.views.report.data import ReportData
from assay.views.report.sections import sections


@dataclass(frozen=True, kw_only=True)
class Numbered:
    """A figure with its number; `run` where it shows one run."""

    number: int
    id: str
    chart: Chart
    caption: str
    alt: str
    run: str
    follows_axis: bool

    @property
    def label(self) -> str:
        return f"Figure {self.number}."


@dataclass(frozen=True, kw_only=True)
class Part:
    """A section of the details."""

    id: str
    title: str
    says: list[str]
    figures: list[Numbered]
    axes: list[tuple[str, str]]
    runs: list[str]
    table: Table | None


@dataclass(frozen=True, kw_only=True)
class Document:
    """`answer`, `main` and `caveats` are page one, with the table of the comparison; `notes` the caveats beyond."""

    data: ReportData
    answer: list[str]
    main: Numbered | None
    caveats: list[str]
    notes: list[str]
    parts: list[Part]

    def figures(self) -> Iterator[Numbered]:
        if self.main is not None:
            yield self.main
        for part in self.parts:
            yield from part.figures


#: caveats that have room on page one
_MOST_CAVEATS = 6


def document(data: ReportData, *, still: bool = True) -> Document:
    """`still`: drawn once, as on paper; else for a page whose reader can choose what is drawn."""
    made, charts = sections(data, still=still)
    first = _main(data, charts)
    number = iter(range(1, len(charts) + 1))
    main = next((_numbered(one, charts, number) for part in made for one in part["charts"] if one["id"] == first), None)
    parts = [_part(part, charts, number, first) for part in made]
    caveats, answer = words.caveats(data), words.answer(data)
    return Document(
        data=data,
        answer=answer,
        main=main,
        caveats=caveats[:_MOST_CAVEATS],
        notes=caveats[_MOST_CAVEATS:],
        # a section of which page one has the figure and the sentence is no section
        parts=[part for part in parts if part.figures or part.table or not set(answer).issuperset(part.says)],
    )


def _part(part: Section, charts: dict[str, Chart], number: Iterator[int], first: str) -> Part:
    figures = [_numbered(one, charts, number) for one in part["charts"] if one["id"] != first]
    return Part(
        id=part["id"],
        title=part["title"],
        says=part["says"],
        figures=figures,
        axes=part["axes"],
        runs=part["runs"],
        table=part["latency"],
    )


def _numbered(one: Figure, charts: dict[str, Chart], number: Iterator[int]) -> Numbered:
    return Numbered(
        number=next(number),
        id=one["id"],
        chart=charts[one["id"]],
        caption=one["caption"],
        alt=one.get("alt") or one["caption"],
        run=one["run"],
        follows_axis=one["follows_axis"],
    )


def _main(data: ReportData, charts: dict[str, Chart]) -> str:
    """The chart that shows the answer: of its first metric with a significant difference, else of the first judged."""
    found = data.comparison
    told = [best.figure.name for best in telling(found)] if found else []
    shown = {verdict.figure.name for verdict in found.verdicts if verdict.different} if found else set()
    judged = sorted(told, key=lambda name: name not in shown)
    shows = {"latency_ms": ["latency"]}
    shows |= {key: ["load-curve"] for key in ("requests_per_s", "output_tokens_per_s")}
    shows |= {key: ["latency-ttft"] for key in ("ttft_mean_ms", "ttft_p50_ms")}
    if found and found.by == ["batch_size"]:  # else its points do not say which setting they are of
        shows["samples_per_s"] = ["throughput"]
    wanted = [name for metric in judged for name in [*shows.get(metric, []), f"spread-{metric}"]]
    curves = [f"progress-{metric}" for metric in (*judged, "val_loss", "loss", "accuracy")]
    return next((name for name in [*wanted, *curves, "load-curve", "latency-ttft", *charts] if name in charts), "")
