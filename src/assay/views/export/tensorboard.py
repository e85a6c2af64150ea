"""A run as a TensorBoard event file: its curves, its results, and its settings as a text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assay.model.values import Setting
from assay.store.layout import write_whole
from assay.units import show_number
from assay.views.export.points import Exported, Point
from assay.views.export.records import double, part, record, single, text, whole


def write(exported: Exported, folder: Path) -> Path:
    """One file in a folder of the run's own: its curves, and its settings as a text that TensorBoard shows."""
    place = folder / exported.run.path.name
    place.mkdir(parents=True, exist_ok=True)
    points = exported.points()
    first = next(points, None)
    start_t = first.t if first is not None else 0.0
    content = [record(double(1, start_t) + text(3, "brain.Event:2")), record(_settings(exported, start_t))]
    content += [record(_scalar(point)) for point in ([first] if first is not None else [])]
    content += [record(_scalar(point)) for point in points]
    for name, value in exported.results().items():
        content.append(record(_scalar(Point(f"summary/{name}", 0, start_t, float(value)))))
    target = place / f"events.out.tfevents.{int(start_t)}.assay.{exported.summary.id}"
    write_whole(target, b"".join(content))
    return target


def _scalar(point: Point) -> bytes:
    """Event(wall_time=1, step=2, summary=5(value=1(tag=1, simple_value=2)))"""
    value = text(1, point.name) + single(2, point.value)
    return double(1, point.t) + whole(2, point.step) + part(5, part(1, value))


def _settings(exported: Exported, t: float) -> bytes:
    """The text plugin takes a tensor of strings, and shows Markdown."""
    rows = [f"| {_cell(name)} | {_cell(value)} |" for name, value in _facts(exported)]
    table = "\n".join(["| | |", "|---|---|", *rows])
    tensor = whole(1, 7) + part(2, part(2, whole(1, 1))) + text(8, table)  # DT_STRING, shape (1)
    metadata = part(1, text(1, "text"))
    return double(1, t) + part(5, part(1, text(1, "settings/text_summary") + part(8, tensor) + part(9, metadata)))


def _facts(exported: Exported) -> Iterable[tuple[str, Setting]]:
    one = exported.summary
    named = (
        ("id", one.id),
        ("name", one.name),
        ("status", one.status),
        ("how", one.how),
        ("system", one.system),
        ("host", one.host),
        ("source", one.source),
    )
    return [*((name, value) for name, value in named if value is not None), *exported.settings().items()]


def _cell(value: Setting) -> str:
    """Table and markup signs are escaped: TensorBoard renders what it is given."""
    text = show_number(value) if isinstance(value, float) else str(value)
    return "".join(f"\\{sign}" if sign in "\\|`*_<>[]#" else sign for sign in text.replace("\n", " "))[:500]
