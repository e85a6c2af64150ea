"""Formats as data: what one tool prints, described in TOML, and the engine that reads by such a description.

    [mlx]                                          a format, by its name
    kind = "report"                                script, report or account
    words = ["tokens-per-sec"]                     a line of it holds one of these
    [[mlx.lines]]                                  the first line that fits counts; named groups are keys
    match = '^Prompt: (?P<input_tokens>\\d+) tokens, (?P<prompt_tokens_per_s>[\\d.]+) tokens-per-sec$'

A *script* format is a dialect of what a program prints; a *report* is a block about one run, so that several blocks are
several runs; an *account* is a scheduler's word on a job. docs/reading.md lists everything that a format may say.

The trap: a line that contradicts what was read begins another run, and is read again for that one (`undo`).
"""

from __future__ import annotations

import ast
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeGuard

from assay import plugins
from assay.core.numbers import NO_UNIT, Number, Unit, quantity, unit_of
from assay.quantities import SHARE, named
from assay.store.notices import notice

SCRIPT, REPORT, ACCOUNT = "script", "report", "account"
#: keys whose values are words, of the run itself
WORDS = frozenset(
    (
        "model",
        "engine",
        "device",
        "job",
        "command",
        "backend",
        "state",
        "message",
        "submitted",
        "started",
        "pbs_used",
        "pbs_asked",
        "pbs_state",
    )
)
_FOLDER = Path(__file__).parent.parent / "systems" / "formats"
Json: TypeAlias = Any  # type: ignore[explicit-any]


class Target(NamedTuple):
    """What a printed name stands for: our key, the unit it is printed in, a factor; `plus` adds it to the next one."""

    key: str
    unit: str = ""
    factor: float = 1.0
    plus: bool = False


def target(said: object) -> Target:
    """`"lr"`, `"latency_ms__s"` (printed in seconds), `"+cpu_s"` (a part of it), `["tokens_per_s", 1e6]`."""
    text, factor = (said[0], float(said[1])) if isinstance(said, list) else (str(said), 1.0)
    key, _, unit = text.removeprefix("+").partition("__")
    return Target(key, unit.replace("_per_", "/"), factor, text.startswith("+"))


