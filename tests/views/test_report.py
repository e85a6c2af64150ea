"""`assay report`: the answer on page one, figures that can be quoted, in every format and in a real browser."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import Looker
from conftest import PYTHON, Assay, copied, skip_or_fail

from assay.comparing.comparison import Wish
from assay.store.layout import RunDir
from assay.views.report.data import ReportData, gather
from assay.views.report.html import html
from assay.views.report.sections import sections

pytestmark = pytest.mark.slow

TRAIN = """
import assay, sys
batch, seed = int(sys.argv[1]), int(sys.argv[2])
assay.params(batch_size=batch, seed=seed)
with assay.phase("load"): pass
with assay.phase("train"):
    for step in range(1, 31):
        loss = 4 / step + batch / 1000 + seed / 10000
        assay.log(step=step, samples=step * batch, loss=loss, val_loss=loss + 0.1, val_accuracy=1 - 0.4 / step)
assay.result(accuracy=0.9 + seed / 1000 - batch / 10000)
"""
STUDY = """
study: sizes
about: What does the batch size change?
command: [{python}, train.py, "{{batch_size}}", "{{seed}}"]
grid: {{batch_size: [8, 32]}}
repeat: 3
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    """Two settings of three repeats each, recorded once."""
    assay = Assay(tmp_path_factory.mktemp("report"))
    assay.script(TRAIN, "train.py")
    (assay.folder / "study.yaml").write_text(STUDY.format(python=PYTHON))
    done = assay("study", "study.yaml")
    assert done.returncode == 0, done.stderr
    return assay


@pytest.fixture(scope="module")
def data(made: Assay) -> ReportData:
    return gather(None, [RunDir(path) for path in made.run_dirs()], Wish())


