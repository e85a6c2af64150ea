"""What a difference between two runs is made of. `a` is the first run, `b` the second; None is what is not known."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from assay.model.code import Code
from assay.model.summary import Summary
from assay.text import html_table


@dataclass(frozen=True, kw_only=True)
class Change:
    """One value that differs between the runs; `how` is whether a setting was in effect or only claimed."""

    name: str
    a: str | None = None
    b: str | None = None
    how: str = ""


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """One file of the code. `diff` is a unified diff; if there is none, `problem` gives the reason."""

    path: str
    kind: str  # changed, added, removed
    diff: str = ""
    problem: str = ""

    @property
    def added(self) -> int:
        return self._lines("+")

    @property
    def removed(self) -> int:
        return self._lines("-")

    def _lines(self, sign: str) -> int:
        return sum(line.startswith(sign) for line in self.diff.splitlines()[2:])


@dataclass(frozen=True, kw_only=True)
class CodeChange:
    """`same` is None where the code of one of them is unknown."""

    same: bool | None
    a: Code | None = None
    b: Code | None = None
    files: tuple[FileChange, ...] = ()
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class ResultChange:
    """One metric of both runs. `percent` is relative to the first; shares differ in points instead."""

    name: str
    label: str
    unit: str
    a: float | None
    b: float | None
    difference: float | None = None
    percent: float | None = None
    better: str = ""  # `a` or `b`, where one is better


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Everything that differs between two runs, and what was compared and is the same."""

    a: Summary
    b: Summary
    settings: tuple[Change, ...]
    command: tuple[Change, ...]
    code: CodeChange
    packages: tuple[Change, ...]
    machine: tuple[Change, ...]
    environment: tuple[Change, ...]
    data: tuple[Change, ...]
    results: tuple[ResultChange, ...]
    same: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """For JSON: the two runs by id and name, and each section as a list."""
        code = {**asdict(self.code), "a": _code(self.code.a), "b": _code(self.code.b)}
        sections = {name: [asdict(one) for one in changes] for name, changes in self.sections().items()}
        return {
            "a": {"id": self.a.id, "name": self.a.name, "status": self.a.status},
            "b": {"id": self.b.id, "name": self.b.name, "status": self.b.status},
            **sections,
            "code": code,
            "results": [asdict(one) for one in self.results],
            "same": list(self.same),
            "unknown": list(self.unknown),
        }

    def sections(self) -> dict[str, tuple[Change, ...]]:
        """All but the code and the results, by name."""
        return {
            "settings": self.settings,
            "command": self.command,
            "packages": self.packages,
            "machine": self.machine,
            "environment": self.environment,
            "data": self.data,
        }

    def _repr_html_(self) -> str:
        """In a notebook: what differs, the code as a diff, and the results."""
        rows = [(name, one.name, one.a or "", one.b or "") for name, each in self.sections().items() for one in each]
        files = [(one.path, one.diff or one.problem) for one in self.code.files]
        results = [(one.label, one.a, one.b, one.difference) for one in self.results]
        tables = [html_table(("", "", self.a.name, self.b.name), rows)] if rows else []
        tables += [html_table(("file", "change"), files).replace("<td>", "<td><pre>")] if files else []
        tables += [html_table(("", self.a.name, self.b.name, "difference"), results)] if results else []
        return "".join(tables)


def _code(code: Code | None) -> dict[str, object] | None:
    return code.in_short().as_json() if code is not None else None
