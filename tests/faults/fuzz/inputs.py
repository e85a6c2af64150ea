"""Inputs for every target: fixtures that were spoilt, and what Hypothesis makes of nothing."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from hypothesis import strategies as st

from faults.fuzz import made, strategies
from faults.fuzz.damage import damage_files
from faults.fuzz.fixtures import TESTS, logs, pages, samples
from faults.fuzz.mutate import mutate
from faults.fuzz.questions import condition, question

Spoil = Callable[[Random, Path], bytes]


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where the inputs of a target come from; `template` is a runs folder with one good run."""

    spoilt: Spoil
    made: st.SearchStrategy[bytes]


def _of(fixtures: Callable[[], list[bytes]]) -> Spoil:
    return lambda chance, template: mutate(chance.choice(fixtures()), chance, fixtures())


def _packed(fixture: Callable[[], dict[str, bytes]]) -> Spoil:
    """One file of several."""

    def spoil(chance: Random, template: Path) -> bytes:
        files = dict(fixture())
        name = chance.choice(sorted(files))
        files[name] = mutate(files[name], chance)
        return made.packed(files)

    return spoil


def _bad_run(chance: Random, template: Path) -> bytes:
    """The good run of the template, damaged under another name."""
    folder = Path(tempfile.mkdtemp(prefix="assay-fuzz-run-"))
    try:
        (good,) = template.glob("good-*")
        bad = folder / good.name.replace("good", "bad")
        shutil.copytree(good, bad, symlinks=True)
        for _ in range(chance.choice((1, 1, 2, 4))):
            damage_files(bad, chance)
        files = [path for path in bad.rglob("*") if path.is_file()]
        return made.packed({str(path.relative_to(folder)): path.read_bytes() for path in files})
    finally:
        shutil.rmtree(folder)


@cache
def _studies() -> list[bytes]:
    examples = sorted((TESTS.parent / "examples").rglob("*.yaml"))
    return [path.read_bytes() for path in examples] + samples("study")


@cache
def _html() -> list[bytes]:
    return [*samples("ingest"), *(made.html(page) for page in pages())]


@cache
def _notebooks() -> list[bytes]:
    return [made.notebook(page) for page in pages()]


def _text(ask: Callable[[Random], str]) -> Spoil:
    return lambda chance, template: ask(chance).encode("utf-8", "surrogatepass")


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


SOURCES: dict[str, Source] = {
    "readers": Source(spoilt=_of(logs), made=strategies.lines()),
    "log": Source(spoilt=_of(logs), made=strategies.lines()),
    "markdown": Source(spoilt=_of(pages), made=strategies.markdown()),
    "html": Source(spoilt=_of(_html), made=strategies.html()),
    "notebook": Source(spoilt=_of(_notebooks), made=strategies.notebooks().map(_json)),
    "run": Source(spoilt=_bad_run, made=strategies.runs().map(made.packed)),
    "condition": Source(spoilt=_text(condition), made=strategies.conditions()),
    "question": Source(spoilt=_text(question), made=strategies.questions()),
    "study": Source(spoilt=_of(_studies), made=strategies.studies().map(_json)),
    "places": Source(spoilt=_of(lambda: [made.PLACES]), made=strategies.places().map(_json)),
    "mlflow folder": Source(spoilt=_packed(made.mlflow_folder), made=strategies.mlflow().map(made.packed)),
    "mlflow database": Source(
        spoilt=_of(made.mlflow_databases), made=strategies.mlflow_rows().map(made.mlflow_database)
    ),
    "wandb": Source(spoilt=_of(made.wandbs), made=strategies.wandb_rows().map(made.wandb)),
    "tensorboard": Source(spoilt=_of(made.boards), made=strategies.scalars().map(made.board)),
    "psrecord": Source(spoilt=_of(lambda: [made.PSRECORD]), made=strategies.psrecord()),
    "state": Source(spoilt=_of(lambda: [made.STATE]), made=strategies.any_json().map(_json)),
}
