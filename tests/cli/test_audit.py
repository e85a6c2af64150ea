"""`assay audit` on the command line: what it prints, its exit codes, and input that cannot be read."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from conftest import Assay
from logs import cerebras, mnist, page

from assay.auditing.rules import RULES

BAD = page("# Graphcore", "epochs = 30", mnist(10))
GOOD = page("# Graphcore", "It ran with 10 epochs.", mnist(10))


def test_a_wrong_claim_exits_1_and_a_good_page_0(assay: Assay) -> None:
    assay.script(BAD, "bad.md")
    assay.script(GOOD, "good.md")
    assert assay("audit", "bad.md").returncode == 1
    done = assay("audit", "good.md")
    assert (done.returncode, done.stdout) == (0, b"No problems found in 1 run\n")


def test_a_doubt_alone_exits_0(assay: Assay) -> None:
    assay.script(page("# Graphcore", "With 40 epochs the accuracy was 98.16%."), "told.md")
    done = assay("audit", "told.md")
    assert (done.returncode, b"doubtful" in done.stdout) == (0, True)


def test_the_text_shows_the_line_and_the_remedy(assay: Assay) -> None:
    assay.script(BAD, "bad.md")
    text = assay("audit", "bad.md").stdout.decode()
    assert "epochs = 30 is claimed, and epochs = 10 is what ran" in text
    assert "line 3: epochs = 30" in text
    assert "→ the script's own constants are overwritten" in text
    assert text.endswith("1 wrong, 0 doubtful, 0 notes: 1 run\n")


def test_json_is_a_list_of_findings_and_nothing_else(assay: Assay) -> None:
    assay.script(BAD, "bad.md")
    (finding,) = json.loads(assay("audit", "bad.md", "--json").stdout)
    assert {"code", "severity", "message", "hint", "source", "evidence", "run"} <= finding.keys()
    assert (finding["code"], finding["source"], finding["evidence"][0]["line"]) == (
        "setting-not-in-effect",
        "bad.md",
        3,
    )
    assay.script(GOOD, "good.md")
    assert json.loads(assay("audit", "good.md", "--json").stdout) == []


def test_csv_has_a_line_for_each_finding(assay: Assay) -> None:
    assay.script(BAD, "bad.md")
    (line,) = csv.DictReader(io.StringIO(assay("audit", "bad.md", "--csv").stdout.decode()))
    assert (line["code"], line["severity"], line["source"]) == ("setting-not-in-effect", "wrong", "bad.md")


def test_the_list_explains_every_code(assay: Assay) -> None:
    done = assay("audit", "--list")
    assert done.returncode == 0
    assert all(f"{rule.code} " in done.stdout.decode() for rule in RULES)


def test_a_page_without_a_run_is_nothing_to_check(assay: Assay) -> None:
    assay.script("# Notes\n\nLog in and install.\n", "notes.md")
    done = assay("audit", "notes.md")
    assert (done.returncode, done.stdout) == (0, b"nothing to check: no run in 1 source\n")


def test_a_page_from_standard_input(assay: Assay) -> None:
    done = assay("audit", "-", "--json", input=mnist(10, accuracy=9.8).encode())
    assert done.returncode in (0, 1)
    assert "diverged" in [one["code"] for one in json.loads(done.stdout)]


UNREADABLE = {
    "a missing file": ("nope.md", b"no file, folder or run is called `nope.md`"),
    "bytes": ("bytes.log", b"`bytes.log` is not text"),
    "an empty file": ("void.md", b"`void.md` is empty"),
    "an empty folder": ("hollow", b"no file in `hollow` that may be a log"),
    "a link to nothing": ("dangling.log", b"no file, folder or run is called `dangling.log`"),
    "a pattern": ("nope-*.md", b"nothing matches `nope-*.md`"),
    "a damaged archive": ("cut.log.gz", b"`cut.log.gz` is not text"),
    "a run of a newer format": ("newer-run/", b"was written by a newer Assay"),
    "a run that is half written": ("half-run/", b"cannot read"),
}


@pytest.fixture
def unreadable(assay: Assay) -> Assay:
    folder = assay.folder
    (folder / "bytes.log").write_bytes(bytes(range(256)) * 2000)
    (folder / "void.md").write_text("")
    (folder / "hollow").mkdir()
    (folder / "dangling.log").symlink_to("nowhere")
    (folder / "cut.log.gz").write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03cut")
    for name, text in (("newer-run", '{"v": 99, "id": "x", "name": "x"}'), ("half-run", '{"v": 1, "na')):
        (folder / name / "events").mkdir(parents=True)
        (folder / name / "run.json").write_text(text)
    return assay


@pytest.mark.parametrize(("word", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_said_and_exits_1(unreadable: Assay, word: str, message: bytes) -> None:
    done = unreadable("audit", word)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"error: ")
    assert message in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("more", [["--json"], ["--by", "folder", "--json"]])
def test_where_nothing_can_be_read_json_is_an_empty_list(unreadable: Assay, more: list[str]) -> None:
    done = unreadable("audit", "bytes.log", *more)
    assert (done.returncode, json.loads(done.stdout)) == (1, [])


@pytest.mark.parametrize("word", ["nope.md", "bytes.log", "newer-run/", "half-run/"])
def test_the_rest_is_judged_all_the_same(unreadable: Assay, word: str) -> None:
    unreadable.script(GOOD, "good.md")
    done = unreadable("audit", word, "good.md")
    assert done.returncode == 0
    assert b"1 run\n" in done.stdout
    assert b"error: " in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_said(assay: Assay) -> None:
    path = assay.script(GOOD, "locked.md")
    path.chmod(0)
    done = assay("audit", "locked.md")
    assert (done.returncode, b"cannot read `locked.md`: Permission denied" in done.stderr) == (1, True)


def test_usage_exits_2(assay: Assay) -> None:
    assert assay("audit").returncode == 2
    assert assay("audit", "--by", "shoe-size", "x.md").returncode == 2
    assert assay("audit", "").returncode == 2


@pytest.mark.slow
def test_a_log_too_large_to_hold_is_judged(assay: Assay) -> None:
    """Beyond 64 MiB a file is read in pieces, and its lines are looked up when a finding quotes them."""
    noise = "2024-04-02 09:00:00,000 INFO:   still polling the server for work that has not come\n" * 1000
    path = assay.folder / "huge_bs2048.log"
    with path.open("w") as file:
        for _ in range(80 * (1 << 20) // len(noise)):
            file.write(noise)
        file.write(cerebras(1024))
    done = assay("audit", path, "--json")
    (finding,) = [one for one in json.loads(done.stdout) if one["severity"] == "wrong"]
    assert finding["message"] == "batch_size = 2048 is claimed, and batch_size = 1024 is what ran"
    assert "Effective batch size is 1024" in finding["evidence"][1]["text"]


def test_a_run_whose_recorder_was_killed_is_judged_as_far_as_it_went(assay: Assay) -> None:
    assert assay("run", "--", sys.executable, "-c", "print('step 1 loss 2.0')").returncode == 0
    run = assay.run_dir()
    (run / "summary.json").unlink()
    for path in (run / "events").glob("*.jsonl"):
        path.write_bytes(path.read_bytes()[:-40])  # the end torn off
    done = assay("audit", run)
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0


def test_a_run_without_events_is_no_crash(assay: Assay) -> None:
    assert assay("run", "--", "true").returncode == 0
    shutil.rmtree(assay.run_dir() / "events")
    (assay.run_dir() / "summary.json").unlink()
    done = assay("audit", assay.run_dir())
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


def test_runs_below_a_folder_are_judged_as_runs_and_not_as_logs(assay: Assay) -> None:
    assert (
        assay(
            "run", "--runs-dir", "work/runs", "--", "echo", "Epochs: 100%|###| 10/10 [01:49<00:00, 10.9s/it]"
        ).returncode
        == 0
    )
    done = assay("audit", "work", "--json")
    assert done.returncode == 0
    assert b"run.json" not in done.stdout


def test_all_runs_are_judged_where_none_is_named(assay: Assay) -> None:
    assert assay("run", "--param", "dropout=0.5", "--", "true").returncode == 0
    (finding,) = [one for one in json.loads(assay("audit", "--json").stdout) if one["code"] == "setting-not-in-effect"]
    assert finding["run"] == Path(assay.run_dir()).name.split("-", 1)[1]


def evidence_of(assay: Assay, code: str) -> list[tuple[int, str]]:
    findings = json.loads(assay("audit", "--json").stdout)
    return [(place["line"], place["text"]) for one in findings if one["code"] == code for place in one["evidence"]]


def test_a_failure_is_shown_by_the_line_that_tells_it(assay: Assay) -> None:
    told = 'echo \'{"kind":"error","code":"diverged","message":"it ran away"}\' >> "$ASSAY_EVENTS"'
    assay("run", "-q", "--", "sh", "-c", f"echo begin; {told}; echo error: it ran away; echo end; exit 1")
    assert evidence_of(assay, "diverged") == [(2, "error: it ran away")]


def test_a_bare_exit_code_is_shown_by_the_last_words(assay: Assay) -> None:
    assay("run", "-q", "--", "sh", "-c", "echo begin; echo no more of this; echo; exit 3")
    assert evidence_of(assay, "unknown") == [(2, "no more of this")]


def test_what_no_line_tells_is_not_pinned_on_one(assay: Assay) -> None:
    assay("run", "-q", "--timeout", "0.2", "--", "sh", "-c", "echo begin; sleep 60")
    assert evidence_of(assay, "time-limit") == [(0, "seen by the recorder; the output does not mention it")]


def test_a_folder_of_runs_alone_is_no_problem(assay: Assay) -> None:
    assay("run", "-q", "--", "true")
    done = assay("audit")
    assert (done.returncode, done.stderr) == (0, b"")


def test_only_the_runs_that_meet_a_condition_are_audited(assay: Assay) -> None:
    for size in ("8", "9"):
        assay("run", "-q", "-p", f"dropout=0.{size}", "-p", f"batch_size={size}", "--", "true")
    found = json.loads(assay("audit", "--json", "--where", "batch_size=9").stdout)
    assert {one["run"] for one in found if one["code"] == "setting-not-in-effect"} == {
        one["id"] for one in json.loads(assay("ls", "--json", "batch_size=9").stdout)
    }
    assert b"error: no runs match" in assay("audit", "--where", "batch_size=10").stderr
