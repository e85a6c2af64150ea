"""What the tests of reading share: from text to summaries, without a folder in between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.lines import LineFeed
from assay.reading.blocks import parse
from assay.reading.documents import read_document as runs_of
from assay.reading.importing import ingest
from assay.reading.keeping import Dater, describe
from assay.store.layout import RunDir
from assay.summary.build import sum_up
from assay.summary.tally import Tally

SEEDS = Path(__file__).parents[1] / "seeds"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
#: folders of it whose formats have readers
KNOWN = (
    "accounting", "cerebras", "graphcore", "groq", "kinds", "mixed", "psrecord", "sambanova", "screenshots", "serving",
    "training",
)  # fmt: skip


def summaries(text: str | bytes, name: str = "some.log", only: str | None = None) -> list[dict[str, Any]]:
    """What `assay ingest --json` would print of a file of this name."""
    content = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    feed = LineFeed()
    document = parse(name, [*feed.feed(content), *feed.finish()])
    found = []
    for run in runs_of(document, only):
        tally, dater = Tally(), Dater()
        for event in run.events:
            tally.add(dater.date(event))
        found.append(sum_up(RunDir(Path("nowhere")), describe(run, name, b"", tally.params), tally).as_json())
    return json.loads(json.dumps(found))


def json_summaries(file: Path, runs: Path) -> list[dict[str, Any]]:
    """What `assay ingest --json FILE` prints, without a process for it."""
    return json.loads(json.dumps([s.as_json() for one in ingest([str(file)], runs).files for s in one.summaries]))


def one(text: str | bytes, name: str = "some.log") -> dict[str, Any]:
    (only,) = summaries(text, name)
    return only


def holds(summary: dict[str, Any], expected: dict[str, Any]) -> None:
    """Every expected fact is there, to the printed digit; a phase within three seconds."""
    for name, value in expected.items():
        if name in ("params", "claims"):
            for key, wanted in value.items():
                assert summary.get(name, {}).get(key) == wanted, f"{name}.{key}: {summary.get(name)}"
        elif name == "phases":
            for key, wanted in value.items():
                assert abs(summary["phases"][key] - wanted) <= 3, f"phases.{key}: {summary['phases']}"
        elif name == "error":
            assert (summary.get("error") or {}).get("code") == value, summary.get("error")
        elif isinstance(value, float):
            assert abs(summary[name] - value) <= 1e-9 * abs(value) + 1e-12, (
                f"{name}: {summary.get(name)} is not {value}"
            )
        else:
            assert summary.get(name) == value, f"{name}: {summary.get(name)!r} is not {value!r}"
