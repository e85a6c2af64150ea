"""A run far from the others of its group: named with what was going on, kept, and judged beside them robustly."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from making import compared, run, verdict

from assay.comparing.comparison import Comparison
from assay.model.summary import Summary
from assay.stats import difference
from assay.stats.outliers import outliers, trimmed
from assay.views.comparison_files import as_dict, as_markdown


def runs(batch: int, *rates: float, odd: dict[str, Any] | None = None) -> list[Summary]:
    """One after the other, the groups in turns; the last of a group has what is `odd`."""
    return [
        run(batch, samples_per_s_avg=rate, started=f"2026-01-01T0{place}:{batch:02}:00Z", host="here",
            **(odd or {} if place == len(rates) - 1 else {}))
        for place, rate in enumerate(rates)
    ]  # fmt: skip


QUIET = (100.0, 101.0, 99.5, 100.5, 99.0)
QUICK = (105.0, 106.2, 104.6, 105.4, 104.0)


def spoilt(**odd: Any) -> Comparison:
    """The last run of the quicker group took twice as long."""
    return compared(runs(8, *QUIET) + runs(16, *QUICK[:4], 55.0, odd=odd))


def test_an_outlier_is_named_with_what_was_going_on_beside_it_and_kept() -> None:
    found = spoilt(beside=["other-1"], throttled=["SwThermalSlowdown"], phase_shares={"checkpoint": 0.4, "train": 0.6})
    (one,) = found.outliers
    assert (one.group, one.n, one.value) == ("16", 4, 55.0)
    assert one.off_sd < -20
    (note,) = [note for note in found.notes if "outlier" in note]
    assert "throughput: 55, 48 % below the 105.3 in the other 4 runs of 16" in note
    assert "other measured runs were active: other-1" in note
    assert "its GPU was throttled: SwThermalSlowdown" in note
    assert note.endswith("It is kept")
    assert found.groups[1].sample("samples_per_s")[-1] == 55.0


def test_an_outlier_that_nothing_explains_says_so_in_every_view() -> None:
    found = spoilt()
    (note,) = [note for note in found.notes if "outlier" in note]
    assert "nothing that was recorded explains it" in note
    assert note in as_markdown(found)
    told = as_dict(found)["outliers"]
    assert isinstance(told, list) and told[0]["figure"] == "samples_per_s" and told[0]["beside"] == ()


def test_the_robust_verdict_stands_beside_the_plain_one_where_they_disagree() -> None:
    found = spoilt()
    (one,) = [one for one in found.verdicts if one.figure.name == "samples_per_s"]
    assert one.different is False and one.robust is not None and one.robust.different
    assert one.robust.value == pytest.approx(1.05, abs=0.005)
    assert (
        ". One run is an outlier; by trimmed means, which ignore it, the difference is significant (1.05 ×" in one.text
    )
    plain = compared(runs(8, *QUIET) + runs(16, *QUICK))
    assert plain.outliers == [] and "trimmed" not in verdict(plain, "samples_per_s", "16")


def test_groups_of_three_name_an_outlier_but_have_no_trimmed_mean() -> None:
    sets = [(100.0, 100.4, 99.8), (105.0, 105.2, 104.9), (110.0, 110.3, 70.0)]
    found = compared([one for batch, rates in zip((8, 16, 32), sets, strict=True) for one in runs(batch, *rates)])
    assert [one.value for one in found.outliers] == [70.0]
    assert all(one.robust is None for one in found.verdicts)


def test_few_experiments_without_outliers_are_said_to_have_one() -> None:
    draw, wrong = random.Random(4), 0
    for _ in range(200):
        wrong += bool(outliers([[draw.gauss(0, 1) for _ in range(5)] for _ in range(3)]))
    assert wrong <= 8


def test_two_of_four_repeats_are_not_outliers_of_each_other() -> None:
    draw = random.Random(6)
    samples = [[draw.gauss(0, 1) for _ in range(4)] for _ in range(5)]
    samples[0][1] += 30
    samples[0][2] += 34
    assert len([one for one in outliers(samples) if one.sample == 0]) <= 1


def test_two_outliers_do_not_hide_each_other() -> None:
    draw = random.Random(6)
    samples = [[draw.gauss(0, 1) for _ in range(8)] for _ in range(2)]
    samples[0][3] += 30
    samples[0][5] += 31
    assert {(one.sample, one.place) for one in outliers(samples)} == {(0, 3), (0, 5)}


def test_a_test_of_trimmed_values_is_yuens() -> None:
    a, b = [1.0, 2.0, 4.0, 5.0, 50.0], [3.0, 8.0, 9.0, 11.0, 12.0]
    cut = [trimmed(one) for one in (a, b)]
    assert [one.kept for one in cut] == [[1, 2, 3], [1, 2, 3]]
    stats = pytest.importorskip("scipy.stats")
    expected = stats.ttest_ind(a, b, equal_var=False, trim=0.2)
    found = difference(cut[0].values, cut[1].values)
    assert found.p == pytest.approx(expected.pvalue, rel=0.25)  # few runs are given fewer degrees of freedom
    assert found.delta / (found.error or math.nan) == pytest.approx(expected.statistic, rel=1e-9)


def seen(n: int, k: int, *, shift: float, trim: bool) -> float:
    """How often the first group is told from the others, with one run 8 standard deviations off."""
    draw, told = random.Random(f"{n} {k}"), 0
    for _ in range(60):
        logs = [[draw.gauss(shift * (group == 0), 1) for _ in range(n)] for group in range(k)]
        logs[draw.randrange(k)][draw.randrange(n)] += draw.choice((-8, 8))
        values = [trimmed(one).values if trim else one for one in logs]
        told += (difference(values[0], values[1]).p or 1.0) < 0.05
    return told / 60


def test_trimmed_means_see_a_difference_that_an_outlier_hides() -> None:
    assert seen(5, 2, shift=3.0, trim=True) >= 0.6 > 0.4 > seen(5, 2, shift=3.0, trim=False)
    assert seen(10, 2, shift=3.0, trim=True) >= 0.95
    assert seen(5, 2, shift=0.0, trim=True) <= 0.1
