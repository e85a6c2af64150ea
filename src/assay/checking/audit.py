"""A page against its own figures: every check, as findings with the claim's own line first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.checking import columns, inline
from assay.checking.evidence import Page, Series
from assay.checking.lexicon import stems, words
from assay.checking.relations import fits, relations
from assay.checking.resolver import Resolver
from assay.core.names import direction, name_of
from assay.core.numbers import numbers
from assay.model.finding import DOUBTFUL, WRONG, Evidence, Finding
from assay.reading.tables import clean


def findings(page: Page) -> list[Finding]:
    """What a page's own figures contradict."""
    found: dict[tuple[str, int, str], Finding] = {}
    for code, severity, line, said, why, lines in _all(page):
        place = tuple(dict.fromkeys((line, *lines)))[:8]
        evidence = tuple(
            Evidence(source=page.source, line=one, text=page.texts.get(one, "").strip()[:300]) for one in place
        )
        finding = Finding(
            code=code, severity=severity, message=why, hint=_HINTS[code], source=page.source, evidence=evidence
        )
        found.setdefault((code, line, said), finding)
    return list(found.values())


_HINTS = {
    "wrong-arithmetic": "Recompute it from the figures shown, or say which figures it comes from.",
    "misquoted-figure": "Copy the figure from the table, or show the run that it comes from.",
    "wrong-ranking": "Name the one that the figures show, or say by which figure it leads.",
    "wrong-trend": "Describe the direction that the figures show.",
}
_Raw = tuple[str, str, int, str, str, tuple[int, ...]]


def _all(page: Page) -> Iterator[_Raw]:
    told: set[tuple[int, str]] = set()
    for miss in columns.check(page):
        told.add((miss.line, miss.text))
        why = f"`{miss.text}` does not follow from its row: {miss.formula} gives {_shown(miss)}"
        yield "wrong-arithmetic", WRONG if miss.certain else DOUBTFUL, miss.line, miss.text, why, miss.lines
    for line, said, why, lines in (*_related_cells(page), *_bold(page), *_counts(page), *_plain_lists(page)):
        if (line, said) not in told:
            code = "wrong-ranking" if why.startswith("Bold") else "wrong-arithmetic"
            yield code, DOUBTFUL, line, said, why, lines
    for line, said, why, lines in _winners(page):
        yield "wrong-ranking", DOUBTFUL, line, said, why, lines
    for grid in page.grids:
        for row in grid.table.rows:
            for cell in row.cells:
                if len(cell.numbers) >= 3 or (len(cell.text) <= 40 and len(cell.numbers) > 1):
                    for slip in inline.slips(clean(cell.text)):
                        yield (
                            "wrong-arithmetic",
                            DOUBTFUL,
                            cell.line,
                            slip.said,
                            f"`{slip.said}` does not follow from {slip.a} and {slip.b}",
                            (),
                        )
    resolver = Resolver(page)
    for sentence in page.sentences:
        for slip in inline.slips(sentence.text):
            if set(sentence.words) & words("supposed") and sentence.role != "cell":
                continue
            line = sentence.line_at(slip.start)
            yield (
                "wrong-arithmetic",
                DOUBTFUL,
                line,
                slip.said,
                f"`{slip.said}` does not follow from {slip.a} and {slip.b}",
                (),
            )
        for verdict in resolver.judge(sentence):
            line = sentence.line_at(verdict.start)
            why = f"`{verdict.said}`: {verdict.why}"
            yield verdict.code, DOUBTFUL, line, verdict.said, why, verdict.lines
    for block in page.blocks:
        for one in block:
            if one.role == "log":
                for slip in inline.slips(one.text):
                    yield (
                        "wrong-arithmetic",
                        DOUBTFUL,
                        one.line,
                        slip.said,
                        f"`{slip.said}` does not follow from {slip.a} and {slip.b}",
                        (),
                    )


