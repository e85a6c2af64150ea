"""What training frameworks print is read alike in a log, a text file and a page, with ranks and with colours."""

from __future__ import annotations

from typing import Any

import pytest
from frameworks import FORMATS
from reading import one

CASES = [pytest.param(text, expected, id=name) for name, text, expected in FORMATS]


def says(summary: dict[str, Any], expected: dict[str, Any]) -> None:
    """Every expected fact, to the printed digit; None: nothing is said of it."""
    wrong = []
    for name, wanted in expected.items():
        inner = wanted if isinstance(wanted, dict) else {"": wanted}
        for key, value in inner.items():
            got = summary.get(name, {}).get(key) if key else summary.get(name)
            near = isinstance(value, float) and isinstance(got, (int, float)) and abs(got - value) <= 1e-9 * abs(value)
            if not near and got != value:
                wrong.append(f"{name} {key}: {got!r} is not {value!r}")
    assert wrong == [], summary


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_log_gives_what_a_person_would_quote(text: str, expected: dict[str, Any]) -> None:
    says(one(text, "run.log"), expected)


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_text_file_reads_as_a_log(text: str, expected: dict[str, Any]) -> None:
    says(one(text, "run.txt"), expected)


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_fence_in_a_page_reads_as_a_log(text: str, expected: dict[str, Any]) -> None:
    says(one(f"# Results\n\nThis is what it printed:\n\n```\n{text}```\n", "page.md"), expected)


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_colours_and_windows_line_ends_change_nothing(text: str, expected: dict[str, Any]) -> None:
    says(one("".join(f"\x1b[32m{line}\x1b[39m\r\n" for line in text.splitlines()), "run.log"), expected)


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_rank_before_every_line_changes_nothing(text: str, expected: dict[str, Any]) -> None:
    says(one("".join(f"[rank0]:{line}\n" for line in text.splitlines()), "run.log"), expected)
