"""Whole pages as students, readmes and wikis have them, in `pages/`: the honest page accuses nobody, one lie is found.

`lies.json` names the page, the words that are true, and what stands in their place in the lying twin.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from judged import judged

PAGES = Path(__file__).parent / "pages"
LIES: list[tuple[str, str, str]] = json.loads((PAGES / "lies.json").read_text(encoding="utf-8"))


def _accused(folder: Path, name: str, text: str) -> list[str]:
    found = judged(folder, {name: text})
    return [f"{one.severity} {one.code}: {one.message}" for one in found if one.severity != "note"]


@pytest.mark.parametrize("name", sorted({name for name, _, _ in LIES}))
def test_an_honest_page_accuses_nobody(tmp_path: Path, name: str) -> None:
    assert _accused(tmp_path, name, (PAGES / name).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(("name", "right", "wrong"), LIES)
def test_a_single_lie_is_found(tmp_path: Path, name: str, right: str, wrong: str) -> None:
    page = (PAGES / name).read_text(encoding="utf-8")
    assert page.count(right) == 1
    assert _accused(tmp_path, name, page.replace(right, wrong))
