"""The project's own pages, judged as anyone's: what they claim, their figures show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.auditing.audit import judge, load

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
#: those that `make seeds` wrote
WRITTEN = sorted((ROOT / "docs" / "seeds").glob("*.md"))
#: the README shows what the audit finds in someone's page, and with it that page's false claim
QUOTED = {("README.md", "setting-not-in-effect")}


@pytest.mark.parametrize("page", PAGES + WRITTEN, ids=lambda page: page.name)
def test_nothing_that_we_write_is_wrong(page: Path) -> None:
    cases, problems = load([str(page)], ROOT)
    wrong = {(page.name, one.code) for one in judge(cases) if one.severity == "wrong"}
    assert not problems
    assert wrong <= QUOTED


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_page_can_be_reached_from_the_readme() -> None:
    text = (ROOT / "README.md").read_text()
    others = [str(page.relative_to(ROOT)) for page in PAGES if page.name != "README.md"]
    assert [page for page in others if f"]({page})" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_speaks_only_of_commands_that_exist(page: Path) -> None:
    from assay.cli.table import COMMANDS

    text = page.read_text()
    for command in re.findall(r"(?m)(?:^\$? ?|`)assay ([a-z]+)(?= |`|$)", text):
        assert command in COMMANDS, command
