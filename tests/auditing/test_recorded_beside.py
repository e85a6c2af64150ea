"""A page beside its recorded runs: what they show is evidence, and what contradicts the run that is meant is wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Assay, copied
from judged import judged, recorded

from assay.auditing.audit import load

TRAIN = """\
import sys
batch, accuracy, rate = sys.argv[1:]
print(f"batch_size: {batch}")
for epoch in range(1, 4):
    print(f"epoch {epoch} loss {1 / epoch:.4f}")
print(f"test accuracy {accuracy}")
print(f"throughput: {rate} samples/s")
"""
RUNS = (("first-16", "16", "0.912", "1160.5"), ("first-32", "32", "0.934", "1320.25"))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    """Two small runs in the folder that runs are kept in where nobody names one."""
    made = Assay(tmp_path_factory.mktemp("beside"), env={"ASSAY_RUNS": "assay-runs"})
    script = made.script(TRAIN)
    for name, *words in RUNS:
        done = made("run", "--name", name, "--", sys.executable, script, *words)
        assert done.returncode == 0, done.stderr
    return made


@pytest.fixture
def here(both: Assay, tmp_path: Path) -> Iterator[Assay]:
    yield copied(both, Assay(tmp_path, env={"ASSAY_RUNS": ""}))


def audited(assay: Assay, text: str, *words: str, name: str = "page.md") -> list[dict[str, Any]]:
    if text:
        (assay.folder / name).write_text(text)
    done = assay("audit", name, "--json", *words)
    assert done.stderr == b"", done.stderr
    return json.loads(done.stdout)


HONEST = {
    "by setting": "With batch size 16 the test accuracy was 91.2 %, with batch size 32 it was 93.4 %.",
    "rounded": "With batch size 16 the accuracy was 91 %.\n\nWith batch size 32 it ran at about 1,320 samples/s.",
    "by name": "first-16 reached an accuracy of 91.2 %, and first-32 reached an accuracy of 93.4 %.",
    "names after the figures": "The accuracy was 91.2 % for first-16 and 93.4 % for first-32.",
    "both names first": "The runs first-16 and first-32 reached an accuracy of 91.2 % and 93.4 %.",
    "a table": "| batch size | accuracy | samples/s |\n|---|---|---|\n| 16 | 91.2 % | 1,160 |\n| 32 | 93.4 % | 1,320 |",
    "means of more runs": "| batch size | accuracy |\n|---|---|\n| 16 | 92.1 ± 0.9 % |\n| 32 | 92.9 ± 0.7 % |",
    "no run named": "The accuracy reached 93.4 %.",
}
LIES = {
    "by setting": "With batch size 16 the test accuracy was 91.2 %.\n\nWith batch size 32 the accuracy was 94.3 %.",
    "by name": "first-16 reached an accuracy of 91.2 %, and first-32 reached an accuracy of 94.3 %.",
    "a table": "| batch size | accuracy |\n|---|---|\n| 16 | 91.2 % |\n| 32 | 94.3 % |",
}


@pytest.mark.parametrize("text", HONEST.values(), ids=list(HONEST))
def test_what_recorded_runs_show_is_evidence(here: Assay, text: str) -> None:
    assert audited(here, f"# Results\n\n{text}\n") == []


@pytest.mark.parametrize("text", LIES.values(), ids=list(LIES))
def test_what_contradicts_the_run_that_is_meant_is_wrong(here: Assay, text: str) -> None:
    (found,) = audited(here, f"# Results\n\n{text}\n")
    assert (found["code"], found["severity"]) == ("misquoted-figure", "wrong")
    proof = found["evidence"][-1]
    assert proof["source"] == "first-32 output.log"
    assert (proof["line"], proof["text"]) == (5, "test accuracy 0.934")


def test_a_figure_of_the_only_run_there_is_held_against_it(assay: Assay) -> None:
    assay.env["ASSAY_RUNS"] = ""
    script = assay.script(TRAIN)
    assert assay("run", "--", sys.executable, script, *RUNS[0][1:]).returncode == 0
    assert audited(assay, "# R\n\nThe accuracy was 91.2 % at 1160.5 samples/s.\n") == []
    (found,) = audited(assay, "# R\n\nThe accuracy was 92.1 % at 1160.5 samples/s.\n")
    assert (found["code"], found["severity"]) == ("misquoted-figure", "wrong")


def test_a_page_of_something_else_is_doubted_and_not_accused(here: Assay) -> None:
    found = audited(here, "# A game\n\nThe batch size was 32, and the accuracy 71.25 %.\n")
    assert {one["severity"] for one in found} == {"doubtful"}


def test_a_run_that_nobody_made_has_no_evidence(here: Assay) -> None:
    found = audited(here, "# R\n\nWith batch size 64 the accuracy was 95.1 %.\n")
    assert {one["code"] for one in found} == {"no-evidence"}


def test_the_folder_that_is_named_is_the_evidence(here: Assay, tmp_path: Path) -> None:
    (here.folder / "assay-runs").rename(here.folder / "elsewhere")
    text = "# R\n\nWith batch size 16 the accuracy was 91.2 %.\n"
    assert {one["code"] for one in audited(here, text)} == {"no-evidence"}
    assert audited(here, text, "--runs-dir", "elsewhere") == []


def test_what_was_imported_from_a_page_is_no_evidence_for_it(assay: Assay) -> None:
    text = "# R\n\nWith batch size 16 the accuracy was 91.2 %.\n"
    assert {one["code"] for one in audited(assay, text)} == {"no-evidence"}
    assert assay("ingest", "page.md").returncode == 0
    assert {one["code"] for one in audited(assay, text)} == {"no-evidence"}


DRAFT = """\
# Two batch sizes

With batch size 16 the accuracy was {{accuracy: batch_size=16}} %, with batch size 32 {{accuracy: batch_size=32}} %.

```assay
compare first-16 first-32
ls
show first-16
```
"""


@pytest.mark.parametrize("ending", ["md", "html"])
def test_a_written_page_is_clean_until_someone_changes_a_figure(here: Assay, ending: str) -> None:
    (here.folder / "draft.md").write_text(DRAFT)
    done = here("write", "draft.md", "-o", f"page.{ending}")
    assert done.returncode == 0, done.stderr
    assert audited(here, "", name=f"page.{ending}") == []
    page = here.folder / f"page.{ending}"
    page.write_text(page.read_text().replace("93.4", "94.3"))
    assert {(one["code"], one["severity"]) for one in audited(here, "", name=f"page.{ending}")} == {
        ("misquoted-figure", "wrong")
    }


def test_of_hundreds_of_runs_only_those_that_a_page_can_mean_are_read(tmp_path: Path) -> None:
    for batch in range(1, 151):
        accuracy = 0.5 + batch / 1000
        told = [
            {"kind": "param", "at_s": 1.0, "batch_size": batch},
            {"kind": "result", "at_s": 2.0, "accuracy": accuracy},
        ]
        recorded(tmp_path / "assay-runs", f"grid-{batch:03}", told, output=f"accuracy {accuracy}\n")
    page = "# R\n\nWith batch size 16 the accuracy was 51.6 %.\n\nWith batch size 32 the accuracy was 52.3 %.\n"
    found = judged(tmp_path, page)
    assert [(one.code, one.severity) for one in found] == [("misquoted-figure", "wrong")]
    (case,), _ = load([str(tmp_path / "page.md")], tmp_path / "none")
    assert {run.name for run in case.beside} == {"grid-016", "grid-032"}
