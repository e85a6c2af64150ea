"""The name of a run: its program, and the settings that differ from other runs of that program in the folder.

train-bs32   train-bs256   train-bs256-lr0.2   bench-size=100
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from assay.core.distinguishing import is_known, last_part, most_telling_first, tells
from assay.errors import AssayError
from assay.facts.settings import ARGUMENT, COMMAND, same_value
from assay.model.request import Request
from assay.model.summary import DEFAULT
from assay.model.values import Value, number
from assay.quantities import named
from assay.spec import MOST_IN_A_NAME, RunSpec, program_name, run_name, safe_name
from assay.store.files import try_read
from assay.store.find import age
from assay.store.folders import run_folders

#: how many of the newest runs of the same program are considered
_NEIGHBOURS = 30
_LONGEST = 24


def name_of(spec: RunSpec, claims: Mapping[str, Value], sources: Mapping[str, str]) -> str:
    """The given name, else the program with the settings in which its runs here differ."""
    name = run_name(spec)
    if spec.name or spec.replay or spec.params or spec.workload:
        return name
    before = list(_neighbours(spec.runs_dir, name))
    defaults = {one for one, source in sources.items() if source.startswith(DEFAULT)}
    names = most_telling_first(_differing(claims, before, defaults)) or _first(claims, sources)
    parts = [text for one in names if one in claims and (text := _shown(one, claims[one]))]
    return "-".join([name, *parts[:MOST_IN_A_NAME]])


def _neighbours(runs_dir: Path, program: str) -> Iterator[Mapping[str, Value]]:
    """The settings of earlier runs of the same program."""
    try:
        folders = run_folders(runs_dir)
    except AssayError:
        return  # whether a run can be made there is found out next
    called = [name for name in folders if name.startswith(safe_name(program) + "-")]
    for folder in sorted(called, key=age)[-_NEIGHBOURS:]:
        try:
            asked = Request.of(json.loads(try_read(runs_dir / folder, "run.json") or b"null"))
        except (OSError, ValueError, RecursionError):
            continue
        if asked.command and program_name(asked.command) == program:
            yield asked.claims


def _differing(
    claims: Mapping[str, Value], before: Sequence[Mapping[str, Value]], defaults: Collection[str]
) -> list[str]:
    """Settings that have another value in one of them, or none though someone chose it here."""
    return [
        name
        for name, value in claims.items()
        if tells(name, (value,))
        and any(not same_value(one[name], value) if name in one else name not in defaults for one in before)
    ]


def _first(claims: Mapping[str, Value], sources: Mapping[str, str]) -> list[str]:
    """The most telling word of the command, where there is nothing to differ from."""
    told = [name for name, value in claims.items() if sources.get(name) == COMMAND and tells(name, (value,))]
    known = [name for name in most_telling_first(told) if is_known(name)]
    return (known or [name for name in told if number(claims[name]) is not None and not name.startswith(ARGUMENT)])[:1]


def _shown(name: str, value: Value) -> str:
    """`bs256`, `hidden=128`, `amp`, `no-amp`."""
    quantity = named(name)
    word = quantity.short if quantity and quantity.short else name.rpartition(".")[2]
    if name.startswith(ARGUMENT):
        return str(value)
    if isinstance(value, bool):
        return word if value else f"no-{word}"
    text = str(last_part(name, value)).replace(" ", ",")
    if not text or len(text) > _LONGEST:
        return ""
    return f"{word}{text}" if quantity and quantity.short else f"{word}={text}"
