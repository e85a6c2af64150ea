"""Reports on one measurement: serving benchmarks and their like, in blocks, tables, separate lines and objects.

    ============ Serving Benchmark Result ============          | Model | Concurrency | Mean TTFT (ms) | Output tok/s |
    Successful requests:                     996                Metric,avg,min,max,p99,p95,p90,p75,p50,p25
    Output token throughput (tok/s):         831.83             {"backend": "sglang", "mean_ttft_ms": 2048.4, …}

What a tool prints stands in its TOML; what all of them call the same, in `vocabulary.toml`. The traps: a page may show
a block with `xxx.xx` in place of figures, which is no run; any table may hold a latency, so that a head counts only
where it names what serving alone has; one such line is anyone's, and only several together are a result.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from assay.lines import Line
from assay.model.event import Event
from assay.model.values import number
from assay.reading.formats import (
    REPORT,
    SCRIPT,
    Json,
    Said,
    Talk,
    cut,
    is_rule,
    is_setting,
    of_kind,
    row_said,
    target,
    value_of,
    vocabulary,
)
from assay.reading.jobs import Account
from assay.reading.reader import NEW, Answer, Reader, figure

_WHOLE = frozenset(("num_prompts", "concurrency", "batch_size", "ngl", "threads", "input_len", "output_len"))
_OWN = re.compile(r"ttft_|tpot_|itl_|e2e_|requests|_tokens")
_OWN_SETTINGS = frozenset(("concurrency", "request_rate", "num_prompts", "input_len", "output_len", "io_len"))
_KEPT = ("mean", "p50", "p90", "p99")

# --- labels ---


class Meaning(NamedTuple):
    """`name` is ours; a value times `factor` is in our unit; a factor of 0 says that the label names none."""

    name: str
    factor: float = 1.0
    kind: str = "figure"  # or setting, word


class _Labels:
    """The vocabulary, compiled with the first label."""

    def __init__(self) -> None:
        said = vocabulary()["labels"]
        self.lists = {
            kind: [(name, re.compile(text)) for name, text in said[kind]]
            for kind in ("latencies", "figures", "settings", "words")
        }
        self.never, self.peak, self.statistic = (re.compile(said[name]) for name in ("never", "peak", "statistic"))
        devices = vocabulary()["devices"]
        self.systems = {name: re.compile(text) for name, text in devices.items()}
        self.device = re.compile(rf"(?<![\w.-])(?:\d{{1,3}} ?[xX×*] ?)?(?P<name>{'|'.join(devices.values())})")


@cache
def _labels() -> _Labels:
    return _Labels()


_MS = {"ms": 1.0, "msec": 1.0, "millisecond": 1.0, "milliseconds": 1.0, "s": 1e3, "sec": 1e3, "secs": 1e3,
       "second": 1e3, "seconds": 1e3,
       "us": 1e-3, "µs": 1e-3, "usec": 1e-3, "ns": 1e-6}  # fmt: skip


def plain(label: str) -> str:
    """`P99 Inter-Token Latency (ms)` → `p99 inter token latency ms`."""
    return " ".join(re.split(r"[^a-z0-9.%µ]+", re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", label).lower())).strip()


def statistic_of(text: str) -> str | None:
    """`mean`, `p50`, `p90`, `p99` or another name for what a text calls a statistic; None where it is none."""
    found = _labels().statistic.search(text.lower().replace("_", " "))
    if found is None:
        return None
    if found["mean"] or found["median"]:
        return "mean" if found["mean"] else "p50"
    rank = found["p"] or found["percentile"] or found["q"]
    return f"p{float(rank):g}" if rank else found["other"]


@lru_cache(maxsize=4096)
def meaning(label: str, statistic: str = "") -> Meaning | None:
    """Of a label, with the statistic that its column names; None where it is none of ours."""
    text = plain(label)
    if not text or len(text) > 120:
        return None
    return _latency(text, statistic) or _other(text, statistic)


def _latency(text: str, statistic: str) -> Meaning | None:
    if "throughput" in text or "tokens" in text.split() or "per sec" in text:
        return None
    for name, pattern in _labels().lists["latencies"]:
        if not pattern.search(text):
            continue
        of = statistic_of(text) or statistic or "mean"
        if of not in _KEPT or "second token" in text or "early stopping" in text:
            return None
        factor = next((_MS[word] for word in text.split() if word in _MS), 0.0)
        return Meaning("latency_ms" if name == "latency" and of == "mean" else f"{name}_{of}_ms", factor)
    return None


def _other(text: str, statistic: str) -> Meaning | None:
    known = _labels()
    if (word := _first(known.lists["words"], text)) is not None:
        return Meaning(word, kind="word")
    bare = re.sub(r"\b(?:avg\.?|results|overall mean)(?: |$)", "", text).strip()
    if known.peak.search(bare):
        return Meaning("output_tokens_per_s_peak")
    if statistic in ("", "mean") and not known.never.search(bare) and (name := _first(known.lists["figures"], bare)):
        per_minute = 1 / 60 if re.search(r"\bper min(?:ute)?\b", text) else 1.0
        return Meaning(
            name,
            next((_MS[word] / 1e3 for word in text.split() if word in _MS), 1.0) if name == "wall_s" else per_minute,
        )
    if statistic in ("", "mean") and not re.search(r"\b(?:std\w*|range|ratio|p\d+)\b", bare):
        without = re.sub(r" (?:tokens?|rps|req s|reqs)$", "", bare)
        name = next(
            (name for name, pattern in known.lists["settings"] if pattern.search(bare) or pattern.search(without)), None
        )
        return Meaning(name, kind="setting") if name else None
    return None


def _first(patterns: Sequence[tuple[str, re.Pattern[str]]], text: str) -> str | None:
    return next((name for name, pattern in patterns if pattern.search(text)), None)


def engine_of(backend: str) -> str | None:
    """`openai-chat` is a protocol, and names no engine."""
    return vocabulary()["engines"].get(backend.strip("'\"").lower())  # type: ignore[no-any-return]


def device_in(text: str) -> str | None:
    """The first accelerator that a text names."""
    found = _labels().device.search(text[:2000])
    return found["name"].strip() if found else None


def devices_in(text: str) -> set[str]:
    return {found["name"].strip() for found in _labels().device.finditer(text[:4000])}


def system_of(device: str) -> str:
    """`sambanova` for an SN40L, `cuda` for what NVIDIA makes; `generic` where there is no name for it."""
    systems = dict(_labels().systems)
    order = [*(name for name in systems if name != "cuda"), "cuda"]
    found = next((name for name in order if systems[name].search(device)), "generic")
    return found if found in vocabulary()["known_systems"] else "generic"


# --- values ---

_WITH_UNIT = re.compile(r"[~≈]?\s*(?P<value>[\d.,]+)\s*(?P<unit>ms|s|sec|seconds|µs|us)")
_OF_ALL = re.compile(r"(\d{1,12})/(\d{1,12})")


def read_number(text: str) -> float | None:
    """`1,799.53`, `238.48 ± 1.43`, `59.02 tok/s`: the first number; None for `xxx.xx`, `N/A` and `inf`."""
    first = text.strip().strip("\"'*`").split()
    found = figure(first[0].strip("\"'*`").rstrip("%")) if first else None
    return found if found is not None and math.isfinite(found) else None


def read_pair(label: str, value: str, *, statistic: str = "", default_ms: float = 1.0) -> Said | None:
    """What a label and its value say; None if the label is unknown, or the value is none."""
    known = meaning(label, statistic)
    if known is None:
        return None
    said = Said()
    if known.kind == "word":
        said.words = {known.name: value.strip()} if value.strip() else {}
        return said if said.words else None
    found = read_number(value)
    if found is None:
        return None
    if known.kind == "setting":
        said.settings = _setting(known.name, found)
    else:
        said.figures = {known.name: round(found * (known.factor or default_ms), 9)}
    return said


def _setting(name: str, value: float) -> dict[str, Json]:
    if name == "io_len":
        return {"input_len": int(value), "output_len": int(value)}
    if name == "concurrency" and not value.is_integer():
        return {}  # how many were under way on average: measured, not set
    return {name: int(value) if name in _WHOLE and value.is_integer() else value}


def read_cell(label: str, cell: str, *, default_ms: float = 1.0) -> Said | None:
    """As `read_pair`, of a cell that may bring its unit: `98.7 ms`, `1.92 sec`, or `889/899` requests."""
    known, found = meaning(label), _WITH_UNIT.fullmatch(cell.strip())
    if known is not None and known.kind == "figure" and not known.factor and found:
        return read_pair(f"{label} ({found['unit']})", found["value"])
    found = _OF_ALL.fullmatch(cell.strip()) if known is not None and known.name == "requests" else None
    if found:
        return Said(figures={"requests": int(found[1]), "requests_failed": max(0, int(found[2]) - int(found[1]))})
    return read_pair(label, cell, default_ms=default_ms)


def _lookup(name: str, text: str) -> tuple[str, Json] | None:
    """For the formats: what the vocabulary makes of a label and a value."""
    said = read_pair(name, text)
    pairs = list({**said.figures, **said.settings, **said.words}.items()) if said is not None else []
    return pairs[0] if pairs else None


# --- tables of any benchmark ---

_HEADS = frozenset(("metric", "statistic", "metrics", "metric name", "stat"))
_VALUES = frozenset(("value", "values", "result", "results"))
_LOOSE = re.compile(r"^(?:throughput )?(?:tok|tokens?|t) (?:per )?(?:s|sec|second)$|^throughput (?:tok|tokens?) s")
_CONFIG = re.compile(r"(?P<model>.+?)_run_config_\d+$")
_RATE = re.compile(r"@(\d{1,9}(?:\.\d{1,9})?) ?req/s$")


def statistic_head(cells: Sequence[str]) -> list[str]:
    """The statistic of each column after the first; nothing where the line is no such head."""
    if len(cells) < 2 or cells[0].strip().lower() not in _HEADS:
        return []
    rest = [cell.strip().lower() for cell in cells[1:]]
    if rest[0] in _VALUES:
        return ["mean"]
    columns = [statistic_of(cell) or ("unit" if cell in ("unit", "units") else "") for cell in rest]
    named = any(meaning(cell) for cell in rest if statistic_of(cell) is None)
    return columns if any(one in _KEPT for one in columns) and not named else []


def is_head(cells: Sequence[str]) -> bool:
    """A line whose cells name figures of serving, and hold no figure."""
    words = [cell.split() for cell in cells]
    if len(cells) < 2 or any(len(one) > 8 or (len(one) > 1 and figure(one[0]) is not None) for one in words):
        return False  # a sentence with a comma in it, or `3.1 requests/s, 805 output tokens/s`
    if any(figure(cell) is not None for cell in cells if cell) or statistic_head(cells):
        return False
    known = [found for cell in cells if (found := meaning(cell)) is not None]
    figures = {one.name for one in known if one.kind == "figure"}
    own = any(_OWN.search(one) for one in figures) or any(
        one.name in _OWN_SETTINGS for one in known if one.kind == "setting"
    )
    loose = any(_LOOSE.search(plain(cell)) or plain(cell) == "throughput" for cell in cells)
    return own and len(figures) + loose >= 1 and len(known) + loose >= 2


def read_row(names: Sequence[str], cells: Sequence[str]) -> Said:
    """What the cells of a row say under the names of their columns."""
    said = Said(row=True)
    total = any(plain(name) == "input output length" for name in names)  # llm-inference-bench: seconds, and both ways
    for name, cell in zip(names, cells, strict=False):
        text = plain(name)
        if text == "benchmark" and (rate := _RATE.search(cell)):  # of Hugging Face's inference-benchmarker
            said.settings["request_rate"] = float(rate[1])
        one = read_cell(name, cell, default_ms=1e3 if total else 1.0)
        if one is not None:
            said.figures, said.settings, said.words = (
                {**one.figures, **said.figures},
                {**one.settings, **said.settings},
                {**one.words, **said.words},
            )
        elif (value := read_number(cell)) is not None:
            if text == "throughput" and total:
                said.figures["total_tokens_per_s"] = value
            elif _LOOSE.search(text) or (text == "throughput" and _LOOSE.search(plain(cell.lstrip("0123456789., ")))):
                said.figures.setdefault("output_tokens_per_s", value)
            elif text in ("accuracy", "accuracy rate"):
                said.figures["accuracy"] = value / 100 if value > 1 else value
    _name_row(said.words, dict(zip(map(plain, names), cells, strict=False)))
    return said


def _name_row(words: dict[str, str], row: Mapping[str, str]) -> None:
    """A backend that is a protocol is no engine; a configuration may be named after its model."""
    if engine := words.pop("engine", None):
        known = engine_of(engine)
        words.update({"engine": known or engine} if known or "backend" not in row else {})
    if (found := _CONFIG.match(row.get("config name", ""))) and "model" not in words:
        words["model"] = found["model"]
    count = row.get("num of hardware", "")
    if "device" in words and count.isdigit() and int(count) > 1:
        words["device"] = f"{count} x {words['device']}"
    if "device" in words and device_in(words["device"]) is None and not words["device"][:1].isalnum():
        words.pop("device")


class _AnyTable:
    """A table with a run to a row, or a metric to a row and a statistic to a column, while it is being printed."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.statistics: list[str] = []
        self._cut = "|"

    @property
    def is_open(self) -> bool:
        return bool(self.names or self.statistics)

    def read(self, text: str, known: Mapping[str, Json]) -> Said | None:
        if text[:1] in ("{", "["):
            return None  # an object, however many commas it holds
        how = "|" if any(sign in text for sign in "|│┃║") else ","
        cells = cut(text, how)
        if cells and (columns := statistic_head(cells)):
            follows = columns == ["mean"] and self.is_open and len(known) > 1  # the second table of one report
            self.names, self.statistics, self._cut = [], columns, how
            return Said(status="" if follows else "begins")
        if cells and is_head(cells):
            self.names, self.statistics, self._cut = cells, [], how
            return Said()
        if not self.is_open:
            return None
        if text and is_rule(text):
            return Said()
        width = len(self.names) or len(self.statistics) + 1
        if cells is None or how != self._cut or (len(cells) != width if self.names else len(cells) > width):
            if text or self.names:
                self.names, self.statistics = [], []
            return None
        return read_row(self.names, cells) if self.names else self._statistics_row(cells)

    def _statistics_row(self, cells: Sequence[str]) -> Said:
        said = Said()
        for statistic, cell in zip(self.statistics, cells[1:], strict=False):
            one = read_pair(cells[0], cell, statistic=statistic) if statistic else None
            if one is not None:
                said.figures.update(one.figures)
                if statistic == "mean" or re.search(r"(?i)(?:input|output) sequence length", cells[0]):
                    said.settings.update(one.settings)
        return said


