"""Assay as a library: load runs, compare them, audit a page, run a command.

    runs = assay.load("assay-runs").where("batch_size>=512")
    assay.compare(runs, by="batch_size").verdicts
    assay.diff(runs[0], runs[1]).code
    assay.audit("page.md").wrong
    assay.run(["python", "train.py"], repeat=3)

Everything is a typed value; in a notebook each shows itself as a table.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, overload

from assay.errors import AssayError, RunError
from assay.model.event import Event
from assay.model.finding import Finding
from assay.model.summary import Summary
from assay.model.values import Setting, Value
from assay.selecting import named_runs, one_run
from assay.spec import RunSpec, given_runs_dir
from assay.spec import runs_dir as folder_of
from assay.store.find import chosen
from assay.store.layout import RunDir
from assay.store.reading import read_events
from assay.summary.index import Listed
from assay.text import html_table

if TYPE_CHECKING:
    from pandas import DataFrame

    from assay.comparing.comparison import Comparison
    from assay.differing.values import Difference

#: columns that a table of runs begins with, where any run has them
_FIRST = ("name", "status", "system", "wall_s", "steps", "loss", "accuracy", "samples_per_s_own", "samples_per_s")


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run: its summary, its events, its output."""

    summary: Summary
    path: Path
    _listed: Listed = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        return self.summary.name

    @property
    def settings(self) -> dict[str, Setting]:
        """What was in effect, else what was stated."""
        return self.summary.settings

    def events(self) -> Iterator[Event]:
        """Every event in order of time."""
        return read_events(self._listed.run)

    def output(self) -> str:
        """What the command printed, or the text that the run was read from."""
        try:
            return self._listed.run.output_log.read_text(encoding="utf-8", errors="replace")
        except OSError as problem:
            raise AssayError(f"cannot read the output of `{self.name}`: {problem.strerror}") from None

    def _repr_html_(self) -> str:
        return html_table(("", self.name), [(name, value) for name, value in _row(self.summary).items()])


