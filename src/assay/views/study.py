"""A study for people: its plan before it starts, a table while it goes, a line for each run that ends."""

from __future__ import annotations

import shlex
import statistics
from collections.abc import Sequence

from assay.facts.secrets import mask_arguments
from assay.launchers import traits_of
from assay.model.values import number
from assay.spec import short_id
from assay.study.board import Board, Row
from assay.study.file import Study
from assay.study.plan import Cost, Unit
from assay.study.prepare import name_of
from assay.study.template import fill
from assay.text import counted, printable
from assay.units import show_seconds
from assay.views.grid import Cell, Column, Grid, Styled
from assay.views.table import Column as Measured
from assay.views.table import measured, of_number
from assay.views.words import accuracy_words

#: figures worth a column, in this order, as far as the runs have them
FIGURES = (
    (measured("samples_per_s"), ("samples_per_s_own", "samples_per_s_avg")),
    *((measured(name), (name,)) for name in ("loss", "accuracy", "latency_ms")),
    (Measured(field="phases.queue", heading="queue", show=of_number(show_seconds)), ("phases.queue",)),
)
_SHOWN = 40
_FEW = 6


def plan_lines(study: Study, board: Board, width: int | None) -> list[str]:
    """What will be done, and what it may cost, before anything starts."""
    units = [row.unit for row in board.rows]
    cells = len({unit.cell for unit in units if not unit.warmup})
    left = board.of("missing", "failed", "queued", "running")
    title = f"{study.name}: {counted(cells, 'combination')} x {counted(study.repeat, 'repeat')}"
    warmups = f" + {counted(study.warmup, 'warm-up')}" if study.warmup else ""
    lines = [f"{title}{warmups} = {counted(len(units), 'run')} on {_where(units)}{_how_wide(units, width)}"]
    lines += [f"  {study.about.strip().splitlines()[0]}"] if study.about.strip() else []
    if not left:
        return [*lines, "  all runs are done"]
    done = board.count("done")
    if done:
        lines.append(f"  {done} done, {counted(len(left), 'run')} to do")
    lines.append(f"  order: {study.order}; {_cost(left, board, study, width)}")
    return lines


def old_code_lines(study: Study, board: Board, old: Sequence[Row], *, redo: bool) -> list[str]:
    """Which runs used another version of the program than the current one, and what to do."""
    if not old:
        return []
    names = [name_of(row.unit) for row in old]
    shown = ", ".join(names[:_FEW]) + (f" and {len(names) - _FEW} more" if len(names) > _FEW else "")
    script = next((row.summary.code.script for row in old if row.summary.code), None) or "the program"
    count = f"{len(old)} of {board.count('done')} runs that are done ran an older version of `{script}`"
    if redo:
        return [f"{count}; they are done again: {shown}"]
    file = shlex.quote(str(study.document.path))
    lines = [f"{count}: {shown}", f"  do them again with: assay study {file} --redo"]
    new = [row for row in board.of("done") if row not in old and row.summary.code]
    if new:
        lines.append(
            f"  see what changed with: assay diff {short_id(old[0].summary.id)} {short_id(new[-1].summary.id)}"
        )
    return lines


def dry_lines(study: Study, board: Board) -> list[str]:
    """Every run of the plan with its command line, quoted as a shell would need it."""
    lines = []
    for row in board.rows[:_SHOWN]:
        unit = row.unit
        given = {"repeat": unit.repeat + 1, "run": "RUN", "config": "RUN/config", "seed": unit.seed}
        command = shlex.join(mask_arguments(fill(study.command, {**given, **unit.settings})))
        lines.append(f"  {row.state:<8} {name_of(unit):<24} {command}")
    if len(board.rows) > _SHOWN:
        lines.append(f"  … and {len(board.rows) - _SHOWN} more")
    return lines


def _cost(left: Sequence[Row], board: Board, study: Study, width: int | None) -> str:
    from assay.study.plan import estimate

    cost = estimate([row.unit for row in left], board.walls())
    most = f", at most {show_seconds(study.timeout_s * len(left))} of runs" if study.timeout_s else ""
    if cost.seconds is None:
        return f"time remaining: known after the first run{most}"
    by = f"by {counted(cost.measured, 'run')} so far"
    return f"about {show_seconds(_elapsed(cost, board, width))}, {by}{_nodes(cost)}"


def _nodes(cost: Cost) -> str:
    assert cost.seconds is not None and cost.node_seconds is not None
    return "" if cost.node_seconds <= cost.seconds else f", {cost.node_seconds / 3600:.2g} node hours"