# --- the reader ---

_LOGGER = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]*Z?\]?\s*(?:[-|:]\s*)?)?"
    r"(?:(?:\(\w+ pid=\d+\)\s*)?(?:INFO|WARNING|DEBUG)\b(?:\s+\d\d-\d\d \d\d:\d\d:\d\d)?(?:\s+\[[\w./]+:\d+\])?"
    r"\s*[-|:]?\s*)?"
)
_QUOTE = re.compile(r"\s*(?:>\s?|[-*+]\s(?=\S))+|\[(?:default|1,) ?\d+\](?:<std(?:out|err)>)?:\s*")
_PLAIN = re.compile(
    r"(?P<label>(?:[A-Za-z]|\d\dth )[\w ()/%.,-]{1,50}?)\s*[:=]\s*(?P<value>\d[\d,]*(?:\.\d+)?) ?"
    r"(?P<unit>ms|s|sec|seconds|us|µs|req/s|requests/s(?:ec)?|tok(?:en)?s?/s(?:ec)?|"
    r"\[#/sec\] \(mean\)|\[ms\] \(mean\))?$"
)
_RAN = re.compile(
    r"(?i)\b(?:ran|running|send|sending|sent|completed|served|processed|over|after) (?P<count>\d[\d,]{0,11}) requests\b"
)
_TIMES = frozenset(("ms", "s", "sec", "seconds", "us", "µs"))
_REQUESTS = frozenset(("req/s", "requests/s", "requests/sec"))
_LONGEST_OBJECT = 60_000


