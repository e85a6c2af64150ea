"""`assay report`: one file that opens offline, in a real looker."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from browser import Looker
from conftest import PYTHON, Assay

pytestmark = pytest.mark.slow

TRAIN = """
import assay, sys
batch, seed = int(sys.argv[1]), int(sys.argv[2])
assay.params(batch_size=batch, seed=seed)
with assay.phase("load"): pass
with assay.phase("train"):
    for step in range(1, 31):
        assay.log(step=step, samples=step * batch, loss=4 / step + batch / 1000 + seed / 10000)
assay.result(accuracy=0.9 + seed / 1000 - batch / 10000)
"""


@pytest.fixture
def looker(browser: Any) -> Looker:
    return Looker(browser)


def train(assay: Assay, batches: tuple[int, ...] = (8, 32), seeds: tuple[int, ...] = (1, 2, 3)) -> None:
    for batch in batches:
        for seed in seeds:
            done = assay(
                "run", "-q", "--param", f"batch_size={batch}", "--", PYTHON, "-c", TRAIN, str(batch), str(seed)
            )
            assert done.returncode == 0, done.stderr


def test_a_report_of_a_batch_size_study_is_drawn_without_asking_anyone(assay: Assay, looker: Looker) -> None:
    train(assay)
    done = assay("report", "-o", "r.html")
    assert done.returncode == 0, done.stderr
    page = looker.open(assay.folder / "r.html")
    assert page.locator("h2").first.inner_text() == "The answer"
    assert "6 runs" in page.locator("#found p").inner_text()
    drawn = looker.drawn_charts()
    assert {"progress-loss", "shares", "timeline", "spread-accuracy"} <= set(drawn)
    assert set(drawn.values()) == {"yes"}
    assert (looker.problems, looker.outside) == ([], [])


def test_a_report_lets_no_text_become_code_and_runs_no_script_but_its_own(assay: Assay, looker: Looker) -> None:
    train(assay, batches=(8,), seeds=(1,))
    assay("report", "-o", "r.html")
    page = looker.open(assay.folder / "r.html")
    policy = page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    (scripts,) = re.findall(r"script-src ([^;]*)", policy)
    assert re.fullmatch(r"('sha256-[\w+/=]+' ?)+", scripts)
    assert set(looker.drawn_charts().values()) == {"yes"}
    page.locator("button[data-theme]").click()
    assert set(looker.drawn_charts().values()) == {"yes"}
    assert looker.problems == []
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.added = 1'}))")
    assert page.evaluate("window.added") is None
    assert "Content Security Policy" in looker.problems[0]


def test_the_axis_switch_redraws_the_curves(assay: Assay, looker: Looker) -> None:
    train(assay, seeds=(1,))
    assay("report", "-o", "r.html")
    page = looker.open(assay.folder / "r.html")
    looker.drawn_charts()
    page.get_by_role("button", name="samples", exact=True).click()
    assert page.evaluate("document.documentElement.dataset.axis") == "samples"
    assert page.get_by_role("button", name="samples", exact=True).get_attribute("aria-pressed") == "true"
    assert page.get_by_role("button", name="steps", exact=True).get_attribute("aria-pressed") == "false"
    assert looker.problems == []


def test_nothing_in_a_log_becomes_markup(assay: Assay, looker: Looker) -> None:
    evil = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    program = f"import assay; assay.params(note={evil!r}); assay.log(step=1, loss=1.0); raise SystemExit({evil!r})"
    assay("run", "-q", "--name", "</title><b>x", "--param", f"tag={evil}", "--", PYTHON, "-c", program)
    assay("report", "-o", "r.html", "--title", evil)
    page = looker.open(assay.folder / "r.html")
    looker.drawn_charts()
    assert page.title() == evil
    assert page.locator("img, b").count() == 0
    assert looker.problems == []


def test_a_phone_needs_no_sideways_scrolling(assay: Assay, looker: Looker) -> None:
    train(assay, seeds=(1,))
    assay("report", "-o", "r.html")
    page = looker.open(assay.folder / "r.html", width=390, height=844)
    looker.drawn_charts()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_markdown_page_points_to_figures_that_are_there(assay: Assay) -> None:
    train(assay, seeds=(1, 2))
    done = assay("report", "--format", "markdown", "-o", "r.md")
    assert done.returncode == 0, done.stderr
    text = (assay.folder / "r.md").read_text()
    figures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert figures and all((assay.folder / name).read_text().startswith("<svg") for name in figures)
    assert "## Comparison" in text and "To repeat it" in text


def test_json_and_csv_hold_every_run(assay: Assay) -> None:
    train(assay, seeds=(1,))
    told: dict[str, Any] = json.loads(assay("report", "--format", "json").stdout)
    assert (len(told["runs"]), told["comparison"]["by"]) == (2, ["batch_size"])
    rows = list(csv.reader(io.StringIO(assay("report", "--format", "csv").stdout.decode())))
    assert len(rows) == 3 and "params.batch_size" in rows[0]


def test_a_single_run_has_a_report_too(assay: Assay, looker: Looker) -> None:
    assay("run", "-q", "--", PYTHON, "-c", "print(1)")
    assert assay("report", "last", "-o", "r.html").returncode == 0
    looker.open(assay.folder / "r.html")
    looker.drawn_charts()
    assert looker.problems == []


def test_what_is_to_know_of_a_comparison_stands_below_it(assay: Assay) -> None:
    for value in (1, 2):
        assay("run", "-q", "-p", f"x={value}", "--", PYTHON, "-c", f"print('loss: 0.{value}')")
    assert assay("report", "-o", "r.html").returncode == 0
    assert "<h3>Notes</h3>" in (text := (assay.folder / "r.html").read_text())
    assert "x was given with --param" in text


def test_a_warm_up_is_reported_where_nothing_else_is(assay: Assay) -> None:
    program = assay.script("import assay, sys\nfor step in (1, 2, 3): assay.log(step=step, loss=1 / step)")
    (assay.folder / "study.yaml").write_text(f"command: [{PYTHON}, {program}, '{{x}}']\ngrid: {{x: [1]}}\nwarmup: 1\n")
    assert assay("study", assay.folder / "study.yaml").returncode == 0
    (warmup,) = (path.name for path in assay.run_dirs() if "warmup" in path.name)
    alone: dict[str, Any] = json.loads(assay("report", warmup, "--format", "json").stdout)
    assert [run["name"] for run in alone["runs"]] == [warmup.split("-2")[0]]
    assert assay("report", warmup, "-o", "r.html").returncode == 0
    assert '"loss":[1.0,0.5' in (assay.folder / "r.html").read_text()
    everything: dict[str, Any] = json.loads(assay("report", "--format", "json").stdout)
    assert [bool(run.get("warmup")) for run in everything["runs"]] == [False]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing-like-it"], "no run"),
        (["-o", "no/such/folder/r.html"], "no folder"),
        (["-o", "."], "is a folder"),
    ],
)
def test_bad_input_is_told_before_any_work(assay: Assay, words: list[str], said: str) -> None:
    assay("run", "-q", "--", "true")
    done = assay("report", *words)
    assert done.returncode in (1, 2) and said in done.stderr.decode()
    assert not list(Path(assay.folder).glob("*.html"))


def test_an_empty_folder_says_what_to_do(assay: Assay) -> None:
    done = assay("report")
    assert done.returncode == 1 and "assay run" in done.stderr.decode()


ENGINES = """
import assay
for place, engine in enumerate(["eager", "onnx"], 1):
    known = {f"latency_{name}_ms": value / place for name, value in (("p50", 2.0), ("p90", 2.5), ("p99", 4.0))}
    assay.result(engine=engine, padded=True, accuracy=0.8, latency_ms=2.1 / place, inferences_per_s=476.0, **known)
"""


def test_every_engine_of_a_run_has_its_row_of_latencies(assay: Assay, browser: Any) -> None:
    assay("run", "-q", "--", PYTHON, assay.script(ENGINES))
    assert assay("report", "-o", "r.md").returncode == 0
    text = (assay.folder / "r.md").read_text()
    assert "| eager, padded | 80 | 2.1 | 2 | 2.5 | 4 | 476 |" in text
    assert "| onnx, padded | 80 | 1.05 | 1 | 1.25 | 2 | 476 |" in text
    assert assay("report", "-o", "r.html").returncode == 0
    looker = Looker(browser)
    page = looker.open(assay.folder / "r.html")
    assert looker.drawn_charts()["latency"] == "yes"
    assert page.inner_text("#latency tbody tr:nth-child(2) td") == "onnx, padded"
