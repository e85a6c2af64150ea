"""A page of twice the size takes about twice the time to read and to judge, whatever it is made of."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import pages  # noqa: E402

sys.path.remove(str(BENCH))

#: twice the page; four times where every part looks at every other
_MOST_GROWTH = 2.7
_SIZE_BYTES = 40_000
_TRIES = 4


@pytest.mark.parametrize("what", ["ingest", "audit"])
@pytest.mark.parametrize("make", [*pages.MAKES, "notebook", "cells"])
def test_time_grows_with_the_length_of_a_page(make: str, what: str, tmp_path: Path) -> None:
    path, twice = (tmp_path / f"{name}{pages.suffix(make)}" for name in ("page", "twice"))
    path.write_bytes(pages.page(make, _SIZE_BYTES))
    twice.write_bytes(pages.page(make, 2 * _SIZE_BYTES))
    pages.spent(path, what)  # what is imported and compiled once
    seen = []
    for _ in range(_TRIES):
        seen.append(min(pages.spent(twice, what) for _ in range(2)) / min(pages.spent(path, what) for _ in range(2)))
        if seen[-1] < _MOST_GROWTH:
            return
    pytest.fail(f"{what} of twice the page took {', '.join(f'{one:.1f}' for one in seen)} times as long")