class Report(Reader):
    """One measurement; what its report says twice begins another."""

    name = "serving"
    system = "generic"
    reports = True
    #: what the vocabulary reads in tables, objects and separate lines
    anchors = tuple(vocabulary()["report_words"])

    def __init__(self, talk: Talk | None = None, table: _AnyTable | None = None) -> None:
        super().__init__()
        self.figures: dict[str, Json] = {}
        self.settings: dict[str, Json] = {}
        self.words: dict[str, str] = {}
        self.inside = False  # of a block that names its figures
        self.status: str | None = None
        self._likely = ""  # whose tool it is, where nothing names the engine
        self._inherited: dict[str, str] = {}  # words of the run before that hold for this one, once it has a figure
        self._talk = talk or Talk(REPORT, _lookup)
        self._table = table or _AnyTable()

    @property
    def wants_all(self) -> bool:
        return self._talk.in_table or self._table.is_open

    def heir(self) -> Reader:
        """The run that follows in the same output: in the middle of the same tables, with the same names."""
        heir = Report(self._talk, self._table)
        heir._inherited, heir.system, heir._likely = dict(self.words), self.system, self._likely
        return heir

    def read(self, line: Line) -> Answer:
        text = bare(line.text)
        said = self._talk.read(line.number, text, self.figures)
        if said is not None:
            answer = self._by_format(line, said)
            if answer is NEW:
                self._talk.undo()
            return answer
        before = (self._table.names, self._table.statistics)
        said = self._table.read(text, self.figures)
        if said is not None:
            begins = (said.status == "begins" and len(self.figures) > 1) or (said.row and self.figures and said.figures)
            answer = NEW if begins else self.tell(line, said)
            self.inside = self.inside or bool(self._table.statistics)
            if answer is NEW:
                self._table.names, self._table.statistics = before
            return answer
        return self._object(line, text) if text[:1] == "{" else self._plainly(line, text)

    def _by_format(self, line: Line, said: Said) -> Answer:
        rule = said.rule
        backend = said.words.pop("backend", "")
        if backend and (engine := engine_of(backend)):
            said.words["engine"] = engine
        if (rule is not None and rule.begins and self.figures) or (said.row and said.figures and self.figures):
            return NEW
        self._likely = (rule.likely if rule is not None else "") or self._likely
        was_inside = self.inside
        self.inside = rule.open if rule is not None and rule.open is not None else self.inside
        answer = self.tell(line, said)
        if answer is NEW:
            self.inside = was_inside
        elif isinstance(answer, list) and rule is not None and rule.error and not said.status:
            self.strong = True
            answer.append(
                self.fact(
                    "error",
                    line,
                    None,
                    {**rule.error, "message": rule.error["message"].format(line.text.split(":")[-1].strip())},
                )
            )
        return answer

    def tell(self, line: Line, said: Said) -> Answer:
        """Take what a line says: NEW where it says something else of what was said before."""
        figures, settings, words = said.figures, said.settings, dict(said.words)
        if any(name in self.figures and self.figures[name] != value for name, value in figures.items()):
            return NEW
        others = any(self.words.get(name, word) != word for name, word in words.items())
        if not figures and self.figures and not self.inside and (settings or others):
            return NEW
        if figures and self._inherited:
            words, self._inherited = {**{k: v for k, v in self._inherited.items() if k not in self.words}, **words}, {}
        self.settings.update(settings)
        self.words.update(words)
        if "device" in words:
            self.system = system_of(words["device"])
        events = [self.fact("how", line, None, words)] if words else []
        events += [self.fact("param", line, None, settings)] if settings else []
        if figures:
            self.figures.update(figures)
            self.strong = self.strong or said.sure
            events.append(self.fact("result", line, None, dict(figures)))
        self.ended = bool(self.figures) and (self.wants_all or not self.inside)
        return events

    def _plainly(self, line: Line, text: str) -> Answer:
        """Separate lines of any load generator: one is anyone's, several with their units are a result."""
        found = _PLAIN.match(text)
        if found is None:
            ran = _RAN.search(text)
            return (
                None
                if ran is None
                else self.tell(line, Said(figures={"requests": figure(ran["count"]) or 0.0}, sure=False))
            )
        label, unit, value = found["label"], found["unit"] or "", figure(found["value"])
        known = meaning(f"{label} {unit}" if unit in _TIMES or unit in _REQUESTS else label)
        alone = plain(label) in (*_KEPT, "median", "avg", "average") or re.fullmatch(
            r"(?i)\d\dth percentile", label.strip()
        )
        if known is None and unit in _TIMES and alone:
            known = meaning(f"{label} latency {unit}")
        if (
            known is None
            or value is None
            or known.kind != "figure"
            or (known.name.endswith("_ms") and not known.factor)
        ):
            return None
        answer = self.tell(line, Said(figures={known.name: round(value * known.factor, 9)}, sure=False))
        if isinstance(answer, list):
            own = known.name.startswith(("ttft_", "tpot_", "itl_", "e2e_"))
            self.strong = self.strong or own or len(self.figures) > 1
        return answer

    def _object(self, line: Line, text: str) -> Answer:
        if not text.rstrip(",").endswith("}") or len(text) > _LONGEST_OBJECT:
            return None
        try:
            value = json.loads(text.rstrip(","))
        except (ValueError, RecursionError):
            return None
        said = next((one for one, _ in results(value)), None)
        if said is None:
            return None
        return NEW if self.figures else self.tell(line, said)

    def finish(self) -> list[Event]:
        if not self.figures:
            return []
        events = []
        if self._likely and "engine" not in self.words:
            events.append(self.fact("how", 0, engine=self._likely))
        asked, done = number(self.settings.get("num_prompts")), self.figures.get("requests")
        if asked and done is not None and done < asked and "requests_failed" not in self.figures:
            events.append(self.fact("result", 0, requests_failed=int(asked - done)))
        status = self.status or ("failed" if self.failed or done == 0 else "completed")
        return [*events, self.fact("end", 0, status=status)]