def _elapsed(cost: Cost, board: Board, width: int | None) -> float:
    """As many at once as there are now, or as many as may be."""
    at_once = max(1, board.count("running"), width or 1)
    return (cost.seconds or 0.0) / min(at_once, max(1, cost.runs))


def _where(units: Sequence[Unit]) -> str:
    places = {(unit.place.name, unit.place.nodes, unit.place.procs or unit.place.tasks or 1) for unit in units}
    return ", ".join(
        name + (f" ({nodes} x {procs})" if nodes * procs > 1 else "") for name, nodes, procs in sorted(places)
    )


def _how_wide(units: Sequence[Unit], width: int | None) -> str:
    if width and width > 1:
        return f", {width} at a time"
    local = not any(traits_of(unit.place.launcher).queues for unit in units)
    return ", one at a time" if local or width == 1 else ""


def head_line(board: Board, width: int | None) -> str:
    """`7 of 12 done, 1 running, 3 queued, 1 failed, about 2m 10s left`."""
    parts = [f"{board.count('done')} of {len(board.rows)} done"]
    parts += [f"{board.count(state)} {state}" for state in ("running", "queued", "failed") if board.count(state)]
    cost = board.left()
    if cost.runs and cost.seconds is not None:
        parts.append(f"about {show_seconds(_elapsed(cost, board, width))} left")
    return ", ".join(parts) + (f"; {board.word}" if board.word else "")


def table(board: Board) -> Grid:
    """One line a combination: how many of its runs are done, and the median of what they measured."""
    cells: dict[str, list[Row]] = {}
    for row in board.rows:
        if not row.unit.warmup:
            cells.setdefault(row.unit.cell, []).append(row)
    names = list(dict.fromkeys(name for rows in cells.values() for name in rows[0].unit.varied))
    figures = [(one, fields) for one, fields in FIGURES if any(_values(r, fields) for r in cells.values())]
    measured_in = [row.summary for row in board.of("done") if row.summary.accuracy is not None]
    accuracy = {accuracy_words(one) for one in measured_in}
    shown = [accuracy.pop() if one.field == "accuracy" and len(accuracy) == 1 else one.heading for one, _ in figures]
    headings = (*names, "done", "running", "queued", "failed", "time", *shown)
    ordered = sorted(cells.values(), key=lambda rows: [_order(rows[0].unit.varied.get(name)) for name in names])
    return Grid(
        columns=[Column(heading=printable(text), right=text not in names, cut=text in names) for text in headings],
        rows=[_cells(rows, names, figures) for rows in ordered[:_SHOWN]],
    )


def _cells(rows: list[Row], names: list[str], figures: Sequence[tuple[Measured, tuple[str, ...]]]) -> list[Cell]:
    def count(state: str) -> str:
        amount = sum(row.state == state for row in rows)
        return str(amount) if amount else ""

    settings = [printable(str(rows[0].unit.varied.get(name, ""))) for name in names]
    simulated = any(row.summary.is_simulated for row in rows)
    walls = _values(rows, ("wall_s",))
    shown: list[Cell] = [f"{count('done') or 0}/{len(rows)}{' simulated' if simulated else ''}", count("running"),
             count("queued"), Styled(count("failed"), "red"),
             show_seconds(statistics.median(walls)) if walls else ""]  # fmt: skip
    for one, fields in figures:
        values = _values(rows, fields)
        shown.append(one.show(statistics.median(values)) if values else "")
    return [*settings, *shown]


def _values(rows: Sequence[Row], fields: tuple[str, ...]) -> list[float]:
    found = []
    for row in rows:
        values = [row.summary.figure(name) for name in fields] if row.state == "done" else []
        found += [value for value in values if value is not None][:1]
    return found


def _order(value: object) -> tuple[int, float, str]:
    figure = number(value)
    return (0, figure, "") if figure is not None else (1, 0.0, str(value))


def ended_line(row: Row, ended: int, of: int) -> str:
    """For a log: one run that has just ended."""
    summary = row.summary
    parts = [f"[{ended}/{of}] {name_of(row.unit)}", summary.status or "gone"]
    if summary.is_simulated:
        parts.append("simulated")
    if row.state == "failed" and summary.status == "completed":
        parts.append("but `success` of the study is not met")
    wall_s, code = summary.wall_s, summary.exit_code
    parts += [show_seconds(wall_s)] if wall_s is not None else []
    parts += [f"exit code {code}"] if code else []
    parts += [str(summary.error)] if summary.error else []
    for one, fields in FIGURES[:3]:
        value = next((v for name in fields if (v := summary.figure(name)) is not None), None)
        heading = accuracy_words(summary) if fields == ("accuracy",) else one.heading
        parts += [f"{heading} {one.show(value)}"] if value is not None else []
    return printable("  ".join(parts))