@pytest.fixture(scope="module")
def still(data: ReportData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("still") / "r.html"
    path.write_text(html(data))
    return path


@pytest.fixture
def looker(browser: Any) -> Iterator[Looker]:
    found = Looker(browser)
    yield found
    if found.page is not None:  # a test that is skipped has opened none
        found.page.close()


def test_page_one_holds_question_answer_figure_table_and_caveats(still: Path, looker: Looker) -> None:
    page = looker.open(still)
    assert page.locator("h1").inner_text() == "What does the batch size change?" == page.title()
    first = page.locator(".first")
    assert first.locator("h2").all_inner_texts() == ["Answer", "Caveats"]
    assert "6 runs of train.py, varying batch_size (8, 32), 3 of each" in first.locator("p").first.inner_text()
    assert "batch_size 8" in first.locator("li").first.inner_text()
    assert first.locator("figure svg").count() == 1 and first.locator("figcaption b").inner_text() == "Figure 1."
    assert first.locator("table caption b").inner_text() == "Table 1."
    assert first.locator("th[scope=row]").all_inner_texts() == ["8", "32"]
    assert (looker.problems, looker.outside) == ([], [])


def test_figures_are_numbered_in_order_with_captions_that_can_be_quoted(still: Path, looker: Looker) -> None:
    captions = looker.open(still).locator("figcaption").all_inner_texts()
    numbers = [int(re.findall(r"^Figure (\d+)\. [A-Z]", text)[0]) for text in captions]
    assert numbers == list(range(1, len(captions) + 1)) and len(numbers) > 5
    (curve,) = [text for text in captions if "Validation loss against" in text]
    assert curve.endswith("Validation loss against samples: mean of 3 repeats, band: 95 % interval.")
    assert all(text.endswith(".") for text in captions)


def test_a_page_holds_no_script_and_stays_small(still: Path) -> None:
    text = still.read_text()
    assert "<script" not in text and "script-src &#39;none&#39;" in text
    assert still.stat().st_size < 400_000


def test_those_who_cannot_see_it_get_alt_texts_table_heads_and_headings_in_order(still: Path, looker: Looker) -> None:
    page = looker.open(still)
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(e => +e.tagName[1])")
    assert levels[0] == 1 and all(b - a <= 1 for a, b in pairwise(levels))
    alts = page.evaluate("[...document.querySelectorAll('figure svg')].map(e => e.getAttribute('aria-label'))")
    assert len(alts) == page.locator("figure").count() and all(len(alt or "") > 20 for alt in alts)
    assert any("Mean of 8: " in alt for alt in alts)
    bare = "[...document.querySelectorAll('table')].filter(t => !t.querySelector('thead th[scope=col]')).length"
    assert page.evaluate(bare) == 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_a_report_has_no_barrier_in_light_in_dark_or_on_a_phone(still: Path, looker: Looker) -> None:
    if importlib.util.find_spec("axe_playwright_python") is None:
        skip_or_fail("axe", "axe is not here: pip install axe-playwright-python")
    import axe_playwright_python

    page = looker.open(still)
    page.evaluate((Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text())
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        found = page.evaluate("axe.run().then((found) => found.violations)")
        assert [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found] == []


def test_a_phone_needs_no_sideways_scrolling(still: Path, looker: Looker) -> None:
    assert looker.open(still, width=390, height=844).evaluate("document.documentElement.scrollWidth") <= 390


def test_one_setting_has_one_colour_in_every_chart(data: ReportData) -> None:
    found: dict[str, set[str]] = {}

    def look(part: object) -> None:
        if isinstance(part, list):
            for one in part:
                look(one)
        elif isinstance(part, dict):
            if part.get("field") == "group" and "domain" in part.get("scale", {}) and "range" in part["scale"]:
                for name, colour in zip(part["scale"]["domain"], part["scale"]["range"], strict=True):
                    found.setdefault(name, set()).add(str(colour))
            for one in part.values():
                look(one)

    for is_still in (True, False):
        look(list(sections(data, still=is_still)[1].values()))
    assert set(found) == {"8", "32"} and all(len(colours) == 1 for colours in found.values())
    assert found["8"] != found["32"]


def test_an_interactive_page_draws_its_charts_again_and_runs_no_other_script(
    data: ReportData, looker: Looker, tmp_path: Path
) -> None:
    (tmp_path / "r.html").write_text(html(data, interactive=True))
    page = looker.open(tmp_path / "r.html")
    policy = page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    (scripts,) = re.findall(r"script-src ([^;]*)", policy)
    assert re.fullmatch(r"('sha256-[\w+/=]+' ?)+", scripts)
    drawn = looker.drawn_charts()
    assert {"progress-loss", "shares", "timeline", "spread-loss"} <= set(drawn)
    assert set(drawn.values()) == {"yes"}
    page.get_by_role("button", name="steps", exact=True).click()
    assert page.evaluate("document.documentElement.dataset.axis") == "steps"
    assert page.get_by_role("button", name="steps", exact=True).get_attribute("aria-pressed") == "true"
    page.locator("button[data-theme]").click()
    assert set(looker.drawn_charts().values()) == {"yes"}
    assert (looker.problems, looker.outside) == ([], [])
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.added = 1'}))")
    assert page.evaluate("window.added") is None
    assert "Content Security Policy" in looker.problems[0]


def test_nothing_in_a_log_becomes_markup(assay: Assay, looker: Looker) -> None:
    evil = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    program = f"import assay; assay.params(note={evil!r}); assay.log(step=1, loss=1.0); raise SystemExit({evil!r})"
    assay("run", "-q", "--name", "</title><b>x", "--param", f"tag={evil}", "--", PYTHON, "-c", program)
    assay("report", "-o", "r.html", "--title", evil, "--interactive")
    page = looker.open(assay.folder / "r.html")
    looker.drawn_charts()
    assert page.title() == evil
    assert page.locator("img, figcaption b b").count() == 0
    assert looker.problems == []


def test_a_pdf_is_printed_and_its_first_page_stands_alone(made: Assay, assay: Assay, browser: Any) -> None:
    copied(made, assay)
    done = assay("report", "-o", "r.pdf")
    assert done.returncode == 0, done.stderr
    content = (assay.folder / "r.pdf").read_bytes()
    assert content.startswith(b"%PDF-") and len(re.findall(rb"/Type /Page\b", content)) > 1


def test_without_a_browser_a_pdf_is_refused_with_a_way_out(made: Assay, assay: Assay) -> None:
    copied(made, assay)
    assay.env["PATH"] = str(assay.folder)
    done = assay("report", "-o", "r.pdf")
    assert done.returncode == 1 and not (assay.folder / "r.pdf").exists()
    assert b"neither is installed" in done.stderr and b"hint: write report.html" in done.stderr


def test_the_markdown_page_points_to_figures_that_are_there(made: Assay, assay: Assay) -> None:
    copied(made, assay)
    done = assay("report", "-o", "r.md")
    assert done.returncode == 0, done.stderr
    text = (assay.folder / "r.md").read_text()
    figures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert figures and all((assay.folder / name).read_text().startswith("<svg") for name in figures)
    headings = re.findall(r"(?m)^#+ .*", text)
    assert headings[:3] == ["# What does the batch size change?", "## Answer", "## Caveats"]
    assert "*Figure 1. " in text and "*Table 1. " in text and "To repeat it" in text


def test_a_notebook_holds_its_figures_and_makes_the_comparison_again(data: ReportData) -> None:
    from assay.views.report.notebook import notebook

    book = json.loads(notebook(data))
    text = "".join(line for cell in book["cells"] for line in cell["source"])
    named = set(re.findall(r"\(attachment:([^)]+)\)", text))
    assert named and named == {name for cell in book["cells"] for name in cell.get("attachments", {})}
    assert book["cells"][-1]["cell_type"] == "code" and "assay.compare(runs)" in text
    assert data.records[0].id in text


def test_json_and_csv_hold_every_run(made: Assay) -> None:
    told: dict[str, Any] = json.loads(made("report", "--format", "json").stdout)
    assert (len(told["runs"]), told["comparison"]["by"]) == (6, ["batch_size"])
    rows = list(csv.reader(io.StringIO(made("report", "--format", "csv").stdout.decode())))
    assert len(rows) == 7 and "params.batch_size" in rows[0]


def test_a_single_run_has_a_report_too(assay: Assay) -> None:
    assay("run", "-q", "--name", "alone", "--", PYTHON, "-c", "print('loss: 0.5')")
    assert assay("report", "last", "-o", "r.md").returncode == 0
    text = (assay.folder / "r.md").read_text()
    assert text.startswith("# alone\n") and "loss 0.5" in text


def test_what_is_to_know_of_a_comparison_is_a_caveat(assay: Assay) -> None:
    for value in (1, 2):
        assay("run", "-q", "-p", f"x={value}", "--", PYTHON, "-c", f"print('loss: 0.{value}')")
    assert assay("report", "-o", "r.html").returncode == 0
    text = (assay.folder / "r.html").read_text()
    assert "<h1>What changes with x?</h1>" in text
    assert "x was given with --param" in text[text.index("Caveats") : text.index('id="compare"')]


def test_a_warm_up_is_reported_where_nothing_else_is(assay: Assay) -> None:
    program = assay.script("import assay, sys\nfor step in (1, 2, 3): assay.log(step=step, loss=1 / step)")
    (assay.folder / "study.yaml").write_text(f"command: [{PYTHON}, {program}, '{{x}}']\ngrid: {{x: [1]}}\nwarmup: 1\n")
    assert assay("study", assay.folder / "study.yaml").returncode == 0
    (warmup,) = (path.name for path in assay.run_dirs() if "warmup" in path.name)
    alone: dict[str, Any] = json.loads(assay("report", warmup, "--format", "json").stdout)
    assert [run["name"] for run in alone["runs"]] == [warmup.split("-2")[0]]
    assert alone["data"]["curves"]["loss"][:2] == [1.0, 0.5]
    everything: dict[str, Any] = json.loads(assay("report", "--format", "json").stdout)
    assert [bool(run.get("warmup")) for run in everything["runs"]] == [False]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing-like-it"], "no run"),
        (["-o", "no/such/folder/r.html"], "no folder"),
        (["-o", "."], "is a folder"),
        (["-o", "r.docx"], "unknown ending"),
        (["-o", "r.md", "--interactive"], "--interactive is for HTML"),
    ],
)
def test_bad_input_is_an_error_before_any_work(made: Assay, words: list[str], said: str) -> None:
    done = made("report", *words)
    assert done.returncode in (1, 2) and said in done.stderr.decode()
    assert not list(Path(made.folder).glob("*.html"))


