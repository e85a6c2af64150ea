"""What any program prints: figures, settings, phases of its output, under the names that it gives them.

    val_bpb: 0.997900            step 100 | loss 3.21 | 1,204 tokens/s             {'loss': 0.51, 'epoch': 0.24}
    Latency (ms):                SET: rps=12683.6 (overall: 12683.6)               Epoch   Train   Valid
        min:   0.59              batch_size ............. 32                           1   0.412   0.530

A line is read by its pairs, by the table it stands in, or as an object. What it is about (its step and epoch, its part
of the data, the heading above it) comes from the lines around it. Lines of one shape are read once.

The trap: before a training, names with numbers are mostly settings; beside a step or a loss, they are figures.
"""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.core.dates import moment
from assay.core.names import Name, name_of, part_named
from assay.core.numbers import NO_UNIT, Number, quantity, tokens, unit_of
from assay.lines import Line
from assay.model.event import Event
from assay.model.values import number
from assay.quantities import COUNT, MACHINE, named
from assay.reading.pairs import Pair, Scan, scan
from assay.reading.reader import Answer, Reader
from assay.reading.series import Positions, Progress
from assay.reading.shapes import NUMBER, Places, Recipe, Recipes, follow
from assay.reading.tables import bar_cells, columns_of, is_bar_row, is_rule

_LONGEST, _LONGEST_OBJECT = 4000, 1 << 16
#: how far something has come: what such a name counts
_PLACES = {
    **dict.fromkeys(("step", "global_step", "iter", "iteration", "update", "num_updates", "batch", "it", "boost_round"), "step"),
    **dict.fromkeys(("global step", "local_step", "train_step", "training step", "train_iter", "round", "rounds", "iters"), "step"),
    **dict.fromkeys(("epoch", "ep", "train epoch", "training epoch", "epochs"), "epoch"),
    **dict.fromkeys(("rank",), "rank"),
}  # fmt: skip
#: what only says which statistic it is: the heading above says of what
_STATISTIC = re.compile(
    r"(?i)(?:(?:min|max|avg|ave|mean|median|sum|std|stdev|std_?dev|total|count|p?\d+(?:\.\d+)?(?:th)?(?:[_ ]?pct|%)?|"
    r"\d+(?:st|nd|rd|th)|percentile|samples|per|stddev|mdev|var|sigma|overall|all|best|last|value|score|real|user|sys)(?:[_ ]percentile)?[_ ]?)+(?:_s|_ms|_pct)?"
)
#: names of no figure: what a logger, a scheduler or a system prints beside them
_NO_NAMES = frozenset(
    ("pid", "tid", "port", "line", "uid", "gid", "id", "ppid", "thread", "exit_code", "exit_status", "errno", "signal", "v_num", "version",
     "eta_s", "eta", "remaining_s", "remaining", "time_left_s", "python", "cuda", "http", "localhost", "page", "figure", "fig", "section",
     "table", "chapter", "at", "device_id", "local_rank", "date", "timestamp", "ts", "year", "port_s", "groupid", "elapsed_rank")
)  # fmt: skip
_NO_WORDS = re.compile(r"(?:^|_)(?:eta|remaining|pid|timestamp|uuid|port|checksum|sha\d*|md5|crc\d*)(?:_|$)")
_HEADING = re.compile(
    r"^\s*(?:[=\-*#~]{2,}\s*(?P<drawn>[^=\-*#~].*?)\s*[=\-*#~]{2,}|(?P<colon>[^:=|\d][^:=|]{0,60}):)\s*$"
)
_SETTINGS_HEAD = re.compile(
    r"(?i)(?:^|[\s:\]])(?:Namespace\(|(?:args|config|arguments|options|hyper-?parameters|settings)\b[^:=]{0,20}[:=])"
)
_NAMESPACE = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_][\w.]*)=(?P<value>'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\([^)]*\)|[^,()\s]+)"
)
_DOTTED = re.compile(r"(?:^|\s)(?P<name>[A-Za-z][\w\-]{1,48}) \.{3,} ?(?P<value>\S+)\s*$")
_EMPTY = frozenset(("", "none", "null", "n/a", "-"))
_OVERRIDE = re.compile(r"(?i)^\W*(?:overrid\w+|override|setting|using|set)\b[:\s]")
#: `Metrics for held-out data: {…}`
_OF_WHAT = re.compile(
    r"\b(?:for|of|on)\s+((?:[A-Za-z][\w()-]*|\([\w-]+\))(?:\s+(?:[A-Za-z][\w-]*|\([\w-]+\))){0,6})\s*[:=]\s*$"
)
_OBJECT_BEHIND = re.compile(r"\{\s*['\"]\w")
_RANKED = re.compile(
    r"\[(?:default|1,) ?(?P<rank>\d+)\](?:<std(?:out|err)>)?:\s*|\[(?i:rank|gpu)[ :=]?(?P<named>\d+)\][:, ]?\s*|(?i:rank) (?P<bare>\d+) ?[:|]\s*"
)
_SEVERAL_RANKS = re.compile(r"(?=\[(?:rank|gpu)[ :=]?\d+\])", re.IGNORECASE)
_FEWEST_LISTED, _MOST_LISTED = 2, 400