def bare(text: str) -> str:
    """Without what a logger, a rank or a list puts before a line."""
    found = _LOGGER.match(text)
    text = text[found.end() :] if found else text
    found = _QUOTE.match(text)
    return (text[found.end() :] if found else text).strip()


_FLAG = re.compile(r"(?<!\S)(?P<flag>--?[A-Za-z][\w.-]*)[ =]+(?P<value>'[^']*'|\"[^\"]*\"|[^\s'\"-][^\s\\]*)")


def said_by_command(text: str) -> Said | None:
    """What the last command of a benchmark in a text asks for: its settings, the model and the engine."""
    known = vocabulary()["commands"]
    joined = re.sub(r"\\\s*\n\s*", " ", text)
    found = list(re.finditer(known["benchmark"], joined))
    if not found:
        return None
    command = joined[found[-1].start() :].partition("\n")[0]
    said = Said()
    for one in _FLAG.finditer(command):
        key, value = known["flags"].get(one["flag"]), one["value"].strip("'\"")
        amount = figure(value)
        if key == "model":
            said.words.setdefault("model", value)
        elif key and amount is not None and math.isfinite(amount) and key not in said.settings:
            said.settings.update(_setting(key, amount))
    engine = next((name for name, form in known["engines"].items() if re.search(form, command)), None)
    said.words |= {"engine": engine} if engine else {}
    return said


