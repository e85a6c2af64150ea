"""Runs that appear only in prose: in a sentence, in a list of averages, in a table."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from assay.ingest import naming, prose
from assay.ingest.page import Page
from assay.ingest.parts import CODE, HEADING, LOG, PROSE, TABLE, Part
from assay.ingest.statements import Statement, flag_statements
from assay.ingest.twins import Runs
from assay.model.event import Event, Result, Sample
from assay.model.values import Value, number
from assay.reading.found import Found
from assay.reading.guard import in_time, steps

_SHOWN = 20  # lines of a fence: a command is short
#: a row with one of these is a run
_ENOUGH = (*prose.RESULTS, "latency_ms", "inferences_per_s", "tokens_per_s")


def with_prose(found: list[Found], page: Page) -> list[Found]:
    """Add runs that appear only in prose; what repeats a log's run becomes a claim about that run."""
    by_table = [partial(_told_by_table, page, table) for table in _tables(page)]
    work = [partial(_told_by_lines, page), partial(_told_by_sections, page), *by_table]
    told = list(steps(page.document.name, work, page.problems))
    known = Runs(found)
    shown = {other.system for other in found if not other.prose}
    for run in sorted(told, key=lambda run: run.first_line):
        twins = known.like(run, most=2)
        if not twins and _is_of(run, found):
            continue
        if not twins:
            if run.claims or run.system not in {*shown, "generic"} or run.system == "psrecord":
                known.append(run)
            continue
        if len(twins) == 1:
            other = known.found[twins[0]]
            kept = {
                k: v
                for k, v in run.claims.items()
                if k not in other.claims
                and not _is_shown_by_others(k, v, other, found)
                and not _is_on_its_way(k, v, other)
            }
            lines = {k: v for k, v in run.claim_lines.items() if k in kept}
            more = replace(other, claims={**other.claims, **kept}, claim_lines={**other.claim_lines, **lines})
            known.replace(twins[0], more)
    return known.found


def _is_on_its_way(name: str, value: Value, run: Found) -> bool:
    """`73 % was reached after four epochs`, of a run of six: what is said right beside its log is read elsewhere."""
    ran, told = number(run.params().get(name)), number(value)
    return name == "epochs" and ran is not None and told is not None and told < ran


def _is_shown_by_others(name: str, value: Value, run: Found, found: list[Found]) -> bool:
    """Whether the log of this run shows another value, and that of another run this one: it is said of that one."""
    return run.params().get(name, value) != value and any(one.params().get(name) == value for one in found)


def _is_of(told: Found, found: list[Found]) -> bool:
    """Statements about a run whose log is here, matched by the setting that names it; they add no run."""
    logs = [run for run in found if not run.prose]
    return bool(told.claims) and all(
        any(run.claims.get(name) == value or run.params().get(name) == value for run in logs)
        for name, value in told.claims.items()
    )


def _told_by_lines(page: Page) -> list[Found]:
    runs = []
    for part in in_time(page.document.parts, page.document.name):
        if part.kind not in (PROSE, HEADING) or part.number in page.taken:
            continue
        figures = {k: v for k, v in page.figures(part.said).items() if k not in ("cpu_pct", "rss_bytes", "wall_s")}
        if not any(name in figures for name in prose.RESULTS):
            continue
        stated = page.statements_of(part)
        runs.append(_told(page, part.number, part.number, figures, stated))
    return runs


