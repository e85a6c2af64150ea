"""Conditions, as they are written on a command line and in an address."""

from __future__ import annotations

import time

import pytest
from conftest import Assay

from assay.errors import UsageError
from assay.model.summary import Summary
from assay.store.find import condition, field_of


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("loss<1", True), (" loss  <=  0.5 ", True), ("loss>0.5", False), ("name~BER", True), ("params.lr=0.1", True),
        ("lr!=0.1", False), ("name=a b = c", False), ("note = two words ", True), ("note=", False),
    ],
)  # fmt: skip
def test_a_condition_means_what_it_says(text: str, holds: bool) -> None:
    summary = Summary.of({"loss": 0.5, "name": "bert", "note": "two words", "params": {"lr": 0.1}})
    assert condition(text)(summary) is holds
    assert field_of(text) == text.split("<")[0].split(">")[0].split("=")[0].split("~")[0].strip(" !")


def test_reading_a_condition_takes_time_in_line_with_its_length() -> None:
    def took_s(text: str) -> float:
        begin_s = time.process_time()
        for _ in range(200):
            with pytest.raises(UsageError):
                condition(text)
        return time.process_time() - begin_s

    for unit in (" ", "a", "a ", ".", "= "):
        short, long = took_s((unit * 1000)[:90] + "\0"), took_s((unit * 1000)[:990] + "\0") if unit != "= " else 0
        assert long < 60 * short + 0.05


def test_a_condition_that_is_far_too_long_is_refused(assay: Assay) -> None:
    done = assay("ls", "loss<1" + " " * 60_000)
    assert done.returncode == 2
    assert b"a condition of 60,006 characters is too long" in done.stderr
