"""Every number that people write is read, in all its forms; what is cut in half is no number."""

from __future__ import annotations

import random

import pytest

from assay.language.numbers import BYTES, NONE, PERCENT, POINTS, SECONDS, TIMES, number_of, numbers_in
from assay.language.spelled import words_at

WRITTEN = [
    ("1,024", 1024, NONE), ("1 024", 1024, NONE), ("1'024", 1024, NONE), ("60\u202f000", 60000, NONE),
    ("0,912", 0.912, NONE), ("91,2 %", 91.2, PERCENT), ("1.234,5", 1234.5, NONE), ("1k", 1000, NONE),
    ("1.2k", 1200, NONE), ("2^10", 1024, NONE), ("2**10", 1024, NONE), ("2¹⁰", 1024, NONE), ("1e-3", 0.001, NONE),
    ("10^-3", 0.001, NONE), ("10^{-3}", 0.001, NONE), ("10⁻³", 0.001, NONE), ("3 × 10⁻³", 0.003, NONE),
    ("½", 0.5, NONE), ("1½", 1.5, NONE), (".5", 0.5, NONE), ("4 × 256", 1024, NONE), ("4 x 256 x 2", 2048, NONE),
    ("98 %", 98, PERCENT), ("98 percent", 98, PERCENT), ("1.5 percentage points", 1.5, POINTS), ("2 points", 2, POINTS),
    ("1.5x", 1.5, TIMES), ("1.5×", 1.5, TIMES), ("3-fold", 3, TIMES), ("3m20s", 200, SECONDS),
    ("3 min 20 s", 200, SECONDS), ("1:05:12", 3912, SECONDS), ("1.5 hours", 5400, SECONDS), ("12 ms", 0.012, SECONDS),
    ("250 µs", 0.00025, SECONDS), ("2 GiB", 2 * 1024**3, BYTES), ("512 MB", 512e6, BYTES), ("1.2 million", 1.2e6, NONE),
    ("5 thousand", 5000, NONE), ("7B", 7e9, NONE), ("1h30", 5400, SECONDS), ("4 H100", 4, NONE),
]  # fmt: skip
TORN = [
    "v1.2", "1.2.3", "2024-03-01", "01.03.2024", "3/10", "0x1f", "2nd", "7th", "3a", "A100", "p99", "1.2.3.4", "12:61",
]  # fmt: skip
IN_WORDS = [
    ("three", 3, NONE), ("twenty-five", 25, NONE), ("a thousand", 1000, NONE), ("five hundred", 500, NONE),
    ("a dozen", 12, NONE), ("half of 64", 32, NONE), ("an hour and a half", 5400, SECONDS),
    ("half an hour", 1800, SECONDS),
    ("two and a half hours", 9000, SECONDS), ("two percent", 2, PERCENT), ("six-fold", 6, TIMES),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "unit"), WRITTEN, ids=[one[0] for one in WRITTEN])
def test_a_number_is_read_however_it_is_written(text: str, value: float, unit: str) -> None:
    found = numbers_in(f"we saw {text} here")
    assert [(one.value, one.unit) for one in found] == [(pytest.approx(value), unit)]


@pytest.mark.parametrize("text", TORN)
def test_what_is_only_half_a_number_is_none(text: str) -> None:
    assert [one.value for one in numbers_in(f"we saw {text} here") if one.written != "clock"] == []


@pytest.mark.parametrize(("text", "value", "unit"), IN_WORDS, ids=[one[0] for one in IN_WORDS])
def test_a_number_in_words_is_read(text: str, value: float, unit: str) -> None:
    found = words_at(text, 0)
    assert found is not None
    assert (found.value, found.unit, found.end) == (pytest.approx(value), unit, len(text))


def test_a_list_of_batch_sizes_is_no_large_number() -> None:
    assert [one.value for one in numbers_in("128,256,512")] == [128, 256, 512]
    assert [one.value for one in numbers_in("8,16,32")] == [8, 16, 32]
    assert [one.value for one in numbers_in("1,024,000")] == [1_024_000]


def test_a_range_keeps_both_ends() -> None:
    assert [(one.value, one.upper) for one in numbers_in("10–20 epochs")] == [(10, 20)]


def test_a_suffix_may_stand_for_several_values() -> None:
    assert numbers_in("1k")[0].readings == (1000, 1024)
    assert numbers_in("2 GB")[0].readings == (2e9, 2 * 1024**3, 2000 * 1024**2)


def test_a_comma_behind_a_decimal_ends_its_clause() -> None:
    found = numbers_in("einmal mit Lernrate 0,1, einmal mit 0,01", decimal_comma=True)
    assert [one.value for one in found] == [0.1, 0.01]


FORMS = {
    "plain": lambda value: f"{value:.4f}",
    "grouped": lambda value: f"{value:,.2f}",
    "thin space": lambda value: f"{value:,.2f}".replace(",", "\u2009"),
    "apostrophe": lambda value: f"{value:,.2f}".replace(",", "'"),
    "exponent": lambda value: f"{value:.5e}",
    "times ten": lambda value: f"{value:.5e}".replace("e", " × 10^"),
}


@pytest.mark.parametrize("form", FORMS)
def test_what_is_rendered_is_read_back(form: str) -> None:
    chance = random.Random(form)
    for _ in range(300):
        value = 10 ** chance.uniform(0, 7)
        text = FORMS[form](value)
        found = number_of(text)
        assert found is not None, text
        assert abs(found.value - value) <= found.slack * 1.001, text


@pytest.mark.parametrize("form", FORMS)
def test_a_number_says_how_far_it_may_be_rounded(form: str) -> None:
    found = number_of(FORMS[form](1234.5))
    assert found is not None
    assert 0 < found.slack < 1


def test_a_group_of_three_on_a_page_with_decimal_commas_may_be_either() -> None:
    (found,) = numbers_in("It processed 2,390 samples/s.", decimal_comma=True)
    assert found.readings == (2.39, 2390.0)
    (found,) = numbers_in("Die Genauigkeit ist 0,912.", decimal_comma=True)
    assert found.readings == (0.912,)
