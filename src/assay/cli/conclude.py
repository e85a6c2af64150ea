"""The end of a study: what `assay compare` and `assay audit` say of its runs, by the very commands."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from assay.cli.start import say_error
from assay.cli.table import COMMANDS
from assay.errors import AssayError
from assay.parts import failed_import


def conclude(study: str, wish: Mapping[str, Any], runs: Sequence[Path], runs_dir: str | None) -> None:
    """`wish` holds options of `compare`, from the study file. A view that fails costs the study nothing."""
    folder = ["--runs-dir", runs_dir] if runs_dir else []
    conditions = (f"study={study}", "status=completed", "warmup!=true")
    chosen = [word for text in conditions for word in ("--where", text)]
    wishes = [word for name, value in wish.items() for word in (f"--{name}", _text(value))]
    _call("compare", [*chosen, *wishes, *folder])
    _call("audit", [*folder, *map(str, runs)])


def compare_runs(names: Sequence[str], runs_dir: str | None) -> None:
    """Two runs, or a few, side by side."""
    _call("compare", [*(["--runs-dir", runs_dir] if runs_dir else []), *names])


def _call(name: str, words: list[str]) -> None:
    """Nothing where there is no such command."""
    if name not in COMMANDS:
        return
    command: click.Command = importlib.import_module(COMMANDS[name][0]).command
    print()
    try:
        with command.make_context(f"assay {name}", words) as context:
            command.invoke(context)
    except AssayError as problem:
        say_error(problem.message, problem.hint)
    except ModuleNotFoundError as problem:
        lacking = failed_import(f"`assay {name}`", problem)
        say_error(lacking.message, lacking.hint)
    except click.ClickException as problem:
        say_error(problem.format_message())


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