def test_an_empty_folder_says_what_to_do(assay: Assay) -> None:
    done = assay("report")
    assert done.returncode == 1 and "assay run" in done.stderr.decode()


ENGINES = """
import assay
for place, engine in enumerate(["eager", "onnx"], 1):
    known = {f"latency_{name}_ms": value / place for name, value in (("p50", 2.0), ("p90", 2.5), ("p99", 4.0))}
    assay.result(engine=engine, padded=True, accuracy=0.8, latency_ms=2.1 / place, inferences_per_s=476.0, **known)
"""


def test_every_engine_of_a_run_has_its_row_of_latencies(assay: Assay) -> None:
    assay("run", "-q", "--", PYTHON, assay.script(ENGINES))
    assert assay("report", "-o", "r.md").returncode == 0
    text = (assay.folder / "r.md").read_text()
    assert "| eager, padded | 80 | 2.1 | 2 | 2.5 | 4 | 476 |" in text
    assert "| onnx, padded | 80 | 1.05 | 1 | 1.25 | 2 | 476 |" in text
    assert (assay.folder / "r-figures" / "latency.svg").read_text().startswith("<svg")


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    """Runs whose names and settings hold an escape, a control character and a byte that is no text."""
    assay = Assay(tmp_path_factory.mktemp("strange"))
    for value in (b"a\x01", b"b\x1b[31m", b"c\xff"):
        for _ in range(2):
            words = [b"--name", b"n" + value, b"--param", b"kind=" + value, b"--param", b"k\x1b[31mey=1"]
            done = assay("run", "-q", *words, "--", PYTHON, "-c", "print('step 1 loss 0.5')\nprint('step 2 loss 0.4')")
            assert done.returncode == 0, done.stderr
    return assay


@pytest.mark.parametrize("words", [
    ["report", "-o", "r.html"], ["report", "-o", "r.html", "--interactive"], ["report", "-o", "r.md"],
    ["report", "-o", "r.ipynb"], ["report", "-o", "r.csv"], ["report", "-o", "r.json"],
    ["compare", "--csv"], ["compare", "--markdown"],
])  # fmt: skip
def test_a_control_character_in_a_name_or_a_setting_stops_nothing_and_is_not_printed(
    strange: Assay, words: list[str]
) -> None:
    done = strange(*words)
    assert done.returncode == 0, done.stderr
    written = [strange.folder / words[2]] if words[0] == "report" else []
    for content in (done.stdout, done.stderr, *(path.read_bytes() for path in written)):
        assert not {0x01, 0x1B} & set(content)
        content.decode()