def lines_of_formats(lines: Iterable[Line]) -> set[int]:
    """The lines that a format describes: what looks like a table in them is none."""
    every = list(lines)
    talk = Talk(SCRIPT)
    found = {line.number for line in every if talk.read(line.number, line.text, {}) is not None}
    for kind in (Report, Account):
        reader: Reader = kind()
        waiting: list[int] = []
        for line in every:
            answer = reader.read(line)
            if answer is NEW:
                reader = reader.heir() or kind()
                answer = reader.read(line)
            waiting += [line.number] if isinstance(answer, list) else []
            if reader.strong:
                found.update(waiting)
                waiting = []
    return found


# --- objects ---

_RATE_FLAG = re.compile(r"--(?P<name>request-rate|max-concurrency|num-prompts|model)[ =](?P<value>\S+)")
_FLAGS = {"request-rate": "request_rate", "max-concurrency": "concurrency", "num-prompts": "num_prompts"}
_SPREAD = {"mean": ("avg", "mean"), "p50": ("p50", "median"), "p90": ("p90",), "p99": ("p99",)}
_ONLY_SERVING = re.compile(r"ttft_|tpot_|itl_|e2e_|requests|prompt_tokens|output_tokens|input_tokens|latency_")
_STATISTICS = ("avg", "mean", "p50", "p90", "p99", "median")


