"""What differs between two runs, in the words of `assay diff`."""

from __future__ import annotations

from collections.abc import Sequence

from assay.differing.difference import diff
from assay.differing.nearest import nearest
from assay.differing.values import FileChange
from assay.store.find import age
from assay.store.layout import RunDir
from assay.summary.build import load_summary
from assay.views.difference import TITLES, closing_lines, code_words, result_cells

#: lines of one changed file that a page shows
_MOST_LINES = 400
_MOST_CHANGES = 200


def differences(a: RunDir, b: RunDir) -> dict[str, object]:
    """Settings first, then the code, then the rest; results last."""
    found = diff((a, load_summary(a)), (b, load_summary(b)))
    sections = found.sections()
    return {
        "a": {"folder": a.path.name, "name": found.a.name},
        "b": {"folder": b.path.name, "name": found.b.name},
        "sections": [
            {
                "title": TITLES[name],
                "changes": [[one.name, one.a, one.b, one.how] for one in sections[name][:_MOST_CHANGES]],
            }
            for name in ("settings", "command", "packages", "machine", "environment", "data")
            if sections.get(name)
        ],
        "code": code_words(found.code),
        "files": [_file(one) for one in found.code.files[:20]],
        "results": [[one.label, *result_cells(one), one.better] for one in found.results],
        "closing": list(closing_lines(found)),
    }


def from_nearest(b: RunDir, runs: Sequence[RunDir]) -> dict[str, object]:
    """From the nearest of these that is of its study or program, if there is one."""
    a = nearest(b, sorted({*runs, b}, key=lambda run: age(run.path.name)))
    return {"none": True} if a is None else differences(a, b)


def _file(file: FileChange) -> dict[str, object]:
    lines = file.diff.split("\n")[2:]
    return {
        "path": file.path,
        "kind": file.kind,
        "problem": file.problem,
        "lines": lines[:_MOST_LINES],
        "more": max(0, len(lines) - _MOST_LINES),
    }
