"""Pages in, findings out: what a user would see of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from assay.auditing.audit import judge, load
from assay.model.finding import Finding

#: a page by its text, or several by their file names
Pages = str | dict[str, str]


def judged(folder: Path, pages: Pages) -> list[Finding]:
    """Findings on one page, or on several by their file names, judged together."""
    written = {"page.md": pages} if isinstance(pages, str) else pages
    for name, text in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    cases, problems = load([str(folder / name) for name in written], folder / "runs")
    assert not problems
    return judge(cases)


def codes(folder: Path, pages: Pages) -> set[str]:
    return {one.code for one in judged(folder, pages)}


def left_alone(folder: Path, pages: Pages, code: str, *, also: str = "") -> None:
    """An honest page: nothing under this code, and no other rule accuses it of anything.

    That the log of a figure is not here (`no-evidence`) is true of a short example; `also` is what is true of one more.
    """
    found = judged(folder, pages)
    assert code not in {one.code for one in found}
    assert {one.code for one in found if one.severity != "note"} <= {"no-evidence", also}


def examples(named: Mapping[str, Any]) -> pytest.MarkDecorator:
    """One test for each, under the name that says what it shows."""
    return pytest.mark.parametrize("pages", list(named.values()), ids=list(named))


#: one line of a record, before it is written
Told = dict[str, Any]
START_T = 1_700_000_000.0


def recorded(
    folder: Path,
    name: str,
    events: Iterable[Told],
    *,
    wall_s: float = 30.0,
    exit_code: int = 0,
    output: str = "",
    asked: Mapping[str, Any] | None = None,
    cost: Mapping[str, Any] | None = None,
) -> Path:
    """A run as the recorder leaves it: `events` carry `at_s`, seconds since its start."""
    path = folder / name
    (path / "events").mkdir(parents=True)
    about = {"v": 1, "id": name, "name": name, "command": ["python", "train.py"], "interval_s": 1.0, "asked_t": START_T}
    (path / "run.json").write_text(json.dumps({**about, "host": {"name": "node1", "cpus": 8}, **(asked or {})}))
    (path / "output.log").write_text(output)
    first = {"kind": "how", "from": "launcher", "how": "executed", "recorder_pid": 1, "child_pid": 2, "at_s": 0.0}
    status = "failed" if exit_code else "completed"
    last = {
        "kind": "end",
        "from": "launcher",
        "status": status,
        "exit_code": exit_code,
        "wall_s": wall_s,
        "at_s": wall_s,
    }
    lines = []
    for event in (first, *events, {**last, **(cost or {})}):
        at_s = event["at_s"]
        told = {key: value for key, value in event.items() if key != "at_s"}
        line = {"v": 1, "t": START_T + at_s, "mono_s": 1000.0 + at_s, "from": "self", "rank": 0, **told}
        lines.append(json.dumps(line))
    (path / "events" / "node1-1-1.jsonl").write_text("\n".join(lines) + "\n")
    return path


def of_runs(*paths: Path) -> list[Finding]:
    """What is said of recorded runs that are named together."""
    cases, problems = load([str(path) for path in paths], paths[0].parent)
    assert not problems
    return judge(cases)


def steps_at(times: Iterable[float], *, batch: int = 32, loss: float = 2.0, **more: Any) -> list[Told]:
    """A training step at each of these seconds."""
    return [
        {"kind": "metric", "at_s": at_s, "step": n, "samples": n * batch, "loss": loss / (1 + n / 20), **more}
        for n, at_s in enumerate(times, 1)
    ]