def results(value: object, around: Mapping[str, Json] | None = None, depth: int = 0) -> Iterator[tuple[Said, str]]:
    """Every result in an object, however deep, with the name it stands under; what stands around it holds for it."""
    if depth > 6:
        return
    if isinstance(value, list):
        for one in value[:10_000]:
            yield from results(one, around, depth + 1)
        return
    if not isinstance(value, dict):
        return
    known = list(_of_formats(value, around or {}))
    said = None if known else _of_vocabulary(value, around or {})
    if known or said is not None:
        yield from ((one, "") for one in [*known, *([said] if said is not None else [])])
        return
    for key, one in value.items():
        if isinstance(one, (dict, list)):
            about = {**(around or {}), **_scalars(value), **_configured(value, key)}
            for inner, name in results(one, about, depth + 1):
                yield inner, name or str(key)


def _of_formats(value: Mapping[str, Json], around: Mapping[str, Json]) -> Iterator[Said]:
    """Objects that a format describes."""
    for one in of_kind(REPORT):
        for rule in one.said.get("objects", ()):
            if not all(_at(value, path) is not None for path in rule["has"]):
                continue
            if "table" in rule:  # the members of a row of its tables
                texts = {str(k).lower(): "" if v is None else str(v) for k, v in value.items()}
                said = row_said(one.tables[rule["table"]], texts)
                if said.figures:
                    yield said
                continue
            each = _at(value, rule["each"]) if "each" in rule else [value]
            for inner in each if isinstance(each, list) else ():
                if isinstance(inner, dict) and (said := _by_rule(rule, inner, value)).figures:
                    model = around.get("model")
                    yield said if "model" in said.words or not isinstance(model, str) else _with_model(said, model)
            return


