"""What a rule works on: runs with their evidence, and the sentences around them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Reversible
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar, cast

from assay.core.distinguishing import tells
from assay.facts.settings import COMMAND
from assay.language.claims import said_in
from assay.language.numbers import numbers_in
from assay.language.said import Said
from assay.model.event import Event
from assay.model.finding import Evidence
from assay.model.request import Request
from assay.model.summary import Summary
from assay.model.values import Setting
from assay.summary.splits import told_as

if TYPE_CHECKING:
    from assay.checking.evidence import Page

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run as it was recorded or read."""

    summary: Summary
    events: Reversible[Event]
    asked: Request
    source: str
    text: Callable[[int], str]  # a line of the source by its number
    last_with: Callable[[str], int | None] = lambda part: None  # the last line of its output that contains this text

    @property
    def id(self) -> str:
        return self.summary.id

    @property
    def name(self) -> str:
        return self.summary.name

    @property
    def system(self) -> str:
        return self.summary.system or "generic"

    @property
    def is_prose(self) -> bool:
        return bool(self.summary.prose)

    @property
    def is_fresh(self) -> bool:
        return self.summary.how in ("executed", "simulated")

    @property
    def lines(self) -> tuple[int, int]:
        return self.summary.lines or (1, 1 << 60)

    @property
    def params(self) -> Mapping[str, Setting]:
        """What was in effect."""
        return self.summary.params

    @property
    def claims(self) -> Mapping[str, Setting]:
        """What someone claimed about it."""
        return self.summary.chosen

    @property
    def settings(self) -> dict[str, Setting]:
        """What was in effect, else what was claimed."""
        return self.summary.settings

    @property
    def work(self) -> tuple[Hashable, ...]:
        """Equal for two runs of the same work with the same settings, as far as is known."""
        settings = {name: value for name, value in self.settings.items() if name != "device" and tells(name, (value,))}
        kind = [self.system, self.summary.device, self.summary.model, self.summary.engine]
        return (*kind, tuple(sorted((name, str(value)) for name, value in settings.items())))

    def value(self, name: str) -> float | None:
        return self.summary.reported(name)

    def phase_s(self, name: str) -> float | None:
        return self.summary.phases.get(name)

    def place_of(self, *names: str, kinds: Iterable[str] = ("metric", "result", "param", "sample")) -> Evidence | None:
        """The last line that printed one of these figures."""
        for event in reversed(self.events):
            if event.kind in kinds and event.line and any(event.value(name) is not None for name in names):
                return self.at(event.line)
        return None

    def whole(self) -> Evidence:
        """The run itself, where no single line shows it."""
        return self.at(self.lines[0])

    def proof(self, *names: str) -> Evidence:
        return self.place_of(*names) or self.whole()

    def showing(self, name: str) -> Evidence:
        """The line with this figure, in whatever unit it was printed."""
        value = self.value(name)
        if value is not None and self.is_prose:
            shown = {f"{value / unit:.7g}" for unit in (1.0, 0.01, 100.0, 1024.0**2, 1024.0**3)}
            for line in range(self.lines[0], self.lines[1] + 1):
                told = {f"{one:.7g}" for number in numbers_in(self.text(line)) for one in number.readings}
                if told & shown:
                    return self.at(line)
        place = self.place_of(*told_as(name, self.summary.accuracy_of), name.removesuffix("_mean"))
        if place is None and value is not None and self.is_fresh:
            return self.measured(f"from the record of the run: {name} {value:,.6g}")
        return place or self.whole()

    def claim(self, name: str) -> Evidence:
        """Where a setting was claimed."""
        line = self.asked.claim_lines.get(name)
        if line:
            return self.at(int(line))
        said = f"{name} = {self.claims.get(name)}"
        place = "asked for" if self.is_fresh else "the file name gives"
        source = self.said_by(name)
        if source:
            place = "the command line has" if source == COMMAND else f"{source} has"
        return Evidence(source=self.source, line=0, text=f"{place} {said}")

    def said_by(self, name: str) -> str | None:
        """Where a setting of a recorded run was stated; None where that was not kept."""
        return self.summary.claim_sources.get(name) if self.is_fresh else None

    def measured(self, text: str) -> Evidence:
        """What the record of the run shows, where no line of its output does."""
        return Evidence(source=self.source, line=0, text=text)

    def at(self, line: int) -> Evidence:
        return Evidence(source=self.source, line=line, text=self.text(line))


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence of a page. `system` is what its section is about; `section` the line of its heading."""

    source: str
    line: int
    text: str
    paragraph: int
    section: int = 0
    title: str = ""
    system: str = "generic"
    decimal_comma: bool = False  # as its page writes numbers
    cut: bool = False  # a wrapped line, which is incomplete

    def said(self, inherited: str = "") -> Iterator[Said]:
        """What it claims, sentence by sentence; `inherited` is the metric that the one before spoke of."""
        return said_in(self.text, self.decimal_comma, inherited)

    def evidence(self) -> Evidence:
        return Evidence(source=self.source, line=self.line, text=self.text)


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of a page, as cells; `line` is that of its head."""

    source: str
    line: int
    head: list[str]
    rows: list[tuple[int, list[str]]]
    decimal_comma: bool = False


@dataclass(frozen=True, kw_only=True)
class Case:
    """Everything that is judged together: a page, a log, or all runs of one person."""

    name: str
    runs: list[Run] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    code: list[tuple[str, int, str]] = field(default_factory=list)  # (source, first line, text)
    page: Page | None = None  # its tables, lists and sentences, as evidence for each other
    beside: list[Run] = field(default_factory=list)  # logs and recorded runs in its folder: they show what was done
    _kept: dict[tuple[object, ...], object] = field(init=False, repr=False, compare=False, default_factory=dict)

    def once(self, make: Callable[..., T], *about: Hashable) -> T:
        """What `make` returns for this case, computed once, because thousands of sentences ask for it."""
        key = (make, *about)
        if key not in self._kept:
            self._kept[key] = make(self, *about)
        return cast("T", self._kept[key])

    def of(self, system: str) -> list[Run]:
        """Runs that a sentence about this system may mean."""
        return self.once(_of, system)

    def shown(self, system: str) -> list[Run]:
        """Those, and the runs recorded beside the page."""
        return self.once(_shown, system)

    def section_of(self, run: Run) -> int:
        """The line of the heading above a run."""
        sections = self.once(_sections).get(run.source, [])
        at = bisect_right(sections, run.lines[0])
        return sections[at - 1] if at else 0


def _of(case: Case, system: str) -> list[Run]:
    return [run for run in case.runs if run.system == system] if system != "generic" else list(case.runs)


def _shown(case: Case, system: str) -> list[Run]:
    return case.of(system) + [run for run in case.beside if system in (run.system, "generic")]


def _sections(case: Case) -> dict[str, list[int]]:
    found: dict[str, set[int]] = {}
    for one in case.sentences:
        found.setdefault(one.source, set()).add(one.section)
    return {source: sorted(sections) for source, sections in found.items()}


def together(name: str, cases: Iterable[Case]) -> Case:
    """Several cases as one."""
    listed = list(cases)
    return Case(
        name=name,
        runs=[run for case in listed for run in case.runs],
        sentences=[one for case in listed for one in case.sentences],
        tables=[one for case in listed for one in case.tables],
        code=[one for case in listed for one in case.code],
    )
