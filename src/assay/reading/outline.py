"""Figures in the text of a page: in a sentence, an item of a list, a line with a name and a value, a heading.

    ### Benchmark: qsort_par                 a run `Benchmark: qsort_par` with avg_exec_time_s
    #### Avg exec time: 2.06144s
    # Insert 10,000 records                  a run `Mongo` with insert_10_000_records_s, and one `Elastic`
    - Mongo: 10 sec
    - Elastic: 90 sec
    1. Learning rate = 0.03, epoch = 10 ---> test accuracy 96.62 %            a run of its own, with two claims

The trap: most numbers of a sentence are no figure of a run. A pair counts where its name is a known quantity or its
line is nothing but the pair, and what a log or a table of the page shows already is not read again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from assay.core.names import direction, name_of
from assay.core.numbers import Number, quantity, with_points
from assay.model.event import Event, Result
from assay.model.values import Value
from assay.quantities import named
from assay.reading.blocks import CODE, COMMAND, HEADING, LOG, PROSE, Document, Sentence
from assay.reading.found import Found, with_profile
from assay.reading.pairs import Scan, scan
from assay.reading.stated import Stated, is_supposed, settings_in
from assay.reading.tables import clean

_ITEM = re.compile(r"^\s*(?:[-*+•–]|\(?\d{1,3}[.)]|>)\s+")
_COMPARED = re.compile(
    r"(?i)\b(?:than|compared|versus|vs\.?|respectively|difference|faster|slower|fewer|twice|times|both|each|between|from)\b"
)
#: what holds a figure of the run and not of a part of it
_PARTIAL = re.compile(r"(?i)\b(?:every|initial|at epoch|after \w+ (?:epoch|step)s?)\b")
_LONGEST_LABEL, _LONGEST_PLAIN = 80, 160
#: figures of a machine, which are those of a profile where both stand
_MACHINE = re.compile(r"(?i)(?:^|[_ ])(?:cpu|memory|mem|ram|rss)(?:[_ ]|$)")
#: a page with logs repeats these in words
_MOST_FIGURES = 60
_PLACES = frozenset(("epoch", "epochs"))


@dataclass(kw_only=True)
class _Entry:
    """A line with figures; `label` is what it begins with where that names no figure."""

    line: int
    last_line: int
    text: str
    figures: list[tuple[str, str, Number]] = field(default_factory=list)  # key, name as printed, number
    stated: list[Stated] = field(default_factory=list)
    label: str = ""
    plain: bool = False  # nothing but names and values


@dataclass(kw_only=True)
class _Section:
    """What stands below one heading, or below a line that ends with a colon."""

    title: str
    line: int
    above: tuple[str, ...] = ()
    entries: list[_Entry] = field(default_factory=list)
    indent: int = -1  # of the item that it stands below


def text_runs(
    document: Document, taken: set[int], found: Sequence[Found], system_near: Callable[[int], str]
) -> list[Found]:
    """Runs that appear only in the text; figures that a run of the page shows already are left out."""
    shown = [run.facts() for run in found]
    every = [run for run in found if not run.prose]
    runs: list[Found] = []
    sections = _sections(document, taken)
    often = Counter(section.title for section in sections)
    ends = [*(one.line for one in sections[1:]), 10**9]
    for section, after in zip(sections, ends, strict=False):
        logs = [run for run in every if section.line <= run.first_line < after]
        labelled = _labelled(section)
        runs += [_run(name, [one], section, system_near, key=section.title) for name, one in labelled]
        several = [one for one in section.entries if one.label and len(one.figures) > 1]
        runs += [
            _run(f"{section.title}: {one.label}".removeprefix(": "), [one], section, system_near) for one in several
        ]
        rest = [one for one in section.entries if all(one is not other for _, other in labelled) and one not in several]
        alone = [one for one in rest if one.stated and one.figures]
        runs += [_run(None, [one], section, system_near) for one in alone if _tells(one, logs)]
        rest = [one for one in rest if one not in alone and one.figures and _tells(one, logs)]
        if rest:
            title = section.title
            if often[title] > 1 and section.above:
                title = f"{section.above[-1]}: {title}" if title else section.above[-1]
            runs.append(_run(title or None, rest, section, system_near))
    return [run for run in runs if not _is_shown(run, shown)]


def _tells(one: _Entry, logs: Sequence[Found]) -> bool:
    """Whether a line is about a run: where the page shows logs, only what names a known quantity is."""
    if not logs:
        return True
    return any(_is_known(key) or (_MACHINE.search(key) and number.unit.base) for key, _, number in one.figures)


def _is_known(key: str) -> bool:
    known = named(key) or named(re.sub(r"^(?:train|val|test|eval)_", "", key))
    return known is not None and not known.settable and known.name not in _PLACES


def _is_shown(run: Found, shown: Sequence[dict[str, float]]) -> bool:
    own = run.facts()
    return bool(own) and any(
        all(
            any(
                abs(value - other) <= 0.006 * abs(other) and (len(own) > 1 or _alike(name, known))
                for known, other in facts.items()
            )
            for name, value in own.items()
        )
        for facts in shown
    )


def _alike(name: str, other: str) -> bool:
    return bool(set(name.split("_")) & set(other.split("_")) - {"s", "ms", "pct", "per"})


# --- logs that are outlines ---

_LABEL = re.compile(r"\s*(?P<label>[^\s:=|][^:=|]{1,78}):\s*")
_NUMBERED = re.compile(
    r"\s*(?P<noun>[A-Z][a-z]+)\s+#?(?P<number>\d{1,5})\b(?!\s*/)(?P<rest>[^=:]*(?::\d\d[^=:]*)*):?\s*"
)
_STEADY = frozenset(
    ("epoch", "step", "iter", "batch", "round", "rank", "worker", "gpu", "device", "layer", "stage", "level")
)
#: what a notebook prints of `%timeit`
_TIMED = re.compile(r"\s*(?P<mean>\d[\d.,]*\s?\S{1,3}) (?:±|\+-) (?P<std>\d[\d.,]*\s?\S{1,3}) per (?P<each>\w+)\b.*")


def outlined(document: Document) -> dict[int, str]:
    """Lines of logs that are lists of runs below labels, each with the label that it is, or with nothing.

    find (cold cache):          Iteration 1 on Wed Nov 09
      Run 1: 0.535s               depth=8, subsample=0.99
      Median: 0.536s              test_mcc: 0.4794
    """
    found: dict[int, str] = {}
    for block in document.blocks() if document.is_page else ():
        if block.role != LOG:
            continue
        texts = [line.text for line in block.lines]
        labels = _colon_labels(texts) or _numbered_labels(texts)
        if labels:
            found.update({line.number: labels.get(at, "") for at, line in enumerate(block.lines)})
        else:
            found.update({line.number: "" for line in block.lines if _TIMED.fullmatch(line.text)})
    return found


def _colon_labels(texts: Sequence[str]) -> dict[int, str]:
    labels: dict[int, str] = {}
    for at, text in enumerate(texts[:-1]):
        mark, below = _LABEL.fullmatch(text), texts[at + 1]
        if mark and len(below) - len(below.lstrip()) > len(text) - len(text.lstrip()) and _named_whole(below.strip()):
            labels[at] = mark["label"]
    return labels if len(labels) >= 2 else {}


def _numbered_labels(texts: Sequence[str]) -> dict[int, str]:
    marks = {
        at: mark
        for at, text in enumerate(texts)
        if (mark := _NUMBERED.fullmatch(text)) and mark["noun"].lower() not in _STEADY
    }
    nouns = Counter(mark["noun"] for mark in marks.values())
    noun = max(nouns, key=lambda one: nouns[one], default="")
    own = {at: mark for at, mark in marks.items() if mark["noun"] == noun}
    numbers = [int(mark["number"]) for mark in own.values()]
    if len(own) < 2 or any(after <= before for before, after in pairwise(numbers)) or 4 * len(own) > len(texts):
        return {}
    return {at: f"{noun} {mark['number']}" for at, mark in own.items()}


# --- sections --------------------------------------------------------------------------------------------------------


def _sections(document: Document, taken: set[int]) -> list[_Section]:
    """The entries of a page below their headings; a heading that is a figure itself opens no section."""
    sections = [_Section(title="", line=1)]
    texts: dict[int, list[Sentence]] = {}
    for one in document.paragraphs():
        texts.setdefault(one.line, []).append(one)
    labels, code = outlined(document), ""
    inside: set[int] = set()
    for line in document.lines:
        code = line.text.strip() if line.role in (CODE, COMMAND) and line.text.strip() else code
        if label := labels.get(line.number):
            sections.append(_Section(title=label + "\0", line=line.number, above=document.headings_at(line.number)))
            continue
        if line.number in labels and (timed := _TIMED.fullmatch(line.text)):
            sections += _timed(timed, line.number, code, document)
            continue
        if line.role == HEADING:
            entry = _entry(Sentence(text=line.said, line=line.number), document, heading=True)
            if entry is not None and entry.plain and entry.figures and not entry.stated and line.number not in taken:
                sections[-1].entries.append(entry)
                continue
            above = tuple(one for one in document.headings_at(line.number)[:-1] if one != line.said)
            sections.append(_Section(title=clean(line.said), line=line.number, above=above))
        if line.role not in (PROSE, LOG) or line.number in taken or line.number in inside:
            continue
        whole: Sentence | None = Sentence(text=line.said or line.text, line=line.number)
        if line.role == PROSE:
            waiting = texts.get(line.number, [])
            whole = waiting.pop(0) if waiting else None
        if whole is None or not whole.text:
            continue
        inside.update(number for _, number in whole.starts)
        if any(number in taken for number in (whole.line, whole.last_line)):
            continue
        is_short = "[" in line.text and len(line.text) <= 400
        if (
            is_short
            and (interval := _INTERVAL.fullmatch(line.text.strip()))
            and (mid := quantity(interval["mid"])) is not None
        ):
            if interval["label"]:
                sections.append(
                    _Section(title=interval["label"] + "\0", line=line.number, above=document.headings_at(line.number))
                )
            name = interval["name"]
            sections[-1].entries.append(
                _Entry(line=line.number, last_line=line.number, text=line.text, figures=[(name, name, mid)], plain=True)
            )
            continue
        text = _ITEM.sub("", whole.text).strip()
        indent = len(line.text) - len(line.text.lstrip())
        if sections[-1].indent >= indent and (whole.item or sections[-1].indent > indent):  # the list goes on
            base = _base(sections)
            sections.append(_Section(title=base.title, line=whole.line, above=base.above))
        is_label = text.endswith(":") and not any(letter.isdigit() for letter in text.rsplit("(", 1)[0])
        is_parent = whole.item and scan(clean(text)).pairs == [] and _deeper(document, line.number, indent)
        if len(text) <= _LONGEST_LABEL and (is_label or is_parent):
            base = _base(sections)
            title = clean(text.rstrip(":")).rstrip(":") + "\0"
            deep = indent if is_parent else -1
            sections.append(_Section(title=title, line=whole.line, above=(*base.above, base.title), indent=deep))
            continue
        entry = _entry(whole, document)
        if entry is not None:
            sections[-1].entries.append(entry)
    for section in sections:
        section.title = section.title.rstrip("\0")
    return [section for section in sections if section.entries]


def _base(sections: Sequence[_Section]) -> _Section:
    """The section of the last heading."""
    return next(one for one in reversed(sections) if not one.title.endswith("\0"))


def _deeper(document: Document, number: int, indent: int) -> bool:
    """Whether the next line is an item below this one."""
    after = next((one for one in document.after(number) if one.text.strip()), None)
    return (
        after is not None
        and _ITEM.match(after.text) is not None
        and len(after.text) - len(after.text.lstrip()) > indent
    )


def _timed(found: re.Match[str], line: int, code: str, document: Document) -> list[_Section]:
    """A time that a notebook measured, as a run named by the code."""
    mean = quantity(found["mean"])
    if mean is None:
        return []
    name = f"time per {found['each']} mean"
    entry = _Entry(line=line, last_line=line, text=found[0], figures=[(name, name, mean)], plain=True)
    title = re.sub(r"^%+timeit\s*(?:-\w+ *\d*\s+)*", "", code) or found[0]
    return [_Section(title=title[:100], line=line, above=document.headings_at(line), entries=[entry])]


def _entry(whole: Sentence, document: Document, *, heading: bool = False) -> _Entry | None:
    text = with_points(whole.text) if document.decimal_comma else whole.text
    bare = _ITEM.sub("", text).strip().rstrip("\\").strip()
    if not any(letter.isdigit() for letter in bare) or len(bare) > 1000:
        return None
    stated = settings_in(bare, whole.line)
    entry = _Entry(line=whole.line, last_line=whole.last_line, text=bare, stated=stated)
    single = quantity(clean(bare))
    if single is not None and whole.item and not heading:
        entry.figures, entry.plain = [("", "", single)], True
        return entry
    if not stated and (changed := _CHANGED.fullmatch(clean(bare))):
        before, after = quantity(changed["old"]), quantity(changed["new"])
        if before is not None and after is not None:
            name = changed["name"].strip()
            before = before if before.unit.base else before.with_unit(after.unit)
            entry.figures = [("", f"{name} before", before), ("", name, after)]
            entry.plain = True
            return entry
    for piece in re.split(r"(?<=[.!;])\s+|\s(?:-+>|=+>|→)\s", bare):
        _take(piece, entry, heading=heading)
    label = re.match(r"([^:=(]{1,60}?)\s*(?::| [-–—])\s", clean(bare))
    if (
        entry.plain
        and len(entry.figures) > 1
        and label
        and not any(one.isdigit() for one in label[1])
        and not direction(name_of(label[1]).key)
    ):
        entry.label = label[1]
    return entry if entry.figures or entry.stated else None


def _take(text: str, entry: _Entry, *, heading: bool) -> None:
    """The figures of one sentence."""
    # `… increases is memory usage, which on average is 3 GB`
    text = re.sub(r"^.{0,300}?(\w+ \w+),\s*which\s+(?:on average\s+)?(?=(?:is|was)\s)", r"\1 ", text)
    found = scan(clean(text))
    spoken = is_supposed(text) or _COMPARED.search(text) is not None
    plain = _is_plain(found, text)
    whole = _named_whole(text)
    if whole is not None:
        name, number = whole
        key = name_of(name, number.unit).key
        label = name if direction(name_of(name).key) == 0 and named(name) is None and number.unit.base else ""
        entry.figures.append((key, name, number))
        entry.label, entry.plain = label, True
        return
    if heading:
        return
    said = [(one.start, one.end) for one in settings_in(clean(text))]
    names = Counter(pair.name for pair in found.pairs)
    for pair in found.pairs:
        known = named(pair.name)
        if any(start <= pair.number.start < end for start, end in said) or (known is not None and known.settable):
            continue
        name, key = _figure_name(pair.name, pair.number)
        if not pair.name and pair.number.unit.is_time and any(one[0] == "samples" for one in entry.figures):
            name, key = "train time", "train_s"  # `It processed 1024000 samples in 211.2 seconds`
        if pair.number.unit.is_time and not _is_known(key) and (subject := _SUBJECT.match(text)):
            name, key = subject[1], name_of(subject[1], pair.number.unit).key
        good = _is_known(key) or (
            pair.strong and bool(pair.name) and (direction(key) != 0 or bool(pair.number.unit.base))
        )
        if not key or (names[pair.name] > 1 and not good):
            continue
        if (plain and pair.how not in ("before", "unit")) or (good and not spoken and not _PARTIAL.search(text)):
            entry.figures.append((key, name, pair.number))
    step = _AT_STEP.search(text)
    if step is not None and (count := quantity(step[1] or step[2])) is not None and entry.figures:
        entry.figures.append(("step", "step", count))
    for one in _COUNTED.finditer(clean(text)):  # `Got 7398 / 10000 correct (73.98)`
        done, share = quantity(one["done"]), quantity(one["share"] or "")
        is_setting = (known := named(one["noun"])) is not None and known.settable
        if done is not None and len(text) <= _LONGEST_PLAIN and not is_setting and one["noun"] not in _STEPS:
            entry.figures = [old for old in entry.figures if old[2].value != done.value]
            entry.figures.append((one["noun"].lower(), _AS_IT_IS, done))
            if share is not None:
                entry.figures.append((f"{one['noun'].lower()}_pct", _AS_IT_IS, share))
            plain = plain or found.words_left <= 4
    entry.plain = entry.plain or plain


#: `The completion time (with a profiler) of the second run is 79 s`
_SUBJECT = re.compile(r"(?i)(?:the )?((?:\w+ )?(?:time|duration))\b")
_AT_STEP = re.compile(
    r"(?i)\b(?:ended|stopped|finished|ran|done) (?:at|after|for) (?:step (\d[\d,]*)|(\d[\d,]*) steps)"
)
_COUNTED = re.compile(
    r"(?<![\w.])(?P<done>\d[\d,]*)\s?(?:/|"
    r"(?:out )?of)\s?\d[\d,]*\s+(?P<noun>[a-z]{3,20})\b(?:\s*\((?P<share>[\d.]+\s?%?)\))?"
)
#: in place of a printed name: the key is the name
_AS_IT_IS = "\0"
_STEPS = frozenset(("step", "steps", "global step", "iteration", "iterations"))


def _figure_name(printed: str, number: Number) -> tuple[str, str]:
    """(name, key) of a pair in a sentence: the known quantity at the end of its words, else all of them."""
    words = printed.split()
    for at in range(max(0, len(words) - 4), len(words)):
        name = " ".join(words[at:])
        if name.lower() in _STEPS and not number.unit.base:
            return name, "step"
        key = name_of(name, number.unit).key
        if _is_known(key):
            is_mean = key == "samples_per_s" and re.search(r"(?i)\b(?:global|average|avg|mean)\b", name) is not None
            return name, "samples_per_s_avg" if is_mean else key
    return printed, name_of(printed, number.unit).key


def _is_plain(found: Scan, text: str) -> bool:
    short = len(text) <= _LONGEST_PLAIN and not text.rstrip().endswith(("?", "!"))
    return short and found.words_left <= 2 and bool(found.pairs)


#: `Startup: 120 ms → 80 ms (-33 %)`, `Size went from 12.4 MB to 9.1 MB`
_CHANGED = re.compile(
    r"(?P<name>[^\d:→]{2,60}?)\s*(?::|\b(?:\w+ )?from)\s+(?P<old>[~≈]?\d[\d.,]*\s?[\w%/]{0,10})\s*(?:→|-+>|to)\s*"
    r"(?P<new>[~≈]?\d[\d.,]*\s?[\w%/]{0,10})(?:\s*[(,;].*)?\.?"
)
#: `pool/checkout   time: [12.3 ns 12.5 ns 12.7 ns]`: an interval with its middle
_INTERVAL = re.compile(
    r"(?P<label>\S.*?\S)??\s*\b(?P<name>[a-z]\w*):\s+\[(?P<low>[-+]?\d[\d.]*\s?[^\s\]]+) (?P<mid>[-+]?\d[\d.]*\s?[^\s\]]+) (?P<high>[-+]?\d[\d.]*\s?[^\s\]]+)\].*"
)
_WHOLE = re.compile(
    r"^(?P<name>[^:=≈]{1,80}?)\s*(?:[:=≈]|\s[-–—]\s|\bis\b|\bwas\b)\s*(?:[:=≈~]\s*)?(?P<value>[-+~≈<>]?\s?\d[^()]{0,40}?)\s*(?P<more>\([^()]*\))?[.,;]?$"
)


def _named_whole(text: str) -> tuple[str, Number] | None:
    """A line that is nothing but a name and a quantity: `H2 in memory : 400ms (one select per row)`."""
    found = _WHOLE.match(clean(text))
    number = quantity(found["value"].strip()) if found else None
    if found is None or number is None:
        return None
    rest = found["value"].replace(number.text.strip(), "", 1)
    if _COMPARED.search(rest) or (
        re.search(r"(?i)\b(?:is|was)\b", text) and (is_supposed(text) or _COMPARED.search(text))
    ):
        return None
    if any(letter.isdigit() for letter in rest) and "±" not in rest:
        return None
    name = found["name"].strip(" -–—*_`\"'")
    if not re.search(r"[^\W\d_]", name) or len(name.split()) > 8:
        return None
    known = named(name)
    return None if known is not None and known.settable else (name, number)


# --- runs ------------------------------------------------------------------------------------------------------------


_PART_OF_ONE = re.compile(
    r"(?i)^(?:run|try|trial|iteration|attempt|sample|fold|seed|repeat|test)\W*\d+$|\b(?:median|mean|avg|average|min|max|minimum|maximum|total|sum|std|stdev|p\d\d)\b"
)


def _labelled(section: _Section) -> list[tuple[str, _Entry]]:
    """Lines that each give one figure of what they begin with, where the heading says which figure it is."""
    found = [(one.label, one) for one in section.entries if one.label and len(one.figures) == 1]
    units = {one.figures[0][2].unit.base for _, one in found}
    labels = {label for label, _ in found}
    if any(_PART_OF_ONE.search(label) for label in labels):
        return []  # `Run 1`, `Median`: what was measured of one thing
    return found if len(labels) >= 2 and len(units) == 1 and section.title else []


def _run(
    name: str | None, entries: Sequence[_Entry], section: _Section, system_near: Callable[[int], str], *, key: str = ""
) -> Found:
    values: dict[str, float] = {}
    lines: dict[str, int] = {}
    claims: dict[str, Value] = {}
    claim_lines: dict[str, int] = {}
    doubled = Counter(found[0] for one in entries for found in one.figures)
    counts: Counter[str] = Counter()
    for one in entries:
        for printed_key, printed, number in one.figures:
            made = name_of(key or printed or section.title, number.unit)
            known = not key and (_is_known(printed_key) or printed_key == "step" or printed == _AS_IT_IS)
            new = printed_key if known else made.key or printed_key or "value"
            counts[new] += 1
            if doubled[printed_key] > 1 and (not printed or counts[new] > 1 or not one.plain):
                new = f"{new}_{counts[new]}"
            if len(values) < _MOST_FIGURES and new not in values:
                values[new], lines[new] = made.value(number), one.line
        for said in one.stated:
            if said.name not in claims:
                claims[said.name], claim_lines[said.name] = said.value, said.line
    if not claims:
        for title in (section.title, *reversed(section.above)):
            for said in settings_in(title, section.line):
                if said.name not in claims:
                    claims[said.name], claim_lines[said.name] = said.value, said.line
    first, last = min(one.line for one in entries), max(one.last_line for one in entries)
    system = system_near(first)
    events: list[Event] = [Result(source="reader:prose", line=first, values=values)]
    if system in ("psrecord", "generic"):
        events = with_profile(events, first, is_one=system == "psrecord")
    text = "\n".join(one.text for one in entries)
    return Found(
        system=system, first_line=first, last_line=last, events=events, claims=claims, claim_lines=claim_lines,
        name=name[:120] if name else None, prose=True, text=text.encode(), headings=(*section.above, section.title),
    )  # fmt: skip