def _with_model(said: Said, model: str) -> Said:
    said.words["model"] = model
    return said


def _by_rule(rule: Mapping[str, Json], value: Mapping[str, Json], whole: Mapping[str, Json]) -> Said:
    """What an object says by the paths of its format; a path with `/` before it begins at the whole document."""
    said = Said(row=True)

    def look(path: str) -> Json:
        found = (_at(whole if one.startswith("/") else value, one.lstrip("/")) for one in path.split("|"))
        return next((one for one in found if one is not None), None)

    for path, to in rule.get("values", {}).items():
        found, known = look(path), target(to)
        if (
            found is not None
            and not isinstance(found, (dict, list))
            and known.key not in said.settings
            and not (is_setting(known.key) and found == 0)
        ):
            said.add(known.key, value_of(str(found), known))
    for path, pattern in rule.get("search", {}).items():
        for one in re.finditer(pattern, json.dumps(look(path)) if look(path) is not None else ""):
            for group, text in one.groupdict().items():
                said.settings.update({group: int(text)} if text is not None and group not in said.settings else {})
    for path, (family, factor) in rule.get("spreads", {}).items():
        spread = look(path)
        spread = {**spread.get("percentiles", {}), **spread} if isinstance(spread, dict) else {}
        for ours, theirs in _SPREAD.items():
            amount = next((found for name in theirs if (found := number(spread.get(name))) is not None), None)
            if amount is not None:
                said.figures.setdefault(
                    f"{family}_{ours}_ms" if (family, ours) != ("latency", "mean") else "latency_ms",
                    round(amount * factor, 9),
                )
    for key, (count, duration, scale) in rule.get("rates", {}).items():
        of, span_s = number(look(count)), number(look(duration))
        if of is not None and span_s:
            said.figures[key] = round(of / (span_s * scale), 6)
    for key, one in rule.get("set", {}).items():
        said.add(key, one, setting=key not in ("engine",))
    if "request_rate" in said.settings:
        said.settings.pop("concurrency", None)  # an open loop has its rate
    return said


def _at(value: Json, path: str) -> Json:
    """`a.b`, `phases[kind=profiling].rate`, `items[].name`: the member of a path; None where there is none."""
    for step in path.split("."):
        name, _, pick = step.rstrip("]").partition("[")
        value = value.get(name) if isinstance(value, dict) else None
        if "[" in step:
            key, _, wanted = pick.partition("=")
            value = (
                next((one for one in value if isinstance(one, dict) and (not key or str(one.get(key)) == wanted)), None)
                if isinstance(value, list)
                else None
            )
    return value


def _of_vocabulary(value: Mapping[str, Json], around: Mapping[str, Json]) -> Said | None:
    """What one object says by the names of its members, if it is a result."""
    said = Said(row=True)
    default_ms = 1e3 if "completion_tokens" in value else 1.0  # what an API says of one answer is in seconds
    for key, one in value.items():
        for each in _members(str(key), one, default_ms):
            said.figures.update(each.figures)
            said.settings.update(each.settings)
            said.words.update(each.words)
    if len(said.figures) < 2 or not any(_ONLY_SERVING.match(name) for name in said.figures):
        return None
    _called(value, said)
    about = {**around, **_configured(value)}
    for key, one in about.items():
        told = read_pair(key, str(one)) if isinstance(one, (str, int, float)) else None
        if told is not None:
            said.settings, said.words = {**told.settings, **said.settings}, {**told.words, **said.words}
    _called(about, said)
    if "engine" in said.words and "backend" in {plain(str(key)) for key in value}:
        engine = engine_of(said.words.pop("engine"))
        said.words |= {"engine": engine} if engine else {}
    return said


def _members(key: str, value: object, default_ms: float) -> Iterator[Said]:
    """`"mean_ttft_ms": 12.3`, and `"time_to_first_token": {"unit": "ms", "avg": 12.3, "p99": 40.1}`."""
    if isinstance(value, Mapping):
        unit = str(value.get("unit", value.get("units", "")))
        for statistic in _STATISTICS:
            one = value.get(statistic)
            if number(one) is not None and (
                said := read_pair(f"{key} {unit}", str(one), statistic=statistic_of(statistic) or "")
            ):
                yield said
        inner = value.get("percentiles", value.get("quantiles"))
        if isinstance(inner, Mapping):
            yield from _members(key, {**inner, "unit": unit}, default_ms)
        return
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return
    known = meaning(key)
    if known is None or (known.kind == "figure" and isinstance(value, str) and figure(value) is None):
        return
    if (said := read_pair(key, str(value), default_ms=default_ms)) is not None:
        yield said


