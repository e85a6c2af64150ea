"""Seconds and shares of phases: inclusive seconds, shares to the innermost, together the whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.summary.phases import Mark, seconds, shares, spans


def marks(*edges: tuple[float, str, bool]) -> list[Mark]:
    return [Mark(at_s=at_s, name=name, begin=begin) for at_s, name, begin in edges]


def test_a_phase_inside_another_counts_in_both_but_shares_go_to_the_inner() -> None:
    found = spans(marks((0, "train", True), (4, "checkpoint", True), (5, "checkpoint", False), (10, "train", False)))
    assert seconds(found) == {"train": 10, "checkpoint": 1}
    assert shares(found, 20) == {"train": 0.45, "checkpoint": 0.05, "other": 0.5}


def test_a_phase_that_comes_again_is_summed() -> None:
    found = spans(marks((0, "eval", True), (1, "eval", False), (5, "eval", True), (7, "eval", False)))
    assert seconds(found) == {"eval": 3}


def test_a_phase_that_was_never_closed_ends_with_the_run() -> None:
    assert seconds(spans(marks((2, "train", True)), end_s=9)) == {"train": 7}


def test_an_end_without_a_begin_is_nothing() -> None:
    assert spans(marks((2, "train", False))) == []


def test_phases_that_overlap_without_nesting_still_sum_to_one() -> None:
    found = spans(marks((0, "a", True), (5, "b", True), (8, "a", False), (10, "b", False)))
    assert seconds(found) == {"a": 8, "b": 5}
    assert sum(shares(found, 10).values()) == pytest.approx(1)


edges = st.tuples(st.floats(0, 100, allow_nan=False), st.sampled_from("abc"), st.booleans())


@given(st.lists(edges, max_size=30))
def test_shares_always_sum_to_one_and_no_phase_is_longer_than_the_run(listed: list[tuple[float, str, bool]]) -> None:
    found = spans(marks(*listed), end_s=100)
    result = shares(found, 100)
    assert not result or sum(result.values()) == pytest.approx(1, abs=1e-4)
    assert all(0 <= value <= 100.000001 for value in seconds(found).values())
