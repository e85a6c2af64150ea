"""`assay run --repeat` and `--grid` for people: what will be done, what failed and why, and what to do next."""

from __future__ import annotations

import shlex

from assay.comparing.margins import Wanted
from assay.launchers.places import HERE
from assay.stats.enough import LOOK_LEVEL, LOOK_LEVEL_APART
from assay.store.files import try_read
from assay.study.board import Board, Row
from assay.study.file import Study
from assay.study.prepare import name_of
from assay.text import counted, printable
from assay.units import show_seconds

_LINES, _BYTES = 5, 4000
_MOST_KNOWN = 12


def plan_line(study: Study, board: Board) -> str:
    """`assay: 9 runs of train: 3 settings × 3 repeats, one at a time`"""
    units = [row.unit for row in board.rows]
    measured = [unit for unit in units if not unit.warmup]
    cells = len({unit.cell for unit in measured})
    parts = [f"{cells} settings × {counted(study.repeat, 'repeat')}"] if cells > 1 else []
    parts += [f"{counted(study.warmup, 'warm-up run')} first"] if study.warmup else []
    done = board.count("done")
    parts += [f"{done} done already"] if done else []
    where = {unit.place.name for unit in units}
    parts += [f"on {', '.join(sorted(where))}"] if where != {HERE} else []
    more = f" ({', '.join(parts)})" if parts else ""
    until = "" if study.until is None else f" until {until_words(study.until)}"
    most = "at most " if until else ""
    return printable(f"assay: {most}{counted(len(measured), 'run')} of {units[0].called}{until}{more}")


def until_words(wanted: Wanted) -> str:
    """`samples_per_s_avg is known to ± 1 %`"""
    name, amount = wanted.figure or "the first metric", wanted.amount
    size = f"{100 * amount.value:.4g} %" if amount.relative else f"{amount.value:.4g}"
    return f"{'the difference in ' if wanted.difference else ''}{name} is known to ± {size}"


def until_lines(study: Study, board: Board) -> list[str]:
    """How well each combination is known now, whether that was enough, and how it was judged."""
    if study.until is None:
        return []
    from assay.study.until import known_so_far

    known = known_so_far(study.until, board)
    lines = [
        f"assay: {one.text}" + ("" if one.enough else ", which is not as narrow as requested")
        for one in known[:_MOST_KNOWN]
    ]
    if len(known) > _MOST_KNOWN:
        lines.append(f"assay: and {sum(one.enough for one in known)} of {len(known)} settings are known well enough")
    level = LOOK_LEVEL_APART if study.until.difference else LOOK_LEVEL
    how = f"judged after every run from the fourth on, by {100 * level:g} % intervals"
    return [*lines, f"assay: {how}, so that 95 % of the final intervals contain the true value"] if known else []


def failed_lines(board: Board, stopped_because: str) -> list[str]:
    """The first failure with the end of its output, how many more there are, and whether that ended it all."""
    failed = [row for row in board.of("failed") if row.summary.status != "interrupted"]
    lines = _failure(failed[0]) if failed else []
    if len(failed) > 1:
        lines.append(f"{counted(len(failed) - 1, 'more run')} failed: assay ls status=failed")
    if stopped_because:
        lines.append(f"assay: {stopped_because}")
    return lines


def _failure(row: Row) -> list[str]:
    summary = row.summary
    code = f" with exit code {summary.exit_code}" if summary.exit_code else ""
    took = f" after {show_seconds(summary.wall_s)}" if summary.wall_s is not None else ""
    why = f": {summary.error.message}" if summary.error is not None and summary.error.message else ""
    lines = [printable(f"assay: {name_of(row.unit)} {summary.status or 'failed'}{code}{took}{why}")]
    if row.run is None:
        return lines
    said = (try_read(row.run.path, "output.log") or b"")[-_BYTES:].decode(errors="replace").rstrip().splitlines()
    lines += [f"  {printable(line)}" for line in said[-_LINES:]]
    return [*lines, f"hint: see all of it with `assay show {shlex.quote(row.run.path.name)}`"]


def closing_line(study: Study, where: str) -> str:
    chosen = f"--where study={shlex.quote(study.name)}{where}"
    return f"\nassay: kept as study {printable(study.name)}; next: assay compare {chosen}, assay report {chosen}"
