"""Runs kept by other tools in their formats: which format a file has, and how its runs are imported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from assay.model.event import Event, read
from assay.model.values import number
from assay.quantities import named
from assay.reading import mlflow, wandb
from assay.reading.found import Found
from assay.reading.records import Record
from assay.reading.sources import Source
from assay.reading.tensorboard import has_no_step, own_name, tag_name
from assay.spec import typed

#: a longer value is text, whatever it looks like
_LONGEST_NUMBER = 100


def is_store(source: Source) -> bool:
    return source.path is not None and (wandb.is_run(source.path) or mlflow.is_store(source.path))


def runs_of_store(source: Source) -> list[Found]:
    assert source.path is not None
    records = wandb.records(source.path) if wandb.is_run(source.path) else mlflow.records(source.path)
    return [found_of(record) for record in records]


def found_of(record: Record) -> Found:
    """Every fact becomes a line of text and an event that names the line: evidence that a person can read."""
    lines: list[str] = list(record.notes)
    events: list[Event] = []

    def say(kind: str, line: str, told: Mapping[str, object], t: float | None = None) -> None:
        """The figures keep the names that another tool gave them."""
        lines.append(line)
        events.append(read(f"reader:{record.system}", len(lines), kind, told, t))

    for name, value in record.settings.items():
        say("param", f"setting {name} = {str(value)[:2000]}", {setting_name(name): _typed(value)})
    for step, t, values in _steps(record.metrics):
        said = " ".join(f"{name} {value:.9g}" for name, value in values.items())
        if step is None:
            say("metric", f"at {t:.3f} {said}", values, t)
        else:
            say("metric", f"step {step} at {t:.3f} {said}", {"step": step, **values}, t)
    if record.results:
        said = " ".join(f"{name} {value:.9g}" for name, value in record.results.items())
        say("result", f"summary {said}", {own_name(name): value for name, value in record.results.items()})
    say("end", f"status {record.status}", {"status": record.status})
    text = "\n".join(lines).encode("utf-8", "replace") + b"\n"
    return Found(
        system=record.system, first_line=1, last_line=len(lines), events=events, command=record.command,
        name=record.name, text=text,
    )  # fmt: skip


def _steps(metrics: Iterable[tuple[str, float, int, float]]) -> Iterator[tuple[int | None, float, dict[str, float]]]:
    """Figures of one step together, as they were logged; None is the step of what has none."""
    values: dict[str, float] = {}
    at: tuple[int | None, float] = (0, 0.0)
    for name, value, step, t in metrics:
        known, made = tag_name(name), None if has_no_step(name) else step
        if values and (at[0] != made or known in values):
            yield *at, values
            values = {}
        at = (made, t) if not values else at
        values[known] = value
    if values:
        yield *at, values


def setting_name(name: str) -> str:
    short = name.lower().replace("-", "_").rpartition("/")[2]
    known = named(short)
    return known.name if known is not None and known.settable else own_name(name)


def _typed(value: object) -> object:
    if number(value) is not None or isinstance(value, bool):
        return value
    text = str(value)[:2000]
    return typed(text) if len(text) < _LONGEST_NUMBER else text
