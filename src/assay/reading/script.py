"""What any program prints: figures, settings, phases of its output, under the names that it gives them.

    val_bpb: 0.997900            step 100 | loss 3.21 | 1,204 tokens/s             {'loss': 0.51, 'epoch': 0.24}
    Latency (ms):                SET: rps=12683.6 (overall: 12683.6)               Epoch   Train   Valid
        min:   0.59              batch_size ............. 32                           1   0.412   0.530

A line is read by its pairs, by the table it stands in, or as an object. What it is about (its step and epoch, its part
of the data, the heading above it) comes from the lines around it. Lines of one shape are read once.

The trap: before a training, names with numbers are mostly settings; beside a step or a loss, they are figures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from assay.core.dates import moment
from assay.core.names import Name, name_of, part_named, part_of
from assay.core.numbers import NO_UNIT, Number, clock, quantity, tokens, unit_of
from assay.lines import Line
from assay.model.event import Event
from assay.model.values import number
from assay.quantities import Quantity, named
from assay.reading.columns import BAR_BEHIND, DRAWING, DRAWN_BAR, Columns, head_of
from assay.reading.formats import SCRIPT, Said, Talk, Target, factor_of
from assay.reading.pairs import Pair, Scan, scan
from assay.reading.reader import Answer, Reader
from assay.reading.series import Positions, Progress
from assay.reading.shapes import NUMBER, Places, Recipe, Recipes, follow
from assay.reading.tables import is_rule
from assay.reading.values import (
    flattened,
    is_outcome,
    is_plain_value,
    is_setting,
    parse_object,
    setting_name,
    setting_value,
    slug,
)

_LONGEST, _LONGEST_OBJECT = 4000, 1 << 16
#: how far something has come: what such a name counts
_PLACES = {
    **dict.fromkeys(("step", "global_step", "iter", "iteration", "update", "num_updates", "batch", "it",
    "boost_round"), "step"),
    **dict.fromkeys(("global step", "local_step", "train_step", "training step", "train_iter", "round",
    "rounds", "iters"), "step"),
    "steps": "step",
    **dict.fromkeys(("epoch", "ep", "train epoch", "training epoch"), "epoch"),
    **dict.fromkeys(("rank",), "rank"),
}  # fmt: skip
#: what only says which statistic it is: the heading above says of what
_STATISTICS = frozenset(
    (
        "min", "max", "avg", "ave", "mean", "median", "sum", "std", "stdev", "dev", "stddev", "mdev", "var", "sigma",
        "total", "count", "percentile", "samples", "per", "overall", "all", "best", "last", "value", "score", "real",
        "user", "sys", "s", "ms", "pct",
    )
)  # fmt: skip
_RANK_WORD = re.compile(r"p?\d{1,3}(?:\.\d{1,4})?(?:th|st|nd|rd|%)?")
#: names of no figure: what a logger, a scheduler or a system prints beside them
_NO_NAMES = frozenset(
    ("pid", "tid", "port", "line", "uid", "gid", "id", "ppid", "thread", "exit_code", "exit_status", "errno",
    "signal", "v_num", "version",
     "eta_s", "eta", "remaining_s", "remaining", "time_left_s", "python", "cuda", "http", "localhost", "page",
     "figure", "fig", "section",
     "table", "chapter", "at", "device_id", "local_rank", "date", "timestamp", "ts", "year", "port_s",
     "groupid", "elapsed_rank")
)  # fmt: skip
_NO_WORDS = re.compile(r"(?:^|_)(?:eta|remaining|pid|timestamp|uuid|port|checksum|sha\d*|md5|crc\d*)(?:_|$)")
_HEADING = re.compile(
    r"^\s{0,60}(?:[=\-*#~]{2,80} {0,4}(?P<drawn>[^=\-*#~\s][^=\-*#~]{0,60}?) {0,4}[=\-*#~]{2,80}|"
    r"(?P<colon>[^:=|\d\s][^:=|]{0,60}):)$"
)
_SETTINGS_HEAD = re.compile(
    r"(?i)(?:^|[\s:\]])(?:Namespace\(|(?:args|config|arguments|options|hyper-?parameters|settings)\b[^:=]{0,20}[:=])"
)
_NAMESPACE = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_][\w.]{0,60})=(?P<value>'[^']{0,200}'|\"[^\"]{0,200}\"|\[[^\]]{0,200}\]|\([^)]{0,200}\)|[^,()\s]{1,200})"
)
_DOTTED = re.compile(r"(?:^|\s)(?P<name>[A-Za-z][\w\-]{1,48}) \.{3,80} ?(?P<value>\S{1,120})$")
_TOOK = re.compile(
    r"(?i)\W*(?:(?P<train>(?:total |done\W+|finished |completed |end of )*(?:train(?:ing|ed)?|fit(?:ting|ted)?)\b)|"
    r"(?:it |this |all )?(?:took|(?:total |time )?elapsed|(?:total )?(?:run ?|wall ?|execution )?time\b|(?:done|"
    r"finished|completed)\b))"
)
#: `Metrics for held-out data: {…}`
_OF_WHAT = re.compile(
    r"\b(?:for|of|on)\s+((?:[A-Za-z][\w()-]*|\([\w-]+\))(?:\s+(?:[A-Za-z][\w-]*|"
    r"\([\w-]+\))){0,6})\s*[:=]\s*$"
)
_OBJECT_BEHIND = re.compile(r"\{\s*['\"]\w")
_RANKED = re.compile(
    r"\[(?:default|1,) ?(?P<rank>\d+)\](?:<std(?:out|err)>)?:\s*|\[(?i:rank|gpu)[ :=]?(?P<named>\d+)\][:, ]?\s*|"
    r"(?i:rank) (?P<bare>\d+) ?[:|]\s*"
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

    lines: list[tuple[Line, str, object, Pair | None]] = field(default_factory=list)

    def settings_share(self) -> int:
        return sum(is_setting(pair.name if pair is not None else name) for _, name, _, pair in self.lines)


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
        self._bar_total, self._after_epoch = 0.0, False  # how long an epoch's bar is, and whether it came to its end
        self._closing: dict[
            int, tuple[Line, dict[str, object]]
        ] = {}  # times of the whole, by rank: true unless more follows
        self._lr: tuple[int, object] = (0, None)  # how many lines give a learning rate, and which, as long as it is one
        self._where: dict[str, str] = {}  # below which heading each figure stood first
        self._text = ""  # the line that is being read
        self._part_lines = 0  # that many lines below it belong to it
        self._part = ("", 0)  # a line that only names a part of the data, and its number
        self._head: tuple[int, list[str], str] | None = None  # a line that may be the head of a table
        self._positioned: set[str] = set()  # figures that came with a step or an epoch
        self._epoch: float | None = None
        self._object: list[str] = []
        self._object_line: Line | None = None
        self.dialects: frozenset[str] | None = None  # formats whose words the line holds; None: not looked for
        self._talk: Talk | None = None
        self._names: dict[str, Target] = {}  # names that mean something special in this line
        self._status = ""

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
        if "Namespace(" in text and _SETTINGS_HEAD.search(text[:200]) and (self.failed or self._progress.is_done):
            return self.measured > 0
        return self.strong and self._progress.begins_anew(text)

    def read(self, line: Line) -> Answer:
        text = line.text.rstrip()
        self.recipe, self.passed_over, self._text = None, False, text
        if not text.strip():
            return self._close() or None
        if len(text) > _LONGEST and (text[-1] != "}" or len(text) > _LONGEST_OBJECT):
            return None
        if "rank" in text and len(parts := [one for one in _SEVERAL_RANKS.split(text) if one.strip()]) > 1:
            answers = [self._read(Line(line.number, one, line.t), one) for one in parts]
            self.recipe = None
            return [event for answer in answers if isinstance(answer, list) for event in answer] or None
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
        if self._lr[0] > 1 and self._lr[1] and "lr" not in self._asked:
            derived = {**derived, "lr": self._lr[1]}
        gpus, nodes = number(self._asked.get("gpus_per_node")), number(self._asked.get("num_nodes"))
        if gpus and nodes and "num_procs" not in self._asked:
            derived = {**derived, "num_procs": int(gpus * nodes)}
        events += [self.fact("param", 0, None, derived)] if derived else []
        events += [self.fact("result", line, None, facts) for line, facts in self._closing.values()]
        word = self._progress.last_word(failed=self.failed or bool(self._status))
        if "exit_code" in self._asked:
            word["exit_code"] = self._asked["exit_code"]
        return [*events, self.fact("end", 0, None, word)]

    # --- one line ---

    def _read(self, line: Line, text: str) -> Answer:
        self._names = {}
        if self.dialects is None or self.dialects or (self._talk is not None and self._talk.active):
            answer = self._by_format(line, text)
            if answer is not None:
                return answer
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
        if DRAWN_BAR.search(text) and (head := head_of(line, text)) is not None:
            self._head = head  # `classes  top1_acc  top5_acc: 100%|███| 3/3`
            return []
        rank, bare = _rank(text)
        if (dotted := _DOTTED.search(bare.rstrip())) or _SETTINGS_HEAD.search(bare[:200]):
            settings = {dotted["name"]: dotted["value"]} if dotted else dict(_NAMESPACE.findall(bare))
            if settings and (set_here := self._settings(line, settings)) is not None:
                return set_here
        whole = scan(bare)
        whole.offset = len(text) - len(bare)
        stands_alone = self._epoch_line(whole, bare)
        answer = self._took(line, whole, bare, rank) or self._pairs(line, text, whole, rank, shape)
        if self._progress.ends_with(text) and self.measured:
            self.strong = True
            answer = answer or []
        if answer is None:
            before = (self._sections[:], self._drawn, self._part[0])
            self._around(line, text, whole)
            self.passed_over = not stands_alone and (
                self._head is None and before == (self._sections, self._drawn, self._part[0]) and not self._sections
            )
            if self.passed_over:
                self._recipes.keep(shape, None)
        return answer

    # --- formats that are known to print here ---

    def _by_format(self, line: Line, text: str) -> Answer:
        """What a line says in the dialect of a framework; names that mean something special in it are kept."""
        if self._talk is None:
            self._talk = Talk(SCRIPT)
        said = self._talk.read(line.number, text, self._asked, self.dialects)
        if said is not None and said.text is not None:
            return self._read(Line(line.number, said.text, line.t), said.text)
        if said is not None:
            return self._said(line, text, said)
        for one in self._talk.formats:
            if self.dialects is None or one.name in self.dialects:
                for on, names in one.dialects:
                    if on is None or on.search(text):
                        self._names = names
                        return None
        return None

    def _said(self, line: Line, text: str, said: Said) -> list[Event]:
        rule = said.rule
        kind, figures, settings = rule.kind if rule is not None else "", dict(said.figures), dict(said.settings)
        events, t = self._close(), said.t if said.t is not None else moment(text)
        if "lr" in settings and "step" in figures:
            figures["lr"] = settings.pop("lr")
        if kind == "setting":
            settings |= figures
            figures = {}
        rank, _ = _rank(text)
        if said.words:
            events.append(self.fact("how", line, t, said.words))
        events += self._set(line, settings, t)
        if said.object and (value := parse_object(said.object)) is not None:
            inner = self._object_facts(line, value, Scan())
            figures = {
                **{name: one for event in inner for name, one in getattr(event, "values", {}).items()},
                **figures,
            }
        if kind == "closing":
            self._closing[rank or 0] = (line, {**self._closing.get(rank or 0, (line, {}))[1], **figures})
        elif figures:
            facts = {"rank": rank, **figures} if rank is not None else figures
            events.append(self._measure(line, facts, "result" if kind == "result" else "metric", t))
        self._status = self._status or said.status
        if rule is not None and rule.completed:
            self._progress.complete()
        return events

    def _pairs(self, line: Line, text: str, found: Scan, rank: int | None, shape: str) -> Answer:
        """What the pairs of a line say."""
        facts = self._facts(line, text, found)
        if rank is not None:
            facts.places["rank"], facts.recipe = rank, None
        if not facts.figures and not facts.settings:
            self._listed_text(line, found)
            return [] if self._listing.lines and self._listing.lines[-1][0] is line else None
        single = len(facts.figures) + len(facts.settings) == 1 and not facts.places and len(found.pairs) == 1
        if single and not facts.outcome and not self._positioned and found.pairs[0].strong:
            pair = found.pairs[0]
            key = next(iter({**facts.figures, **facts.settings}))
            self._listing.lines.append((line, key, {**facts.figures, **facts.settings}[key], pair))
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

    def _took(self, line: Line, found: Scan, text: str, rank: int | None) -> Answer:
        """How long the training or the whole took, on a line of its own after it."""
        said = _TOOK.match(text.strip()) if self._positioned and len(text) < 120 else None
        if said is None:
            return None
        times = (
            [pair.number for pair in found.pairs]
            + found.loose
            + [clock(token) for token in tokens(text) if token.kind == "clock"]
        )
        times = [one for one in dict.fromkeys(times) if one.unit.is_time or "(s)" in text]
        counts = {name_of(pair.name, pair.number.unit).key: pair.number.value for pair in found.pairs}
        if len(times) != 1:
            return None
        facts: dict[str, object] = {
            "train_s" if said["train"] or "samples" in counts else "wall_s": round(times[0].base, 9)
        }
        if "samples" in counts:
            rate = counts.get("samples_per_s")
            facts |= {"samples": int(counts["samples"])} | ({"step": int(counts["steps"])} if "steps" in counts else {})
            facts |= {"samples_per_s_avg": rate} if rate else {}
            if rate and abs(counts["samples"] / rate - times[0].base) <= 0.05 * times[0].base:
                facts["train_s"] = counts["samples"] / rate
        self._closing[rank or 0] = (
            line,
            {**self._closing.get(rank or 0, (line, {}))[1], **facts, **({"rank": rank} if rank else {})},
        )
        self._progress.ends_with(text)
        return [*self._close()]

    def _facts(self, line: Line, text: str, found: Scan) -> Facts:
        """The figures and settings of a line, by their keys."""
        facts = Facts()
        chosen = [pair for pair in found.pairs if self._counts(pair, found)]
        begins = found.pairs[0].name.lower() if found.pairs else ""
        above = "" if _PLACES.get(begins) == "epoch" else self._part_above(line) or self._of_test(found)
        part = part_named(found.label) or above or _part_at_head(found)
        section = self._section(text)
        figures: list[tuple[str, int, float]] = []
        whole: list[tuple[str, int]] = []
        spans = {match.start(): place for place, match in enumerate(NUMBER.finditer(text))}
        again = True
        if part in ("val", "test") and not above:
            self._part, self._part_lines = (part, line.number), 0
        carried = ""  # `Val Loss: 0.6 | Acc: 0.7`: the part that was named last in the line
        for pair in chosen:
            place, of_place = _place(pair.name)
            part = of_place or part
            carried = part_of(pair.name.lower().split())[0] or carried
            if pair.of is not None and pair.name.lower() in ("epochs", "training epochs"):
                place = "epoch"
            if place in ("epoch", "step") and _BEST.search(text[: found.offset + pair.start]):
                place, pair = None, replace(pair, name=f"best {place}")  # `Best accuracy: 0.92 at epoch 2`
            special = self._names.get(pair.name.lower())
            place = special.key if special is not None and special.key in ("step", "epoch") else place
            value = pair.number.value
            if (
                place == "step"
                and pair.how == "="
                and pair.name.lower() == "batch"
                and any(is_setting(p.name) for p in chosen if p is not pair)
            ):
                place, pair = None, replace(pair, name="batch_size")
            if place is not None and value.is_integer() and pair.number.unit is NO_UNIT and not math.isinf(value):
                if place not in facts.places and not (pair.how == "behind" and place == "epoch"):
                    facts.places[place] = int(value)
                    whole.append((place, self._place_of(pair.number, text, found, spans)))
                    if pair.of:
                        facts.totals[place] = pair.of
                continue
            name = (
                self._in_one_unit(self._key(pair, found, part or carried, section))
                if special is None
                else _special(pair, special)
            )
            key, scale = name.key, name.scale
            shown = pair.mean if pair.mean is not None and part in ("val", "test") else pair.number
            if not key or key in _NO_NAMES or _NO_WORDS.search(key) or key in facts.figures:
                continue
            if pair.of is not None and not _is_hits(key):
                continue
            amount = shown.value / pair.of if pair.of and _is_hits(key) else name.value(shown)
            again = again and (shown.unit == name.unit or not name.unit.base)
            facts.outcome = facts.outcome or is_outcome(key)
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
        if chosen and DRAWING.search(text) and all(pair.how == "unit" for pair in chosen):
            facts.figures = {}  # how fast something is read, written or mapped
        _name_bare_parts(facts.figures)
        if not facts.figures:
            facts.places = {}
            return facts
        if found.index and not facts.places and (len(found.pairs) > 1 or len(found.index) > 1):
            facts.places |= dict(zip(("epoch", "step")[-len(found.index) :], map(int, found.index), strict=True))
            again = False
        if found.progress is not None and "step" not in facts.places and part != "test" and part != "val":
            counted = "samples" if found.closes and found.progress[1] >= 1000 else "step"
            facts.places[counted] = int(found.progress[0])
            facts.totals[counted] = found.progress[1]
            again = False
        if not facts.places and not facts.outcome:
            self._split_settings(facts, found)
        elif held := [key for key in facts.figures if is_setting(key) and key not in ("lr", "warmup_steps")]:
            facts.settings = {setting_name(key): facts.figures.pop(key) for key in held}
            figures = [one for one in figures if one[0] not in held]
        for key in [key for key in facts.figures if _OF_MOMENT.fullmatch(key)] if facts.places else ():
            of_step = "step" in facts.places or key.startswith(("step", "iter", "batch"))
            factor = _IN_MS[key.rpartition("_")[2]] / (1.0 if of_step else 1e3)
            took, whose = number(facts.figures.pop(key)), "step_ms" if of_step else "epoch_s"
            if took is not None:
                facts.figures[whose] = round(took * factor, 9)
            figures = [(whose, at, scale * factor) if name == key else (name, at, scale) for name, at, scale in figures]
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
        if pair.number.unit.base == "%" and BAR_BEHIND.match(self._text, found.offset + pair.number.end):
            return False  # `Validation: 100%|███|`
        if pair.strong:
            return True
        known = named(pair.name)
        if pair.how == "unit":
            base = pair.number.unit.base
            return "/s" in base and not any(
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
            and not any(p.strong or is_outcome(name_of(p.name).key) for p in found.pairs)
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

    def _of_test(self, found: Scan) -> str:
        """A bar of another length after that of an epoch counts the batches of a test."""
        if (
            found.progress is None
            or found.closes
            or _PLACES.get(found.pairs[0].name.lower() if found.pairs else "") is not None
        ):
            return ""
        done, total = found.progress
        if self._after_epoch and total != self._bar_total:
            return "test"
        self._bar_total, self._after_epoch = total, done == total and self._epoch is not None
        return ""

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
            and is_statistic(pair.name)
        ):
            unit = above
        name = name_of(pair.name, unit)
        known = named(name.key) or _bare_known(name.key)
        if part and known is not None and known.name == name.key and name.key in ("loss", "accuracy"):
            return name._replace(key=f"{part}_{name.key}")
        if part and known is None and part not in name.key.split("_") and part != "train":
            return name._replace(key=f"{part}_{name.key}")
        if known is not None:
            return name
        prefix = [re.sub(r"[(\[][^()\[\]]*[)\]]", "", one) for one in (section, label) if one]
        statistic = is_statistic(pair.name.strip())
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

    def _split_settings(self, facts: Facts, found: Scan) -> None:
        """On a line without a step or an outcome, names that are set elsewhere make the others settings, too."""
        known = [key for key in facts.figures if is_setting(key)]
        if len(known) >= 2 or (known and len(facts.figures) == len(known)) or (known and len(found.texts) >= 2):
            texts = {slug(name): value for name, value in found.texts if is_plain_value(value)}
            facts.settings = {**texts, **{setting_name(k): v for k, v in facts.figures.items()}}
            facts.figures = {}

    def _is_final(self, figures: Mapping[str, object]) -> bool:
        """Whether figures without a step are of the whole run: what was a series is said once more."""
        return any(key in self._positioned for key in figures)

    # --- settings ---

    def _settings(self, line: Line, said: Mapping[str, str]) -> Answer:
        values = {setting_name(name): setting_value(value) for name, value in said.items()}
        if not values or not any(is_setting(name) for name in said):
            return None
        return [*self._close(), *self._set(line, values)]

    def _set(self, line: Line, values: Mapping[str, object], t: float | None = None) -> list[Event]:
        news = {name: value for name, value in values.items() if value is not None and self._asked.get(name) != value}
        self._asked.update(news)
        device = news.pop("device", None)
        if isinstance(device, str):
            how = [self.fact("how", line, t, device=device)]
            return how + ([self.fact("param", line, t, news)] if news else [])
        self._progress.asked(self._asked)
        return [self.fact("param", line, t, news)] if news else []

    def _listed_text(self, line: Line, found: Scan) -> None:
        """`device: cpu` in a list of settings."""
        if (
            len(found.texts) == 1
            and not found.pairs
            and not found.logged
            and not self._positioned
            and is_plain_value(found.texts[0][1])
        ):
            self._listing.lines.append((line, found.texts[0][0], found.texts[0][1], None))

    # --- tables that are being printed ---

    def _as_row(self, line: Line, text: str) -> Answer:
        if self._head is not None:
            number, heads, sign = self._head
            if is_rule(text):
                return []
            columns = Columns(heads, sign)
            if DRAWING.search(text) and columns.cells(text) is None:
                return []  # a bar that is drawn between the head and the first row
            self._head = None
            if columns.cells(text) is not None and line.number - number <= 3:
                self.columns = columns
        if self.columns is None:
            return None
        if is_rule(text):
            return []
        cells = self.columns.cells(text)
        if cells is None and DRAWING.search(text) and head_of(line, text) is None:
            return []
        if cells is None or (DRAWN_BAR.search(text) and head_of(line, text) is not None):
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
            if label and len(heads) == 2:
                head = ""
            above = f"{section} " if section and not label and is_statistic(head) else ""
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
        heading = _HEADING.match(text.rstrip())
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
        self._head = None if found.logged else head_of(line, text)

    def _section(self, text: str) -> str:
        """The headings above a line that it is indented below."""
        indent = len(text) - len(text.lstrip())
        self._sections = [one for one in self._sections if one[0] < indent] if indent or self._sections else []
        above = [name for _, name in self._sections[-2:]]
        return " ".join([*([self._drawn] if self._drawn else []), *above])

    def _part_above(self, line: Line) -> str:
        part, at = self._part
        if part in ("val", "test") and line.number - at <= self._part_lines + 2:
            self._part_lines = line.number - at
            return part
        return ""

    def _epoch_line(self, found: Scan, text: str) -> bool:
        """Keras prints the epoch on a line of its own, and so do many loops: what follows belongs to it."""
        first = found.pairs[0] if found.pairs else None
        if first is not None and _PLACES.get(first.name.lower()) == "epoch" and len(text) < 80:
            self._part = ("", 0)
            self._epoch = first.number.value
            self._after_epoch = False
            if first.of and len(found.pairs) == 1 and found.progress is None:
                self._progress.of_how_many({"epoch": first.of})
                self._progress.see_epoch(first.number.value, text)
            return True
        return False

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
        outcome = any(is_outcome(key) for key in figures)
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
                for line, name, value, pair in listing.lines:
                    plain = value if pair is None or pair.number.unit.base else setting_value(pair.number.text)
                    events += self._set(line, {setting_name(name if pair is None else pair.name): plain})
            else:
                for line, name, value, found in listing.lines:
                    if found is None and len(listing.lines) > _FEWEST_LISTED:
                        events += self._set(line, {setting_name(name): value})
                    elif found is not None:
                        kind = "result" if self._is_final({name: value}) else "metric"
                        events.append(self._measure(line, {name: value}, kind, moment(line.text)))
        return events + (self._close_object() if self._object else [])

    def _measure(self, line: Line, facts: dict[str, object], kind: str, t: float | None) -> Event:
        """One event of figures, with its place in the training."""
        self.measured += 1
        self._progress.goes_on(facts)
        if self._closing and kind == "metric" and ("loss" in facts or "train_loss" in facts):
            self._closing = {}
        positioned = "step" in facts or "epoch" in facts
        if self._epoch is not None and kind == "metric":
            self._epoch = number(facts.setdefault("epoch", self._epoch)) or self._epoch
        self._progress.take(facts, line.text)
        if kind == "metric" and (positioned or self._positioned):
            self._positions.of(facts).take(facts)
        if positioned:
            self._positioned.update(facts)
        lr = facts.get("lr")
        if lr is not None and kind == "metric":
            self._lr = (self._lr[0] + 1, lr if self._lr[1] in (None, lr) else False)
        self.strong = self.measured > 1 or self._progress.is_done
        return self.fact(kind, line, t, facts)


_IN_MS = {"ms": 1.0, "s": 1e3, "us": 1e-3, "min": 6e4}
#: how long a step or an epoch took, beside its figures
_OF_MOMENT = re.compile(
    r"(?:(?:step|iter|iteration|batch|epoch)_)?(?:time|dt|took|duration)(?:_per_(?:step|iter|iteration|batch|epoch))?_(?:ms|us|s|min)"
)
_GROUPED = re.compile(r"\d[,'’]\d|[−–kKMG]")


def is_statistic(name: str) -> bool:
    """Whether a name only says which statistic it is: `min`, `95th percentile`, `p99`."""
    words = name.lower().replace("_", " ").split()
    return bool(words) and all(word in _STATISTICS or _RANK_WORD.fullmatch(word) for word in words[:8])


def _same(shown: Number) -> bool:
    """Whether the number as printed is what `float` gives back."""
    digits = NUMBER.match(shown.text)
    return digits is not None and float(digits[0]) == shown.value


def _special(pair: Pair, to: Target) -> Name:
    """The key of a name that a format gives another meaning."""
    unit = (unit_of(to.unit) or NO_UNIT) if to.unit else pair.number.unit
    return Name(to.key, unit, factor_of(unit, to.key) * to.factor)


def _is_hits(key: str) -> bool:
    return key.endswith(("accuracy", "acc", "correct"))


def _place(name: str) -> tuple[str | None, str]:
    """(what a name counts, the part of the data it says): `Epoch`, `global_step`, `eval epoch`."""
    plain = name.lower().strip("[]( ")
    if plain in _PLACES:
        return _PLACES[plain], ""
    part, rest = part_of(plain.replace("_", " ").split())
    place = _PLACES.get(" ".join(rest)) if part else None
    return place, part if place and part != "train" else ""


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


_PART_LINE = re.compile(
    r"(?i)(?:(?:begin|start|running|final)\s)?[a-z]{3,10}(?:\s(?:begin|start|set|results?|error|metrics)s?)?\s?(?:\.{2,3}|:)?"
)


_BEST = re.compile(r"(?i)\bbest\b")


def _bare_known(key: str) -> Quantity | None:
    return named(re.sub(r"^(?:train|val|test)_", "", key))