@dataclass(slots=True)
class Facts:
    """What a line says: figures by their keys, settings, its place, and whether its like says the same."""

    figures: dict[str, object] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)
    places: dict[str, object] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)  # of how many: the 600 of `100/600`
    recipe: Recipe | None = None
    outcome: bool = False  # a loss, an accuracy, a rate: what a training prints of itself


@dataclass(slots=True)
class Listing:
    """Lines with one name and one value each, that stand together: settings, or figures."""

    lines: list[tuple[Line, str, object, Number | None]] = field(default_factory=list)

    def settings_share(self) -> int:
        return sum(is_setting(name) for _, name, _, _ in self.lines)


class Columns:
    """A table that is being printed: the names of its columns, and how its rows are cut."""

    def __init__(self, heads: list[str], *, bars: bool) -> None:
        self.heads, self.bars, self.misses, self.rows = heads, bars, 0, 0

    def cells(self, text: str) -> list[str] | None:
        """The cells of a row; None where a line is none."""
        text = without_bar(text)
        if self.bars and ("|" in text or "│" in text):
            cut = bar_cells(text)
        else:
            cut = columns_of(text)
            if len(cut) != len(self.heads):
                cut = text.split()
        if len(cut) == len(self.heads) + 1 and quantity(cut[0]) is None:
            return cut if sum(quantity(one) is not None for one in cut) * 2 >= len(self.heads) else None
        if len(cut) != len(self.heads) and not (self.rows and len(cut) == len(self.heads) - 1):
            return None
        wholes = sum(quantity(one) is not None for one in cut)
        return cut if wholes * 2 >= len(cut) and wholes else None


