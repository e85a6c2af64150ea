"""A class of five, each with a folder: one row each, and what two of them say against each other in both rows."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Assay
from logs import cerebras, mnist, page

pytestmark = pytest.mark.slow

ANN = page(
    "# Cerebras",
    "Batch size 512:",
    cerebras(512, 2921.37, 7.125),
    "Increasing the batch size increased the throughput.",
)
BOB = page("# Cerebras", "Increasing the batch size decreased the throughput.")
CAROL = page("# Graphcore MNIST", "epochs = 30", mnist(10, accuracy=98.31))
DAN = page("# Cerebras", "Here is the log for a batch size of 512:", cerebras(512, 2921.37, 7.125))
EVE = page("# Graphcore", "It ran with 10 epochs.", mnist(10, accuracy=97.92, per_epoch_s=10.4))


@pytest.fixture
def course(assay: Assay) -> Assay:
    pages = {"ann/report.md": ANN, "bob/hw.md": BOB, "carol/mnist.md": CAROL, "dan/hw7.md": DAN, "eve/page.md": EVE}
    for name, text in pages.items():
        path = assay.folder / "course" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return assay


def rows(course: Assay, *words: str) -> dict[str, dict[str, Any]]:
    done = course("audit", "course", "--by", "folder", "--json", *words)
    assert done.returncode == 1, done.stderr
    return {row["who"]: row for row in json.loads(done.stdout)}


def codes(row: dict[str, Any]) -> set[tuple[str, str]]:
    return {(one["code"], one["severity"]) for one in row["findings"]}


def test_each_has_a_row_of_what_they_ran_and_claimed(course: Assay) -> None:
    found = rows(course)
    assert list(found) == ["ann", "bob", "carol", "dan", "eve"]
    assert found["ann"]["runs"] == found["dan"]["runs"] == {"cerebras": 1}
    assert (found["bob"]["runs"], found["bob"]["files"]) == ({}, 1)
    assert found["carol"]["claims"] == ["graphcore epochs=30"]


def test_what_is_wrong_stands_with_the_one_it_concerns(course: Assay) -> None:
    found = rows(course)
    assert ("setting-not-in-effect", "wrong") in codes(found["carol"])
    assert codes(found["eve"]) == set()


def test_claims_against_each_other_stand_with_both_as_a_doubt(course: Assay) -> None:
    found = rows(course)
    for who in ("ann", "bob"):
        (finding,) = [one for one in found[who]["findings"] if one["code"] == "conflicting-claims"]
        assert finding["severity"] == "doubtful"
        assert {Path(one["source"]).parent.name for one in finding["evidence"]} == {"ann", "bob"}
    assert "conflicting-claims" not in {code for who in ("carol", "dan", "eve") for code, _ in codes(found[who])}


def test_one_log_in_two_hands_is_a_doubt_and_no_accusation(course: Assay) -> None:
    found = rows(course)
    for who in ("ann", "dan"):
        (finding,) = [one for one in found[who]["findings"] if one["code"] == "same-figures"]
        assert finding["severity"] == "doubtful"
        assert finding["message"] == "the pages of ann and dan show the same run: shared, or copied?"


def test_a_log_that_three_show_is_taken_for_the_course_s_own(course: Assay) -> None:
    (course.folder / "course" / "eve" / "more.md").write_text(DAN)
    (finding,) = [one for one in rows(course)["ann"]["findings"] if one["code"] == "same-figures"]
    assert (finding["severity"], "sample" in finding["message"]) == ("note", True)


def test_two_runs_of_the_same_settings_are_not_one(course: Assay) -> None:
    (course.folder / "course" / "dan" / "hw7.md").write_text(page("# Cerebras", cerebras(512, 2919.88, 7.125)))
    assert "same-figures" not in {code for row in rows(course).values() for code, _ in codes(row)}


def test_the_table_names_everyone_and_where(course: Assay) -> None:
    done = course("audit", "course", "--by", "folder")
    text = done.stdout.decode()
    assert done.returncode == 1
    assert all(who in text for who in ("ann", "bob", "carol", "dan", "eve"))
    assert "epochs = 30 is claimed" in text
    assert "mnist.md:" in text


def test_the_csv_has_a_line_for_each_finding_and_one_for_who_has_none(course: Assay) -> None:
    done = course("audit", "course", "--by", "folder", "--csv")
    lines = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    by_who = {who: [line for line in lines if line["who"] == who] for who in ("ann", "bob", "carol", "dan", "eve")}
    assert [line["code"] for line in by_who["eve"]] == [""]
    assert "setting-not-in-effect" in [line["code"] for line in by_who["carol"]]
    assert all(line["lines"] for line in lines if line["code"])


def test_a_name_that_a_spreadsheet_would_run_is_made_text(assay: Assay) -> None:
    path = assay.folder / "course" / "=1+1" / "hw.md"
    path.parent.mkdir(parents=True)
    path.write_text(CAROL)
    done = assay("audit", "course", "--by", "folder", "--csv")
    assert b"'=1+1" in done.stdout


def test_files_without_a_folder_are_separate_rows(assay: Assay) -> None:
    (assay.folder / "course").mkdir()
    for name in ("one.md", "two.md"):
        (assay.folder / "course" / name).write_text(EVE)
    done = assay("audit", "course", "--by", "folder", "--json")
    assert [row["who"] for row in json.loads(done.stdout)] == ["one.md", "two.md"]


def test_recorded_runs_below_a_folder_belong_to_it(assay: Assay) -> None:
    folder = assay.folder / "course" / "ann" / "assay-runs"
    done = assay("run", "--runs-dir", folder, "--", "echo", "hello")
    assert done.returncode == 0
    (assay.folder / "course" / "ann" / "hw.md").write_text(EVE)
    (row,) = json.loads(assay("audit", "course", "--by", "folder", "--json").stdout)
    assert (row["who"], row["files"], sum(row["runs"].values())) == ("ann", 2, 2)


def test_a_row_says_in_whose_page_the_other_claim_stands(course: Assay) -> None:
    course.env["COLUMNS"] = "300"
    wide = course("audit", "course", "--by", "folder")
    assert "(hw.md:3, ann/report.md:" in " ".join(wide.stdout.decode().split())


def test_a_finding_between_two_stands_in_each_row_under_their_own_page(course: Assay) -> None:
    found = rows(course)
    shared = {
        who: one["source"]
        for who in ("ann", "bob")
        for one in found[who]["findings"]
        if one["code"] == "conflicting-claims"
    }
    assert shared == {"ann": "course/ann/report.md", "bob": "course/bob/hw.md"}


def test_a_log_in_a_file_beside_the_page_is_its_evidence(course: Assay) -> None:
    folder = course.folder / "course" / "eve"
    (folder / "page.md").write_text("# Graphcore\n\nI ran 10 epochs of MNIST, and the accuracy is 97.92%.\n")
    (folder / "logs").mkdir()
    (folder / "logs" / "mnist.log").write_text(mnist(10, accuracy=97.92))
    found = rows(course)
    assert codes(found["eve"]) == set()
    assert found["eve"]["runs"] == {"graphcore": 1}


def test_a_log_of_another_is_not_the_evidence_of_a_page(course: Assay) -> None:
    (course.folder / "course" / "eve" / "page.md").write_text(
        "# Graphcore\n\nI ran 10 epochs of MNIST, and the accuracy is 98.31%.\n"
    )
    assert codes(rows(course)["eve"]) == {("no-evidence", "doubtful")}


def test_another_figure_than_that_of_the_log_beside_the_page_has_no_evidence(course: Assay) -> None:
    folder = course.folder / "course" / "eve"
    (folder / "page.md").write_text("# Graphcore\n\nI ran 10 epochs of MNIST, and the accuracy is 98.92%.\n")
    (folder / "mnist.log").write_text(mnist(10, accuracy=97.92))
    assert codes(rows(course)["eve"]) == {("no-evidence", "doubtful"), ("misquoted-figure", "doubtful")}


def test_a_setting_that_the_log_beside_the_page_contradicts_is_doubted_with_both_lines(course: Assay) -> None:
    folder = course.folder / "course" / "eve"
    (folder / "page.md").write_text("# Graphcore\n\nI ran 20 epochs of MNIST, and the accuracy is 97.92%.\n")
    (folder / "mnist.log").write_text(mnist(10, accuracy=97.92))
    found = rows(course)["eve"]
    assert ("setting-not-in-effect", "doubtful") in codes(found)
    (one,) = [one for one in found["findings"] if one["code"] == "setting-not-in-effect"]
    assert [Path(place["source"]).name for place in one["evidence"]] == ["page.md", "mnist.log"]
