"""The tests of the workloads start `assay` as those of Assay do, with the same helpers."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_SHARED = importlib.util.spec_from_file_location("assay_conftest", Path(__file__).parents[2] / "tests" / "conftest.py")
assert _SHARED is not None and _SHARED.loader is not None
shared = sys.modules["assay_conftest"] = importlib.util.module_from_spec(_SHARED)
_SHARED.loader.exec_module(shared)

Assay, assay, skip_or_fail, wait_for = shared.Assay, shared.assay, shared.skip_or_fail, shared.wait_for
HAS_TORCH, pytest_report_header = shared.HAS_TORCH, shared.pytest_report_header
#: files that cannot even be imported without it
collect_ignore = [] if HAS_TORCH else [path.name for path in Path(__file__).parent.iterdir() if path != Path(__file__)]
