"""What differs between two runs, as one file that opens offline."""

from __future__ import annotations

import time

from assay import __version__
from assay.differing.values import Difference, FileChange
from assay.views.difference import TITLES, closing_lines, code_words, heads, result_cells
from assay.views.web.assets import chart_scripts, policy, templates, text_of


def html(found: Difference) -> str:
    """In the dress of a report."""
    scripts = chart_scripts({}, {})
    sections = {name: changes for name, changes in found.sections().items() if changes}
    results = [(one.label, *result_cells(one), one.better) for one in found.results]
    return (
        templates()
        .get_template("difference.html")
        .render(
            title=f"{found.a.name} and {found.b.name}: what differs"
            if found.a.name != found.b.name
            else f"{found.a.name}: what differs between two runs",
            style=text_of("style.css"),
            scripts=scripts,
            policy=policy(scripts),
            heads=heads(found),
            before=[(TITLES[name], sections[name]) for name in ("settings", "command") if name in sections],
            after=[
                (TITLES[name], sections[name])
                for name in ("packages", "machine", "environment", "data")
                if name in sections
            ],
            code=code_words(found.code),
            files=[_file(one) for one in found.code.files],
            results=results,
            closing=list(closing_lines(found)),
            version=__version__,
            made=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        )
    )


def _file(file: FileChange) -> dict[str, object]:
    kinds = {"+": "added", "-": "removed", "@": "place"}
    lines = [(kinds.get(line[:1], ""), line) for line in file.diff.split("\n")[2:]]
    return {"path": file.path, "kind": file.kind, "problem": file.problem, "lines": lines}