def _called(values: Mapping[str, Json], said: Said) -> None:
    """`"bench_args": "--model Qwen/… --request-rate 5"`: what the benchmark was called with."""
    for value in values.values():
        for found in _RATE_FLAG.finditer(value) if isinstance(value, str) and "--" in value else ():
            amount = figure(found["value"])
            if found["name"] == "model":
                said.words.setdefault("model", found["value"])
            elif amount is not None and math.isfinite(amount):
                said.settings.setdefault(_FLAGS[found["name"]], int(amount) if amount.is_integer() else amount)


def _configured(value: Mapping[str, Json], but: str = "", depth: int = 0) -> dict[str, Json]:
    """What objects inside it say that hold no result: `input_config`, `args`, `test_info`, however deep."""
    found: dict[str, Json] = {}
    for key, one in value.items():
        if key == but or depth >= 4 or not isinstance(one, Mapping) or any(name in one for name in _STATISTICS):
            continue
        if _of_vocabulary(one, {}) is None:
            found.update({**_configured(one, "", depth + 1), **_scalars(one)})
    return found


def _scalars(value: Mapping[str, Json]) -> dict[str, Json]:
    """Single values, and lists of one: `"model_names": ["org/Some-7B"]`."""
    single = {str(key): one[0] if isinstance(one, list) and len(one) == 1 else one for key, one in value.items()}
    return {key: one for key, one in single.items() if isinstance(one, (str, int, float))}


# --- a run to a column ---

_DERIVED = re.compile(
    r"(?i)change|delta|Δ|diff|improve|speed-?up|gain|ratio|faster|better|winner|notes?\b|comment|[%×]|\bvs\b|\bx$"
)
_SET = re.compile(r"(?P<label>[A-Za-z][A-Za-z ]{0,30}?)\s{0,8}[=:]?\s{0,8}(?P<value>\d[\d,.]{0,30})")
_COUNTED = re.compile(r"(?<![\d,.])(?P<value>\d[\d,.]{0,30})\s{1,8}(?P<label>[A-Za-z][A-Za-z ]{0,30})")


class Column(NamedTuple):
    """One run: the heading of its column, and its value in each row, with the position of the row."""

    head: str
    said: list[tuple[int, Said]]


def columns_of(rows: Sequence[Sequence[str]]) -> list[Column]:
    """The runs of a table, each a column, as people compare two servers; none where the table is another kind."""
    head = list(rows[0]) if rows else []
    if (
        len(rows) <= 2
        or len(head) < 2
        or is_head(head)
        or statistic_head(["metric", *head[1:]])
        or head[1].strip().lower() in _VALUES
    ):
        return []
    unit_at = next((at for at, cell in enumerate(head) if cell.lower() in ("unit", "units")), None)
    columns = []
    for at, cell in enumerate(head[1:], 1):
        if at != unit_at and not _DERIVED.search(cell):
            column = Column(cell, list(_column(rows, at, unit_at)))
            figures = {name for _, said in column.said for name in said.figures}
            columns += [column] if len(figures) >= 2 and any(map(_OWN.search, figures)) else []
    return columns


def _column(rows: Sequence[Sequence[str]], at: int, unit_at: int | None) -> Iterator[tuple[int, Said]]:
    yield 0, _said_by_head(rows[0][0], rows[0][at])
    for place, cells in enumerate(rows[1:], 1):
        if len(cells) == len(rows[0]) and cells[0]:
            said = read_cell(f"{cells[0]} ({cells[unit_at]})" if unit_at else cells[0], cells[at])
            if said is not None:
                yield place, said


def _said_by_head(title: str, head: str) -> Said:
    """`Concurrency | 8 | 32`, `8 users`, `vLLM on H100`: what the heading of a column states about its run."""
    said = Said()
    for label, value in [
        (title, head),
        *((one["label"], one["value"]) for form in (_SET, _COUNTED) if (one := form.fullmatch(head.strip()))),
    ]:
        known = meaning(label)
        if not said.settings and known is not None and known.kind == "setting" and (found := read_pair(label, value)):
            said.settings = found.settings
    words = {"device": device_in(head), "engine": next(filter(None, map(engine_of, head.split())), None)}
    said.words = {name: word for name, word in words.items() if word}
    return said