class Script(Reader):
    """Reads the output of any program; one line alone does not make a run of a page."""

    name = "generic"
    system = "generic"

    def __init__(self) -> None:
        super().__init__()
        self.measured = 0
        self.passed_over = False  # whether the last line said nothing, and changed nothing of how the next is read
        self.recipe: Recipe | None = None
        self.columns: Columns | None = None
        self._recipes, self._positions, self._progress = Recipes(), Positions(), Progress()
        self._listing = Listing()
        self._units: dict[tuple[str, str], Name] = {}  # in which unit each figure was printed first
        self._asked: dict[str, object] = {}
        self._sections: list[tuple[int, str]] = []
        self._drawn = ""  # `====== SET ======`
        self._part_lines = 0  # that many lines below it belong to it
        self._part = ("", 0)  # a line that only names a part of the data, and its number
        self._head: tuple[int, list[str], bool] | None = None  # a line that may be the head of a table
        self._positioned: set[str] = set()  # figures that came with a step or an epoch
        self._epoch: float | None = None
        self._object: list[str] = []
        self._object_line: Line | None = None

    # --- what the splitter asks ---

    @property
    def wants_all(self) -> bool:
        """In the middle of a table, a list or an object every line counts."""
        return self.columns is not None or self._head is not None or bool(self._listing.lines) or bool(self._object)

    @property
    def is_done(self) -> bool:
        return self._progress.is_done

    @property
    def says_more(self) -> bool:
        return bool(self._asked) or self._progress.is_done

    def begins_anew(self, text: str) -> bool:
        """Another training of the same script: its first epoch after its last, or its settings once more."""
        return self.strong and self._progress.begins_anew(text)

    def read(self, line: Line) -> Answer:
        text = line.text.rstrip()
        self.recipe, self.passed_over = None, False
        if not text.strip():
            return self._close() or None
        if len(text) > _LONGEST and (text[-1] != "}" or len(text) > _LONGEST_OBJECT):
            return None
        if "rank" in text and len(parts := [one for one in _SEVERAL_RANKS.split(text) if one.strip()]) > 1:
            answers = [self._read(Line(line.number, one, line.t), one) for one in parts]
            self.recipe = None
            return [event for answer in answers for event in answer or []] or None
        return self._read(line, text)

    def pause(self) -> list[Event]:
        """Text of a person, or the end of a fence, ends what is open."""
        return self._close()

    def drop_open(self) -> None:
        self.columns, self._head, self._listing, self._object = None, None, Listing(), []

    def read_placed(self, places: Places, raw: bytes, line: Line) -> Event | None:
        """A line like one that was read before, quickly; None to have it read the long way."""
        if self.wants_all or self._progress.may_begin_anew or self._part_above(line):
            return None
        t = places.moment(raw) if places.stamp is not None else None
        if places.stamp is not None and t is None:
            return None
        return self._measure(line, places.facts(raw), places.kind, t)

    def finish(self) -> list[Event]:
        events = self._close()
        if not self.measured:
            return events
        derived = {} if "epochs" in self._asked else self._progress.derived()
        events += [self.fact("param", 0, None, derived)] if derived else []
        return [*events, self.fact("end", 0, None, self._progress.last_word(failed=self.failed))]

    # --- one line ---

    def _read(self, line: Line, text: str) -> Answer:
        if self._object or text.strip() in ("{", "["):
            return self._object_part(line, text)
        if (found := self._as_object(line, text)) is not None:
            return [*self._close(), *found]
        if (row := self._as_row(line, text)) is not None:
            return row
        shape = NUMBER.sub("#", text)
        if shape in self._recipes and not self._listing.lines and not self._part_above(line):
            self.recipe = self._recipes.of(shape)
            known = None if self.recipe is None else follow(self.recipe, text)
            if known is not None:
                return [self._measure(line, known, "metric", moment(text))]
            if self.recipe is None:
                self.passed_over = True
                return None
        if is_rule(text):
            return None
        if "%|" in text and (head := _head_of(line, text)) is not None:
            self._head = head  # `classes  top1_acc  top5_acc: 100%|███| 3/3`
            return []
        rank, bare = _rank(text)
        if (dotted := _DOTTED.search(bare)) or _SETTINGS_HEAD.search(bare[:200]):
            settings = {dotted["name"]: dotted["value"]} if dotted else dict(_NAMESPACE.findall(bare))
            if settings and (answer := self._settings(line, settings)) is not None:
                return answer
        found = scan(bare)
        found.offset = len(text) - len(bare)
        self._epoch_line(found, bare)
        answer = self._pairs(line, text, found, rank, shape)
        if self._progress.ends_with(text) and self.measured:
            self.strong = True
            answer = answer or []
        if answer is None:
            before = (self._sections[:], self._drawn, self._part[0])
            self._around(line, text, found)
            self.passed_over = (
                self._head is None and before == (self._sections, self._drawn, self._part[0]) and not self._sections
            )
            if self.passed_over:
                self._recipes.keep(shape, None)
        return answer

    def _pairs(self, line: Line, text: str, found: Scan, rank: int | None, shape: str) -> Answer:
        """What the pairs of a line say."""
        facts = self._facts(line, text, found)
        if rank is not None:
            facts.places["rank"] = rank
        if not facts.figures and not facts.settings:
            self._listed_text(line, found)
            return [] if self._listing.lines and self._listing.lines[-1][0] is line else None
        single = len(facts.figures) + len(facts.settings) == 1 and not facts.places and len(found.pairs) == 1
        if single and not facts.outcome and not self._positioned and found.pairs[0].strong:
            pair = found.pairs[0]
            key = next(iter({**facts.figures, **facts.settings}))
            self._listing.lines.append(
                (
                    line,
                    key if key in facts.figures else pair.name,
                    {**facts.figures, **facts.settings}[key],
                    pair.number,
                )
            )
            if len(self._listing.lines) <= _MOST_LISTED:
                return []
            return self._close()
        if found.label and not found.logged and not part_named(found.label):
            indent = len(text) - len(text.lstrip())
            self._sections = [*(one for one in self._sections if one[0] < indent), (indent, found.label)]
        events = self._close()
        if facts.settings:
            events += self._set(line, facts.settings)
        if facts.figures:
            if facts.recipe is not None and not events:
                self._recipes.keep(shape, facts.recipe)
                self.recipe = facts.recipe
            self._progress.of_how_many(facts.totals)
            events += self._set(line, self._progress.news(self._asked))
            self._positions.of(facts.places).of_how_many_all(facts.totals)
            kind = "metric" if facts.places or not self._is_final(facts.figures) else "result"
            events.append(self._measure(line, {**facts.places, **facts.figures}, kind, moment(text)))
        return events

    def _facts(self, line: Line, text: str, found: Scan) -> Facts:
        """The figures and settings of a line, by their keys."""
        facts = Facts()
        chosen = [pair for pair in found.pairs if self._counts(pair, found)]
        above = self._part_above(line)
        part = part_named(found.label) or above or _part_at_head(found)
        section = self._section(text)
        figures: list[tuple[str, int, float]] = []
        whole: list[tuple[str, int]] = []
        spans = {match.start(): place for place, match in enumerate(NUMBER.finditer(text))}
        again = True
        for pair in chosen:
            place = _PLACES.get(pair.name.lower().strip("[]( "))
            value = pair.number.value
            if place is not None and value.is_integer() and pair.number.unit is NO_UNIT and not math.isinf(value):
                if place not in facts.places and not (pair.how == "behind" and place == "epoch"):
                    facts.places[place] = int(value)
                    whole.append((place, self._place_of(pair.number, text, found, spans)))
                    if pair.of:
                        facts.totals[place] = pair.of
                continue
            name = self._in_one_unit(self._key(pair, found, part, section))
            key, scale = name.key, name.scale
            shown = pair.mean or pair.number
            if not key or key in _NO_NAMES or _NO_WORDS.search(key) or key in facts.figures:
                continue
            if pair.of is not None and not _is_hits(key):
                continue
            amount = shown.value / pair.of if pair.of and _is_hits(key) else name.value(shown)
            again = again and (shown.unit == name.unit or not name.unit.base)
            facts.outcome = facts.outcome or _is_outcome(key)
            facts.figures[key] = (
                int(amount)
                if float(amount).is_integer() and "." not in shown.text and "e" not in shown.text and abs(amount) < 1e15
                else amount
            )
            figures.append((key, self._place_of(shown, text, found, spans), scale))
            again = (
                again
                and pair.of is None
                and pair.how in ("=", ":", "before", "unit", "behind")
                and not _GROUPED.search(shown.text)
                and shown.parts == 1
                and _same(shown)
            )
        _name_bare_parts(facts.figures)
        if not facts.figures:
            facts.places = {}
            return facts
        if found.index is not None and not facts.places and len(found.pairs) > 1:
            facts.places["step"] = int(found.index)
            again = False
        if found.progress is not None and "step" not in facts.places and part != "test" and part != "val":
            facts.places["step"] = int(found.progress[0])
            facts.totals["step"] = found.progress[1]
            again = False
        if not facts.places and not facts.outcome:
            self._split_settings(facts, found)
        recipe = Recipe(tuple(figures), tuple(whole))
        if (
            again
            and not facts.settings
            and not above
            and not section
            and recipe.holds
            and follow(recipe, text) == {**facts.places, **facts.figures}
        ):
            facts.recipe = recipe
        return facts

    def _place_of(self, shown: Number, text: str, found: Scan, spans: Mapping[int, int]) -> int:
        """Which of the numbers of a line it is, by where it stands; -1 where it is none that is read so."""
        at = found.offset + shown.end - len(shown.text)
        return next((spans[begin] for begin in range(at, at + 3) if begin in spans), -1)

    def _counts(self, pair: Pair, found: Scan) -> bool:
        """Whether a pair is one: a word before a bare number, or a noun behind it, is not always its name."""
        if pair.strong:
            return True
        known = named(pair.name)
        if pair.how == "unit":
            base = pair.number.unit.base
            return base.endswith("/s") and not any(
                p.number.unit.base == base and p is not pair and p.how != "unit" for p in found.pairs
            )
        if (
            pair.name.lower() in _PLACES
            or (known is not None and not known.settable)
            or (known is not None and known.settable)
        ):
            return True
        if (
            found.logged
            and not pair.number.unit.base
            and not any(p.strong or _is_outcome(name_of(p.name).key) for p in found.pairs)
        ):
            return False
        clean = found.words_left <= 1 and not found.loose
        if pair.how == "before":
            words = pair.name.split()
            whole = pair.number.value.is_integer() and not pair.number.unit.base
            return (
                len(words) <= 3
                and (found.words_left == 0 or not whole)
                and (clean or any(p.strong for p in found.pairs))
                and not (whole and pair.name[:1].isupper() and not any(p.strong for p in found.pairs))
            )
        words = pair.name.split()
        return bool(pair.number.unit.base) or (
            found.words_left <= 3
            and pair.name.rstrip(")").endswith("s")
            and pair.name[:1].islower()
            and len(words) <= 2
        )

    def _key(self, pair: Pair, found: Scan, part: str, section: str) -> Name:
        """The key of a pair, with the part of the data and what the heading or the head of the line adds."""
        unit = pair.number.unit
        label = pair.label if not part_named(pair.label) else ""
        if (
            unit is NO_UNIT
            and label
            and (inner := re.search(r"[(\[]\s*([^()\[\]]{1,12})[)\]]", label))
            and (above := unit_of(inner[1].strip()))
        ):
            unit = above
        if (
            unit is NO_UNIT
            and section
            and (inner := re.search(r"[(\[]\s*([^()\[\]]{1,12})[)\]]", section))
            and (above := unit_of(inner[1].strip()))
            and _STATISTIC.fullmatch(pair.name)
        ):
            unit = above
        name = name_of(pair.name, unit)
        known = named(name.key) or _bare_known(name.key)
        if part and known is not None and known.name == name.key and name.key in ("loss", "accuracy"):
            return name._replace(key=f"{part}_{name.key}")
        if part and known is None and not name.key.startswith(part + "_") and part != "train":
            return name._replace(key=f"{part}_{name.key}")
        if known is not None:
            return name
        prefix = [re.sub(r"[(\[][^()\[\]]*[)\]]", "", one) for one in (section, label) if one]
        statistic = _STATISTIC.fullmatch(pair.name.strip()) is not None
        if label and not statistic and len(label.split()) > 3:
            prefix = prefix[:-1]
        if statistic or (label and self._is_label(label)) or (section and self._seen_elsewhere(name.key, section)):
            words = [word for one in prefix for word in one.split()]
            return name_of(" ".join([*words, pair.name]), unit)
        return name

    def _in_one_unit(self, name: Name) -> Name:
        """A figure that was printed in ms first stays in ms, though later lines give seconds."""
        if not name.unit.base or not name.key.endswith(name.unit.suffix):
            return name
        stem = (name.key.removesuffix(name.unit.suffix), name.unit.base)
        first = self._units.setdefault(stem, name)
        return first

    def _is_label(self, label: str) -> bool:
        """Whether the words before the first colon say what the figures are of: `read:`, and not `INFO` or a module."""
        return (
            len(label) < 30
            and len(label.split()) <= 3
            and not re.search(r"thread|logger|module|root|\.|/|\d{3}", label.lower())
        )

    def _seen_elsewhere(self, key: str, section: str) -> bool:
        before = self._where.setdefault(key, section)
        return before != section

    @property
    def _where(self) -> dict[str, str]:
        return self.__dict__.setdefault("_wheres", {})

    def _split_settings(self, facts: Facts, found: Scan) -> None:
        """On a line without a step or an outcome, names that are set elsewhere make the others settings, too."""
        known = [key for key in facts.figures if is_setting(key)]
        if len(known) >= 2 or (known and len(facts.figures) == len(known)) or (known and len(found.texts) >= 2):
            texts = {slug(name): value for name, value in found.texts if _plain_value(value)}
            named_by = {pair.name: pair for pair in found.pairs}
            facts.settings = {**texts, **{setting_name(k): v for k, v in facts.figures.items()}}
            facts.figures = {}
            del named_by

    def _is_final(self, figures: Mapping[str, object]) -> bool:
        """Whether figures without a step are of the whole run: what was a series is said once more, or of a test."""
        return any(
            key in self._positioned
            or key.startswith(("test_", "val_", "best", "final", "total", "overall", "avg", "average"))
            for key in figures
        )

    # --- settings ---

    def _settings(self, line: Line, said: Mapping[str, str]) -> Answer:
        values = {setting_name(name): setting_value(value) for name, value in said.items()}
        if not values or not any(is_setting(name) for name in said):
            return None
        return [*self._close(), *self._set(line, values)]

    def _set(self, line: Line, values: Mapping[str, object], t: float | None = None) -> list[Event]:
        news = {name: value for name, value in values.items() if value is not None and self._asked.get(name) != value}
        self._asked.update(news)
        self._progress.asked(self._asked)
        return [self.fact("param", line, t, news)] if news else []

    def _listed_text(self, line: Line, found: Scan) -> None:
        """`device: cpu` in a list of settings."""
        if (
            len(found.texts) == 1
            and not found.pairs
            and not found.logged
            and not self._positioned
            and _plain_value(found.texts[0][1])
        ):
            self._listing.lines.append((line, found.texts[0][0], found.texts[0][1], None))

    # --- tables that are being printed ---

    def _as_row(self, line: Line, text: str) -> Answer:
        if self._head is not None:
            number, heads, bars = self._head
            if is_rule(text):
                return []
            columns = Columns(heads, bars=bars)
            if _DRAWING.search(text) and columns.cells(text) is None:
                return None  # a bar that is drawn between the head and the first row
            self._head = None
            if columns.cells(text) is not None and line.number - number <= 3:
                self.columns = columns
        if self.columns is None:
            return None
        if is_rule(text):
            return []
        cells = self.columns.cells(text)
        if cells is None and _DRAWING.search(text):
            return None
        if cells is None:
            self.columns = None
            return None
        self.columns.rows += 1
        return self._row(line, cells)

    def _row(self, line: Line, cells: list[str]) -> list[Event]:
        assert self.columns is not None
        heads = self.columns.heads
        label = cells[0] if len(cells) > len(heads) or quantity(cells[0]) is None else ""
        if len(cells) > len(heads):
            cells = cells[1:]
        facts: dict[str, object] = {}
        places: dict[str, object] = {}
        whole = self._section(line.text)
        inner = re.search(r"[(\[]\s*([^()\[\]]{1,12})[)\]]", whole)
        section_unit = unit_of(inner[1].strip()) if inner else None
        section = re.sub(r"[(\[][^()\[\]]*[)\]]", "", whole)
        for head, text in zip(heads, cells, strict=False):
            found = quantity(text)
            if found is None:
                continue
            place = _PLACES.get(head.lower().strip("# "))
            if place is None and head.strip() in ("#", "it"):
                place = "step"
            if place == "step" or (place is not None and place not in places):
                if float(found.value).is_integer():
                    places[place] = int(found.value)
                    continue
            above = f"{section} " if section and not label and _STATISTIC.fullmatch(head) else ""
            unit = found.unit if found.unit.base or not above else section_unit or found.unit
            name = self._in_one_unit(name_of(f"{above}{label} {head}".strip(), unit))
            if name.key and name.key not in facts and not _NO_WORDS.search(name.key):
                facts[name.key] = name.value(found)
        if not facts:
            return []
        return [self._measure(line, {**places, **facts}, "metric", moment(line.text))]

    def _around(self, line: Line, text: str, found: Scan) -> None:
        """A line without figures may be a heading, the head of a table, or name the part of the data of the next."""
        indent = len(text) - len(text.lstrip())
        heading = _HEADING.match(text)
        self._sections = [one for one in self._sections if one[0] < indent]
        if heading and heading["drawn"]:
            self._drawn = heading["drawn"] if len(heading["drawn"]) < 24 else ""
            self._part, self._part_lines = (part_named(heading["drawn"]), line.number), 0
        elif heading:
            self._sections.append((indent, heading["colon"].strip()))
            self._part, self._part_lines = (part_named(heading["colon"]), line.number), 0
        elif not found.texts and _PART_LINE.fullmatch(text.strip()) and (part := part_named(text)):
            self._part, self._part_lines = (part, line.number), 0
        elif found.label and not found.pairs and not found.logged:
            self._sections.append((indent, found.label))
        elif len(text) < 60 and not found.pairs and not found.logged and len(text.split()) <= 4:
            self._sections.append((indent, text.strip()))
        if len(self._sections) > 6:
            del self._sections[0]
        self._head = None if found.logged else _head_of(line, text)

    def _section(self, text: str) -> str:
        """The headings above a line that it is indented below."""
        indent = len(text) - len(text.lstrip())
        self._sections = [one for one in self._sections if one[0] < indent] if indent or self._sections else []
        above = [name for _, name in self._sections[-2:]]
        return " ".join([*([self._drawn] if self._drawn else []), *above])

    def _part_above(self, line: Line) -> str:
        part, at = self._part
        if part and line.number - at <= self._part_lines + 2:
            self._part_lines = line.number - at
            return part
        return ""

    def _epoch_line(self, found: Scan, text: str) -> None:
        """Keras prints the epoch on a line of its own, and so do many loops: what follows belongs to it."""
        first = found.pairs[0] if found.pairs else None
        if first is not None and _PLACES.get(first.name.lower()) == "epoch" and len(text) < 80:
            self._part = ("", 0)
            self._epoch = first.number.value
            if first.of:
                self._progress.of_how_many({"epoch": first.of})
                self._progress.see_epoch(first.number.value, text)

    # --- objects ---

    def _as_object(self, line: Line, text: str) -> list[Event] | None:
        """A line that is a JSON object or a Python dictionary, or ends in one."""
        stripped = text.strip()
        at = 0
        if not stripped.startswith("{"):
            behind = _OBJECT_BEHIND.search(stripped)
            if behind is None or not stripped.endswith("}"):
                return None
            at = behind.start()
        value = parse_object(stripped[at:])
        if value is None:
            return None
        before = scan(stripped[:at]) if at else Scan()
        of_what = _OF_WHAT.search(stripped[:at])
        return self._object_facts(line, value, before, of_what[1] if of_what else "")

    def _object_facts(self, line: Line, value: Mapping[str, object], before: Scan, of_what: str = "") -> list[Event]:
        """`of_what`: the words before an object that say what its figures are of."""
        flat = flattened(value)
        places: dict[str, object] = {}
        for pair in before.pairs:
            place = _PLACES.get(pair.name.lower().strip("[]( "))
            if place and pair.number.value.is_integer():
                places[place] = int(pair.number.value)
        if before.progress is not None:
            places.setdefault("step", int(before.progress[0]))
        figures, settings, texts = dict[str, object](), dict[str, object](), 0
        for name, one in flat.items():
            last = name.rpartition(".")[2].lower()
            place = _PLACES.get(last)
            amount = number(one)
            if isinstance(one, str) and amount is None:
                found = quantity(one)
                texts += 1
                if found is None or not one[:1].isdigit():
                    settings[name] = one
                    continue
                amount, unit = found.value, found.unit
            else:
                unit = NO_UNIT
            if place is not None and amount is not None and place not in places:
                places[place] = int(amount) if float(amount).is_integer() else amount
                continue
            if isinstance(one, bool) or (amount is None and not isinstance(one, float)):
                settings[name] = one
                continue
            key, _, scale = name_of(f"{of_what} {name.replace('.', ' ')}".strip(), unit)
            if key:
                figures[key] = one if amount is None else amount * scale if scale != 1.0 else amount
        outcome = any(_is_outcome(key) for key in figures)
        known = sum(is_setting(name) for name in flat)
        if not outcome and known >= _FEWEST_LISTED and not places:
            return self._set(
                line, {setting_name(name): one for name, one in flat.items() if not isinstance(one, (list, dict))}
            )
        if not figures:
            return []
        kind = "metric" if places else "result"
        return [self._measure(line, {**places, **figures}, kind, moment(line.text))]

    def _object_part(self, line: Line, text: str) -> Answer:
        """An object over several lines."""
        if not self._object:
            self._object_line = line
        self._object.append(text)
        if text.strip() in ("}", "]", "},", "],") and text.strip()[0] in "}]" and not text[:1].isspace():
            return self._close_object()
        if len(self._object) > 4 * _MOST_LISTED:
            self._object = []
        return []

    def _close_object(self) -> list[Event]:
        whole, line = "\n".join(self._object), self._object_line
        self._object = []
        value = parse_object(whole.rstrip(",")) if line is not None else None
        return self._object_facts(line, value, Scan()) if value is not None and line is not None else []

    # --- what is open ---

    def _close(self) -> list[Event]:
        """End the open list, object and table; what the list was is known now."""
        self.columns, self._head = None, None
        events: list[Event] = []
        listing, self._listing = self._listing, Listing()
        if listing.lines:
            settings = listing.settings_share()
            texts = sum(one is None for _, _, _, one in listing.lines)
            if settings >= _FEWEST_LISTED or (settings and (texts or len(listing.lines) == settings)):
                for line, name, value, _ in listing.lines:
                    events += self._set(line, {setting_name(name): value})
            else:
                for line, name, value, found in listing.lines:
                    if found is not None:
                        kind = "result" if self._is_final({name: value}) else "metric"
                        events.append(self._measure(line, {name: value}, kind, moment(line.text)))
        return events + (self._close_object() if self._object else [])

    def _measure(self, line: Line, facts: dict[str, object], kind: str, t: float | None) -> Event:
        """One event of figures, with its place in the training."""
        self.measured += 1
        self._progress.goes_on(facts)
        positioned = "step" in facts or "epoch" in facts
        if self._epoch is not None and kind == "metric":
            facts.setdefault("epoch", self._epoch)
        self._progress.take(facts, line.text)
        if kind == "metric" and (positioned or self._epoch is not None):
            self._positions.of(facts).take(facts)
        if positioned:
            self._positioned.update(facts)
        self.strong = self.measured > 1 or self._progress.is_done
        return self.fact(kind, line, t, facts)


