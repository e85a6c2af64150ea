"""What all charts share: colours that can be seen, axes within what is possible, repeats as one curve."""

from __future__ import annotations

import pytest

from assay.comparing.curves import Point
from assay.views.charts.base import GREY, LINE, PALETTE, PHASE_COLOURS
from assay.views.charts.limits import limits_of
from assay.views.report.bands import STRETCHES, band, course_of, peaks

PAGES = ("#ffffff", "#14191f")  # --paper, light and dark


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colour", [*PALETTE, *PHASE_COLOURS.values(), GREY, LINE])
def test_every_colour_stands_out_from_a_light_and_from_a_dark_page(colour: str) -> None:
    for page in PAGES:
        dark, light = sorted((luminance(colour), luminance(page)))
        assert (light + 0.05) / (dark + 0.05) >= 3, (colour, page)


def test_no_accuracy_axis_goes_beyond_100_per_cent_and_no_rate_below_zero() -> None:
    accuracy = limits_of("val_accuracy", [0.62, 0.999, None])
    assert accuracy is not None and accuracy.high == 1.0 and accuracy.format == "~%"
    rate = limits_of("samples_per_s", [1.0, 900.0])
    assert rate is not None and rate.low == 0.0 and rate.high > 900
    loss = limits_of("loss", [-0.2, 1.0])
    assert loss is not None and loss.low < -0.2
    assert limits_of("loss", [None, float("nan")]) is None


def curve(values: list[float], name: str = "loss") -> list[Point]:
    return [Point(at={"steps": float(step)}, values={name: value}) for step, value in enumerate(values, 1)]


def test_repeats_become_their_mean_with_its_interval_where_all_have_come() -> None:
    courses = [
        course_of(curve(values), ["loss"]) for values in ([3.0, 2.0, 1.0], [3.2, 2.0, 1.2, 0.9], [2.8, 2.0, 0.8])
    ]
    found = band("loss", "steps", courses)
    assert [(x, round(mean, 6)) for x, mean, _, _ in found] == [(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]
    (_, mean, low, high), flat = found[0], found[1]
    assert high - mean == pytest.approx(mean - low) == pytest.approx(4.3027 * 0.2 / 3**0.5, rel=1e-3)
    assert flat[1:] == (2.0, 2.0, 2.0)
    assert band("loss", "steps", courses[:2]) == []


def test_a_band_of_a_loss_that_was_never_negative_does_not_go_below_zero() -> None:
    courses = [course_of(curve([value, value]), ["loss"]) for value in (0.01, 0.3, 0.02)]
    assert {low for _, _, low, _ in band("loss", "steps", courses)} == {0.0}


def test_a_long_curve_is_averaged_and_not_picked_from() -> None:
    values = [float(at % 10) for at in range(12_000)]
    found = course_of(curve(values), ["loss"])["loss"]
    assert len(found) == STRETCHES
    assert {round(value, 6) for _, value in found} == {4.5}


def test_a_long_single_run_keeps_its_peaks_in_few_points() -> None:
    known = [(float(at), 50.0 if at == 777 else float(at % 7)) for at in range(5000)]
    found = peaks(known, 100)
    assert len(found) <= 100 and (777.0, 50.0) in found
    assert found == sorted(found) and peaks(known[:50], 100) == known[:50]
