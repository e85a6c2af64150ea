"""Pages from fixed seeds and from a fresh one: how many lies are found, and how many honest pages are accused.

The bounds are what holds today, to be raised as the audit learns to read; `GOAL` is where they should end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import SystemRandom

import pytest

from . import invariance
from .__main__ import verdicts
from .judging import Verdict
from .lies import LIES
from .pages import make
from .table import added, examples, share, table

pytestmark = pytest.mark.slow

#: shares of pages: lies found at least, honest pages called wrong and doubtful at most
GOAL = {"found": 0.80, "wrong": 0.01, "doubtful": 0.05, "not read": 0.0}
BOUNDS = {"found": 0.76, "wrong": 0.02, "doubtful": 0.05, "not read": 0.0}
#: shares of what stands on honest pages that is read, at least
READ = {"params": 0.96, "claims": 0.95, "figures": 0.95}
#: facts that another way of writing the same page may cost, as shares of those read of it as Markdown
LOST = {
    "HTML": 0.01,
    "notebook": 0.01,
    "another prompt": 0.01,
    "sections in reverse": 0.04,
    "wrapped at 66": 0.01,
    "sentences as lists": 0.01,
    "tables as lists": 0.02,
    "no command shown": 0.03,
    "reworded": 0.02,
    "plain text": 0.02,
}
#: ways of writing that may not make an honest page look wrong
HARMLESS = ("HTML", "notebook", "another prompt", "wrapped at 66", "plain text", "sentences as lists")
PAGES = 8 * len(LIES)
SEED = 1
#: a fresh seed draws other pages: a bound may be missed by this much without anything having become worse
LUCK = 0.05


def _shares(found: Sequence[Verdict]) -> dict[str, float]:
    return {
        "found": share(sum(1 for one in found if one.found), len(found)),
        "wrong": share(sum(one.called_wrong for one in found), len(found)),
        "doubtful": share(sum(one.called_doubtful for one in found), len(found)),
        "not read": share(sum(1 for one in found if one.crashed), len(found)),
    }


def _within(found: Sequence[Verdict], seed: int, luck: float) -> None:
    shares = _shares(found)
    told = f"{table(found, seed, 0)}\n{examples(found, verbose=False)}"
    assert shares["found"] >= BOUNDS["found"] - luck, told
    assert shares["wrong"] <= BOUNDS["wrong"] + luck, told
    assert shares["doubtful"] <= BOUNDS["doubtful"] + luck, told
    assert shares["not read"] <= BOUNDS["not read"], told
    for name, least in READ.items():
        assert share(*added(name, [one.facts for one in found])) >= least - luck, told


@pytest.fixture(scope="module")
def known() -> list[Verdict]:
    return verdicts(PAGES, SEED)


def test_lies_are_found_and_honest_pages_left_alone(known: list[Verdict]) -> None:
    _within(known, SEED, 0.0)


def test_the_same_holds_for_pages_that_nobody_has_seen() -> None:
    seed = SystemRandom().randrange(1_000_000)
    _within(verdicts(PAGES // 2, seed), seed, LUCK)


def test_a_seed_gives_the_same_pair_again() -> None:
    again = [make(7, kind) for kind in LIES], [make(7, kind) for kind in LIES]
    assert [(one.honest, one.lying) for one in again[0]] == [(one.honest, one.lying) for one in again[1]]


@pytest.mark.parametrize("kind", list(LIES))
def test_twins_differ_in_the_lie_alone(kind: str) -> None:
    for seed in range(20):
        pair = make(seed, kind)
        unwrapped = replace(pair, layout=replace(pair.layout, form="md", width=0))
        honest, lying = unwrapped.honest.splitlines(), unwrapped.lying.splitlines()
        changed = [n for n, (a, b) in enumerate(zip(honest, lying, strict=False)) if a != b]
        if kind != "same-log":  # a whole log is exchanged
            assert len(changed) == 1 and len(honest) == len(lying), f"seed {seed}"
            assert honest[changed[0]].replace(pair.said.true, pair.said.false, 1) == lying[changed[0]]


def test_a_page_written_another_way_says_the_same(tmp_path: Path) -> None:
    """Wrapped, as HTML, as a notebook or in another order, the same facts are read of it."""
    tallies = invariance.compared(invariance.some(len(LIES), SEED), tmp_path)
    told = invariance.table(tallies)
    for name, most in LOST.items():
        assert tallies[name].lost.total() <= most * tallies[name].facts, told
    assert not any(tallies[name].accused for name in HARMLESS), told