_GROUPED = re.compile(r"\d[,'’]\d|[−–kKMG]")


def _same(shown: Number) -> bool:
    """Whether the number as printed is what `float` gives back."""
    digits = NUMBER.match(shown.text)
    return digits is not None and float(digits[0]) == shown.value


def _is_hits(key: str) -> bool:
    return key.endswith(("accuracy", "acc", "correct"))


def _rank(text: str) -> tuple[int | None, str]:
    """(the rank that a line begins with, the line without it)."""
    found = _RANKED.match(text) if text[:1] in "[rR" else None
    if found is None:
        return None, text
    return int(next(one for one in found.groups() if one)), text[found.end() :]


def _part_at_head(found: Scan) -> str:
    """The part of the data in the name of the first pair, where that is a count: `Test: [2/2]`, `Train: 0`."""
    first = found.pairs[0] if found.pairs else None
    if first is not None and (first.of is not None or part_named(first.name)) and len(found.pairs) > 1:
        part = part_named(first.name)
        return part if part != "train" else ""
    return ""


def _name_bare_parts(figures: dict[str, object]) -> None:
    """`Loss: 0.33, Train: 1.0, Val: 0.78, Test: 0.81`: beside a loss, parts of the data alone name an accuracy."""
    bare = [key for key in ("train", "val", "valid", "dev", "test") if key in figures]
    if not bare or "loss" not in figures:
        return
    shares = all(isinstance(figures[key], (int, float)) and 0 <= figures[key] <= 1 for key in bare)  # type: ignore[operator]
    if "train" in figures and shares:
        kind = "accuracy"
    elif "train" not in figures and not shares:
        kind = "loss"
    else:
        return
    for key in bare:
        figures[f"{part_named(key)}_{kind}"] = figures.pop(key)