class Runs(Sequence[Run]):
    """Runs in order of their start. `where` chooses among them; a slice of them is some of them."""

    def __init__(self, runs: Iterable[Run], keep: ExitStack | None = None) -> None:
        self._runs = tuple(runs)
        self._keep = keep  # what was read from a file lives as long as someone holds its runs

    @overload
    def __getitem__(self, at: int) -> Run: ...
    @overload
    def __getitem__(self, at: slice[int | None, int | None, int | None]) -> Runs: ...
    def __getitem__(self, at: int | slice[int | None, int | None, int | None]) -> Run | Runs:
        return Runs(self._runs[at], self._keep) if isinstance(at, slice) else self._runs[at]

    def __len__(self) -> int:
        return len(self._runs)

    def where(self, *conditions: str) -> Runs:
        """Those that meet all conditions: `where("batch_size>=512", "status=completed")`."""
        kept = {id(one) for one in chosen([run.summary for run in self._runs], conditions)}
        return Runs([run for run in self._runs if id(run.summary) in kept], self._keep)

    def to_frame(self) -> DataFrame:
        """A row a run, settings and figures as columns; needs pandas."""
        try:
            import pandas
        except ImportError:
            raise AssayError("a table of runs needs pandas, which is not installed", "pip install pandas") from None
        return pandas.DataFrame([_row(run.summary) for run in self._runs])

    def _repr_html_(self) -> str:
        rows = [_row(run.summary) for run in self._runs]
        names = [name for name in _FIRST if any(name in row for row in rows)]
        names += dict.fromkeys(name for run in self._runs for name in run.settings)
        return html_table(names, [[row.get(name, "") for name in names] for row in rows])

    def __repr__(self) -> str:
        return f"{len(self)} runs: " + ", ".join(run.name for run in self._runs[:5]) + (", …" if len(self) > 5 else "")


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What the audit found, the gravest first."""

    findings: tuple[Finding, ...]

    @property
    def wrong(self) -> tuple[Finding, ...]:
        """Claims that the evidence contradicts."""
        return tuple(one for one in self.findings if one.severity == "wrong")

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def _repr_html_(self) -> str:
        rows = [(one.severity, one.code, one.message, one.hint) for one in self.findings]
        return html_table(("severity", "code", "finding", "what to do"), rows)


def load(*sources: str | os.PathLike[str], runs_dir: str | Path | None = None) -> Runs:
    """Runs by name, of a runs folder, or in a log or page; all of the runs folder where none is named."""
    stack = ExitStack()
    found = named_runs([os.fspath(source) for source in sources], folder_of(runs_dir), stack, _warn)
    return Runs([_run(one) for one in found.values()], stack)


def compare(
    runs: Runs,
    *,
    by: str | Sequence[str] = (),
    baseline: str | None = None,
    axis: str | None = None,
    columns: Sequence[str] = (),
    to: str | None = None,
    margin: str | Sequence[str] = (),
) -> Comparison:
    """Group runs by what varies and judge the differences by their repeats, at an equal budget."""
    from assay.comparing import margins
    from assay.comparing.comparison import Wish, compare
    from assay.comparing.target import parse_target

    names = [by] if isinstance(by, str) else list(by)
    target = parse_target(to) if to else None
    within = [margins.margin(text) for text in ([margin] if isinstance(margin, str) else margin)]
    wish = Wish(by=names, baseline=baseline, axis=axis, columns=list(columns), target=target, margins=within)
    by_id = {run.summary.id: run for run in runs}
    return compare([run.summary for run in runs], lambda summary: by_id[summary.id].events(), wish)


def diff(
    a: Run | str | os.PathLike[str], b: Run | str | os.PathLike[str], *, runs_dir: str | Path | None = None
) -> Difference:
    """What differs between two runs, each a `Run` or a name as `load` takes it: settings, code, packages, results."""
    from assay.differing.difference import diff

    folder = folder_of(runs_dir)
    with ExitStack() as stack:
        first, second = (
            one if isinstance(one, Run) else _run(one_run(os.fspath(one), folder, stack, _warn)) for one in (a, b)
        )
        return diff((RunDir(first.path), first.summary), (RunDir(second.path), second.summary))


def audit(*sources: str | os.PathLike[str], runs_dir: str | Path | None = None) -> Audit:
    """Hold what pages, logs and runs claim against what their evidence shows."""
    from assay.auditing.audit import judge
    from assay.auditing.audit import load as cases_of

    folder = folder_of(runs_dir)
    words = [os.fspath(source) for source in sources] or [str(folder)]
    cases, problems = cases_of(words, folder, evidence=given_runs_dir(runs_dir))
    for problem in problems:
        if not cases:
            raise problem
        _warn(problem.message)
    return Audit(findings=tuple(judge(cases)))


def run(
    command: Sequence[str],
    *,
    repeat: int = 1,
    warmup: int = 0,
    grid: Mapping[str, Sequence[Value]] | None = None,
    name: str | None = None,
    params: Mapping[str, Value] | None = None,
    runs_dir: str | Path | None = None,
    timeout_s: float | None = None,
) -> Runs:
    """Run and record a command `repeat` times, and return its runs. If it fails, its run has the status `failed`.

    With a `grid` it is run with every combination of these settings, where the command has `{name}` for each; runs to
    warm up are recorded and not returned. Each run is a separate process, so the signals and children of this program
    are not affected.
    """
    if repeat < 1:
        raise AssayError(f"a command cannot be run {repeat} times", "choose 1 or more")
    folder = folder_of(runs_dir)
    if repeat > 1 or warmup or grid:
        from assay.study.several import run_words

        spec = RunSpec(command=tuple(command), runs_dir=folder, name=name, params=params or {}, timeout_s=timeout_s)
        return load(*run_words(spec, grid or {}, repeat, warmup), runs_dir=folder)
    asked: dict[str, object] = {"command": list(command), "name": name, "params": dict(params or {})}
    asked |= {"runs_dir": str(folder), "timeout_s": timeout_s}
    return load(_run_once(asked), runs_dir=folder)


def _run_once(asked: Mapping[str, object]) -> Path:
    words = [sys.executable, "-m", "assay.recording.apart"]
    done = subprocess.run(words, input=json.dumps(asked), stdout=subprocess.PIPE, text=True, check=False)
    try:
        answer = json.loads(done.stdout.rpartition("\n")[2])
    except ValueError:
        raise RunError("the recorder ended without an answer", "see its messages on stderr") from None
    if "error" in answer:
        raise RunError(answer["error"], answer.get("hint"))
    return Path(answer["run"])


def _run(listed: Listed) -> Run:
    return Run(summary=listed.summary, path=listed.run.path, _listed=listed)


def _row(summary: Summary) -> dict[str, Setting]:
    """Flat: the fields that hold one value, and the settings by their own names."""
    return {**summary.single(), **summary.metrics, **summary.settings}


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=3)
