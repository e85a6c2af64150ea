"""What leads from one thing to the next: a figure to its line, a study to its baseline, a run to its neighbour."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay
from serving import Served, serving, until

from assay.comparing.comparison import Wish, compare
from assay.model.finding import DOUBTFUL, NOTE
from assay.model.summary import Summary
from assay.store.layout import RunDir
from assay.web import live, shown
from assay.web.audits import causes
from assay.web.folder import RunsFolder
from assay.web.home import _says, first_answer

ID = "20260101T000000.000-aaaaaa"


def kept(runs: Path, name: str, run_id: str, summary: dict[str, Any], **asked: Any) -> str:
    """A run that has ended, in as few files as a page needs."""
    folder = runs / f"{name}-{run_id}"
    (folder / "events").mkdir(parents=True)
    known = {"v": 1, "id": run_id, "name": name, "asked_t": 1, **asked}
    (folder / "run.json").write_text(json.dumps(known))
    (folder / "summary.json").write_text(json.dumps({"v": 3, "id": run_id, "name": name, **summary}))
    return folder.name


def test_the_bar_of_a_running_run_grows_with_the_phases_above_it(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(live, "_SUMMARY_S", 0.0)
    run = RunDir(tmp_path / f"a-{ID}")
    (run.path / "events").mkdir(parents=True)
    (run.path / "run.json").write_text(json.dumps({"v": 1, "id": ID, "name": "a", "asked_t": time.time()}))
    events = run.path / "events" / "launcher.jsonl"
    wrote = [{"kind": "start", "t": 1.0, "s": 0.0, "pid": 1}]
    wrote += [{"kind": "phase", "t": 2.0, "s": 1.0, "name": "train", "edge": "begin"}]
    later = [{"kind": "phase", "t": 9.0, "s": 8.0, "name": "train", "edge": "end"}]
    events.write_text("".join(json.dumps(one) + "\n" for one in wrote))
    watched = live.LiveRun(run)
    watched.poll()
    began = watched.seq
    with events.open("a") as file:
        file.writelines(json.dumps(one) + "\n" for one in later)
    watched._sum_took_s = 0.0  # however long the first one took here
    assert watched.poll()
    sent = watched.after(began)
    assert sent
    batch = json.loads(sent[-1][1].split(b"data: ", 1)[1])
    assert "head" in batch and batch["shares"] == watched.view()["data"]["shares"]  # type: ignore[index]


def test_every_figure_of_the_summary_knows_what_it_was_reported_as() -> None:
    known = {"steps": 7, "loss": 0.5, "accuracy": 0.9, "requests": 3, "ttft_mean_ms": 2.0, "ttft_p99_ms": 4.0}
    head = shown.head(Summary.of({"id": ID, "name": "a", "status": "completed", **known}))
    words, parts = dict(head["words"]), head["parts"]  # type: ignore[call-overload]
    assert " · ".join(text for text, _ in parts["result"]) == words["result"]
    assert [names[0] for _, names in parts["result"]] == ["steps", "loss", "accuracy"]
    assert [names for _, names in parts["TTFT"]] == [("ttft_mean_ms",), ("ttft_p99_ms",)]


def test_a_running_run_says_how_far_it_is_in_what_it_has_a_goal_for() -> None:
    known = {"id": ID, "name": "a", "status": "running", "steps": 777, "epochs": 24}
    assert _says(Summary.of(known)) == "step 777"
    assert _says(Summary.of({**known, "params": {"epochs": 400}})) == "epoch 24 of 400"


def test_the_answer_of_a_study_is_about_the_metric_that_its_question_names() -> None:
    known = {"status": "completed", "name": "a"}
    summaries = [
        Summary.of({**known, "id": f"{lr}-{at}", "params": {"lr": lr}, "samples_per_s_avg": 100.0 * lr + at / 10,
                    "loss": 1.0 / lr + at / 1000})
        for lr in (1, 2)
        for at in range(3)
    ]  # fmt: skip
    found = compare(summaries, lambda summary: (), Wish())
    assert first_answer(found).startswith("Throughput")
    assert first_answer(found, "Which learning rate gives the lowest loss?").startswith("Loss")


def test_a_cause_is_listed_once_under_its_gravest_finding() -> None:
    found = [{"code": "no-evidence", "severity": NOTE}, {"code": "x", "severity": DOUBTFUL}] * 2
    found.append({"code": "no-evidence", "severity": DOUBTFUL})
    made = causes(found, {})
    assert [(one["code"], one["severity"], one["count"]) for one in made] == [
        ("no-evidence", DOUBTFUL, 3),
        ("x", DOUBTFUL, 2),
    ]


def test_what_failed_here_is_named_before_what_failed_in_a_log_that_was_read(assay: Assay) -> None:
    failed = {"status": "failed", "error": {"code": "crashed", "message": "no"}}
    for at in range(5):
        kept(assay.runs, f"read{at}", f"{at}" * 12, failed, how="parsed", system="cerebras")
    kept(assay.runs, "mine", ID, failed)
    with serving(assay) as served:
        now = served.json("/api/now")
    assert now["failed"][0]["name"] == "mine" and now["failures"] == 6


@pytest.mark.slow
def test_a_study_has_a_column_for_what_varies_alone_and_leads_to_its_own_baseline(assay: Assay) -> None:
    script = assay.script("import sys; print('loss:', sys.argv[1])")
    text = f"study: two\nabout: which size?\ncommand: [{PYTHON}, {script}, '{{size}}', '{{depth}}']\n"
    text += "set: {depth: 3}\ngrid: {size: [1, 2]}\nrepeat: 2\ncompare: {baseline: size=2}\n"
    (assay.folder / "two.yaml").write_text(text)
    assert assay("study", "two.yaml").returncode == 0
    with serving(assay) as served:
        (found,) = served.json("/api/studies")["studies"]
        answer = served.json("/api/answer")
        link = f"/api/compare?runs={','.join(found['folders'])}&baseline={found['baseline']}"
        assert served.json(link)["baseline"] == "2"
    assert (found["varied"], found["same"]) == (["size"], [["depth", "3"]])
    assert (found["question"], found["baseline"], answer["baseline"]) == ("which size?", "size=2", "size=2")


@pytest.mark.slow
def test_a_figure_leads_to_its_line_and_a_run_to_the_nearest_of_its_program(
    assay: Assay, served: Served, page: Any
) -> None:
    train = assay.script("for step in range(300): print(f'step {step} loss {1 / (step + 1):.4f}')", "train.py")
    for name, command in (("first", [PYTHON, train]), ("between", ["true"]), ("second", [PYTHON, train])):
        assert assay("run", "-q", "--name", name, "--", *command).returncode == 0
    folders = {path.name.partition("-")[0]: path.name for path in assay.run_dirs()}
    page.goto(f"{served.url}/run/{folders['second']}")
    page.locator("#diff-to").scroll_into_view_if_needed()
    page.wait_for_selector("#diff a:has-text('first')")
    until(page, f"document.getElementById('diff-to').value === '{folders['first']}'")
    page.click("#head a:has-text('loss')")
    page.wait_for_selector("#output .here:has-text('loss')")
    page.goto(f"{served.url}/run/{folders['between']}")
    page.locator("#diff-to").scroll_into_view_if_needed()
    page.wait_for_selector("#diff:has-text('No other run is of the same study or program')")


def test_a_figure_of_the_result_is_not_listed_again_among_the_other_figures() -> None:
    known = {"accuracy": 0.9, "accuracy_of": "val", "metrics": {"val_accuracy": 0.9, "test_accuracy": 0.8, "f1": 0.5}}
    head = shown.head(Summary.of({"id": ID, "name": "a", "status": "completed", **known}))
    assert head["metrics"] == [["test accuracy", "80 %"], ["f1", "0.5"]]


def test_a_finding_of_several_runs_leads_to_each_of_them(assay: Assay) -> None:
    for name, last in (("one", "b"), ("two", "c"), ("two", "d")):
        kept(assay.runs, name, f"{ID[:-1]}{last}", {"status": "completed"})
    folder = RunsFolder(assay.runs)
    folder.load()
    known = {str(at): entry for at, entry in enumerate(folder.entries())}
    proofs = [{"source": f"{name} output.log", "line": 0, "text": "busy"} for name in ("one", "two", "gone")]
    (cause,) = causes([{"code": "contended", "severity": NOTE, "evidence": proofs}], known)
    (found,) = cause["findings"]  # type: ignore[misc]
    assert [run["name"] for run in found["runs"]] == ["one"]  # which of the two is meant, no one knows


def test_a_study_shows_the_median_of_two_repeats_between_them(assay: Assay) -> None:
    for at, loss in enumerate((1.0, 2.0)):
        study = {"study": "s", "cell": "x", "repeat": at, "claims": {"size": 1}, "claim_sources": {"size": "study"}}
        kept(
            assay.runs, f"r{at}", f"{ID[:-1]}{at}", {"status": "completed", "loss": loss, **study}, study="s", cell="x"
        )
    with serving(assay) as served:
        (found,) = served.json("/api/studies")["studies"]
    assert found["rows"][0]["figures"] == ["1.5"]