def _told_by_sections(page: Page) -> list[Found]:
    """Averages of a profile stand in a list, one to a line: a section of them is one run."""
    runs: list[Found] = []
    groups: dict[int, list[Part]] = {}
    for part in in_time(page.document.parts, page.document.name):
        if part.kind == PROSE and part.number not in page.taken:
            groups.setdefault(page.section(part.number).first_line, []).append(part)
    for parts in groups.values():
        figures: dict[str, float] = {}
        lines: list[int] = []
        for part in parts:
            said = {k: v for k, v in page.figures(part.said).items() if k in ("cpu_pct", "rss_bytes", "wall_s")}
            stated = page.statements_of(part)
            if len(said) > 1 and stated:  # `Batch size 32: average CPU usage 390 %, average memory usage …`
                runs.append(_told(page, part.number, part.number, said, stated))
            elif said:
                lines.append(part.number)
                figures = {**said, **figures}
        if not ({"cpu_pct", "rss_bytes"} & figures.keys()):
            continue
        section = page.section(lines[0])
        stated = page.statements(section.title, section.first_line, also=("num_procs",))
        for text in section.text:
            stated += flag_statements(text.replace('"', " "), section.first_line)
        runs.append(_told(page, lines[0], lines[-1], figures, stated))
    return runs


def _told_by_table(page: Page, table: list[tuple[Part, list[str]]]) -> list[Found]:
    runs: list[Found] = []
    (_, header), *rows = table
    turned = prose.on_its_side(header, [cells for _, cells in rows])
    if turned:
        heads, *columns = zip(turned, *(cells for _, cells in rows), strict=True)
        found = [(table[0][0], table[-1][0], list(heads), list(column)) for column in columns]
    else:
        found = [(part, part, header, cells) for part, cells in rows]
    each = _steps_of_each(page, table[0][0].number)
    for first, last, heads_of_row, cells in found:
        figures, settings = prose.table_row(heads_of_row, cells, page.decimal_comma)
        if any(name in figures for name in _ENOUGH) or ("reported_s" in figures and settings):
            stated = [Statement(k, v, first.number, first.said) for k, v in settings.items()]
            runs.append(_told(page, first.number, last.number, {**each, **figures}, stated))
    return runs


def _steps_of_each(page: Page, line: int) -> dict[str, float]:
    """`300 steps for every batch size`, above a table: of each of its rows."""
    section = page.section(line)
    for part in page.said_between(section.first_line - 1, line):
        steps = prose.steps_of_each(part.said)
        if steps is not None:
            return {"step": steps}
    return {}


def _tables(page: Page) -> list[list[tuple[Part, list[str]]]]:
    """Rows with their cells, head first; rows that a reader took are not among them."""
    tables: list[list[tuple[Part, list[str]]]] = []
    inside = False
    for part in in_time(page.document.parts, page.document.name):
        if part.kind != TABLE:
            inside = False
        elif part.number not in page.taken and not re.fullmatch(r"[\s|:-]+", part.said):
            row = (part, [cell.strip() for cell in part.said.strip("|").split("|")])
            if inside:
                tables[-1].append(row)
            else:
                tables.append([row])
            inside = True
    return tables


def _profiler(page: Page, line: int) -> str | None:
    """What the section names, in its words or in the command that it shows in a fence."""
    section = page.section(line)
    shown = [part.line.text for part in page.parts_between(section.first_line, line) if part.kind in (LOG, CODE)]
    return section.system or next(iter(naming.named("\n".join(shown[:_SHOWN]))), None)


def _told(page: Page, first: int, last: int, figures: dict[str, float], stated: list[Statement]) -> Found:
    claims: dict[str, Value] = {}
    lines: dict[str, int] = {}
    for one in stated:
        if one.name not in claims:
            claims[one.name], lines[one.name] = one.value, one.line
    averages = {name: figures[name] for name in ("cpu_pct", "rss_bytes") if name in figures}
    others = {name: value for name, value in figures.items() if name not in averages}
    events: list[Event] = [Result(source="reader:prose", line=first, values=others)]
    if averages:  # of a profile: one sample that stands for all
        events.append(Sample(source="probe:psrecord", line=first).replace(**averages))
    return Found(
        system=(_profiler(page, first) if "cpu_pct" in figures else None) or page.system_near(first),
        first_line=first,
        last_line=last,
        events=events,
        claims=claims,
        claim_lines=lines,
        prose=True,
    )