@dataclass(slots=True)
class Said:
    """What a line says: figures of this moment or of the whole run, settings, words, and how the run goes on."""

    figures: dict[str, Json] = field(default_factory=dict)
    settings: dict[str, Json] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    rule: Rule | None = None
    row: bool = False  # a row of a table: another one is another run
    sure: bool = True
    samples: list[dict[str, Json]] = field(default_factory=list)  # looks at a GPU
    object: str = ""  # a dictionary whose members are figures
    text: str | None = None  # a line that it passes on
    status: str = ""
    t: float | None = None

    def add(self, key: str, value: Json, *, setting: bool = False) -> None:
        """Put a value where its key belongs."""
        if value is None or key == "":
            return
        if key in WORDS:
            if str(value).strip():
                self.words[key] = str(value).strip()
        elif setting or is_setting(key) or isinstance(value, str):
            self.settings[key] = value
        else:
            self.figures[key] = value


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A line of a format. Options are those of the TOML; see docs/reading.md."""

    match: re.Pattern[str]
    anywhere: bool = True
    kind: str = ""  # of its figures: metric, result, closing, setting; in an account also average, largest
    targets: Mapping[str, Target] = field(default_factory=dict)  # by group
    pairs: re.Pattern[str] | None = None  # every `name` and `value` of the line
    label: str = ""  # a name made of groups, looked up for the group `value`
    set: Mapping[str, Json] = field(default_factory=dict)
    inside: tuple[str, ...] = ()  # the part of a report that it stands in
    to: str | None = None  # the part that begins with it
    next: bool = False  # that part is the next line alone
    begins: bool = False
    named: str = ""  # what its figures are of: a part of their names
    whole: bool = False  # pairs are looked for in all of the line
    ends: bool = False
    open: bool | None = None  # whether what follows belongs to the same run, whatever its order
    hold: bool = False  # what it says belongs to the next line that says anything
    skip: bool = False
    also: bool = False  # further rules may read the same line
    weak: bool = False  # alone it makes no run
    sure: bool = False  # alone it makes one
    closes: bool = False  # the last word of an account
    needs: tuple[str, ...] = ()
    needs_any: bool = False  # some figure has to be known
    unless_inside: bool = False  # not within another format's block
    keep: bool = False  # holds for all rows of the tables below
    keep_first: bool = False  # of several, the first counts
    near: int = 40  # what is held is forgotten after so many lines
    silent: bool = False  # as if it had not been read, but for what is held
    shared: bool = False  # its label is one of the vocabulary, whatever the format
    unless: tuple[str, ...] = ()
    where: Mapping[str, Json] = field(default_factory=dict)  # only where these figures are so, or unknown
    likely: str = ""  # the engine, where nothing names it
    completed: bool = False
    status: str = ""
    error: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class TableRule:
    """A table of a format: its head, and what its columns are."""

    has: frozenset[str] = frozenset()
    any: frozenset[str] = frozenset()
    head: re.Pattern[str] | None = None
    cut: str = "|"
    columns: Mapping[str, object] = field(default_factory=dict)
    cells: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    set: Mapping[str, Json] = field(default_factory=dict)
    vocabulary: bool = False
    key: str = ""  # rows of several tables with one value here are one run
    step: str = ""  # a column whose value goes on below, and is a part of the names of the others
    complete: str = ""  # a figure of the last of these tables
    spread: bool = False  # a line of headings stands above that of the names
    samples: bool = False
    likely: str = ""


class Format:
    """One format; its patterns are compiled with the first line that may be of it."""

    def __init__(self, name: str, said: Mapping[str, Json]) -> None:
        self.name, self.said = name, said
        self.kind: str = said.get("kind", SCRIPT)
        self.words = tuple(word.lower() for word in said.get("words", ()))
        self.part: str = said.get("part", "")
        self.engine: str = said.get("engine", "")
        self.vocabulary = bool(said.get("vocabulary", self.kind == REPORT))

    @cached_property
    def names(self) -> dict[str, Target]:
        return {name.lower(): target(one) for name, one in self.said.get("names", {}).items()}

    @cached_property
    def dialects(self) -> list[tuple[re.Pattern[str] | None, dict[str, Target]]]:
        """Names that mean something special in some lines."""
        found = [(one, dict(one)) for one in self.said.get("dialects", ())]
        return [
            (re.compile(on) if (on := one.pop("on", "")) else None, {k.lower(): target(v) for k, v in one.items()})
            for _, one in found
        ]

    @cached_property
    def rules(self) -> list[Rule]:
        return [self._rule(dict(one)) for one in self.said.get("lines", ())]

    @cached_property
    def tables(self) -> list[TableRule]:
        return [_table_rule(dict(one)) for one in self.said.get("tables", ())]

    def _rule(self, one: dict[str, Json]) -> Rule:
        match = re.compile(one.pop("match"))
        targets = {group: target(group) for group in match.groupindex}
        targets |= {name: target(said) for name, said in one.pop("groups", {}).items()}
        pairs = one.pop("pairs", "")
        lists: dict[str, Json] = {
            name: tuple([value] if isinstance(value, str) else value)
            for name in ("needs", "unless")
            if (value := one.pop(name, ()))
        }
        within = one.pop("in", ())
        return Rule(
            match=match, targets=targets, pairs=re.compile(pairs) if pairs else None, kind=one.pop("as", ""),
            inside=tuple([within] if isinstance(within, str) else within), **lists, **one,
        )  # fmt: skip

    def target_of(self, name: str) -> Target | None:
        return self.names.get(name.strip().lower())


def _table_rule(one: dict[str, Json]) -> TableRule:
    head = one.pop("head", "")
    cells = {name: re.compile(text) for name, text in one.pop("cells", {}).items()}
    sets: dict[str, Json] = {name: frozenset(one.pop(name, ())) for name in ("has", "any")}
    return TableRule(head=re.compile(head) if head else None, cells=cells, **sets, **one)


# --- finding them ---


@cache
def formats() -> dict[str, Format]:
    """All formats by name, ours first; one of another package that cannot be read costs a notice."""
    found = {name: Format(name, said) for name, said in _built_in().items() if name != "vocabulary"}
    for path in filter(None, os.environ.get("ASSAY_FORMATS", "").split(os.pathsep)):
        found |= {name: Format(name, said) for name, said in _own(path).items()}
    for name, said in plugins.load("assay.formats", _is_description, found).items():
        try:
            one = Format(
                name, said if isinstance(said, Mapping) else parse(Path(str(said)).read_text("utf-8")).get(name, {})
            )
            _ = (one.rules, one.tables, one.dialects, one.names)
            found[name] = one
        except (OSError, ValueError, KeyError, TypeError, re.error) as problem:
            notice(
                f"format {name}",
                f"the format `{name}` cannot be read ({type(problem).__name__}: {problem}); it is not used"[:300],
            )
    return found


def of_kind(kind: str) -> list[Format]:
    return [one for one in formats().values() if one.kind == kind]


def _own(path: str) -> dict[str, Json]:
    """The formats of a file that a user names; a notice where it cannot be read."""
    try:
        said = parse(Path(path).read_text("utf-8"))
        for name, one in said.items():
            given = Format(name, one)
            _ = (given.rules, given.tables, given.dialects, given.names)
        return said
    except (OSError, ValueError, KeyError, TypeError, re.error) as problem:
        notice(
            f"formats {path}",
            f"`{path}` describes no formats ({type(problem).__name__}: {problem}); it is not used"[:300],
        )
        return {}


@cache
def vocabulary() -> Mapping[str, Json]:
    """What tools of one kind call the same things."""
    return _built_in()["vocabulary"]


def parse(text: str) -> dict[str, Json]:
    """The formats of a TOML text."""
    tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    found: dict[str, Json] = tomllib.loads(text)
    return found


@cache
def _built_in() -> dict[str, dict[str, Json]]:
    """Parsed once after each change: reading the JSON of it takes a tenth of the time."""
    files = sorted(_FOLDER.glob("*.toml"))
    stamp = [[one.name, one.stat().st_mtime_ns, one.stat().st_size] for one in files]
    cached = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "assay" / "formats.json"
    try:
        kept = json.loads(cached.read_bytes())
        if kept["stamp"] == [str(_FOLDER), *stamp]:
            return kept["formats"]  # type: ignore[no-any-return]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    found: dict[str, dict[str, Json]] = {}
    for one in files:
        found |= parse(one.read_text("utf-8"))
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        beside = cached.with_name(f"formats-{os.getpid()}.json")
        beside.write_text(json.dumps({"stamp": [str(_FOLDER), *stamp], "formats": found}))
        beside.replace(cached)
    except OSError:
        pass  # without a cache it is parsed each time
    return found


def _is_description(value: object) -> TypeGuard[Mapping[str, Json] | str | os.PathLike[str]]:
    return isinstance(value, (Mapping, str, os.PathLike))


# --- values ---


#: settings that no quantity of the table is
_SETTINGS = frozenset(("threads", "scenario", "client", "gpus_per_node", "num_examples", "tokens_per_step"))


def is_setting(key: str) -> bool:
    if key in _SETTINGS:
        return True
    known = named(key)
    return known is not None and known.settable


def value_of(text: str, to: Target, *, setting: bool = False) -> Json | None:
    """A printed value as one of its key: a number in its unit, a text of a word or a setting; None for none."""
    text = text.strip().strip("'\"")
    if to.key in WORDS:
        return text or None
    if to.unit.startswith("bin"):
        return binary_bytes(text, to.unit[4:]) or None
    found = span(text) if to.key.endswith("_s") and not to.key.endswith("per_s") and to.unit == "" else None
    if found is not None:
        return found * to.factor
    shown = quantity(text)
    if shown is None:
        return (
            text
            if text and (setting or is_setting(to.key)) and to.key not in ("seed",) and not text[:1].isdigit()
            else None
        )
    return scaled(shown, to)


_SIZE = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?)\s*([KMGTP]?)(?:i?B)?\s*", re.IGNORECASE)


def binary_bytes(text: str, bare: str = "") -> int | None:
    """`355.47 GB`, `1622428kb`: in powers of 1024, as schedulers count; `bare` is the unit of a number without one."""
    found = _SIZE.fullmatch(text)
    unit = (found[2] or ("" if "b" in text.lower() else bare)).lower() if found else ""
    return round(float(found[1].replace(",", "")) * 1024.0 ** " kmgtp".index(unit or " ")) if found else None


def scaled(shown: Number, to: Target) -> Json | None:
    """A number in the unit of its key."""
    unit = (unit_of(to.unit) or NO_UNIT) if to.unit else shown.unit
    value = shown.value * factor_of(unit, to.key) * to.factor
    if not math.isfinite(value):
        return value if math.isnan(value) and not is_setting(to.key) else None
    whole = "." not in shown.text and "e" not in shown.text.lower() and float(value).is_integer() and abs(value) < 1e15
    return int(value) if whole else round(value, 12) if abs(value) > 1e-6 else value


def factor_of(unit: Unit, key: str) -> float:
    """What makes of a number in a unit one of a key: seconds under `_ms` are thousands."""
    if not unit.base:
        return unit.scale
    if unit.base == "s":
        return unit.scale * 1e3 if key.endswith("_ms") else unit.scale
    if unit.base == "%":
        known = named(key)
        return 0.01 if (known is not None and known.unit == SHARE) or key.endswith(("_eff", "accuracy", "mfu")) else 1.0
    return unit.scale / 1e12 if unit.base.startswith("flop") else unit.scale


def literal(text: str) -> Mapping[str, Json] | None:
    """A JSON object or a Python dictionary."""
    for parse_it in (json.loads, ast.literal_eval):
        try:
            value = parse_it(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        return value if isinstance(value, dict) else None
    return None


_SPAN = re.compile(r"(?:(?P<days>\d+)(?:-| days?,? ))?(?:(?:(?P<h>\d+):)?(?P<m>\d+):)?(?P<s>\d+(?:[.,]\d+)?)")
_LETTERS = re.compile(r"(?:(?P<d>\d+)d ?)?(?:(?P<h>\d+)h ?)?(?:(?P<m>\d+)m ?)?(?:(?P<s>\d+(?:[.,]\d+)?)s)?")


def span(text: str) -> float | None:
    """`1-21:41:20` is a day and more, `2-12` two days and a half, `1m2.3s` 62.3; None for a bare number."""
    found = _SPAN.fullmatch(text)
    if found and (found["m"] or found["days"]):
        days, hours, minutes, seconds = (
            float((found[one] or "0").replace(",", ".")) for one in ("days", "h", "m", "s")
        )
        if found["days"] and not found["h"] and "-" in text:  # days, hours and perhaps minutes
            return days * 86400 + (minutes * 3600 + seconds * 60 if found["m"] else seconds * 3600)
        return days * 86400 + hours * 3600 + minutes * 60 + seconds
    found = _LETTERS.fullmatch(text) if text[-1:] in "smhd" and text[:1].isdigit() else None
    if found is None:
        return None
    parts = (
        float((found[one] or "0").replace(",", ".")) * factor
        for one, factor in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))
    )
    return round(sum(parts), 9)


# --- reading by them ---

#: what a line is asked for that no rule of a format knows: its figures, settings and words
Lookup = Callable[[str, str], "tuple[str, Json] | None"]


class Talk:
    """What was read by the formats of one kind so far: the part that each of them is in, and what it waits with."""

    def __init__(self, kind: str, lookup: Lookup | None = None, only: Sequence[Format] | None = None) -> None:
        self.formats = list(only) if only is not None else of_kind(kind)
        self._lookup = lookup
        self.parts: dict[str, Json] = {}  # those in Python, by format
        self._state: dict[str, str] = {}
        self._next: dict[str, int] = {}  # of a part that is one line long, that line
        self._held: dict[str, tuple[int, Said]] = {}
        self._table: tuple[Format, TableRule, list[str], list[str]] | None = None
        self._above: list[str] = []  # headings over the names of columns
        self._joined: dict[str, Said] = {}
        self._kept: dict[str, Said] = {}
        self._subject = ""  # what the figures of lines without a name are of
        self._before: tuple[Json, ...] = ()

    @property
    def in_table(self) -> bool:
        return (
            self._table is not None
            or bool(self._next)
            or any(getattr(one, "in_table", False) for one in self.parts.values())
        )

    @property
    def active(self) -> bool:
        """Whether some format is in the middle of something, so that a line without its words may be of it."""
        return bool(self._state) or self.in_table

    def undo(self) -> None:
        """The last line is read again, for another run."""
        self._state, self._next, self._held, self._table, self._above, self._joined = self._before

    def read(
        self, number: int, text: str, known: Mapping[str, Json], names: frozenset[str] | None = None
    ) -> Said | None:
        """What a line says to the first format that knows it."""
        self._before = (
            dict(self._state),
            dict(self._next),
            dict(self._held),
            self._table,
            self._above,
            dict(self._joined),
        )
        lowered = text.lower() if names is None else ""
        self._next = {name: line for name, line in self._next.items() if line >= number}
        self._state = {
            name: part for name, part in self._state.items() if not part.startswith("next:") or name in self._next
        }
        for one in self.formats:
            asked = one.name in names if names is not None else any(word in lowered for word in one.words)
            if (
                not asked
                and one.name not in self._state
                and not (self._table and self._table[0] is one)
                and one.name not in self.parts
            ):
                continue
            said = self._by_part(one, number, text, known) if one.part else None
            said = said or self._by_rules(one, number, text, known) or self._by_tables(one, text)
            if said is not None:
                return said
        return None

    def _by_part(self, one: Format, number: int, text: str, known: Mapping[str, Json]) -> Said | None:
        if one.name not in self.parts:
            module, _, name = one.part.partition(":")
            self.parts[one.name] = getattr(import_module(module), name)()
        return self.parts[one.name].read(number, text, known)  # type: ignore[no-any-return]

    def _by_rules(self, one: Format, number: int, text: str, known: Mapping[str, Json]) -> Said | None:
        whole: Said | None = None
        for rule in one.rules:
            state = self._state.get(one.name, "")
            if rule.inside and state.removeprefix("next:") not in rule.inside:
                continue
            found = rule.match.search(text)
            if (
                found is None
                or any(name not in known for name in rule.needs)
                or any(name in known for name in rule.unless)
            ):
                continue
            if (rule.needs_any and not known) or (
                rule.unless_inside and any(part == "block" for name, part in self._state.items() if name != one.name)
            ):
                continue
            if any(known.get(name, value) != value for name, value in rule.where.items()):
                continue
            said = self._fit(one, rule, found, state)
            if said is None:
                continue
            if rule.to is not None:
                self._go(one.name, rule, number)
            if rule.ends:
                self._state.pop(one.name, None)
            whole = said if whole is None else _merged(whole, said)
            if not rule.also:
                break
        if whole is None or whole.rule is None:
            return whole
        rule = whole.rule
        if rule.begins and one.name in self._kept:
            whole = _merged(self._kept[one.name], whole)
        if rule.keep:
            self._kept[one.name] = _merged(self._kept.get(one.name, Said()), whole)
            return Said()
        if rule.hold:
            before = self._held.pop(one.name, (0, Said()))[1]
            self._held[one.name] = (number + rule.near, _merged(before, whole))
            return None if rule.silent else Said(rule=rule)
        if rule.keep_first:
            if one.name in self._kept and self._kept[one.name].words != whole.words and not known:
                return Said()
            self._kept[one.name] = Said(words=dict(whole.words))
        if one.name in self._held and (whole.figures or whole.settings or whole.words or whole.samples):
            until, held = self._held.pop(one.name)
            whole = _merged(held, whole) if until >= number else whole
            whole.rule = rule
        return _summed(whole)

    def _go(self, name: str, rule: Rule, number: int) -> None:
        if rule.to:
            self._state[name] = f"next:{rule.to}" if rule.next else rule.to
            if rule.next:
                self._next[name] = number + 1
        else:
            self._state.pop(name, None)

    def _fit(self, one: Format, rule: Rule, found: re.Match[str], state: str) -> Said | None:
        """What a rule says of a line that fits; None where it holds no value of its."""
        said = Said(rule=rule, sure=not rule.weak, status=rule.status)
        if rule.skip:
            return said
        setting = rule.kind == "setting"
        groups = {name: text for name, text in found.groupdict().items() if text is not None}
        said.object = groups.pop("object", "")
        if (inner := groups.pop("parameters", "")) and (given := literal(inner)):
            said.settings = {str(name): one for name, one in given.items() if isinstance(one, (str, int, float))}
        said.row = rule.kind == "row"
        if rule.label:
            for key, value in rule.set.items():
                said.add(key, value)
            label = rule.label.format(**groups, part=state.removeprefix("next:"))
            return (
                said
                if self._put(one, said, label, groups.get("value", "")) or rule.begins or rule.to is not None
                else None
                if not state
                else said
            )
        pairs = (
            [
                (each["name"], each["value"])
                for each in rule.pairs.finditer(found.string, 0 if rule.whole else found.start())
            ]
            if rule.pairs
            else []
        )
        for name, text in groups.items():
            to = rule.targets[name]
            if name.isidentifier() and not name.startswith("_"):
                said.add(
                    f"+{to.key}" if to.plus or name.startswith("and_") else to.key,
                    value_of(text, _plain(to), setting=setting),
                    setting=setting,
                )
        for name, text in pairs:
            self._put(one, said, name, text, setting=setting)
        for key, value in rule.set.items():
            said.add(key, value, setting=setting)
        if rule.named:
            self._subject = rule.named.format(**{"_bench": self._subject, **{k: v for k, v in groups.items() if v}})
            of = re.sub(r"\W+", "_", re.sub(r"/s\b", "_per_s", self._subject.lower())).strip("_")
            said.figures = {f"{of}_{name}": one for name, one in said.figures.items()}
        return said

    def _put(self, one: Format, said: Said, name: str, text: str, *, setting: bool = False) -> bool:
        """A printed name with its value, by the format's names, else by the vocabulary of its kind."""
        to = one.target_of(name)
        if to is not None:
            value = value_of(text, to) if to.key else None
            said.add(f"+{to.key}" if to.plus else to.key, value, setting=setting)
            return True
        shared = one.vocabulary or (said.rule is not None and said.rule.shared)
        found = self._lookup(name, text) if self._lookup is not None and shared else None
        if found is not None:
            said.add(*found)
        return found is not None

    # --- tables ---

    def _by_tables(self, one: Format, text: str) -> Said | None:
        if self._table is not None and self._table[0] is one:
            return self._row(text)
        for rule in one.tables:
            if rule.head is not None and not rule.head.search(text):
                continue
            cells = cut(text, rule.cut)
            names = [plain_head(cell) for cell in cells or ()]
            if rule.spread and self._above and len(names) == len(self._above):
                names = [f"{above} {name}".strip() for above, name in zip(self._above, names, strict=True)]
            if rule.spread and names and names[0] == "metadata":
                self._above = _spread(names)
                return Said()
            if not cells or not rule.has <= set(names) or (rule.any and not rule.any & set(names)):
                continue
            self._table = (one, rule, names, [])
            return Said()
        return None

    def _row(self, text: str) -> Said | None:
        assert self._table is not None
        one, rule, names, last = self._table
        if is_rule(text) and text.strip():
            return Said()
        if rule.spread and text.lstrip().startswith("Metadata"):
            self._table = None
            return self._by_tables(one, text)
        cells = cut(text, rule.cut)
        if cells is None or len(cells) != len(names):
            self._table = None
            return self._by_tables(one, text) if text.strip() else None
        row = dict(zip(names, cells, strict=True))
        if rule.step:
            row[rule.step] = row[rule.step] or (last[0] if last else "")
            last[:] = [row[rule.step]]
        said = row_said(rule, row, self._lookup)
        if rule.key:
            joined = self._joined.setdefault(row.get(rule.key, ""), Said())
            said = self._joined[row.get(rule.key, "")] = _merged(joined, said)
            if rule.complete not in said.figures:
                return Said()
        if one.name in self._kept:
            said = _merged(self._kept[one.name], said)
        said.row, said.rule = True, Rule(match=_ANY, likely=rule.likely) if rule.likely else None
        return said if said.figures or said.samples else Said()


