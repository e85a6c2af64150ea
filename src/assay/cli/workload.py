"""`WORKLOAD name=value…` as a command line, checked before anything starts."""

from __future__ import annotations

import importlib
import os
import sys

from assay.errors import RunError
from assay.spec import Value
from assay.workloads import WORKLOADS


def workload_line(name: str, words: list[str]) -> tuple[list[str], dict[str, Value]]:
    """The command line of a built-in workload and its settings; a typo is an error before anything starts."""
    if name not in WORKLOADS:
        import difflib

        close = difflib.get_close_matches(name, WORKLOADS, n=1)
        if close:
            raise RunError(f"no workload called `{name}`", f"did you mean `{close[0]}`?")
        raise RunError(f"`{name}` is not a built-in workload", with_dashes([name, *words]))
    from assay.workloads.failure import Failure
    from assay.workloads.settings import rehearse

    try:
        given = rehearse(importlib.import_module(WORKLOADS[name]).Settings, words)
    except Failure as failure:
        raise RunError(failure.message, failure.hint) from None
    python = os.environ.get("ASSAY_PYTHON") or sys.executable
    return _with_address([python, "-m", WORKLOADS[name], *words]), given


def _with_address(command: list[str]) -> list[str]:
    """The name of an endpoint is replaced by its entry in places.yaml."""
    if WORKLOADS["endpoint"] not in command:
        return command
    from assay.launchers.endpoints import expanded

    return expanded(command)


def with_dashes(args: list[str]) -> str:
    return f"write a command after `--`: assay run -- {' '.join(args)}"