def without_bar(text: str) -> str:
    """A line without the progress bar at its end: `1/3  0G  1.592: 100%|███| 5/5 [00:00<00:00]`."""
    found = _DRAWN_BAR.search(text) if "%|" in text else None
    return text[: found.start()].rstrip(" :") if found else text


_PART_LINE = re.compile(
    r"(?i)(?:(?:begin|start|running|final)\s)?[a-z]{3,10}(?:\s(?:begin|start|set|results?|error|metrics)s?)?\s?(?:\.{2,3}|:)?"
)
_DRAWING = re.compile(r"\d%\s*[|\[]|[█▉▊▋▌▍▎▏━╸]|\|[-=>]{3,}\||\d+/\d+ \[")
_DRAWN_BAR = re.compile(r":?\s*\d{1,3}%\|")


def _head_of(line: Line, text: str) -> tuple[int, list[str], bool] | None:
    """The names of columns where a line may be the head of a table: words alone, in three columns or between bars."""
    text = without_bar(text)
    if len(text) > 400 or _BARE_DIGIT.search(text) or text.rstrip()[-1:] in ".:;!?,":
        return None
    bars = "|" in text or "│" in text
    heads = bar_cells(text) if bars else columns_of(text)
    if not bars and len(heads) < 3:
        heads = text.split()
        if len(heads) < 3 or len(heads) > 12 or any(len(one) > 16 for one in heads):
            return None
    if len(heads) < 2 or any(len(one.split()) > 4 or not _LETTER.search(one) or one.endswith(":") for one in heads):
        return None
    return line.number, [one.strip() for one in heads], bars


