"""A profile of a wrapper, and profiles of real work."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, left_alone
from logs import page, psrecord

RAISED: dict[str, Pages] = {
    "nothing but zeros": {"q1.log": psrecord([0.0] * 20, 3.4)},
    "a shell": page("# Profile", 'psrecord "bash run.sh" --log q.log', psrecord([0.0] * 12, 3.1)),
    "a flicker at the start": {"q1.log": psrecord([0.0, 0.9] + [0.0] * 12, 2.2)},
    "a long one": {"train.psrecord.log": psrecord([0.0] * 400, 5.0)},
    "a launcher of half a second": {"q6.log": psrecord([0.0] * 30, 11.0, every_s=1.0)},
}

NOT_RAISED: dict[str, Pages] = {
    "the first sample is always zero": {"q1.log": psrecord([0.0, 98.0, 99.0, 101.0, 99.5, 98.2, 99.1], 180)},
    "light work": {"q1.log": psrecord([0.0, 3.0, 2.0, 4.0, 0.0, 0.0, 2.0, 1.0], 180)},
    "children included": {"q1.log": psrecord([0.0] + [389.0] * 20, 4459)},
    "averages in prose": page("# Profile", "Average CPU usage: 389.76%. Average memory usage: 4459.34 MB."),
    "two samples": {"q1.log": psrecord([0.0, 0.0], 20)},
    "idle at the end": {"q1.log": psrecord([0.0] + [99.0] * 10 + [0.0] * 10, 180)},
}


@examples(RAISED)
def test_a_profile_of_a_wrapper_is_named(tmp_path: Path, pages: Pages) -> None:
    assert "children-not-measured" in codes(tmp_path, pages)


@examples(NOT_RAISED)
def test_a_profile_of_work_is_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "children-not-measured")