def row_said(rule: TableRule, row: Mapping[str, str], lookup: Lookup | None = None) -> Said:
    """What a row of a table, or an object with the same members, says."""
    said = Said(row=True)
    for name, text in row.items():
        if (form := rule.cells.get(name)) and (found := form.search(text)):
            for group, part in found.groupdict().items():
                if part is not None:
                    of = target(group)
                    said.add(of.key, value_of(part, of))
        label = f"{row.get(rule.step, '').lower()} {name}" if rule.step else name
        to = rule.columns.get(label, rule.columns.get(name))
        if isinstance(to, list) and to and isinstance(to[0], list):  # the first whose other cell fits
            to = next((one[2] for one in to if re.search(one[1], row.get(one[0], ""))), "")
            if "=" in str(to):  # a value that the cell implies
                to, text = str(to).split("=")
        if to is not None:
            known = target(to)
            value = value_of(text, known) if known.key else None
            if not (is_setting(known.key) and value == 0):
                said.add(known.key, value)
        elif lookup is not None and rule.vocabulary and (found_there := lookup(name, text)):
            said.add(*found_there)
    for key, value in rule.set.items():
        said.add(key, value)
    return said


def _plain(to: Target) -> Target:
    return to._replace(key=to.key.removeprefix("and_"))


def _merged(first: Said, second: Said) -> Said:
    """Both; of one key the second's value, of a sum both."""
    return replace(
        second, figures={**first.figures, **second.figures}, settings={**first.settings, **second.settings},
        words={**first.words, **second.words}, samples=[*first.samples, *second.samples],
        object=second.object or first.object, status=second.status or first.status, sure=first.sure and second.sure,
    )  # fmt: skip