_BARE_DIGIT = re.compile(r"(?<![\w@\-+.])\d")
_LETTER = re.compile(r"[^\W\d_]|#")


def _is_outcome(key: str) -> bool:
    """Whether it is what a training prints of itself, and no setting: a loss, an accuracy, a rate."""
    known = named(key)
    if known is not None:
        return not known.settable and known.kind not in (COUNT, MACHINE)
    return bool(
        re.search(
            r"(?:^|_)(?:\w*loss|acc\w*|accuracy|f1|auc|bleu|rouge\w*|ppl|perplexity|reward|return|r?mse|mae|map\d*|bpb|wer|mcc|iou|dice|per_s|score)(?:_|$)",
            key,
        )
    )


def _bare_known(key: str) -> object:
    return named(re.sub(r"^(?:train|val|test)_", "", key))


def is_setting(name: str) -> bool:
    """Whether a name is that of a setting that many programs have."""
    known = named(name) or named(name.rpartition(".")[2])
    return known is not None and known.settable


def setting_name(name: str) -> str:
    """The canonical name of a setting, else its own; one of the evaluation is not one of the training."""
    known = named(name)
    if known is None and "." in name:
        head, _, last = name.rpartition(".")
        known = named(last) if part_named(head.replace(".", " ")) not in ("val", "test") else None
    return known.name if known is not None and known.settable else slug(name)


