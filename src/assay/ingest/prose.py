"""Runs that appear only in prose: a sentence, a list item, a row of a table with figures in it.

    The first run (batch size 1024) ended at step 1,000 with a loss of 7.07812 … It processed 1024000 samples in 211.2 s
    1. Learning rate = 0.03, epoch = 10, batch_size = 8 ---> test data accuracy 96.62%
    Average CPU usage: 542.10 %, Average memory usage: 2742.22 MB                             (of a psrecord log)

The trap: a sentence that compares (`98.06 %, 98.16 % and 98.67 % respectively`) is not a run, and one that repeats a
log's figures is that run.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.core.commandline import as_setting
from assay.language import modality
from assay.language.claims import said_in
from assay.language.said import Said, Value
from assay.language.tables import Head, cell_number, figure, head
from assay.quantities import BY_NAME

#: what a sentence or a column calls it, and where a summary keeps it
_FIELDS = {
    "accuracy": "accuracy", "loss": "loss", "steps": "step", "samples": "samples", "cpu": "cpu_pct",
    "memory": "rss_bytes", "time": "wall_s", "samples_per_s": "samples_per_s", "samples_per_s_avg": "samples_per_s_avg",
    "rate": "samples_per_s",
    "tokens_per_s": "tokens_per_s", "inferences_per_s": "inferences_per_s", "latency": "latency_ms",
    "val_loss": "val_loss", "test_loss": "test_loss",
}  # fmt: skip
#: enough of a result to be a run of its own
RESULTS = ("accuracy", "loss", "cpu_pct", "rss_bytes", "samples_per_s", "samples_per_s_avg", "train_s")
_SETTING_COLUMNS = ("batch_size", "lr", "epochs", "num_tasks", "seq_len")
_EACH = frozenset({"each", "every", "all", "both", "same"})
_PARTS = ("epoch", "step", "sample", "token", "device")


def figures(text: str, decimal_comma: bool = False) -> dict[str, float]:
    """Figures of one run that a line of prose gives; nothing of what it gives several values, or only supposes."""
    found: dict[str, set[float]] = {}
    for one in said_in(text, decimal_comma):
        for value in one.values:
            told = _figure(one, value)
            if told is not None:
                found.setdefault(told[0], set()).add(told[1])
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def _figure(one: Said, value: Value) -> tuple[str, float] | None:
    name = _FIELDS.get(value.name)
    if name is None or value.modality != modality.DONE or value.was is not None or value.listed or value.bound:
        return None
    if value.scope in _PARTS or value.average in ("max", "min", "std", "initial") or value.number.upper is not None:
        return None
    if name == "samples_per_s" and value.name == "rate":
        return None
    measured = figure(value.name, value.number)
    if measured is None:
        return None
    if name == "samples_per_s" and value.average == "mean":
        name = "samples_per_s_avg"
    if name == "wall_s" and any(other.name == "samples" for other in one.values):
        name = "train_s"
    return name, measured * 1000 if name == "latency_ms" else measured


def table_row(
    header: Sequence[str], cells: Sequence[str], decimal_comma: bool = False
) -> tuple[dict[str, float], dict[str, int | float]]:
    """(figures, settings) of a row, by the heads of its columns."""
    found: dict[str, float] = {}
    settings: dict[str, int | float] = {}
    for title, cell in zip(header, cells, strict=False):
        column = head(title)
        number = cell_number(cell, column.unit, decimal_comma)
        if number is None or column.derived or column.average in ("max", "min"):
            continue
        if column.name in _SETTING_COLUMNS:
            value = as_setting(BY_NAME[column.name], number.value)
            settings.update({} if value is None else {column.name: value})
        elif (name := _field(column, title, header)) is not None and (
            measured := figure(column.name, number)
        ) is not None:
            found.setdefault(name, measured * 1000 if name == "latency_ms" else measured)
    if not {"cpu_pct", "rss_bytes"} & found.keys() and "wall_s" in found:
        found.setdefault("reported_s", found.pop("wall_s"))  # what else a column of seconds covers is not known
    return found, settings


def _field(column: Head, title: str, header: Sequence[str]) -> str | None:
    """A log's own `Rate` is its rate, and `GlobalRate` its average, whatever else the table works out."""
    name = _FIELDS.get(column.name)
    if name == "wall_s":
        is_part = any(word in title.lower().split() for word in ("per", "/", "each"))
        return None if is_part else "train_s" if column.split == "train" else name
    if name not in ("samples_per_s", "samples_per_s_avg"):
        return name
    logged = [other for other in header if "rate" in other.lower() and head(other).name.startswith("samples_per_s")]
    if len(logged) < 2:
        return "samples_per_s_avg" if column.average == "mean" else name
    if title not in logged:
        return None
    return "samples_per_s_avg" if "global" in title.lower() else "samples_per_s"


def on_its_side(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str] | None:
    """The head of a table with a column a run: `Batch size | 512 | 1024`, ` | batch size 512 | batch size 1024`."""
    values = header[1:]
    named = all(len(row) == len(header) and not row[0][:1].isdigit() and row[0][:1] != "." for row in rows)
    if not named or len(values) < 2:
        return None
    if head(header[0]).name in _SETTING_COLUMNS and all(cell_number(value) is not None for value in values):
        return list(header)
    heads = {head(value).name for value in values}
    numbers = [cell_number(value) for value in values]
    if head(header[0]).name or len(heads) != 1 or not heads <= set(_SETTING_COLUMNS) or None in numbers:
        return None
    return [heads.pop(), *values]


def steps_of_each(text: str) -> float | None:
    """`each run did 505 steps`: what all runs have in common, where a sentence gives one number."""
    for one in said_in(text):
        steps = {value.number.value for value in one.values if value.name in ("steps", "max_steps")}
        done = all(value.modality == modality.DONE for value in one.values)
        if len(steps) == 1 and done and _EACH & set(one.text.lower().replace(",", " ").split()):
            return steps.pop()
    return None
