"""docs/audit.md says what the tables in the source say."""

from __future__ import annotations

import re
from pathlib import Path

from assay import systems
from assay.auditing.rules import RULES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "audit.md").read_text()


def test_the_documented_codes_are_the_rules_in_their_order() -> None:
    assert re.findall(r"(?m)^\| `([\w-]+)` \|", PAGE) == [rule.code for rule in RULES]


def test_every_code_has_its_meaning_an_example_the_way_and_the_limits() -> None:
    for line in re.findall(r"(?m)^\| `[\w-]+` \|.*$", PAGE):
        cells = [cell.strip() for cell in re.sub(r"`` .*? ``", "`…`", line).strip("|").split("|")]
        assert len(cells) == 5 and all(cells), line


def test_every_known_spread_is_documented_with_its_source() -> None:
    section = PAGE.partition("## How far repeats differ, where it is known")[2]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")
    ]
    told = {(row[0], row[1]): row for row in rows[2:]}
    known = {(name, one.figure): one for name, system in systems.BUILT_IN.items() for one in system.spreads}
    assert told.keys() == known.keys()
    for key, one in known.items():
        row = told[key]
        assert row[4] == one.source
        scale = 100 if one.relative or one.figure == "accuracy" else 1
        assert float(row[2].split()[0]) == round(one.sd * scale, 3)
        assert abs(float(row[3].split()[0]) - one.pair * scale) <= 0.05 * float(row[3].split()[0])


def test_every_rule_has_examples_of_its_own() -> None:
    for rule in RULES:
        assert (ROOT / "tests" / "auditing" / f"test_{rule.code.replace('-', '_')}.py").exists(), rule.code
