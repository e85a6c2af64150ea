"""`assay write`: a page whose figures come from runs, with the command that gives each beneath it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browser import Looker
from conftest import PYTHON, Assay, copied

pytestmark = pytest.mark.slow

STEPS = """
import assay, sys
if len(sys.argv) > 2:
    assay.how("simulated")
for step in range(1, 11):
    assay.log(step=step, samples=step * int(sys.argv[1]), loss=3 / step)
"""


@pytest.fixture(scope="module")
def measured_once(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    """Two batch sizes, twice each, of a study called `s`."""
    assay = Assay(tmp_path_factory.mktemp("measured"))
    script = assay.script(STEPS)
    for size in (32, 32, 64, 64):
        done = assay("run", "-q", "--param", f"batch_size={size}", "--tag", "s", "--", PYTHON, script, str(size))
        assert done.returncode == 0, done.stderr
    return assay


@pytest.fixture
def measured(measured_once: Assay, assay: Assay) -> Assay:
    return copied(measured_once, assay)


def written(assay: Assay, draft: str, *words: str) -> str:
    (assay.folder / "draft.md").write_text(draft)
    done = assay("write", "draft.md", "-o", "page.md", *words)
    assert done.returncode == 0, done.stderr.decode()
    return (assay.folder / "page.md").read_text()


def refused(assay: Assay, draft: str) -> str:
    (assay.folder / "draft.md").write_text(draft)
    done = assay("write", "draft.md", "-o", "page.md")
    assert done.returncode in (1, 2)
    assert not (assay.folder / "page.md").exists()
    return done.stderr.decode()


def block(*commands: str) -> str:
    return "\n".join(["# Title", "", "```assay", *commands, "```", "", "The end."])


def test_a_command_is_replaced_by_its_answer_and_stands_beneath_it(measured: Assay) -> None:
    page = written(measured, block("compare --columns loss --only table,verdicts"))
    assert "| 32* | 2 |" in page and "- loss, 64 against 32" in page
    assert page.index("| 32* | 2 |") < page.index("*executed: `assay compare --columns loss --only table,verdicts`*")
    assert page.startswith("# Title\n") and page.endswith("The end.\n")


def test_a_figure_in_a_sentence_is_that_of_the_runs_it_names(measured: Assay) -> None:
    page = written(measured, "It ended at a loss of {{loss: batch_size=64}}.")
    assert re.search(r"at a loss of 0\.3.* \(n = 2\)\.", page)


def test_a_figure_counts_no_warm_up(assay: Assay) -> None:
    (assay.folder / "study.yaml").write_text("command: echo loss={x}\ngrid: {x: [1]}\nrepeat: 2\nwarmup: 1\n")
    assert assay("study", "study.yaml").returncode == 0
    assert "(n = 2)" in written(assay, "It ended at {{wall_s: study=study}}.")


def test_fences_of_others_are_left_alone(measured: Assay) -> None:
    draft = "# T\n```python\nprint('{')\n```\n~~~\nassay compare\n~~~\n"
    assert written(measured, draft) == draft


def test_what_was_simulated_is_marked(assay: Assay) -> None:
    script = assay.script(STEPS)
    assay("run", "-q", "--", PYTHON, script, "32", "simulated")
    assay("run", "-q", "--", PYTHON, script, "32", "simulated")
    assert "*simulated: `assay compare" in written(assay, block("compare --columns loss --only table"))


def test_paths_start_at_the_folder_of_the_draft(measured: Assay) -> None:
    (measured.folder / "text").mkdir()
    (measured.folder / "text" / "theirs.md").write_text("# A\nNothing.\n")
    (measured.folder / "text" / "draft.md").write_text(block("audit theirs.md"))
    done = measured("write", "text/draft.md", "-o", "page.md")
    assert done.returncode == 0, done.stderr
    assert "theirs.md" in (measured.folder / "page.md").read_text()


def test_what_an_audit_prints_names_a_page_as_its_neighbour_does(measured: Assay) -> None:
    (measured.folder / "text").mkdir()
    theirs = "# A\n## Graphcore\nepochs = 50\n```\nEpochs: 100%|#| 10/10 [01:48<00:00]\n```\n"
    (measured.folder / "text" / "theirs.md").write_text(theirs)
    (measured.folder / "text" / "draft.md").write_text(
        block("audit theirs.md", "compare theirs.md", "ls batch_size=64")
    )
    done = measured("write", "text/draft.md", "-o", "page.md")
    assert done.returncode == 0, done.stderr
    page = (measured.folder / "page.md").read_text()
    assert "```\ntheirs.md\n  wrong" in page and "text/theirs.md" not in page
    assert page.count("bs64") == 2


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("audit nothing.md", "draft.md:4: no file, folder or run is called `nothing.md`"),
        ("show --live", "draft.md:4: --live and --output cannot be used in a page"),
        ("rm --yes", "draft.md:4: `rm` cannot be used in a page"),
        ("compare --colums loss", "draft.md:4: No such option"),
        ("compare --only tables", "a comparison has no part called `tables`"),
        ("compare --where batch_size=7", "draft.md:4: no runs match"),
        ("report --charts progress-los", "these runs give no chart called `progress-los`"),
        ("report", "single charts"),
        ("compare 'loss", "close its quotes"),
        ("show nothing", "draft.md:4: "),
    ],
)
def test_a_command_that_cannot_be_answered_is_an_error_with_its_line(measured: Assay, command: str, said: str) -> None:
    assert said in refused(measured, block(command))


def test_a_figure_that_no_run_knows_is_an_error(measured: Assay) -> None:
    assert "no matching run has `acuracy`" in refused(measured, "It reached {{acuracy: batch_size=64}}.")


def test_a_figure_over_runs_that_are_no_repeats_is_an_error(measured: Assay) -> None:
    assert "these runs differ in batch_size" in refused(measured, "It ended at {{loss: status=completed}}.")


def test_a_block_that_is_never_closed_is_an_error(measured: Assay) -> None:
    assert "draft.md:2: this block is never closed" in refused(measured, "# T\n```assay\ncompare\n\nThe end.")


def test_a_question_mark_lets_a_command_find_nothing_and_the_page_says_so(measured: Assay) -> None:
    page = written(measured, block("? compare --where batch_size=7"))
    assert "*Not here: no runs match.* *`assay compare --where batch_size=7`*" in page


def test_a_page_does_not_replace_its_draft(measured: Assay) -> None:
    (measured.folder / "draft.md").write_text("# T")
    done = measured("write", "draft.md", "-o", "draft.md")
    assert (done.returncode, b"replace its draft" in done.stderr) == (2, True)


def test_several_drafts_go_into_a_folder(measured: Assay) -> None:
    for name in ("a.md", "b.md"):
        (measured.folder / name).write_text(f"# {name}\n")
    assert measured("write", "a.md", "b.md", "-o", "one.html").returncode == 2
    assert measured("write", "a.md", "b.md", "-o", "pages/").returncode == 0
    assert {path.name for path in (measured.folder / "pages").iterdir()} == {"a.html", "b.html"}


def test_figures_stand_beside_a_markdown_page(measured: Assay) -> None:
    page = written(measured, block("report --charts progress-loss,spread-loss"))
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page)
    assert shown == ["page-figures/1.svg", "page-figures/2.svg"]
    assert all("<svg" in (measured.folder / path).read_text() for path in shown)


def test_a_page_in_the_browser_draws_its_charts_and_asks_no_one(measured: Assay, browser: Any) -> None:
    draft = block("report --charts progress-loss", "report --where batch_size=32 --charts progress-loss,spread-loss")
    draft += "\n\n<script>window.hurt = 1</script> <img src=x onerror='window.hurt = 1'>"
    draft += "\n\n![a picture](https://example.org/picture.png) ![gone](/home/someone/picture.png)\n"
    (measured.folder / "draft.md").write_text(draft)
    done = measured("write", "draft.md")
    assert done.returncode == 0, done.stderr
    looker = Looker(browser)
    page = looker.open(Path(done.stdout.decode().strip()))
    assert looker.drawn_charts() == {"0": "yes", "1": "yes", "2": "yes"}
    assert page.evaluate("window.hurt") is None
    assert (looker.problems, looker.outside) == ([], [])
    assert page.inner_text("h1") == "Title"
    assert page.get_attribute("a[href='https://example.org/picture.png']", "rel") == "noreferrer"
    assert "<script>" in page.inner_text("main")
