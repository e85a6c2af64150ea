"""Our statistics beside those of scipy and statsmodels: a few of the sets that `bench/independent.py` compares."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
SETS = 4


@pytest.fixture
def independent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(BENCH))
    for name in ("independent", "table"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import independent

    return independent


@pytest.mark.slow
def test_scipy_and_statsmodels_give_the_same_figures(independent) -> None:
    compared = 0
    for name in independent.CHECKS:
        try:
            assert independent.disagreement(name, SETS) <= independent.MOST, name
        except ModuleNotFoundError:  # statsmodels comes with the development extra alone
            continue
        compared += 1
    assert compared >= 5