def _shown(miss: columns.Miss) -> str:
    scale = {
        "s": ((1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s")),
        "bytes": ((1e3, "kB"), (1e6, "MB"), (1e9, "GB")),
    }.get(miss.unit, ())
    unit = next(
        ((factor, name) for factor, name in reversed(scale) if abs(miss.expected) >= factor),
        (1.0, miss.unit if miss.unit in "%x" else ""),
    )
    return f"{miss.expected / unit[0]:.4g} {unit[1]}".strip()


def _related_cells(page: Page) -> Iterator[tuple[int, str, str, tuple[int, ...]]]:
    """`70 % larger` in a cell, beside a baseline row: no pair of figures of the table gives it."""
    for grid in page.grids:
        listed = grid.table.form == "list"
        for at, column in enumerate(grid.table.columns):
            cells = [(row, r.cells[at]) for row, r in enumerate(grid.table.rows) if at < len(r.cells)]
            texts = [clean(cell.text).lower() for _, cell in cells]
            neutral = [
                n
                for n, text in enumerate(texts)
                if (text in words("baseline") and text not in ("-", "–", "—"))
                or re.fullmatch(r"1(?:\.0+)?\s?[x×]?(?: \(.*\))?", text)
            ]
            if not listed and (not neutral or len(cells) > 12):
                continue
            for row, cell in cells:
                label = grid.table.rows[row].label.lower()
                shown = clean(cell.text)
                for relation in relations(shown):
                    if listed and relation.start < 3 and not columns.is_derived(label):
                        continue
                    if (
                        not relation.high
                        or (relation.kind == "ratio" and relation.high == 1)
                        or (not relation.word and not (columns.is_derived(column.head) and not listed))
                    ):
                        continue
                    others = [one for one in grid.series if one.column != at or (listed and one.part == 0)]
                    pairs = [
                        (x, y)
                        for series in others
                        for n, x in series.known
                        for m, y in series.known
                        if n < m
                        and (row in (n, m) or columns.is_derived(label))
                        and x.unit == y.unit
                        and x.unit not in ("x",)
                    ]
                    pairs += [
                        (x, y)
                        for n, first in enumerate(others)
                        for second in others[n + 1 :]
                        if (x := first.values[row]) is not None
                        and (y := second.values[row]) is not None
                        and x.unit == y.unit
                        and not listed
                    ]
                    if not pairs or any(fits(relation, x, y) for x, y in pairs):
                        continue
                    lines = tuple(dict.fromkeys(value.line for pair in pairs for value in pair))
                    yield (
                        cell.line,
                        relation.text,
                        f"`{relation.text} {relation.word}`: no two figures of this table give it",
                        lines,
                    )


def _winners(page: Page) -> Iterator[tuple[int, str, str, tuple[int, ...]]]:
    """In each row the winner that a cell names, or that is bold, against the row's own figures."""
    for grid in page.grids:
        heads = {stems(one.head): one for one in grid.series if not one.is_setting and one.part == 0 and one.head}
        groups = [list(heads.values())]
        if len(groups[0]) < 2:
            continue
        rows: list[tuple[int, Series, str]] = []
        for at, row in enumerate(grid.table.rows):
            named = [
                heads[key]
                for cell in row.cells[1:]
                if cell.number is None and (key := stems(clean(cell.text))) in heads
            ]
            bold = [one for one in groups[0] if one.values[at] is not None and row.cells[one.column].is_bold]
            if len(named) == 1:
                rows.append((at, named[0], "named"))
            elif len(bold) == 1 and not row.cells[0].is_bold:
                rows.append((at, bold[0], "bold"))
        right, missed = 0, []
        for at, series, how in rows:
            known = [(one, value) for one in groups[0] if (value := one.values[at]) is not None]
            mine = series.values[at]
            if mine is None or len({value.unit for _, value in known}) > 1 or len(known) < 2:
                continue
            better = direction(name_of(grid.table.rows[at].label).key) or (
                -1 if mine.unit == "s" else 1 if mine.unit.endswith("/s") else 0
            )
            mids = [value.mid for _, value in known]
            if mine.mid in (max(mids), min(mids)) and (
                not better or mine.mid == (max(mids) if better > 0 else min(mids))
            ):
                right += 1
            elif better or mine.mid not in (max(mids), min(mids)):
                missed.append((at, series, mine, how))
        for at, series, mine, how in missed if right >= 2 and len(missed) == 1 else ():
            row = grid.table.rows[at]
            said = "Bold marks" if how == "bold" else "The winner named is"
            yield row.line, mine.text, f"{said} {series.head} ({mine.text}), which is not the best of its row", ()


def _bold(page: Page) -> Iterator[tuple[int, str, str, tuple[int, ...]]]:
    """Bold marks the best of a column; where it does in others and one bold cell is beaten, that one is doubted."""
    for grid in page.grids:
        right, missed = 0, []
        for series in grid.series:
            if series.part or len(series.known) < 3:
                continue
            bold = [at for at, _ in series.known if grid.table.rows[at].cells[series.column].is_bold]
            if len(bold) != 1 or grid.table.rows[bold[0]].cells[0].is_bold:
                continue
            values = [value.mid for _, value in series.known]
            value = series.values[bold[0]]
            if value is None:
                continue
            if value.mid in (max(values), min(values)):
                right += 1
            elif series.better:
                missed.append((series, value))
        for series, value in missed:
            best = max((one for _, one in series.known), key=lambda one: series.better * one.mid)
            rank = sum(series.better * one.mid > series.better * value.mid for _, one in series.known)
            if rank <= max(1, 0.08 * len(series.known)) or right:
                yield (
                    value.line,
                    value.text,
                    f"Bold marks {value.text} in {series.head}, but line {best.line} has {best.text}",
                    (best.line,),
                )


_COUNT = re.compile(
    r"(?i)\btotal of\W{0,3}(\d[\d,]*)\b\W*((?:[a-z-]+\W+){0,2}?)([a-z]+s)\b"
    r"|\b(\d[\d,]*) ((?:[a-z-]+ ){0,1})([a-z]+s) in total\b"
)


def _counts(page: Page) -> Iterator[tuple[int, str, str, tuple[int, ...]]]:
    """`A total of 25 trials`, above a list whose items are of 7, 4, 12 and 2 trials."""
    for sentence in page.sentences:
        found = _COUNT.search(sentence.text)
        if not found:
            continue
        number = int((found[1] or found[4]).replace(",", ""))
        noun = (found[3] or found[6]).lower().rstrip("s")
        block = next((one for one in page.blocks if 0 < one[0].line - sentence.line <= 4), None)
        if block is None:
            continue
        counts = [re.search(rf"(?i)\b(\d[\d,]*)\s+(?:[a-z-]+\s+)?{noun}s?\b", one.text) for one in block]
        if len(block) < 2 or not all(counts):
            continue
        total = sum(int(one[1].replace(",", "")) for one in counts if one)
        if total != number:
            place = sentence.line_at(found.start())
            yield place, found[0], f"`{found[0]}`: the list has {total}", tuple(one.line for one in block)


_SUMMARY = re.compile(
    r"(?i)^\W*(average|mean|avg|total|sum|median)\b\W{0,6}(?:of|is|=|≈|~|:|score|reward|time|accuracy|loss|\s)*\W*([~≈]?\s?-?[\d.,]*\d)\s*([^\W\d_%]*|%)\W*$"
)
_BARE = re.compile(
    r"^\s*(?:[-*+•]|\d+[.)])?\s*(?:[A-Za-z]{1,8}\s*#?\d{0,3}\s*[:=]\s*)?(-?\d[\d,]*(?:\.\d+)?)\s*([^\W\d_%]{0,6}|%)\s*$"
)


def _plain_lists(page: Page) -> Iterator[tuple[int, str, str, tuple[int, ...]]]:
    """A list of bare numbers, and the average below it."""
    run: list[tuple[int, float, float]] = []
    for line, text in page.texts.items():
        bare = _BARE.match(text)
        if bare:
            number = numbers(bare[1])
            if number:
                run.append((line, number[0].value, number[0].slack))
            continue
        if not text.strip():
            continue
        found = _SUMMARY.match(text)
        if found and len(run) >= 3 and (said := numbers(found[2])):
            values = [one for _, one, _ in run]
            kind = found[1].lower()
            middle = sorted(values)[len(values) // 2]
            expected = (
                sum(values) if kind in ("total", "sum") else middle if kind == "median" else sum(values) / len(values)
            )
            about = "≈" in text or "~" in text
            room = 2 * said[0].slack + max(one for *_, one in run) * (len(run) if kind in ("total", "sum") else 1)
            room += 0.02 * abs(expected) if about else 0
            if abs(said[0].value - expected) > room and kind != "median":
                yield (
                    line,
                    found[2],
                    f"`{found[0].strip()}`: the {len(run)} figures above give {expected:.6g}",
                    tuple(one for one, *_ in run),
                )
        run = []
