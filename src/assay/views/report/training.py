"""Charts of what was learnt and how fast: results, throughput, training curves, scaling, latency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.quantities import named as quantity_named
from assay.text import capital
from assay.views.charts import results
from assay.views.charts.base import AXES, Chart, Columns, Section, Table, section, words_of
from assay.views.charts.curves import course
from assay.views.charts.limits import is_share, limits_of
from assay.views.columns import FIGURES
from assay.views.report.bands import STRETCHES
from assay.views.report.columns import model_of
from assay.views.report.given import axis_of
from assay.views.report.kind import add, named, number, repeats, settings_of, told

if TYPE_CHECKING:
    from assay.views.report.data import ReportData

_PROGRESS = FIGURES[:-1]
_SPREAD = {
    "samples_per_s": "throughput (samples/s)",
    "accuracy": "accuracy",
    "loss": "loss",
    "val_loss": "validation loss",
    "latency_ms": "latency (ms)",
    "output_tokens_per_s": "output token rate (tokens/s)",
    "ttft_p50_ms": "median time to first token (ms)",
    "e2e_p50_ms": "median request latency (ms)",
    "wall_s": "time (s)",
}


def spread(data: ReportData, charts: dict[str, Chart], still: bool) -> Section:
    part = section("spread", "Results")
    columns, means = data.datasets.get("results", {}), data.datasets.get("means", {})
    settings, compared = settings_of(data), data.comparison is not None and len(data.comparison.groups) > 1
    at, varied = (data.comparison.axis.at, data.comparison.by) if data.comparison else ("", [])
    for name, title in _SPREAD.items():
        values = columns.get(name, [])
        known = {group for group, value in zip(columns.get("group", []), values, strict=False) if value is not None}
        if sum(value is not None for value in values) < 2 or (compared and len(known) < 2):
            continue
        if name == "samples_per_s" and "batch" in data.datasets and varied == ["batch_size"]:
            continue  # the next chart shows the same, against the batch size
        ends = [value for kind in ("mean", "low", "high") for value in _of(means, name, kind)]
        limits = limits_of(name, [*values, *ends])
        when = f" {at}" if at and name in ("accuracy", "loss", "val_loss") else ""
        noun = title.partition(" (")[0]
        caption = f"{capital(noun)}{when} by setting: each ring is a run, the diamond is the mean"
        caption += (
            ", the line its 95 % interval." if any(value is not None for value in _of(means, name, "low")) else "."
        )
        alt = f"Dot plot of {noun}{when}. Mean of {told(_means(means, name))}."
        add(part, charts, f"spread-{name}", results.spread(name, f"{title}{when}", settings, limits), caption, alt=alt)
    return part


def _of(columns: Columns, name: str, kind: str) -> list[object]:
    """A column of the rows of one figure."""
    return [v for figure, v in zip(columns.get("figure", []), columns.get(kind, []), strict=True) if figure == name]


def _means(means: Columns, name: str) -> list[tuple[str, str]]:
    groups, values = _of(means, name, "group"), _of(means, name, "mean")
    return [(str(group), _shown(name, value)) for group, value in zip(groups, values, strict=True)]


def _shown(name: str, value: object) -> str:
    if isinstance(value, (int, float)) and is_share(name):
        return f"{100 * value:.4g} %"
    return number(value)


def _sentences(data: ReportData, model: str) -> list[str]:
    found = model_of(data.comparison, model)
    return [f"{text}." for text in found.says] if found else []


def throughput(data: ReportData, charts: dict[str, Chart], still: bool) -> Section:
    part = section("throughput", "Throughput against batch size")
    columns = data.datasets.get("batch")
    if columns:
        part["says"] = _sentences(data, "batch")
        notes = set(words_of(data.datasets.get("batch_model", {}), "note"))
        caption = "Throughput against batch size. Each point is a run"
        caption += "; dashed: the fitted model" if "the fitted line" in notes else ""
        caption += "; grey bar: estimate for a size that was not run" if len(notes - {"the fitted line"}) else ""
        sizes = zip(columns["batch_size"], columns["samples_per_s"], strict=True)
        alt = f"Scatter plot of samples per second by batch size. {told((number(x), number(y)) for x, y in sizes)}."
        tried = [*columns["batch_size"], *data.datasets.get("batch_model", {}).get("batch_size", [])[-1:]]
        shown = sorted({value for value in tried if isinstance(value, float)})
        alone = data.comparison is None or data.comparison.by == ["batch_size"]
        chart = results.throughput_by_batch(settings_of(data, columns), shown, legend=not alone)
        add(part, charts, "throughput", chart, f"{caption}.", alt=alt)
    return part


def progress(data: ReportData, charts: dict[str, Chart], still: bool) -> Section:
    columns = data.datasets.get("curves", {})
    first = axis_of(columns, data.comparison)
    axes = sorted(((axis, text) for axis, text in AXES.items() if axis in columns), key=lambda one: one[0] != first)
    part = section("progress", "Training curves", axes=axes)
    for name in _PROGRESS if first else ():
        # one value a run is a result, not a curve
        runs = [run for run, value in zip(columns["run"], columns.get(name, []), strict=False) if value is not None]
        if len(runs) > len(set(runs)):
            chart, caption = (_course if still else _lines)(data, name, str(first))
            alt = f"Line chart of {results.label(name)}. Last value of {told(_last(columns, name))}."
            add(part, charts, f"progress-{name}", chart, caption, alt=alt, follows=not still)
    return part


def _lines(data: ReportData, name: str, axis: str) -> tuple[Chart, str]:
    columns = data.datasets["curves"]
    limits = limits_of(name, columns[name])
    caption = f"{_called(name)} against {AXES[axis]}: a line for each run, a colour for each setting."
    return results.progress(name, axis, settings=settings_of(data), limits=limits), caption


def _course(data: ReportData, name: str, axis: str) -> tuple[Chart, str]:
    bands, columns = data.datasets.get("bands", {}), data.datasets["curves"]
    banded = list(dict.fromkeys(map(str, _of(bands, name, "group"))))
    groups = words_of(columns, "group")
    single = [group for group in groups if group not in banded and _known(columns, name, group)]
    lines = [value for group in single for value in _known(columns, name, group)]
    seen = [float(value) for value in columns[name] if isinstance(value, (int, float))]
    # an interval of three noisy runs may reach ten times as far as any of them: the curves would be flat lines
    ends = [min(max(value, min(seen)), max(seen)) for kind in ("low", "high") for value in _of(bands, name, kind)
            if isinstance(value, (int, float))]  # fmt: skip
    limits = limits_of(name, [*lines, *ends, *_of(bands, name, "mean")])
    caption = f"{_called(name)} against {AXES[axis]}"
    if banded:
        counts = [int(str(count)) for count in _of(bands, name, "n")]
        caption += f": mean of {repeats(counts)}, band: 95 % interval"
        longest = max(list(map(str, _of(bands, name, "group"))).count(group) for group in banded)
        caption += ", averaged over short stretches" if longest > STRETCHES / 2 else ""
        caption += f". Single runs of {named(single)}" if single else ""
    else:
        caption += (
            ""
            if _runs(columns, name) == 1
            else ": a line for each run" + (", a colour for each setting" if len(groups) < _runs(columns, name) else "")
        )
    return course(name, axis, settings_of(data), limits), f"{caption}."


def _called(name: str) -> str:
    """`Throughput (samples/s)`: as a caption begins."""
    label, known = results.label(name), quantity_named(name)
    return capital(label if known is None or known.noun == label else f"{known.noun} ({label})")


def _known(columns: Columns, name: str, group: str) -> list[object]:
    pairs = zip(columns["group"], columns.get(name, []), strict=False)
    return [value for one, value in pairs if one == group and value is not None]


def _runs(columns: Columns, name: str) -> int:
    return len({run for run, value in zip(columns["run"], columns[name], strict=True) if value is not None})


def _last(columns: Columns, name: str) -> list[tuple[str, str]]:
    found = {
        str(group): value for group, value in zip(columns["group"], columns[name], strict=True) if value is not None
    }
    return [(group, _shown(name, value)) for group, value in found.items()]


def scaling(data: ReportData, charts: dict[str, Chart], still: bool) -> Section:
    part = section("scaling", "Scaling")
    columns = data.datasets.get("scaling")
    if columns:
        part["says"] = _sentences(data, "scaling")
        pairs = zip(columns["workers"], columns["speedup"], strict=True)
        alt = f"Line chart of speed-up by workers. {told((number(x), number(y)) for x, y in pairs)}."
        caption = "Speed-up over the fewest workers; dashed: ideal speed-up."
        add(part, charts, "scaling", results.scaling(), caption, alt=alt)
    return part


def latency(data: ReportData, charts: dict[str, Chart], still: bool) -> Section:
    part = section("latency", "Latency")
    columns = data.datasets.get("latency")
    if columns:
        caption = "Latency: median (circle), 90th percentile (diamond), 99th percentile (triangle) and mean (cross)."
        medians = told((str(g), number(v)) for g, v in zip(columns["group"], columns["p50"], strict=True))
        alt = f"Latency from the median to the 99th percentile. Median in ms of {medians}."
        add(part, charts, "latency", results.latency(settings_of(data, columns)), caption, alt=alt)
        part["latency"] = _latencies(columns)
    return part


def _latencies(columns: Columns) -> Table:
    heads = ["", "accuracy %", "mean ms", "p50 ms", "p90 ms", "p99 ms", "inferences/s"]
    accuracy: list[object] = [100 * value if isinstance(value, float) else None for value in columns["accuracy"]]
    shown = [columns["group"], accuracy, *(columns[name] for name in ("mean", "p50", "p90", "p99", "per_s"))]
    return Table(heads=heads, rows=[[_cell(value) for value in row] for row in zip(*shown, strict=True)])


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
    return "" if value is None else str(value)
