"""Runs that someone else, another version or a failing disk left in a folder: one of each kind, beside good ones."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.model.summary import VERSION

SECRET = "a secret of someone else"


def add_bad_runs(runs: Path, good: Path, outside: Path) -> list[str]:
    """One run of each kind, made of a copy of a good one; the names of the files that deserve a warning."""
    outside.mkdir()
    (outside / "secret").write_text(f"{SECRET}\n")
    deserve = []
    for number, (name, spoil) in enumerate(SPOILED.items()):
        run = runs / f"bad-{name}-20250101T0000{number:02d}.000-aaaaaa"
        shutil.copytree(good, run)
        asked = json.loads((run / "run.json").read_bytes())
        _put(run / "run.json", {**asked, "id": f"20250101T0000{number:02d}.000-aaaaaa", "name": f"bad-{name}"})
        (run / "summary.json").unlink()
        deserve += [f"{run.name}/{file}" if file else run.name for file in spoil(run, outside)]
    return deserve


def _put(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value))


def _asked(**facts: Any) -> Callable[[Path, Path], list[str]]:
    def spoil(run: Path, outside: Path) -> list[str]:
        _put(run / "run.json", {**json.loads((run / "run.json").read_bytes()), **facts})
        return ["run.json"]

    return spoil


def _summary(content: str) -> Callable[[Path, Path], list[str]]:
    def spoil(run: Path, outside: Path) -> list[str]:
        (run / "summary.json").write_text(content)
        return ["summary.json"]

    return spoil


def _content(name: str, content: bytes) -> Callable[[Path, Path], list[str]]:
    def spoil(run: Path, outside: Path) -> list[str]:
        (run / name).write_bytes(content)
        return [name]

    return spoil


def _events(*events: Any) -> Callable[[Path, Path], list[str]]:
    def spoil(run: Path, outside: Path) -> list[str]:
        name = "events/other-1-1.jsonl"
        lines = [one if isinstance(one, str) else json.dumps(one) for one in events]
        (run / name).write_text("\n".join([*lines, '{"loss": 0.5, "step": 9}', ""]))
        return [name]

    return spoil


def _link(name: str, target: str) -> Callable[[Path, Path], list[str]]:
    def spoil(run: Path, outside: Path) -> list[str]:
        if (run / name).is_dir():
            shutil.move(run / name, outside / target)
        elif (run / name).exists():
            shutil.copy(run / name, outside / target) if target != "secret" else None
            (run / name).unlink()
        (run / name).symlink_to(outside / target)
        return [name]

    return spoil


def _whole_link(run: Path, outside: Path) -> list[str]:
    shutil.move(run, outside / "run")
    run.symlink_to(outside / "run")
    return [""]


def _fifo(name: str) -> Callable[[Path, Path], list[str]]:
    def spoil(run: Path, outside: Path) -> list[str]:
        (run / name).unlink(missing_ok=True)
        os.mkfifo(run / name)
        return [name]

    return spoil


def _socket(run: Path, outside: Path) -> list[str]:
    with socket.socket(socket.AF_UNIX) as made:
        before = os.getcwd()
        os.chdir(run / "events")  # a socket's path may not be long
        try:
            made.bind("other-1-1.jsonl")
        finally:
            os.chdir(before)
    return ["events/other-1-1.jsonl"]


def _folder(name: str) -> Callable[[Path, Path], list[str]]:
    def spoil(run: Path, outside: Path) -> list[str]:
        (run / name).unlink(missing_ok=True)
        (run / name).mkdir()
        return [name]

    return spoil


_DEEP = "[" * 100_000 + "]" * 100_000
_NESTED = "[" * 400 + "]" * 400
SPOILED: dict[str, Callable[[Path, Path], list[str]]] = {
    "asked-array": _content("run.json", b"[1, 2]"),
    "asked-torn": _content("run.json", b'{"v": 1, "id"'),
    "asked-deep": _content("run.json", _DEEP.encode()),
    "asked-digits": _content("run.json", b'{"v": 1, "params": {"a": ' + b"9" * 5000 + b"}}"),
    "asked-types": _asked(
        name=[1], command="a text", tags={"a": 1}, params=[1], host=["x"], git={"commit": 5}, script="x", cwd=7,
        asked_t=1e300, lines="12", versions=3, scheduler=[2], warmup="yes", place=[1], claim_lines={"a": "b"},
    ),
    "asked-host": _asked(host={"name": ["x"], "gpus": 5, "cpu": {}, "memory_bytes": "much"}, tags=[1, None]),
    "asked-id": _asked(id={"a": 1}),
    "asked-nested": _asked(params={"a": json.loads(_NESTED)}),
    "asked-huge": _asked(params={"batch_size": 10**400}, repeat=10**30),
    "summary-array": _summary("[1, 2, 3]"),
    "summary-torn": _summary('{"v": 1'),
    "summary-deep": _summary(_DEEP),
    "summary-types": _summary(
        json.dumps({"v": VERSION, "id": ["x"], "name": 5, "status": {}, "phases": [1], "params": "x",
                    "metrics": {"a": "b"},
                    "loss": "low", "error": "bad", "tags": 3, "lines": [1], "wall_s": [3], "started": 5,
                    "engines": [1], "phase_shares": {"train": "x"}, "problems": [{}], "steps": 1.5})
    ),
    "summary-infinite": _summary(
        f'{{"v": {VERSION}, "id": "i", "status": "completed", "loss": Infinity, "wall_s": 1e300}}'
    ),
    "events-gpu": _events({"kind": "metric", "from": "self", "t": 1.7e9, "gpu": [70, 80], "host": {}, "loss": 0.3}),
    "events-phase": _events(*({"kind": "phase", "from": "self", "t": 1.7e9, "name": ["a"], "edge": edge}
                              for edge in ("begin", "end"))),
    "events-dates": _events({"kind": "metric", "t": 1e300, "mono_s": 1e308, "loss": 1}, {"t": -1e300, "rank": [1]}),
    "events-own-date": _events({"kind": "metric", "t": "today", "at_s": "x", "line": "y", "loss": 1}),
    "events-huge": _events('{"loss": 1e300, "step": ' + "9" * 400 + "}", '{"samples": ' + "9" * 5000 + "}"),
    "events-deep": _events(_DEEP, '{"a": ' + _NESTED + "}"),
    "events-samples": _events({"kind": "sample", "from": "probe:gpu", "t": 1.7e9, "gpu": [0], "throttle": 5},
                              {"kind": "sample", "from": "probe:process", "t": 1.7e9, "cpu_s": "x", "read_bytes": []}),
    "events-end": _events({"kind": "end", "from": "launcher", "t": 1.7e9, "status": ["x"], "error": [1],
                           "exit_code": "z", "wall_s": "long"}),
    "events-error": _events({"kind": "error", "from": "self", "t": 1.7e9, "code": ["x"], "message": {"a": 1}}),
    "events-how": _events({"kind": "how", "how": [1], "model": ["x"], "recorder_pid": "x", "job": [1]}),
    "events-settings": _events({"kind": "param", "batch_size": json.loads(_NESTED)}),
    "link-asked": _link("run.json", "run.json"),
    "link-summary": _link("summary.json", "secret"),
    "link-events": _link("events", "events"),
    "link-output": _link("output.log", "secret"),
    "link-event-file": _link("events/other-1-1.jsonl", "secret"),
    "link-run": _whole_link,
    "fifo-asked": _fifo("run.json"),
    "fifo-summary": _fifo("summary.json"),
    "fifo-output": _fifo("output.log"),
    "fifo-events": _fifo("events/other-1-1.jsonl"),
    "socket-events": _socket,
    "device-events": _link("events/other-1-1.jsonl", "/dev/zero"),
    "folder-events": _folder("events/other-1-1.jsonl"),
    "folder-summary": _folder("summary.json"),
    "folder-output": _folder("output.log"),
}  # fmt: skip
#: of these no run can be shown
LOST = ("asked-array", "asked-torn", "asked-deep", "asked-digits", "link-asked", "link-run", "fifo-asked")
