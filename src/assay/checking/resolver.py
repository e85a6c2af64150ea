"""The resolver: all readings of a claim over the figures that its labels name.

A claim holds if one reading fits. It is doubted only where labels bind it and no reading, nor any pair of figures on
the page, bears it out; it is wrong only where both sides and the quantity are bound. In all other cases: silence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from assay.checking.evidence import Grid, Labels, Mention, Page, Sentence, Series, Value
from assay.checking.inline import pairs
from assay.checking.lexicon import meanings, moves, placed, stems, words
from assay.checking.relations import Relation, fits, relations
from assay.core.names import direction, name_of
from assay.core.numbers import Number, numbers, tokens
from assay.quantities import named
from assay.reading.pairs import scan

_MOST_PAIRS = 200_000


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a sentence says at a place, and the lines that contradict it."""

    code: str
    start: int
    said: str
    why: str
    lines: tuple[int, ...]
    certain: bool = False


class Resolver:
    """Claims of one page against its figures."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.labels = Labels(page)
        self._by_key: dict[str, list[Value]] = {}

    def judge(self, sentence: Sentence) -> Iterator[Verdict]:
        """Everything in one sentence that its page contradicts."""
        if len(sentence.text) > 1500 or sentence.text.rstrip().endswith("?"):
            return
        mentions = self.labels.find(sentence.text)
        said = set(sentence.words)
        if not said & words("supposed"):
            yield from self._superlatives(sentence, mentions)
            if not said & words("denied"):
                yield from self._comparatives(sentence, mentions)
                yield from self._trends(sentence, mentions)
                yield from self._more(sentence)
        seen: set[int] = set()
        for verdict in (
            *self._relations(sentence, mentions),
            *self._quotes(sentence, mentions),
            *self._named_figures(sentence),
            *self._unseen(sentence),
        ):
            if verdict.start not in seen and not set(_clause(sentence.text, verdict.start)) & words("supposed"):
                seen.add(verdict.start)
                yield verdict

    # --- ratios and percentages ------------------------------------------------------------------------------------

    def _relations(self, sentence: Sentence, mentions: Sequence[Mention]) -> Iterator[Verdict]:
        if sentence.role == "cell":
            return
        every = [one for one in relations(sentence.text) if one.word and one.high]
        if not every:
            return
        around = self.labels.find(sentence.intro) + self.labels.find((sentence.headings or ("",))[-1])
        own = [one.number for one in tokens(sentence.text) if one.number is not None]
        linked = list(pairs(tokens(sentence.text)))
        for relation in every:
            if any(one.start <= relation.start < one.end for one in linked):
                continue  # one of two figures that are compared
            if relation.kind == "percent" and re.match(
                r"\s*(?:of|CPU|GPU|accuracy|confidence)\b", sentence.text[relation.end :]
            ):
                continue
            if _inline(own, relation):
                continue
            sides = _sides(mentions)
            around_sides = _sides(around)
            readings = list(self._readings(mentions, around))
            bases = [one for one in mentions if one.label == "baseline"]
            if bases and not any(one.rows and one.grid == bases[0].grid for one in mentions if one not in bases):
                readings += self._against_all(bases)
            if not readings or (len(sides) < 2 and not (sides and around_sides - sides) and "baseline" not in sides):
                continue
            readings = [(a, b) for a, b in readings if a.unit == b.unit]
            if not readings or any(fits(relation, a, b) for a, b in readings) or self._stands(relation, mentions):
                continue
            if len(sides | around_sides) < 2 and self._any_pair(relation, mentions):
                continue
            lines = tuple(dict.fromkeys(one.line for pair in readings[:4] for one in pair))
            best = min(readings, key=lambda pair: _distance(relation, *pair))
            yield Verdict(
                code="wrong-arithmetic", start=relation.start, said=relation.text,
                why=f"{best[0].text} and {best[1].text} do not give it, nor does any other pair of figures here",
                lines=tuple(dict.fromkeys((best[0].line, best[1].line, *lines)))[:6],
            )  # fmt: skip

    def _readings(self, mentions: Sequence[Mention], around: Sequence[Mention]) -> Iterator[tuple[Value, Value]]:
        """Pairs of figures that the labels of a sentence may mean: two rows of a column, two columns of a row."""
        for grid_at, grid in enumerate(self.page.grids):
            here = [one for one in mentions if one.grid == grid_at]
            there = [one for one in around if one.grid == grid_at]
            groups = _rows_by_label(here)
            extra = [one for label, one in _rows_by_label(there).items() if label not in groups]
            sides = [*groups.values(), *extra]
            for n, x in enumerate(sides):
                for y in sides[n + 1 :]:
                    for series in grid.series:
                        yield from (
                            (series.values[a], series.values[b])
                            for a in x
                            for b in y
                            if a != b and series.values[a] and series.values[b]
                        )  # type: ignore[misc]
            columns = [one.column for one in here if one.column is not None]
            columns += [one.column for one in there if one.column is not None and one.column not in columns]
            rows = {row for one in groups.values() for row in one} or set(range(min(200, len(grid.table.rows))))
            chosen = [one for one in grid.series if one.column in columns]
            for n, first in enumerate(chosen):
                for second in chosen[n + 1 :]:
                    if first.column != second.column and (first.unit == second.unit):
                        yield from (
                            (first.values[a], second.values[a]) for a in rows if first.values[a] and second.values[a]
                        )  # type: ignore[misc]

    def _against_all(self, mentions: Sequence[Mention]) -> Iterator[tuple[Value, Value]]:
        """A row of reference against every other row."""
        for one in mentions:
            for series in self.page.grids[one.grid].series:
                for row in one.rows:
                    if (base := series.values[row]) is not None:
                        yield from ((value, base) for at, value in series.known if at != row)

    def _stands(self, relation: Relation, mentions: Sequence[Mention]) -> bool:
        """Whether the page shows this ratio or percentage itself, in a row that is meant."""
        base = {"ratio": ("x", ""), "percent": ("%", "x", "")}.get(relation.kind, ("points", "%", ""))
        bound = {(one.grid, row) for one in mentions for row in one.rows}
        room = 0.12 * relation.high if relation.about else 2 * relation.slack
        for at, grid in enumerate(self.page.grids):
            for series in grid.series:
                for row, value in series.known:
                    here = value.unit in base and (not bound or (at, row) in bound)
                    if (
                        here
                        and relation.low - room <= abs(value.mid) + value.slack
                        and abs(value.mid) - value.slack <= relation.high + room
                    ):
                        return True
        return False

    def _any_pair(self, relation: Relation, mentions: Sequence[Mention]) -> bool:
        """Whether any pair of figures of the tables that are mentioned gives it: the label may mean another row."""
        count = 0
        for at in {one.grid for one in mentions}:
            grid = self.page.grids[at]
            bound = {row for one in mentions if one.grid == at for row in one.rows}
            for series in grid.series:
                known = series.known
                for n, x in known if bound else []:
                    if n not in bound:
                        continue
                    for m, y in known:
                        count += 1
                        if m != n and count < _MOST_PAIRS and fits(relation, x, y):
                            return True
        return False

    @cached_property
    def _figures(self) -> list[Value]:
        return [value for grid in self.page.grids for series in grid.series for _, value in series.known]

    # --- superlatives and comparatives -----------------------------------------------------------------------------

    def _superlatives(self, sentence: Sentence, mentions: Sequence[Mention]) -> Iterator[Verdict]:
        said = stems(sentence.text)
        lexicon = meanings("superlative")
        for at, word in enumerate(said):
            if word not in lexicon or (at and said[at - 1] in ("second", "third", "next", "one", "among")):
                continue
            axis, sign = lexicon[word]
            if re.search(rf"\w\s+{word.title()}\b", sentence.text):
                continue  # a title
            if set(said[max(0, at - 6) : at + 4]) & words("denied") or not words("copula") & {
                *said[max(0, at - 5) : at],
                *said[at + 1 : at + 3],
            }:
                continue
            for verdict in self._superlative(sentence, mentions, said, at, axis, sign):
                yield verdict
                return

    def _superlative(
        self, sentence: Sentence, mentions: Sequence[Mention], said: Sequence[str], at: int, axis: str, sign: int
    ) -> Iterator[Verdict]:
        subjects = [one for one in mentions if one.rows and one.exact and named(one.label) is None]
        before = [one for one in subjects if one.end <= at]
        after = [one for one in subjects if one.start > at]
        side = [one for one in before if one.end == max(two.end for two in before)] if before else []
        if not side and after:
            side = [one for one in after if one.start == min(two.start for two in after)]
        if not side or len({one.label for one in subjects}) > 1 or not self._one_clause(sentence.text, side[0], at):
            return
        rest = sentence.text[[end for _, end in placed(sentence.text)][at] :].lower()
        if (
            set(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)?", rest)[:8]) & words("qualified")
            or re.search(r"\bfor (?:the|its|their|an?|this|small\w*|large\w*)\b", rest)
            or re.match(r"(?:For|With|At|In|On|Among|Until|Before|After)\b", sentence.text)
        ):
            return
        candidates = []
        grids = {one.grid for one in side}
        close = self._about(sentence, grids)
        for one in side:
            if one.grid not in close:
                continue
            grid = self.page.grids[one.grid]
            for series in self._measured(grid, mentions, said, axis):
                way = _way(series, axis, sign)
                if way:
                    candidates.append((grid, series, one, way))
        if not candidates:
            return
        beaten = [one for one in candidates if not _leads(*one)]
        if len(beaten) < (1 if set(said[at:]) & {"all", "every", "each"} else len(candidates)):
            return
        candidates = beaten
        grid, series, one, way = candidates[0]
        best = max(series.known, key=lambda known: way * known[1].mid)
        mine = [series.values[row] for row in one.rows if series.values[row] is not None]
        if not mine:
            return
        value = max((v for v in mine if v), key=lambda v: way * v.mid)
        yield Verdict(
            code="wrong-ranking", start=0, said=one.label,
            why=f"{series.head or 'its figure'} is {value.text} there and {best[1].text} in line {best[1].line}",
            lines=(value.line, best[1].line),
        )  # fmt: skip

    def _one_clause(self, text: str, subject: Mention, at: int) -> bool:
        """Whether no comma stands between a subject and what is said of it, unless a pronoun takes it up."""
        ends = [end for _, end in placed(text)]
        if max(subject.end - 1, at) >= len(ends):
            return False
        first, last = sorted((ends[subject.end - 1], ends[at]))
        between = text[first:last]
        return not re.search(r"[,;:]", between) or bool(
            re.search(r"[,;]\s*(?:as|since|because|for)?\s*(?:it|which|this|they)\b", between)
        )

    def _about(self, sentence: Sentence, grids: set[int]) -> set[int]:
        """Of several tables with a label those that the sentence, or its heading, names; else the near ones."""
        if len(grids) < 2:
            return grids
        said = set(stems(sentence.text))
        named = {at for at in grids if self._own_heading(at) & said}
        if named:
            return named
        same = {at for at in grids if self.page.grids[at].table.headings == sentence.headings} or grids
        above = [at for at in same if self.page.grids[at].table.last_line < sentence.line]
        return {max(above, key=lambda at: self.page.grids[at].table.last_line)} if above and len(same) > 1 else same

    def _own_heading(self, at: int) -> set[str]:
        """Words of a table's heading that no heading of all tables has."""
        shared: dict[str, int] = {}
        for grid in self.page.grids:
            for word in grid.heading_stems:
                shared[word] = shared.get(word, 0) + 1
        return {
            word
            for word in self.page.grids[at].heading_stems
            if shared[word] <= max(1, len(self.page.grids) // 2) and len(word) > 2
        }

    def _measured(self, grid: Grid, mentions: Sequence[Mention], said: Sequence[str], axis: str) -> list[Series]:
        """The columns that a superlative or comparative may be about."""
        figures = [one for one in grid.series if not one.is_setting and (one.unit or grid.table.form != "list")]
        named = {one.column for one in mentions if one.column is not None and self.page.grids[one.grid] is grid}
        chosen = [one for one in figures if one.column in named]
        if chosen:
            return chosen
        spoken = [one for one in figures if one.called & set(said)]
        if spoken:
            return spoken
        if axis == "speed":
            return [one for one in figures if one.unit == "s" or one.unit.endswith("/s") or _is_speed(one)]
        return figures if len(figures) == 1 or axis == "quality" else []

    def _comparatives(self, sentence: Sentence, mentions: Sequence[Mention]) -> Iterator[Verdict]:
        said = stems(sentence.text)
        lexicon = meanings("compared")
        for at, word in enumerate(said):
            if word not in lexicon:
                continue
            axis, sign = lexicon[word]
            verb = word.startswith(("outperform", "beat", "underperform"))
            linked = (
                verb
                or "than" in said[at + 1 : at + 5]
                or (word in ("lose", "win") and said[at + 1 : at + 2] == ("against",))
            )
            if (
                not linked
                or (at and said[at - 1] in ("the", "or"))
                or set(said[max(0, at - 3) : at]) & {"not", "no", "than"}
            ):
                continue
            than = at if verb else next((n for n in range(at, min(len(said), at + 5)) if said[n] == "than"), at)
            before = _nearest(mentions, end=at)
            after = _nearest(mentions, start=than)
            if not before or not after or named(before[0].label) or named(after[0].label):
                continue
            readings: list[tuple[Series, Value, Value, int]] = []
            close = self._about(sentence, {one.grid for one in before} & {one.grid for one in after})
            for x in before:
                for y in after:
                    if x.grid != y.grid or x.grid not in close or set(x.rows) & set(y.rows):
                        continue
                    readings += self._compared(self.page.grids[x.grid], x, y, mentions, said, axis, sign)
            if not readings or any(way * (a.mid - b.mid) >= 0 for _, a, b, way in readings):
                continue
            series, a, b, _ = readings[0]
            yield Verdict(
                code="wrong-ranking", start=0, said=f"{before[0].label} and {after[0].label}",
                why=f"{series.head or 'the figure'} is {a.text} against {b.text}", lines=(a.line, b.line),
            )  # fmt: skip
            return

    def _compared(
        self, grid: Grid, x: Mention, y: Mention, mentions: Sequence[Mention], said: Sequence[str], axis: str, sign: int
    ) -> Iterator[tuple[Series, Value, Value, int]]:
        if x.rows and y.rows:
            for series in self._measured(grid, [one for one in mentions if one not in (x, y)], said, axis):
                way = _way(series, axis, sign)
                for a in x.rows if way else ():
                    for b in y.rows:
                        if (one := series.values[a]) is not None and (two := series.values[b]) is not None:
                            yield series, one, two, way
        elif x.column is not None and y.column is not None and x.column != y.column:
            first = [one for one in grid.series if one.column == x.column and one.part == 0]
            second = [one for one in grid.series if one.column == y.column and one.part == 0]
            for s, t in zip(first, second, strict=False):
                way = _way(s, axis, sign)
                if s.unit == t.unit and way:
                    for one, two in zip(s.values, t.values, strict=True):
                        if one is not None and two is not None:
                            yield s, one, two, way

    # --- trends ----------------------------------------------------------------------------------------------------

    def _trends(self, sentence: Sentence, mentions: Sequence[Mention]) -> Iterator[Verdict]:
        text = sentence.text.lower()
        moved = [
            (found.start(), found.end(), way)
            for word, way in moves().items()
            for found in re.finditer(rf"\b{word}\b", text)
        ]
        if not moved or not re.search(r"\b(?:as|when|with|while|increasing|decreasing|more)\b", text):
            return
        if re.search(r"\b(?:from|until|up to|then|but|except|first|initially|usually)\b|\d", text):
            return
        seen: set[tuple[str, str]] = set()
        readings = []
        for grid in self._sections(sentence):
            for driver in grid.series:
                if not (driver.is_setting or driver.column == 0) or not (at := _place(text, driver.head)):
                    continue
                for metric in grid.series:
                    if (
                        metric.is_setting
                        or metric.column == driver.column
                        or metric.part
                        or not (there := _place(text, metric.head))
                    ):
                        continue
                    if abs(at[0] - there[0]) < 3:
                        continue
                    way = _moves_of(moved, at, there, text)
                    if way:
                        seen.add((driver.head, metric.head))
                        readings += [(grid, metric, driver, way, run) for run in _runs(grid, driver, metric)]
        if not readings or len({metric for _, metric in seen}) > 1 or len({driver for driver, _ in seen}) > 1:
            return
        if any(_follows(run, way) for *_, way, run in readings):
            return
        grid, metric, driver, way, run = readings[0]
        yield Verdict(
            code="wrong-trend", start=0, said=metric.head,
            why=f"{metric.head} goes from {run[0].text} to {run[-1].text} as {driver.head} increases",
            lines=tuple(one.line for one in run[:6]),
        )  # fmt: skip

    def _more(self, sentence: Sentence) -> Iterator[Verdict]:
        """`More tasks are faster`, `The smaller batch takes longer`: a setting and what follows from it."""
        said = stems(sentence.text)
        compared = meanings("compared")
        for at, word in enumerate(said[:-2]):
            way = {
                "more": 1,
                "larger": 1,
                "bigger": 1,
                "higher": 1,
                "greater": 1,
                "fewer": -1,
                "smaller": -1,
                "lower": -1,
            }.get(word)
            place = next((n for n in range(at + 3, min(len(said), at + 9)) if said[n] in compared), None)
            if way is None or place is None or at > 3 or "than" in said:
                continue
            axis, sign = compared[said[place]]
            readings = []
            for grid in self.page.grids:
                for driver in grid.series:
                    if not driver.is_setting or said[at + 1] not in stems(driver.head):
                        continue
                    for metric in self._measured(grid, (), said[place:], axis if axis != "value" else "none"):
                        if (direction_ := _way(metric, axis, sign)) and metric.column != driver.column:
                            readings += [
                                (metric, driver, way * direction_, run) for run in _runs(grid, driver, metric, least=2)
                            ]
            if readings and not any(_follows(run, one) for *_, one, run in readings):
                metric, driver, _, run = readings[0]
                yield Verdict(
                    code="wrong-ranking", start=0, said=f"{word} {said[at + 1]}",
                    why=f"{metric.head} goes from {run[0].text} to {run[-1].text} as {driver.head} increases",
                    lines=tuple(one.line for one in run[:6]),
                )  # fmt: skip
            return

    def _sections(self, sentence: Sentence) -> list[Grid]:
        """The tables of the section that a sentence stands in; else the last one above it."""
        same = [one for one in self.page.grids if one.table.headings == sentence.headings]
        if same:
            above = [one for one in same if one.table.first_line < sentence.line]
            return above or same
        above = [one for one in self.page.grids if one.table.last_line < sentence.line]
        return above[-1:]

    # --- quotations ------------------------------------------------------------------------------------------------

    def _quotes(self, sentence: Sentence, mentions: Sequence[Mention]) -> Iterator[Verdict]:
        """A figure said of a row whose table holds no such figure, nor does the page anywhere else."""
        if sentence.role not in ("prose", "heading"):
            return
        bound = [one for one in mentions if one.rows and one.exact and len(one.label) > 2]
        if len({one.label for one in bound}) > 3:
            return
        ends = [end for _, end in placed(sentence.text)]
        related = relations(sentence.text)
        for number in numbers(sentence.text):
            if any(one.start <= number.start < one.end and one.word for one in related) or number.unit.base in (
                "x",
                "points",
            ):
                continue
            digits = len(re.sub(r"\D", "", number.text.split("e")[0]).lstrip("0"))
            if (not number.unit.base and digits < 4) or _is_combined(sentence.text, number):
                continue
            near = [one for one in bound if one.end - 1 < len(ends) and 0 <= number.start - ends[one.end - 1] <= 45]
            near = [
                one
                for one in near
                if not re.search(
                    r"[;:]\s|,\s(?:and|but|while)\b|\d",
                    sentence.text[ends[one.end - 1] : number.start].partition(" ")[2],
                )
            ]
            unit = number.unit.base
            if not near:
                near = self._columns_named(sentence, number, mentions)
            if not near:
                continue
            cells = [
                (value, series)
                for one in near
                for series in self.page.grids[one.grid].series
                for row in one.rows or (range(len(series.values)) if series.column == one.column else ())
                if (value := series.values[row]) is not None
                and not series.is_setting
                and (value.unit == unit or not unit)
            ]
            if not cells or self._stands_there(number, near) or self._said_elsewhere(number, sentence):
                continue
            value = min(
                (one for one, _ in cells), key=lambda one: abs((one.mid if unit else one.printed) - number.base)
            )
            if not 0.6 < abs((value.mid if unit else value.printed) / (number.base or 1e-99)) < 1.67 or _is_product(
                number, self._figures[:400]
            ):
                continue
            yield Verdict(
                code="misquoted-figure", start=number.start, said=number.text,
                why=f"the table shows {value.text} for {near[0].label}, and no figure of the page is {number.text}",
                lines=(value.line,),
            )  # fmt: skip

    def _columns_named(self, sentence: Sentence, number: Number, mentions: Sequence[Mention]) -> list[Mention]:
        """The columns of that unit that the words before a figure name, where several digits are given."""
        digits = len(re.sub(r"\D", "", number.text).lstrip("0"))
        if not number.unit.base or digits < 3:
            return []
        before = set(stems(sentence.text[max(0, number.start - 60) : number.start]))
        return [
            Mention(0, 0, at, column=one.column, label=one.head)
            for at, grid in enumerate(self.page.grids)
            if grid.table.form in ("runs", "markdown")
            for one in grid.series
            if not one.is_setting and one.unit == number.unit.base and one.called & before
        ]

    def _stands_there(self, number: Number, near: Sequence[Mention]) -> bool:
        """Whether a table that is meant shows a figure."""
        grids = {one.grid for one in near}
        return any(
            _equals(number, value) for at in grids for one in self.page.grids[at].series for _, value in one.known
        )

    def _named_figures(self, sentence: Sentence) -> Iterator[Verdict]:
        """`Validation accuracy: 0.8488`, where a column or a log of that name holds no such figure."""
        if sentence.role not in ("prose", "heading") or not any(one.isdigit() for one in sentence.text):
            return
        for pair in scan(sentence.text).pairs:
            number = pair.number
            digits = len(re.sub(r"\D", "", number.text.split("e")[0]).lstrip("0"))
            if (
                pair.how not in (":", "=", "of")
                or pair.of is not None
                or digits < 2
                or number.unit.base == "x"
                or len(pair.name) > 40
            ):
                continue
            if re.match(r"\s?(?:[-–—]|to)\s?\d|\s?[x×*/]\s?\d", sentence.text[number.end :]):
                continue
            key = name_of(pair.name, number.unit).key
            shown = self._shown(key, pair.name) or self._shown(name_of(pair.name).key, pair.name)
            own = {line for _, line in sentence.starts} | {sentence.line}
            if (
                not self._is_known(key)
                or len(shown) < 2
                or not direction(key)
                or any(_equals(number, one) for one in (*shown, *self._figures) if one.line not in own)
            ):
                continue
            if self._said_elsewhere(number, sentence) or number.unit.base not in (
                "",
                *(one.unit for one in shown),
                "%",
            ):
                continue
            near = min(shown, key=lambda one: min(abs(one.mid * scale - number.base) for scale in (1, 100, 0.01)))
            yield Verdict(
                code="misquoted-figure", start=number.start, said=number.text,
                why=f"no {pair.name} of the page is {number.text}; the nearest is {near.text} in line {near.line}",
                lines=(near.line,),
            )  # fmt: skip

    def _unseen(self, sentence: Sentence) -> Iterator[Verdict]:
        """A figure with three digits beside the name of a column or of a log's figure, that the page shows nowhere."""
        if sentence.role == "cell":
            return
        for number in numbers(sentence.text):
            digits = re.sub(r"\D", "", re.split(r"[eE]", number.text)[0]).lstrip("0")
            if (
                len(digits) < 3
                or number.unit.base in ("x", "points")
                or number.mark
                or not self._beside(sentence.text, number)
                or _is_combined(sentence.text, number)
            ):
                continue
            near = [one for one in self._called(sentence.text, number) if _alike_printed(number, one)]
            own = {line for _, line in sentence.starts} | {sentence.line}
            near = [one for one in near if one.line not in own]
            if (
                len(near) < 2
                or any(_equals(number, one) for one in self._figures if one.line not in own)
                or self._said_elsewhere(number, sentence)
            ):
                continue
            if any(_equals(number, one) for one in self._logged) or _is_product(number, near):
                continue
            best = min(near, key=lambda one: min(abs(one.mid * k - number.base) for k in (1, 100, 0.01)))
            yield Verdict(
                code="misquoted-figure", start=number.start, said=number.text,
                why=f"no figure of the page is {number.text}; the nearest is {best.text} in line {best.line}",
                lines=(best.line,),
            )  # fmt: skip

    def _beside(self, text: str, number: Number) -> bool:
        """Whether a figure is said of something: no part of an expression, a range, a spread."""
        before, after = text[: number.start].rstrip(), text[number.end :].lstrip()
        return not re.search(
            r"(?:[-–—+×*/^±=]|\b(?:to|than|by|within|of about|about|over|under))$", before
        ) and not re.match(r"(?:[-–—×*/^±]|x\s?\d|to\s\d)", after)

    def _called(self, text: str, number: Number) -> list[Value]:
        """The figures of columns and logs whose name stands within a few words of a figure."""
        window = text[max(0, number.start - 50) : number.end + 30]
        said = set(stems(window))
        found = [
            value
            for grid in self.page.grids
            if grid.table.form != "list"
            for one in grid.series
            if not one.is_setting and one.called & said and (direction(one.key) or one.unit)
            for _, value in one.known
        ]
        for pair in scan(window).pairs:
            if pair.number.text == number.text and direction(name_of(pair.name).key):
                found += self._shown(name_of(pair.name, number.unit).key, pair.name)
        return found

    @cached_property
    def _logged(self) -> list[Value]:
        """All figures of the page's logs."""
        return [
            Value(one.base, one.slack, one.unit.base, line, one.text)
            for line, text in self.page.logs[:4000]
            if len(text) < 600
            for one in numbers(text)
        ]

    def _is_known(self, key: str) -> bool:
        known = named(key) or named(re.sub(r"^(?:val|test|train|eval)_|_pct$", "", key))
        return (known is not None and not known.settable) or any(
            one.key in (key, key.removesuffix("_pct")) and not one.is_setting
            for grid in self.page.grids
            if grid.table.form != "list"
            for one in grid.series
        )

    def _shown(self, key: str, printed: str) -> list[Value]:
        """The figures of that name, in tables and logs."""
        if key not in self._by_key:
            found = [
                value
                for grid in self.page.grids
                for one in grid.series
                if one.key == key and not one.is_setting
                for _, value in one.known
            ]
            word = (re.findall(r"[^\W\d_]+", printed) or [""])[-1].lower()[:3]
            if word and not found:
                for line, text in self.page.logs:
                    if word in text.lower() and len(text) < 2000:
                        for pair in scan(text).pairs:
                            if (
                                pair.strong
                                and (own := name_of(pair.name, pair.number.unit).key)
                                and (own == key or own.endswith("_" + key))
                            ):
                                found.append(
                                    Value(
                                        pair.number.base,
                                        pair.number.slack,
                                        pair.number.unit.base,
                                        line,
                                        pair.number.text,
                                    )
                                )
            self._by_key[key] = found
        return self._by_key[key]

    def _said_elsewhere(self, number: Number, sentence: Sentence) -> bool:
        """Whether other lines give this figure, too."""
        printed = re.escape(re.sub(r"^[^\d.]+", "", number.text).split(" ")[0].rstrip("%"))
        pattern = re.compile(rf"(?<![\d.]){printed}(?!\d|\.\d)")
        own = set(range(sentence.line, sentence.line + 4)) | {line for _, line in sentence.starts}
        return any(line not in own and pattern.search(text) for line, text in self.page.texts.items())


def _clause(text: str, place: int) -> list[str]:
    """The words of the clause around a place."""
    begin = max((text.rfind(sign, 0, place) for sign in (". ", "; ", "(", " - ", " — ")), default=-1)
    ends = [at for sign in (". ", "; ", "(", " - ", " — ") if (at := text.find(sign, place)) >= 0]
    return [one.lower() for one in re.findall(r"[^\W\d_]+", text[max(0, begin) : min(ends, default=len(text))])]


def _inline(own: Sequence[Number], relation: Relation) -> bool:
    """Whether a sentence carries two figures of one unit: then it is judged by them."""
    others = [
        one.unit.base
        for one in own
        if not relation.start <= one.start < relation.end and one.unit.base and one.unit.base not in ("x", "%")
    ]
    return len(others) != len(set(others))


def _sides(mentions: Sequence[Mention]) -> set[str]:
    return {one.label for one in mentions if one.rows or one.column is not None}


def _rows_by_label(mentions: Sequence[Mention]) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for one in mentions:
        if one.rows and len(one.rows) <= 40:
            found[one.label] = tuple(sorted({*found.get(one.label, ()), *one.rows}))
    return found


def _distance(relation: Relation, a: Value, b: Value) -> float:
    if not a.mid or not b.mid:
        return 1e9
    quotient = max(a.mid / b.mid, b.mid / a.mid)
    return abs(quotient - (relation.high if relation.kind == "ratio" else 1 + relation.high / 100))


def _is_speed(series: Series) -> bool:
    return bool(set(stems(series.head)) & (words("time") | words("rate")))


def _way(series: Series, axis: str, sign: int) -> int:
    """1 where the word means the larger figure of this column, -1 where the smaller, 0 where neither is sure."""
    if axis == "value":
        return sign
    if axis == "quality":
        return sign * series.better
    head = set(stems(series.head))
    if series.unit == "s" or (head & words("time") and not series.unit.endswith("/s")):
        return -sign
    if series.unit.endswith("/s") or head & words("rate"):
        return sign
    return 0


def _leads(grid: Grid, series: Series, one: Mention, way: int) -> bool:
    return any(_is_extreme(series, one.rows, group, way) for group in _row_groups(grid, one.rows))


def _is_extreme(series: Series, rows: Sequence[int], group: Sequence[int], way: int) -> bool:
    known = [(at, value) for at, value in series.known if at in group]
    if len(known) < 2:
        return False
    best = max(way * value.mid for _, value in known)
    return any(at in rows and way * value.mid >= best - value.slack for at, value in known)


def _row_groups(grid: Grid, rows: Sequence[int]) -> Iterator[Sequence[int]]:
    """All rows, and those that share the cell of another column with a row."""
    every = range(len(grid.table.rows))
    yield every
    for at, column in enumerate(grid.table.columns):
        if column.kind == "figure":
            continue
        for row in rows:
            text = grid.table.rows[row].cells[at].text if at < len(grid.table.rows[row].cells) else ""
            texts = [grid.table.rows[n].cells[at].text if at < len(grid.table.rows[n].cells) else "" for n in every]
            if min(Counter(texts).values()) < 2:
                continue  # no key of the table
            same = [n for n in every if texts[n] == text]
            if 1 < len(same) < len(every):
                yield same


def _nearest(mentions: Sequence[Mention], *, end: int | None = None, start: int | None = None) -> list[Mention]:
    """The mentions that end right before a word, or begin right after one."""
    if end is not None:
        found = [one for one in mentions if one.end <= end and end - one.end <= 8]
        return [one for one in found if one.end == max(two.end for two in found)]
    found = [one for one in mentions if start is not None and 0 <= one.start - start <= 4]
    return [one for one in found if one.start == min(two.start for two in found)]


def _place(text: str, head: str) -> tuple[int, int] | None:
    """Where a sentence names a column: by its whole head, or by a word that carries it."""
    plain = re.sub(r"[(\[][^()\[\]]*[)\]]", " ", head).strip().lower()
    for name in (plain, *(word for word in plain.split() if len(word) > 4)):
        if len(name) > 2 and (found := re.search(rf"\b{re.escape(name.rstrip('s'))}(?:s|es)?\b", text)):
            return found.span()
    return None


def _moves_of(
    moves: Sequence[tuple[int, int, int]], driver: tuple[int, int], metric: tuple[int, int], text: str
) -> int:
    """Which way the metric is said to go as its driver grows; 0 where the words do not say it."""

    def nearest(place: tuple[int, int]) -> tuple[int, tuple[int, int, int]]:
        return min((min(abs(move[0] - place[1]), abs(place[0] - move[1])), move) for move in moves)

    gap, of_metric = nearest(metric)
    other, of_driver = nearest(driver)
    if gap > 25 or abs(driver[0] - metric[0]) > 90:
        return 0
    if of_driver == of_metric:
        rest = [one for one in moves if one != of_metric]
        if len(rest) > 1:
            return 0
        if rest:
            return of_metric[2] * rest[0][2]
        return of_metric[2] if re.search(r"\b(?:with|as|when|more)\b", text) else 0
    return of_metric[2] * (of_driver[2] if other < 40 else 1)


def _runs(grid: Grid, driver: Series, metric: Series, *, least: int = 3) -> Iterator[list[Value]]:
    """The figures of a column in order of its driver, among rows that share everything else that was set."""
    settings = [one for one in grid.series if one.is_setting and one is not driver]
    groups: dict[tuple[object, ...], list[tuple[float, Value]]] = {}
    for at, value in metric.known:
        if (x := driver.values[at]) is None:
            continue
        same = tuple(one.values[at].mid if one.values[at] else None for one in settings)  # type: ignore[union-attr]
        groups.setdefault((grid.table.rows[at].group, *same), []).append((x.mid, value))
    for members in groups.values():
        members.sort(key=lambda one: one[0])
        if len({x for x, _ in members}) >= least:
            yield [value for _, value in members]


def _follows(run: Sequence[Value], way: int) -> bool:
    """Whether it goes that way in most steps, or at least from one end to the other."""
    steps = [way * (b.mid - a.mid) for a, b in pairwise(run)]
    return way * (run[-1].mid - run[0].mid) >= 0 or sum(one >= 0 for one in steps) >= 0.5 * len(steps)


def _is_combined(text: str, number: Number) -> bool:
    """Whether a figure is a sum, a mean or a difference: `129 s longer`, `in total`, `a + b = c`."""
    around = set(stems(text[max(0, number.start - 60) : number.end + 25]))
    behind = stems(text[number.end : number.end + 20])[:1]
    return bool(
        around & words("combined") or (behind and behind[0] in meanings("compared")) or re.search(r"[=+]", text)
    )


def _alike_printed(number: Number, value: Value) -> bool:
    """Whether two figures may be the same one, misread: of one size and unit, with as many decimals."""
    if not number.unit.base and value.printed and 0.6 < value.printed / (number.value or 1e-99) < 1.67:
        return True
    if number.unit.base not in ("", value.unit) and not (number.unit.base == "%" and not value.unit):
        return False
    for scale in (1.0, 100.0) if number.unit.base == "%" and not value.unit else (1.0,):
        if number.base and value.mid and 0.6 < value.mid * scale / number.base < 1.67:
            return True
    return False


def _equals(number: Number, value: Value) -> bool:
    """Whether a figure is this one: rounded or cut, in any scale people use."""
    about = number.mark in ("~", "≈")
    for scale in (
        (1.0, 100.0, 0.01) if "" in (number.unit.base, value.unit) or "%" in (number.unit.base, value.unit) else (1.0,)
    ):
        room = 2 * number.slack + value.slack * scale + (0.08 * abs(number.base) if about else 0.0)
        if abs(number.base - value.mid * scale) <= room + 1e-12 and (
            value.unit in (number.unit.base, "") or not number.unit.base
        ):
            return True
    return not number.unit.base and abs(number.value - value.printed) <= 2 * number.slack + 1e-12


def _is_product(number: Number, values: Sequence[Value]) -> bool:
    """Whether a difference, sum or product of two figures of one column gives it."""
    same = [one for one in values if one.unit == number.unit.base][:120]
    room = 2 * number.slack
    return any(
        abs(abs(a.mid - b.mid) - number.base) <= room or abs(a.mid + b.mid - number.base) <= room
        for n, a in enumerate(same)
        for b in same[n + 1 :]
    )
