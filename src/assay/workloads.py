"""Workloads: programs that `assay run NAME name=value…` starts, of any package that registers them.

    [project.entry-points."assay.workloads"]
    mnist = "assay_workloads.mnist"

The module is started with `python -m` and takes its settings as name=value. `Settings` in it is a dataclass of all of
them, with two class methods: `read(words)` returns what the words set, by name, and `rehearse(words)` the same, refused
where the program would refuse it. Both raise ValueError, with a `hint` where there is one. To load the module is quick:
it imports torch when it starts. One that runs on other hardware under its target's own conditions is registered as
`mnist.TARGET`, and has `settings_of(mode, workload)` instead.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar, Protocol

from assay import plugins
from assay.errors import AssayError
from assay.parts import missing

GROUP = "assay.workloads"
#: the one that is part of Assay: it needs nothing but Python
ENDPOINT = "assay.serving.endpoint"
#: those of the distribution `assay-workloads`
PUBLISHED = ("mnist", "svhn-mlp", "bert-pretrain", "bert-classify")


class Settings(Protocol):
    """What a workload takes."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @classmethod
    def read(cls, words: Sequence[str]) -> dict[str, Any]: ...

    @classmethod
    def rehearse(cls, words: Sequence[str]) -> dict[str, Any]: ...


def known_workloads() -> dict[str, str]:
    """Those that are installed: the module of each."""
    added = {one.name: one.value for one in plugins.registered(GROUP) if "." not in one.name}
    first = {name: added[name] for name in PUBLISHED if name in added}
    return {**first, **added, "endpoint": ENDPOINT}


def missing_workload(name: str) -> AssayError | None:
    """What to install for one of ours that is not here; None for any other name."""
    return missing(f"`{name}`", "assay_workloads") if name in PUBLISHED and name not in known_workloads() else None


def module_of(name: str, target: str | None = None) -> ModuleType:
    """The module of a workload; where the target has its own, that."""
    known = known_workloads()
    if target is not None:
        known = {one.name: one.value for one in plugins.registered(GROUP)}
        name = f"{name}.{target}"
    if name not in known:
        raise missing(f"`{name}`", "assay_workloads")
    return importlib.import_module(known[name])


def python_of(name: str) -> str:
    """The interpreter that runs it; torch may be in another than ours."""
    return sys.executable if name == "endpoint" else os.environ.get("ASSAY_PYTHON") or sys.executable
