"""`make seeds`: its drafts ask for studies that are run, and what they say of others' pages holds before the audit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Assay

from assay.auditing.audit import judge, load
from assay.views.written.draft import Command, figures, parse

ROOT = Path(__file__).parents[2]
DRAFTS = sorted((ROOT / "examples" / "seeds").glob("*.md"))


def run_by_make() -> set[str]:
    listed = re.search(r"SEEDS := ((?:.*\\\n)*.*)", (ROOT / "Makefile").read_text())
    assert listed
    return set(listed[1].replace("\\", " ").split())


@pytest.mark.parametrize("draft", DRAFTS, ids=lambda path: path.stem)
def test_a_draft_asks_only_for_studies_that_make_seeds_runs(draft: Path) -> None:
    for piece in parse(draft.read_text(), draft.name):
        if isinstance(piece, Command):
            asked = re.findall(r"study=([\w-]+)", piece.text)
            assert piece.may_fail or set(asked) <= run_by_make()
        else:
            inside = [one for one in figures(piece.text) if not isinstance(one, str)]
            asked = [word.removeprefix("study=") for one in inside for word in one.conditions if "study=" in word]
            assert len(asked) == len(inside) and set(asked) <= run_by_make()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(run_by_make()))
def test_every_study_of_make_seeds_is_there_and_plans_its_runs(assay: Assay, name: str) -> None:
    done = assay("study", str(ROOT / "examples" / "studies" / f"{name}.yaml"), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().startswith(f"{name}: ")


def test_every_page_of_the_seeds_has_its_draft() -> None:
    text = "".join(draft.read_text() for draft in DRAFTS)
    assert {f"page_{number:03}.md" for number in range(5)} <= set(re.findall(r"page_\d+\.md", text))


@pytest.mark.slow
def test_a_page_that_only_reads_logs_is_written_and_stands_before_the_audit(assay: Assay) -> None:
    done = assay("write", str(ROOT / "examples" / "seeds" / "hw7-cerebras.md"), "-o", "page.md")
    assert done.returncode == 0, done.stderr
    cases, problems = load([str(assay.folder / "page.md")], assay.folder)
    assert not problems
    assert [one for one in judge(cases) if one.severity == "wrong"] == []
    text = (assay.folder / "page.md").read_text()
    assert "give every run a fresh one" in text and "*parsed: `assay compare" in text
