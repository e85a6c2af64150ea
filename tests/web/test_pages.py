"""The pages in a real browser: what they show, that they move, and that no log can do them harm."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from conftest import PYTHON, Assay, wait_for
from serving import address

pytestmark = pytest.mark.slow

STEPS = """
import assay, sys
print("batch", sys.argv[1])
with assay.phase("train"):
    for step in range(1, 41):
        assay.log(step=step, samples=step * int(sys.argv[1]), loss=3 / step)
"""
#: says a step for every line it is given
LIVE = """
import assay, sys
with assay.phase("train"):
    for step, line in enumerate(sys.stdin, 1):
        assay.log(step=step, loss=1 / step)
        print("said", line.strip(), flush=True)
"""
HOSTILE = r"""
import sys
out = sys.stdout
out.write("<script>window.hurt = 1</script>\n<img src=x onerror='window.hurt = 1'>\n")
out.write("\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J done\n")
out.write("x" * (10 << 20) + "needle" + "\n")
import assay
assay.log(step=1, loss=0.5, **{"<b>odd'];\u2028 name</b>": 1.0})
assay.log(step=2, loss=0.4, **{"<b>odd'];\u2028 name</b>": 2.0})
out.write("last line\n")
"""


def made(assay: Assay, *sizes: int) -> None:
    script = assay.script(STEPS)
    for size in sizes:
        done = assay("run", "-q", "--param", f"batch_size={size}", "--", PYTHON, script, str(size))
        assert done.returncode == 0, done.stderr


def drawn(page: Any, chart: str) -> None:
    element = page.locator(f'[data-chart="{chart}"]')
    element.scroll_into_view_if_needed()
    page.wait_for_selector(f'[data-chart="{chart}"][data-drawn="yes"] canvas')


def rows(page: Any) -> int:
    """Points that the chart of the loss has drawn."""
    return int(page.evaluate("+(document.querySelector('[data-chart=progress-loss]')?.dataset.points || 0)"))


def test_runs_are_searched_narrowed_sorted_and_grouped(assay: Assay, served: Any, page: Any) -> None:
    made(assay, 32, 64, 64)
    assay("run", "-q", "--", "false")
    page.goto(served.url + "/")
    page.wait_for_selector("#count:text-matches('^4 of 4 runs')")
    page.fill("#search", "bs64")
    page.wait_for_selector("#count:text-matches('^2 of 4 runs')")
    assert "q=bs64" in address(page)
    page.fill("#search", "")
    page.select_option("#state", "failed")
    page.wait_for_selector("#count:text-matches('^1 of 4 runs')")
    page.select_option("#state", "")
    page.fill("#where", "batch_size>=64")
    page.press("#where", "Enter")
    page.wait_for_selector("#count:text-matches('^2 of 4 runs')")
    page.fill("#where", "")
    page.press("#where", "Enter")
    page.wait_for_selector("#group option[value=batch_size]", state="attached")
    page.select_option("#group", "batch_size")
    page.wait_for_selector("tr.group:has-text('batch_size = 64')")
    page.goto(address(page))  # the link shows the same
    page.wait_for_selector("tr.group:has-text('batch_size = 64')")
    page.click("th[data-field=loss] button")
    page.wait_for_selector("th[data-field=loss][aria-sort=descending]")


def test_a_page_opened_before_the_first_run_learns_what_runs_can_be_grouped_by(
    assay: Assay, served: Any, page: Any
) -> None:
    page.goto(served.url + "/")
    page.wait_for_selector("text=No runs yet")
    made(assay, 32)
    page.wait_for_selector("#group option[value=batch_size]", state="attached")
    page.select_option("#group", "batch_size")
    page.wait_for_selector("tr.group:has-text('batch_size = 32')")


def test_a_run_that_is_started_appears_moves_and_ends_without_reloading(assay: Assay, served: Any, page: Any) -> None:
    page.goto(served.url + "/")
    page.wait_for_selector("text=No runs yet")
    process = assay.start("run", "-q", "--name", "mover", "--", PYTHON, assay.script(LIVE), stdin=subprocess.PIPE)
    assert process.stdin
    page.wait_for_selector("td:has-text('mover')")
    page.wait_for_selector(".mark.running")
    page.click("a:has-text('mover')")
    page.wait_for_selector("#live.on")
    for step in range(3):
        process.stdin.write(f"word-{step}\n".encode())
        process.stdin.flush()
    page.wait_for_selector(".log >> text=said word-2")
    wait_for(lambda: rows(page) == 3, "3 points")
    drawn(page, "progress-loss")
    process.stdin.write(b"more\n")
    process.stdin.flush()
    wait_for(lambda: rows(page) == 4, "4 points")
    assert "step 4" in page.wait_for_selector("dd:has-text('step 4')").inner_text()
    process.communicate(timeout=60)
    page.wait_for_selector(".mark.completed")
    assert rows(page) == 4


def test_the_axis_is_switched_and_stays_in_the_link(assay: Assay, served: Any, page: Any) -> None:
    made(assay, 32)
    page.goto(f"{served.url}/run/{assay.run_dir().name}")
    drawn(page, "progress-loss")
    page.click("button[data-axis=samples]")
    page.wait_for_selector("button[data-axis=samples][aria-pressed=true]")
    assert "axis=samples" in address(page)
    page.goto(address(page))
    drawn(page, "progress-loss")
    assert page.get_attribute("button[data-axis=samples]", "aria-pressed") == "true"


def test_ticked_runs_are_compared_against_a_chosen_baseline(assay: Assay, served: Any, page: Any) -> None:
    made(assay, 32, 32, 64, 64)
    page.goto(served.url + "/")
    page.wait_for_selector("input[data-pick]")
    for box in page.query_selector_all("input[data-pick]"):
        box.check()
    page.click("#compare")
    page.wait_for_selector("#table tbody tr:nth-child(2)")
    drawn(page, "progress-loss")
    page.select_option("#baseline", "64")
    page.wait_for_selector(".forest figcaption:has-text('against batch_size 64')")
    page.wait_for_selector(".forest svg circle")
    assert page.inner_text(".forest tbody th") == "32"
    page.select_option("#budget", "steps")

    assert all(word in address(page) for word in ("baseline=64", "budget=steps"))


def test_a_hostile_log_does_no_harm(assay: Assay, served: Any, page: Any) -> None:
    assay("run", "-q", "--name", "<i>bad</i>", "--", PYTHON, assay.script(HOSTILE))
    page.goto(f"{served.url}/run/{assay.run_dir().name}")
    page.wait_for_selector(".log >> text=last line")
    page.wait_for_selector("h1:has-text('<i>bad</i>')")
    assert "<script>window.hurt" in page.inner_text(".log")
    assert "bytes in this line" in page.inner_text(".log")
    assert len(page.inner_text(".log")) < 100_000
    drawn(page, "progress-loss")
    odd = page.query_selector_all("[data-chart^=progress-]")
    assert len(odd) == 2
    page.fill("#find", "needle")
    page.wait_for_selector(".log mark:has-text('needle')")
    assert page.evaluate("window.hurt") is None
    assert page.evaluate("document.querySelectorAll('main script, main img, main i, main b').length") == 0
    page.goto(served.url + "/")
    page.wait_for_selector("td:has-text('<i>bad</i>')")
    assert page.evaluate("document.querySelectorAll('main i').length") == 0


def test_the_output_is_searched_and_shown_about_a_line(assay: Assay, served: Any, page: Any) -> None:
    assay("run", "-q", "--", PYTHON, "-c", "for i in range(3000): print('line', i, 'rare' if i == 1234 else '')")
    page.goto(f"{served.url}/run/{assay.run_dir().name}?find=rare")
    page.wait_for_selector(".log mark")
    page.click(".log a.number")
    page.wait_for_selector(".log .here:has-text('line 1234')")
    assert "line=1235" in address(page)
    page.goto(address(page))
    page.wait_for_selector(".log .here:has-text('line 1234')")


def test_what_cannot_be_shown_is_said(assay: Assay, served: Any, page: Any) -> None:
    made(assay, 32)
    newer = assay.runs / "newer-1"
    newer.mkdir()
    (newer / "run.json").write_text('{"v": 99, "id": "newer"}')
    half = assay.runs / "half-2"
    half.mkdir()
    (half / "run.json").write_text('{"v": 1, "id"')
    page.goto(served.url + "/")
    page.wait_for_selector(".problem:has-text('2 folders cannot be shown')")
    page.wait_for_selector("li:has-text('newer Assay')")


def test_studies_fill_a_grid_and_findings_are_listed(assay: Assay, served: Any, page: Any) -> None:
    made(assay, 32, 64)
    for path in assay.run_dirs():
        asked = (path / "summary.json").read_text()
        (path / "summary.json").write_text(asked.replace("{", '{"study": "sizes", "repeat": 1,', 1))
    assay("run", "-q", "--", PYTHON, "-c", "import assay\nfor i in range(50): assay.log(step=i, loss=1.0 + i)")
    page.goto(served.url + "/studies")
    page.wait_for_selector(".boxes a.completed")
    assert page.locator(".boxes a").count() == 2
    page.goto(served.url + "/findings")
    page.wait_for_selector("#diverged article.finding")


def test_a_real_study_fills_its_grid_while_it_is_watched_and_marks_what_was_simulated(
    assay: Assay, served: Any, page: Any
) -> None:
    script = assay.script("import assay, sys\nassay.how('simulated')\nassay.result(loss=float(sys.argv[1]))")
    grid = f"command: [{PYTHON}, {script}, '{{x}}']\ngrid: {{x: [1, 2]}}\nrepeat: 2\nwarmup: 1\n"
    (assay.folder / "grid.yaml").write_text(grid)
    page.goto(served.url + "/studies")
    page.wait_for_selector("text=No study has run here yet")
    done = assay("study", "grid.yaml")
    assert done.returncode == 0, done.stderr
    page.wait_for_selector("section:has-text('4 completed')")
    assert page.locator(".boxes a.completed").count() == 4
    assert page.locator("tbody th .mark.simulated").count() == 2
