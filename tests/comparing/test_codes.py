"""Runs of two versions of a program are compared and never averaged."""

from __future__ import annotations

from typing import Any

from making import compared, run

from assay.model.summary import Summary


def of(code: str, batch: int | None = None, *, at: int = 0, script: str = "train.py", **fields: Any) -> Summary:
    known = {"hash": code, "script": script, "inline": fields.pop("inline", False)}
    return run(batch, code=known, started=f"2026-01-01T00:00:0{at}Z", wall_s=1.0 + at / 10, **fields)


def test_runs_of_an_edited_script_are_split_the_oldest_first_and_that_is_said() -> None:
    old, new = of("bbbb", 32, at=1, name="x"), of("aaaa", 32, at=2, name="x")
    found = compared([new, old])
    assert (found.by, [group.label for group in found.groups]) == (["code"], ["bbbb", "aaaa"])
    assert found.notes == [
        "The code of `train.py` changed between these runs (2 versions), so they are compared and not averaged. "
        f"See what changed with: assay diff {old.id} {new.id}"
    ]


def test_settings_that_are_asked_for_are_split_by_code_too() -> None:
    runs = [of("aaaa", 32, at=1), of("aaaa", 64, at=2), of("bbbb", 64, at=3)]
    found = compared(runs, by=["batch_size"])
    assert found.by == ["batch_size", "code"]
    assert [group.label for group in found.groups] == [
        "batch_size 32 · code aaaa",
        "batch_size 64 · code aaaa",
        "batch_size 64 · code bbbb",
    ]


def test_a_setting_that_changed_together_with_the_code_is_said_to_explain_nothing_alone() -> None:
    found = compared([of("aaaa", 32, at=1), of("bbbb", 64, at=2)])
    assert found.by == ["batch_size"]
    assert "(2 versions), together with batch_size: either may explain a difference. See what" in found.notes[0]


def test_programs_that_are_compared_by_name_need_no_word() -> None:
    assert compared([of("aaaa", at=1), of("bbbb", at=2)]).notes == []


def test_two_scripts_are_called_by_their_names() -> None:
    found = compared([of("aaaa", 8, at=1, script="b.py", name="x"), of("bbbb", 8, at=2, script="a.py", name="x")])
    assert [group.label for group in found.groups] == ["b.py", "a.py"]
    assert found.notes[0].startswith("These runs are of 2 different programs, so they are compared")


def test_an_edited_script_among_others_is_called_by_its_name_and_version() -> None:
    edited = [of(code, at=at, name="a", program="train") for at, code in enumerate(("aaaaaaaa", "bbbbbbbb"), 1)]
    other = of("cccccccc", at=3, name="a", script="other.py", program="other")
    found = compared([*edited, other])
    assert [group.label for group in found.groups] == ["train.py aaaaaa", "train.py bbbbbb", "other.py"]
    assert found.notes == [
        "These runs are of 2 different programs, so they are compared and not averaged. "
        "Compare the runs of one: assay compare --where program=train"
    ]


def test_runs_whose_code_is_unknown_are_grouped_as_if_there_were_one() -> None:
    found = compared([of("aaaa", 32, at=1, name="x"), run(32, name="x", wall_s=1.1)])
    assert [len(group.rows) for group in found.groups] == [2]


def test_text_on_a_command_line_differs_by_its_settings() -> None:
    assert compared([of("aaaa", 32, at=1, inline=True), of("bbbb", 64, at=2, inline=True)]).notes == []