def _summed(said: Said) -> Said:
    """`+cpu_s` is a part of `cpu_s`."""
    for name in [name for name in said.figures if name.startswith(("+", "and_"))]:
        key = name.removeprefix("+").removeprefix("and_")
        said.figures[key] = round(said.figures.get(key, 0.0) + said.figures.pop(name), 9)
    return said


_BARS = re.compile(r"[|│┃║]")
_RULES = re.compile(r"[\s|+:=\-─━═│┃║┏┓┗┛┡┩┠┨┣┫┯┷┼╇╈╋┳┻├┤┬┴┌┐└┘╞╡╪╘╛╧╒╕╤╭╮╰╯]+")
_MARKUP = re.compile(r"\*\*|__|`|<br\s*/?>")
_LONGEST_ROW = 20_000


def is_rule(text: str) -> bool:
    """The line between a head and its rows, or round a table."""
    return _RULES.fullmatch(text) is not None


def cut(text: str, how: str) -> list[str] | None:
    """The cells of a row between bars, commas (or tabs), or blanks; None where the line is no such row."""
    if len(text) > _LONGEST_ROW:
        return None
    if how == "split":
        return [cell.strip() for cell in text.split("|")] if "|" in text else None
    if how == "blank":
        return text.split() or None
    if how in ("|", "any") and _BARS.search(text):
        inner = text.strip()
        inner = inner[1:] if _BARS.match(inner) else inner
        inner = inner[:-1] if inner and _BARS.match(inner[-1]) else inner
        cells = [_MARKUP.sub("", cell).strip() for cell in _BARS.split(inner)]
        return cells if len(cells) > 1 else None
    if how == "|":
        return None
    import csv

    for sign in (",", "\t", ";"):
        if sign in text:
            try:
                return [cell.strip() for cell in next(csv.reader([text], delimiter=sign, skipinitialspace=True))]
            except (csv.Error, StopIteration):
                return None
    return None


def plain_head(cell: str) -> str:
    """The name of a column in lower case, without what only says its unit in brackets `[%]`."""
    return " ".join(re.sub(r"\s*\[[^\[\]]{0,20}\]$", "", cell).lower().split())


_ANY = re.compile("")


def _spread(cells: Sequence[str]) -> list[str]:
    """A heading stands over as many columns as bars follow it."""
    heads: list[str] = []
    for cell in cells:
        heads.append(cell or (heads[-1] if heads else ""))
    return heads


def find_words() -> Iterator[tuple[str, str]]:
    """Every fixed word with the name of the reader or format that asks for it, as the sieve wants them."""
    for one in formats().values():
        owner = f"~{one.name}" if one.kind == SCRIPT else {REPORT: "serving", ACCOUNT: "accounting"}[one.kind]
        yield from ((word, owner) for word in one.words)
