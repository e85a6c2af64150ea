"""What counts as a repeat, what as a change, and what is said of how it is known."""

from __future__ import annotations

import pytest
from making import compared, run

from assay.errors import AssayError, UsageError


def labels(found) -> list[str]:
    return [group.label for group in found.groups]


def test_runs_are_grouped_by_the_setting_that_varies() -> None:
    found = compared([run(32, wall_s=1.0), run(64, wall_s=2.0), run(32, wall_s=1.1)])
    assert (found.by, labels(found), [len(group.rows) for group in found.groups]) == (
        ["batch_size"],
        ["32", "64"],
        [2, 1],
    )


def test_what_ran_counts_and_not_what_was_claimed() -> None:
    summaries = [run(wall_s=1.0, params={"epochs": 10}, claims={"epochs": claimed}) for claimed in (10, 50, 4)]
    found = compared(summaries)
    assert (found.by, [len(group.rows) for group in found.groups]) == (["name"], [1, 1, 1])
    assert any("2 of 3 runs claim a setting that did not take effect" in note for note in found.notes)


def test_a_claimed_value_joins_the_shown_one_and_is_marked() -> None:
    found = compared([run(512, wall_s=1.0), run(512, claimed=True, wall_s=1.1), run(1024, wall_s=2.0)])
    assert [(group.label, group.marks, len(group.rows)) for group in found.groups] == [
        ("512", "*", 2),
        ("1,024", "", 1),
    ]
    assert "* batch_size (in 1 of 3 runs) is as stated; the output does not confirm it" in found.notes


def test_a_setting_that_only_some_logs_show_is_no_change() -> None:
    found = compared([run(8, wall_s=1.0, settings={"max_steps": 100}), run(8, wall_s=1.0), run(16, wall_s=1.0)])
    assert found.by == ["batch_size"]


def test_a_setting_that_is_claimed_of_some_runs_only_is_a_change() -> None:
    found = compared([run(wall_s=1.0, claims={"compile": "true"}), run(wall_s=2.0)])
    assert labels(found) == ["true", "–"]


@pytest.mark.parametrize("name", ["seed", "data_seed", "output_dir", "run_id", "repeat"])
def test_runs_that_differ_in_a_seed_or_a_folder_are_repeats(name: str) -> None:
    found = compared([run(8, wall_s=1.0, settings={name: value}) for value in (1, 2, 3)], by=["batch_size"])
    assert labels(found) == ["8"]
    assert name not in compared([run(8, settings={name: value}, name="x") for value in (1, 2)]).by


def test_512_and_its_float_and_its_text_are_one_value() -> None:
    found = compared([run(wall_s=1.0, params={"batch_size": value}) for value in (512, 512.0)] + [run(64, wall_s=3.0)])
    assert labels(found) == ["64", "512"]


def test_simulated_runs_are_never_grouped_compared_or_best() -> None:
    real = [run(8, samples_per_s=100.0 + i) for i in range(3)] + [run(16, samples_per_s=150.0 + i) for i in range(3)]
    fake = [run(8, samples_per_s=9000.0 + i, how="simulated") for i in range(3)]
    found = compared(real + fake)
    assert labels(found) == ["8", "16", "8 (simulated)"]
    assert {one.group for one in found.verdicts} == {"16"}
    assert [(best.winner, best.tied) for best in found.bests if best.figure.name == "samples_per_s"] == [("16", [])]
    assert not found.baseline.simulated
    only = compared(fake + [run(16, samples_per_s=1.0 + i / 9, how="simulated") for i in range(3)])
    assert only.bests == []


def test_runs_that_did_not_end_well_are_left_out_and_said_to_be() -> None:
    found = compared([run(8, wall_s=1.0), run(8, wall_s=9.0, status="failed", error={"code": "out-of-memory"})])
    assert len(found.groups[0].rows) == 1
    assert "1 failed run (out-of-memory) was left out" in found.notes
    with pytest.raises(AssayError, match="nothing to compare"):
        compared([run(8, status="interrupted")])


def test_names_tell_runs_apart_where_no_setting_does() -> None:
    found = compared([run(wall_s=1.0, name="before", started="2"), run(wall_s=2.0, name="after", started="3")])
    assert (found.by, labels(found), found.baseline.label) == (["name"], ["after", "before"], "before")


def test_a_baseline_is_found_by_value_setting_or_run() -> None:
    summaries = [run(8, wall_s=1.0), run(1024, wall_s=2.0)]
    for word in ("1024", "1,024", "batch_size=1024", summaries[1].id):
        assert compared(summaries, baseline=word).baseline.label == "1,024"
    with pytest.raises(UsageError, match="no group called `2048`"):
        compared(summaries, baseline="2048")


def test_names_that_assay_made_do_not_separate_repeats() -> None:
    made = [run(wall_s=1.0, name=name, program="train") for name in ("train", "train-lr0.1")]
    made += [run(wall_s=1.0, name=f"lr0.1-r{n}", program="train", study="rates", cell="a") for n in (1, 2)]
    assert (compared(made).by, labels(compared(made))) == ([], ["all runs"])
    given = [run(wall_s=1.0, name="before", program="train"), run(wall_s=1.0, name="train-lr0.1", program="train")]
    assert compared(given).by == ["name"]


def test_grouping_by_an_unknown_name_is_refused() -> None:
    with pytest.raises(UsageError, match="no run reports `batchsize`") as problem:
        compared([run(8), run(16)], by=["batchsize"])
    assert problem.value.hint == "did you mean `batch_size`?"


def test_a_group_without_figures_is_no_baseline() -> None:
    found = compared([run(8), run(16, wall_s=2.0), run(32, wall_s=3.0)])
    assert found.baseline.label == "16"


def test_a_setting_that_follows_from_another_makes_no_new_group() -> None:
    runs = [
        run(batch).replace(params={"batch_size": batch, "global_batch": 2 * batch}, claims={"batch_size": batch})
        for batch in (8, 16)
    ]
    assert compared(runs).by == ["batch_size"]