def slug(name: str) -> str:
    return re.sub(r"[\s\-]+", "_", name.strip().strip("-'\"`*")).strip("_")


def setting_value(text: str) -> object:
    """A setting as a value: a number, a truth, or text without its quotes; None where it is nothing."""
    text = text.strip().rstrip(",").strip("'\"`")
    if text.lower() in _EMPTY:
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    found = [one for one in tokens(text)] if len(text) < 40 else []
    if len(found) == 1 and found[0].number is not None and not found[0].number.unit.base:
        value = found[0].number.value
        return int(value) if value.is_integer() and "." not in text and "e" not in text.lower() else value
    return text[:300]


def _plain_value(value: str) -> bool:
    return 0 < len(value) <= 80 and len(value.split()) <= 3


def parse_object(text: str) -> dict[str, object] | None:
    """A JSON object or a Python dictionary; None where the text is neither."""
    for parse in (json.loads, _literal):
        try:
            value = parse(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        return value if isinstance(value, dict) else None
    return None


def _literal(text: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)


def flattened(value: Mapping[str, object], head: str = "") -> dict[str, object]:
    """The members of an object, those of inner ones as `outer.inner`; lists are left out."""
    found: dict[str, object] = {}
    for key, one in value.items():
        name = f"{head}.{key}" if head else str(key)
        if isinstance(one, dict) and len(found) < 1000:
            found.update(flattened(one, name))
        elif not isinstance(one, (list, dict)):
            found[name] = one
    return found


__all__ = ["Script", "flattened", "is_bar_row", "parse_object", "setting_name", "setting_value"]
