"""What the pages show of studies that are not done, of servers, and of the files that a command keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay
from serving import Served, serving, until

from assay.comparing.comparison import Wish, compare
from assay.model.summary import VERSION, Summary
from assay.views.charts.base import phase_colours
from assay.web.home import first_answer

pytestmark = pytest.mark.slow

KEEPS = """
import os, struct, zlib
from pathlib import Path
place = Path(os.environ["ASSAY_RUN"])
(place / "plots").mkdir()
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
picture = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(b"\\0\\0"))
(place / "plots" / "a b.png").write_bytes(b"\\x89PNG\\r\\n\\x1a\\n" + picture + chunk(b"IEND", b""))
(place / "model.pt").write_bytes(b"weights")
(place / "page.html").write_text("<script>window.hurt = 1</script>")
secret = place / "token.txt"
secret.write_text("secret")
secret.chmod(0o600)
(place / "out").symlink_to("/etc/hostname")
"""
FAILS_AFTER = "import sys; sys.exit(int(sys.argv[1] == '3'))"


def test_a_study_shows_the_runs_that_are_still_to_do(assay: Assay) -> None:
    script = assay.script(FAILS_AFTER)
    text = f"study: three\\ncommand: [{PYTHON}, {script}, '{{size}}']\\ngrid: {{size: [3, 4, 5]}}\\nrepeat: 2\\n"
    text += "order: listed\\nlimits: {failures: 1}\\n"
    (assay.folder / "three.yaml").write_text(text.replace("\\n", "\n"))
    assay("study", "three.yaml")
    with serving(assay) as served:
        (found,) = served.json("/api/studies")["studies"]
    ended = sum(count for state, count in found["counts"].items() if state != "to do")
    assert 0 < ended < 6 and found["counts"]["to do"] == 6 - ended
    assert [row["settings"] for row in found["rows"]] == [["3"], ["4"], ["5"]]  # also those without a run
    assert [len(row["runs"]) + row["left"] for row in found["rows"]] == [2, 2, 2]


def test_a_study_that_has_just_begun_does_not_hide_the_answer_of_the_one_before(assay: Assay) -> None:
    script = assay.script("import assay, sys; assay.result(loss=float(sys.argv[1]) + float(sys.argv[2]) / 1000)")
    for name, limit in (("first", ""), ("second", "limits: {failures: 1}\n")):
        wrong = "" if name == "first" else "none"
        text = f"study: {name}\ncommand: [{PYTHON}, {script}, '{wrong}{{size}}', '{{seed}}']\n"
        text += f"grid: {{size: [1, 2]}}\nrepeat: 3\norder: listed\n{limit}"
        (assay.folder / f"{name}.yaml").write_text(text)
        assay("study", f"{name}.yaml")
    with serving(assay) as served:
        found = served.json("/api/answer")
    assert found["study"] == "first" and found["answer"].startswith("Loss is lowest with size 1")


def test_runs_of_servers_show_their_rates_and_latencies(assay: Assay) -> None:
    figures = {"output_tokens_per_s": 805.25, "ttft_p50_ms": 31.5, "e2e_p50_ms": 78.5, "requests": 60}
    judged = {"accuracy": 0.75, "accuracy_of": "val"}
    run_id = "20260101T000000.000-aaaaaa"
    folder = assay.runs / f"c4-{run_id}"
    (folder / "events").mkdir(parents=True)
    asked = {"v": 1, "id": run_id, "name": "c4", "asked_t": 1, "study": "loads", "cell": "x"}
    (folder / "run.json").write_text(json.dumps(asked))
    known = {"v": 3, "id": run_id, "name": "c4", "status": "completed", "study": "loads", "cell": "x", "repeat": 1}
    (folder / "summary.json").write_text(json.dumps({**known, "claims": {"concurrency": 4}, **figures, **judged}))
    with serving(assay) as served:
        listed = served.json("/api/runs")
        (study,) = served.json("/api/studies")["studies"]
        words = dict(served.json(f"/api/run/{folder.name}")["head"]["words"])
    shown = dict(zip([one["field"] for one in listed["columns"]], listed["rows"][0]["cells"], strict=True))
    assert (shown["output_tokens_per_s"], shown["ttft_p50_ms"], shown["e2e_p50_ms"]) == ("805.25", "31.5", "78.5")
    heads = ["validation accuracy", "output tokens/s", "TTFT p50 ms", "E2E p50 ms"]  # and none that is empty
    assert study["heads"] == heads and study["rows"][0]["figures"][0] == "75.00 %"
    assert words["serving"] == "60 requests · 805.25 output tokens/s" and words["TTFT"] == "31.5 ms median"


def test_the_sentence_of_the_last_study_is_about_the_metric_that_has_a_winner() -> None:
    """Some metrics of servers have no sentence: the others must not take over their places."""
    summaries = [
        Summary.of({"id": f"{load}-{at}", "name": f"c{load}", "status": "completed", "params": {"concurrency": load},
                    "requests_per_s": 10.0 + at, "output_tokens_per_s": 100.0 + 10 * at,
                    "ttft_mean_ms": 20.0 + at / 100, "ttft_p50_ms": 20.0 * load + at / 100})
        for load in (1, 4)
        for at in range(3)
    ]  # fmt: skip
    found = compare(summaries, lambda summary: (), Wish())
    assert first_answer(found).startswith("Median time to first token is lowest with concurrency 1")


def test_files_that_the_command_kept_are_listed_shown_and_fetched(assay: Assay, served: Served, page: Any) -> None:
    done = assay("run", "-q", "--name", "keeps", "--", PYTHON, assay.script(KEEPS))
    assert done.returncode == 0, done.stderr
    path = f"/api/run/{assay.run_dir().name}"
    names = [one["name"] for one in served.json(path)["files"]]
    assert names == ["run.json", "summary.json", "output.log", "model.pt", "page.html", "plots/a b.png"]
    assert served.ask(f"{path}/file/model.pt") == (200, b"weights")
    for name in ("token.txt", "out", "code.json", "../x", "plots/../token.txt", "events/a", "plots"):
        assert served.ask(f"{path}/file/{name}")[0] == 404, name
    page.goto(f"{served.url}/run/{assay.run_dir().name}")
    page.wait_for_selector("#files img")
    page.locator("#files img").scroll_into_view_if_needed()
    until(page, "document.querySelector('#files img').naturalWidth === 1")
    with page.expect_download() as saved:
        page.click("#files a:has-text('page.html')")
    assert Path(saved.value.path()).read_text().startswith("<script>")
    assert page.evaluate("window.hurt") is None


def test_phases_that_a_program_names_itself_have_colours_of_their_own() -> None:
    found = phase_colours(["load", "tokenize", "train", "probe", "measure", "upload", "other"])
    assert len(set(found.values())) == len(found) and list(found)[:2] == ["load", "tokenize"]


def test_a_run_fits_a_phone_however_long_the_names_of_the_others_are(assay: Assay, served: Served, page: Any) -> None:
    for name in ("x" * 90, "y"):
        assay("run", "-q", "--name", name, "--", PYTHON, "-c", "print('loss 0.5')")
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{served.url}/run/{next(path.name for path in assay.run_dirs() if path.name.startswith('y'))}")
    page.locator("#diff-to").scroll_into_view_if_needed()
    page.wait_for_selector("#diff a:has-text('xxx')")
    until(page, "document.documentElement.scrollWidth <= innerWidth")


def test_the_first_screen_counts_all_failures_and_says_how_many_runs_were_checked(
    assay: Assay, served: Served, page: Any
) -> None:
    for number in range(60):
        run_id = f"20240101T{number:06d}.000-aaaaaa"
        path = assay.runs / f"bad{number}-{run_id}"
        (path / "events").mkdir(parents=True)
        (path / "run.json").write_text(json.dumps({"v": 1, "id": run_id, "name": f"bad{number}"}))
        (path / "summary.json").write_text(
            json.dumps({"v": VERSION, "id": run_id, "name": f"bad{number}", "status": "failed"})
        )
    page.goto(served.url + "/")
    page.wait_for_selector("a:has-text('57 more failed runs')")
    page.wait_for_selector("text=Checked: the newest 30 runs of 60")
