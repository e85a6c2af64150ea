"""Derived columns: a column that follows from its neighbours by one formula in most rows is checked in the others.

Ratios to the first row, to the row above or to another column, changes, differences, products, shares, efficiencies and
means are formulas like any other: each gives an interval for every row, because its inputs were rounded. What fits by
chance is kept apart by counting only rows in which the formula says something exact. Tables with the same head share
their formulas, so that four tables of three rows support each other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median, pstdev, stdev

from assay.checking.evidence import Grid, Page, Series, Value
from assay.checking.lexicon import stem, words
from assay.reading.tables import clean

Span = tuple[float, float]
_MOST_ROWS = 60  # that a formula is tried on
_MOST_SERIES = 14


@dataclass(frozen=True, kw_only=True)
class Miss:
    """A cell that does not follow: what stands there, what the formula gives, the lines of its inputs."""

    line: int
    text: str
    formula: str
    expected: float
    lines: tuple[int, ...]
    certain: bool
    row: int = 0
    named: bool = False
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class Formula:
    """`spans[row]`: what the formula gives there and the rows that it took it from; None where it says nothing."""

    text: str
    spans: dict[int, Span]
    rows: dict[int, tuple[int, ...]]
    family: str


def ratio(a: Value, b: Value, factor: float = 1.0) -> Span | None:
    """All that a/b can be."""
    if b.low <= 0 <= b.high or b.mid == 0:
        return None
    corners = [x / y * factor for x in (a.low, a.high) for y in (b.low, b.high)]
    return min(corners), max(corners)


def _ratio_of(factor: float, a: Value, b: Value) -> Span | None:
    return ratio(a, b, factor)


def _ratio_to(factor: float, a: Value, b: Value) -> Span | None:
    return ratio(b, a, factor)


def change(a: Value, b: Value) -> Span | None:
    """The change from b to a in percent."""
    span = ratio(a, b, 100.0)
    return (span[0] - 100.0, span[1] - 100.0) if span else None


def check(page: Page) -> Iterator[Miss]:
    """Cells that contradict the formula of their column, totals and means that miss their rows."""
    families: dict[tuple[str, ...], list[Grid]] = {}
    for grid in page.grids:
        families.setdefault((*grid.head, grid.table.form), []).append(grid)
    seen: set[tuple[int, str]] = set()
    for grids in families.values():
        found = [*_columns(grids), *(miss for grid in grids for miss in _summary_rows(grid))]
        sure = {miss.row for miss in found if miss.named}
        for miss in found:
            if not miss.named and miss.row in sure:
                continue  # the other side of one formula
            if (miss.line, miss.text) not in seen:
                seen.add((miss.line, miss.text))
                yield miss


def _columns(grids: Sequence[Grid]) -> Iterator[Miss]:
    for place, series in enumerate(grids[0].series[:_MOST_SERIES]):
        targets = [(grid, grid.series[place]) for grid in grids if place < len(grid.series)]
        targets = [(grid, one) for grid, one in targets if one.column == series.column and one.part == series.part]
        if sum(len(one.known) for _, one in targets) >= 2 and not series.is_setting:
            yield from _column(targets)


def _column(targets: Sequence[tuple[Grid, Series]]) -> Iterator[Miss]:
    """All formulas of one column, over the tables that share it."""
    pooled: dict[str, list[tuple[Grid, Series, Formula]]] = {}
    for grid, target in targets:
        for formula in _formulas(grid, target):
            pooled.setdefault(formula.text, []).append((grid, target, formula))
    named = is_derived(targets[0][1].head) or (targets[0][1].unit in ("x", "%") and targets[0][1].part > 0)
    accepted: list[tuple[int, int, str]] = []
    plausible: set[str] = set()
    tried: list[tuple[str, int, set[tuple[int, int]]]] = []
    explained: dict[str, set[tuple[int, int]]] = {}
    for text, uses in pooled.items():
        fits, missed = 0, set()
        for grid, target, formula in uses:
            for at, span in formula.spans.items():
                value = target.values[at]
                if value is None or not _says_something(value, span):
                    continue
                if _fits(value, span):
                    fits += 1
                    explained.setdefault(text, set()).add((grid.order, at))
                else:
                    missed.add((grid.order, at))
        tried.append((text, fits, missed))
    often = set().union(*(rows for rows in explained.values() if len(rows) >= 3)) if explained else set()
    for text, fits, missed in tried:
        uses, misses = pooled[text], len(missed - often)
        least = 2 if named else 5
        if not named and (targets[0][1].part or misses > 1):
            continue
        constant = uses[0][2].family == "constant"
        if fits >= (max(least, 4) if constant else least) and misses <= max(1, (0.34 if named else 0.2) * fits):
            accepted.append((fits, misses, text))
        if fits >= 2:
            plausible.add(text)
    if not accepted:
        return
    accepted.sort(key=lambda one: (one[1] - one[0], one[1]))
    most = accepted[0][0]
    close = [text for fits, misses, text in accepted if fits >= 0.5 * most]
    if any(misses == 0 and fits >= 0.75 * most for fits, misses, _ in accepted):
        return
    for grid, target in targets:
        held = [formula for text in close for g, t, formula in pooled[text] if t is target]
        others = [formula for text in plausible for g, t, formula in pooled[text] if t is target]
        for at, value in target.known:
            spans = [formula for formula in held if at in formula.spans]
            if not spans or any(_fits(value, one.spans[at], loose=True) for one in spans):
                continue
            if any(_fits(value, one.spans[at]) and one.family != "constant" for one in others if at in one.spans):
                continue  # follows from another reference, as other cells do
            first = next((one for one in spans if one.text == accepted[0][2]), spans[0])
            low, high = first.spans[at]
            if _is_blank(grid, at):
                continue
            lines = {grid.table.rows[row].line for row in first.rows.get(at, ())} | {value.line}
            far = abs(value.mid - (low + high) / 2) > 0.03 * abs(value.mid)
            certain = named and far and most >= 4 and accepted[0][1] <= 1 and len(accepted) <= 6
            yield Miss(
                line=value.line, text=value.text, formula=first.text, expected=(low + high) / 2,
                lines=(value.line, *sorted(lines - {value.line})), certain=certain, unit=value.unit,
                row=grid.table.rows[at].line, named=named,
            )  # fmt: skip


def is_derived(head: str) -> bool:
    """Whether a head names a column that is computed from others: `Speedup`, `vs A`, `Δ (%)`."""
    plain = head.lower()
    found = set(re.findall(r"[^\W\d_]+(?:-up)?|%", plain))
    return bool(found & words("derived") or {stem(one) for one in found} & words("derived"))


def _is_blank(grid: Grid, at: int) -> bool:
    return summary_kind(grid.table.rows[at].label) != ""


def _says_something(value: Value, span: Span) -> bool:
    """A formula that gives 1 or 0 for a row against itself proves nothing, nor does one as wide as its value."""
    low, high = span
    middle = (low + high) / 2
    width = (high - low) + 2 * value.slack
    if middle in (0.0, 1.0, 100.0) and value.mid == middle:
        return False
    scale = max(abs(value.mid), abs(middle))
    return scale > 0 and width <= 0.25 * scale


def _fits(value: Value, span: Span, *, loose: bool = False) -> bool:
    """Rounded or cut: less than one unit of the last place from what the inputs allow."""
    low, high = span
    if not (math.isfinite(low) and math.isfinite(high)):
        return True
    room = 2.0 * value.slack + 1e-9 * max(abs(low), abs(high), 1e-12)
    if loose:
        room = max(room, 2.05 * value.slack, 0.01 * abs(value.mid))
    return low - room <= value.mid <= high + room or (low - room <= -value.mid <= high + room and value.unit == "%")


def _formulas(grid: Grid, target: Series) -> Iterator[Formula]:
    others = [
        one for one in grid.series if one is not target and not (one.column == target.column and one.part > target.part)
    ]
    others = others[:_MOST_SERIES]
    rows = [at for at, _ in target.known][:_MOST_ROWS]
    percent = target.unit == "%" or "%" in target.head
    for a in others:
        yield from _against_rows(grid, target, a, rows, percent)
        for b in others:
            if b is not a:
                yield from _of_two(target, a, b, rows, percent)
    yield from _of_many(grid, target, others, rows)


def _formula(
    text: str, spans: dict[int, Span | None], family: str, rows: dict[int, int] | None = None
) -> Formula | None:
    """A formula of what it gives in each row; `rows`: the row of reference of each."""
    known = {at: span for at, span in spans.items() if span is not None}
    used: dict[int, tuple[int, ...]] = {at: (rows[at], at) if rows else (at,) for at in known}
    return Formula(text=text, spans=known, rows=used, family=family) if known else None


def _against_rows(grid: Grid, target: Series, a: Series, rows: Sequence[int], percent: bool) -> Iterator[Formula]:
    """Ratios, changes and differences to a row of reference: the first, the one above, the first of its group."""
    known = dict(a.known)
    if len({one.mid for one in known.values()}) < 2:
        return
    references: dict[str, dict[int, int]] = {}
    first = min(known)
    references["the first row"] = {at: first for at in rows if at in known and at != first}
    before: dict[int, int] = {}
    last = None
    for at in sorted(known):
        if last is not None and at in rows:
            before[at] = last
        last = at
    references["the row above"] = before
    last = max(known)
    references["the last row"] = {at: last for at in rows if at in known and at != last}
    for at, value in target.known:
        neutral = (value.unit in ("x", "") and value.mid == 1.0) or (percent and value.mid in (0.0, 100.0))
        if neutral and at in known and at not in (first, last):
            references["the baseline row"] = {row: at for row in rows if row in known and row != at}
            break
    for column, group in _groups(grid, target, a):
        references[f"the first row with the same {column}"] = {
            at: group[at] for at in rows if at in known and at in group and group[at] in known and group[at] != at
        }
    family = "row"
    for name, rowed in references.items():
        if not rowed:
            continue
        factor = 100.0 if percent else 1.0
        shapes: list[tuple[str, Callable[[Value, Value], Span | None]]] = [
            (f"{a.head} of {name} / {a.head}", partial(_ratio_to, factor)),
            (f"{a.head} / {a.head} of {name}", partial(_ratio_of, factor)),
        ]
        if percent:
            shapes.append((f"change of {a.head} from {name}", change))
            shapes.append((f"saving of {a.head} against {name}", lambda x, r: change(r, x)))
        if a.unit == target.unit or not target.unit or target.unit == "points" or (percent and a.unit == "%"):
            shapes.append((f"{a.head} - {a.head} of {name}", lambda x, r: (x.low - r.high, x.high - r.low)))
            shapes.append((f"{a.head} of {name} - {a.head}", lambda x, r: (r.low - x.high, r.high - x.low)))
        for text, shape in shapes:
            found = _formula(text, {at: shape(known[at], known[row]) for at, row in rowed.items()}, family, rowed)
            if found:
                yield found
        if not percent or target.unit != "x":
            for count in (one for one in grid.series if one.is_setting and one is not a):
                counts = dict(count.known)
                if counts and all(v.mid > 0 for v in counts.values()):
                    text = f"{a.head} of {name} / ({a.head} × {count.head})"
                    spans = {
                        at: _efficiency(known[row], known[at], counts.get(at), counts.get(row), factor)
                        for at, row in rowed.items()
                    }
                    found = _formula(text, spans, family, rowed)
                    if found:
                        yield found


def _efficiency(reference: Value, value: Value, n: Value | None, n0: Value | None, factor: float) -> Span | None:
    span = ratio(reference, value, factor)
    if span is None or n is None or not n.mid:
        return None
    scale = (n0.mid if n0 is not None and n0.mid else 1.0) / n.mid
    return span[0] * scale, span[1] * scale


def _groups(grid: Grid, target: Series, a: Series) -> Iterator[tuple[str, dict[int, int]]]:
    """Rows that share the cell of another column: (its head, the first row of the group for each row)."""
    for at, column in enumerate(grid.table.columns[:6]):
        if at in (target.column, a.column):
            continue
        firsts: dict[str, int] = {}
        group: dict[int, int] = {}
        for number, row in enumerate(grid.table.rows):
            text = clean(row.cells[at].text) if at < len(row.cells) else ""
            if text:
                group[number] = firsts.setdefault(text, number)
        if 1 < len(firsts) < 0.8 * len(group):
            yield column.head or "label", group
    blocks: dict[str, int] = {}
    group = {}
    for number, row in enumerate(grid.table.rows):
        if row.group:
            group[number] = blocks.setdefault(row.group, number)
    if len(blocks) > 1:
        yield "group", group


def _of_two(target: Series, a: Series, b: Series, rows: Sequence[int], percent: bool) -> Iterator[Formula]:
    known_a, known_b = dict(a.known), dict(b.known)
    chosen = [at for at in rows if at in known_a and at in known_b]
    if not chosen:
        return
    factor = 100.0 if percent else 1.0

    shapes: list[tuple[str, Callable[[Value, Value], Span | None]]] = []
    same = a.unit == b.unit
    if same or not target.unit or target.unit.endswith("/s") or target.unit == "x" or percent:
        shapes.append((f"{a.head} / {b.head}", partial(_ratio_of, factor)))
    if percent and same:
        shapes.append((f"change from {b.head} to {a.head}", change))
    if same and (target.unit in (a.unit, "", "points") or percent):
        shapes.append((f"{a.head} - {b.head}", lambda x, y: (x.low - y.high, x.high - y.low) if _alike(x, y) else None))
        if a.column < b.column:
            shapes.append(
                (f"{a.head} + {b.head}", lambda x, y: (x.low + y.low, x.high + y.high) if _alike(x, y) else None)
            )
    if a.column < b.column and not percent:
        shapes.append(
            (f"{a.head} × {b.head}", lambda x, y: (x.low * y.low, x.high * y.high) if x.low > 0 and y.low > 0 else None)
        )
    for text, shape in shapes:
        found = _formula(text, {at: shape(known_a[at], known_b[at]) for at in chosen}, "columns")
        if found:
            yield found


def _alike(x: Value, y: Value) -> bool:
    """Whether a sum or difference shows both of them."""
    return abs(y.mid) > 0.02 * abs(x.mid) and abs(x.mid) > 0.02 * abs(y.mid)


def _of_many(grid: Grid, target: Series, others: Sequence[Series], rows: Sequence[int]) -> Iterator[Formula]:
    """Means and sums of the columns before it, shares of a total, and products and quotients that stay the same."""
    plain = [one for one in others if one.part == 0 and not one.is_setting]
    before = [one for one in plain if one.column < target.column]
    same = [one for one in before if one.unit == target.unit] if is_derived(target.head) else []
    for start in {0, max(0, len(same) - 3), max(0, len(same) - 5)}:
        chosen = same[start:]
        if len(chosen) >= 2:
            for name, make in (("mean", _mean), ("sum", _sum), ("median", _median)):
                if name == "median" and len(chosen) < 3:
                    continue
                spans = {at: make([one.values[at] for one in chosen]) for at in rows}
                found = _formula(f"{name} of {chosen[0].head} to {chosen[-1].head}", spans, "columns")
                if found:
                    yield found
    if target.unit == "%" or "%" in target.head:
        for a in plain:
            known = [(at, one) for at, one in a.known if not summary_kind(grid.table.rows[at].label)]
            if len(known) >= 3 and all(one.mid >= 0 for _, one in known) and a.unit != "%":
                total = _sum([one for _, one in known])
                if total and total[0] > 0:
                    middle = Value((total[0] + total[1]) / 2, (total[1] - total[0]) / 2, a.unit, 0, "")
                    spans = {at: ratio(one, middle, 100.0) for at in rows if (one := a.values[at]) is not None}
                    found = _formula(f"{a.head} / total of {a.head}", spans, "columns")
                    if found:
                        yield found
    for a in plain:
        if a.unit == target.unit or a.is_mixed or target.is_mixed:
            continue
        for power in (1, -1):
            products = [
                (at, value.mid * one.mid if power == 1 else value.mid / one.mid)
                for at in rows
                if (value := target.values[at]) and (one := a.values[at]) and one.mid > 0 and value.mid > 0
            ]
            exact = [at for at, _ in products if (v := target.values[at]) and v.slack <= 0.02 * v.mid]
            spread = {round(math.log(one.mid), 2) for _, one in a.known if one.mid > 0}
            if len(products) < 5 or len(exact) < 0.8 * len(products) or len(spread) < 4:
                continue
            constant = median(product for _, product in products)
            value = Value(constant, 0.003 * constant, "", 0, "")
            text = f"{constant:.4g} / {a.head}" if power == 1 else f"{constant:.4g} × {a.head}"
            found = _formula(text, {at: _scaled(value, a.values[at], power) for at in rows}, "constant")
            if found:
                yield found


def _scaled(constant: Value, one: Value | None, power: int) -> Span | None:
    if one is None or one.low <= 0:
        return None
    return ratio(constant, one) if power == 1 else (constant.low * one.low, constant.high * one.high)


def _mean(values: Sequence[Value | None]) -> Span | None:
    known = [one for one in values if one is not None]
    if len(known) < 2:
        return None
    return sum(one.low for one in known) / len(known), sum(one.high for one in known) / len(known)


def _sum(values: Sequence[Value | None]) -> Span | None:
    known = [one for one in values if one is not None]
    return (sum(one.low for one in known), sum(one.high for one in known)) if len(known) >= 2 else None


def _median(values: Sequence[Value | None]) -> Span | None:
    known = [one for one in values if one is not None]
    return (median(one.low for one in known), median(one.high for one in known)) if len(known) >= 3 else None


def summary_kind(label: str, *, bare: bool = False) -> str:
    """What a row sums up, by its label: `Total`, `Average (5 runs)`; `bare`: where the label says nothing else."""
    found = [one.lower() for one in re.findall(r"[^\W\d_]+", re.sub(r"\([^()]*\)", " ", clean(label)))]
    if not found or len(found) > 3 or (bare and len(found) > 1):
        return ""
    for kind in ("total", "mean", "spread", "difference"):
        here = {found[0], found[-1]} & words(kind)
        if here and (kind == "total" or set(found) <= words(kind) | words("whole")):
            return kind
    return ""


def _summary_rows(grid: Grid) -> Iterator[Miss]:
    """A row called total, mean or std against the rows above it."""
    plain = grid.table.form in ("list", "pairs", "lines")
    if grid.table.sideways:
        return
    for at, row in enumerate(grid.table.rows):
        kind = summary_kind(clean(row.cells[0].text) or row.label, bare=plain)
        if not kind or at < 2:
            continue
        begin = next(
            (n + 1 for n in range(at - 1, -1, -1) if kind == "total" and summary_kind(grid.table.rows[n].label)), 0
        )
        held, missed = 0, []
        for series in grid.series:
            value = series.values[at]
            if value is None or series.part:
                continue
            above = [
                one
                for n in range(begin, at)
                if (one := series.values[n]) is not None and not summary_kind(grid.table.rows[n].label)
            ]
            if len(above) < 2 or (len({one.unit for one in (*above, value)}) > 1) or (plain and not value.unit):
                continue
            verdict = _summarises(kind, value, above)
            if verdict is None:
                continue
            if verdict[0]:
                held += 1
            else:
                missed.append((series, value, verdict[1], above))
        if len(missed) > 1 or (kind == "spread" and not held):
            continue
        for series, value, expected, above in missed:
            lines = (value.line, *sorted({one.line for one in above} - {value.line}))
            yield Miss(
                line=value.line, text=value.text, formula=f"{kind} of the {len(above)} rows above ({series.head})",
                expected=expected, lines=lines, certain=False, unit=value.unit, row=row.line,
            )  # fmt: skip


def _summarises(kind: str, value: Value, above: Sequence[Value]) -> tuple[bool, float] | None:
    mids = [one.mid for one in above]
    if kind == "spread":
        if len(mids) < 3:
            return None
        slack = max(one.slack for one in above)
        options = [stdev(mids), pstdev(mids)]
        return any(abs(value.mid - one) <= 2 * value.slack + 2 * slack for one in options), options[0]
    if kind == "mean":
        low, high = min(one.low for one in above), max(one.high for one in above)
        options = [sum(mids) / len(mids), median(mids)]
        if all(one > 0 for one in mids):
            options.append(math.exp(sum(math.log(one) for one in mids) / len(mids)))
        slack = sum(one.slack for one in above) / len(above)
        fits = any(abs(value.mid - one) <= 2 * value.slack + slack + 0.002 * abs(one) for one in options)
        return (fits, options[0]) if fits or low <= value.mid <= high or len(above) >= 3 else None
    for start in range(len(above) - 1) if kind == "total" else ():
        parts = above[start:]
        slack = max(one.slack for one in parts) * max(1.0, 0.6 * math.sqrt(len(parts))) + 2 * value.slack
        if abs(value.mid - sum(mids[start:])) <= slack + 0.005 * abs(value.mid):
            return True, sum(mids[start:])
    if kind == "difference":
        slack = 2 * value.slack + 2 * max(one.slack for one in above)
        fits = any(abs(abs(a - b) - abs(value.mid)) <= slack for n, a in enumerate(mids) for b in mids[n + 1 :])
        return (fits, abs(mids[-2] - mids[-1])) if len(mids) == 2 and value.unit not in ("", "x") else None
    if any(one < 0 for one in mids) or value.unit in ("%", "x"):
        return None
    if value.mid < max(mids):
        return None  # a total of something else
    return False, sum(mids)
