"""What the page promises whoever uses it: by keyboard, by screen reader, while runs go on, with thousands of runs."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay, skip_or_fail, wait_for
from serving import Served, address, serving, until

pytestmark = pytest.mark.slow

STEPS = """
import assay, sys
size, seed = int(sys.argv[1]), int(sys.argv[2])
print("batch", size)
with assay.phase("load"):
    pass
with assay.phase("train"):
    for step in range(1, 41):
        assay.log(step=step, samples=step * size, loss=3 / step + seed / 100, accuracy=min(1.0, step / 40))
"""
LIVE = """
import assay, sys
for step, line in enumerate(sys.stdin, 1):
    assay.log(step=step, loss=1 / step)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    """A study of two settings with two repeats, and a run that failed."""
    assay = Assay(folder=tmp_path_factory.mktemp("page"))
    script = assay.script(STEPS)
    grid = f"command: [{PYTHON}, {script}, '{{size}}', '{{seed}}']\ngrid: {{size: [32, 64]}}\nrepeat: 2\n"
    (assay.folder / "sizes.yaml").write_text(grid)
    done = assay("study", "sizes.yaml")
    assert done.returncode == 0, done.stderr
    assay("run", "-q", "--name", "broken", "--", PYTHON, "-c", "raise MemoryError")
    return assay


@pytest.fixture(scope="module")
def looked_at(made: Assay) -> Iterator[Served]:
    with serving(made) as found:
        yield found


def chart(page: Any, name: str) -> Any:
    found = page.locator(f'[data-chart="{name}"]')
    found.scroll_into_view_if_needed()
    page.wait_for_selector(f'[data-chart="{name}"][data-drawn=yes] canvas')
    return found


def settled(page: Any, part: Any) -> dict[str, float]:
    """Where a part of the page is, once two frames find it in the same place."""
    boxes: list[Any] = []

    def still() -> bool:
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        boxes.append(part.bounding_box())
        return len(boxes) > 1 and boxes[-1] == boxes[-2]

    wait_for(still, "a page that no longer moves")
    return dict(boxes[-1])


@pytest.fixture(scope="module")
def axe() -> str:
    if importlib.util.find_spec("axe_playwright_python") is None:
        skip_or_fail("axe", "axe is not here: pip install axe-playwright-python")
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


@pytest.mark.parametrize("which", ["/", "/run", "/compare", "/studies", "/findings"])
def test_no_page_has_a_barrier_in_light_in_dark_or_on_a_phone(
    made: Assay, looked_at: Served, page: Any, axe: str, which: str
) -> None:
    runs = [path.name for path in made.run_dirs() if not path.name.startswith("broken")]
    where = {"/run": f"/run/{runs[0]}", "/compare": f"/compare?runs={','.join(runs)}"}.get(which, which)
    ready = {"/": "#told .answer", "/run": "[data-drawn=yes]", "/compare": "#diff table", "/studies": ".boxes a"}
    page.goto(looked_at.url + where)
    page.wait_for_selector(ready.get(which, "article.finding"))
    page.evaluate(axe)
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        until(page, "document.documentElement.scrollWidth <= innerWidth")  # once the charts are fitted
        found, passed = page.evaluate("axe.run().then((found) => [found.violations, found.passes.length])")
        assert passed > 15
        assert [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found] == []


def test_two_runs_are_found_compared_and_read_with_the_keyboard_alone(looked_at: Served, page: Any) -> None:
    page.goto(looked_at.url + "/")
    page.wait_for_selector("#count:text-matches('5 of 5')")
    page.keyboard.press("/")
    page.keyboard.type("size=32")
    page.wait_for_selector("#count:text-matches('2 of 5')")
    page.focus(".scroller")
    page.keyboard.press("ArrowDown")
    for _ in range(2):
        page.keyboard.press(" ")
        page.keyboard.press("ArrowDown")
    page.wait_for_selector("#compare:has-text('Compare 2')")
    page.keyboard.press("c")
    page.wait_for_selector("#answer")
    loss = chart(page, "progress-loss")
    loss.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("figure:has([data-chart=progress-loss]) [role=status]:text-matches('steps 2: .*1.5')")
    page.go_back()  # as Alt and the left arrow do, which a browser without a window does not know
    page.wait_for_selector("#compare:has-text('Compare 2')")  # what was selected and searched for is still there
    assert page.input_value("#search") == "size=32"
    until(page, "document.querySelectorAll('input[data-pick]:checked').length === 2")


def test_what_has_the_focus_keeps_it_while_three_runs_go_on(assay: Assay, served: Served, page: Any) -> None:
    script = assay.script(LIVE)
    going = [
        assay.start("run", "-q", "--name", f"live-{at}", "--", PYTHON, script, stdin=subprocess.PIPE) for at in range(3)
    ]
    page.goto(served.url + "/")
    page.wait_for_selector("#count:text-matches('3 of 3')")
    page.focus("tr:has-text('live-1') a")
    page.evaluate("window.held = document.activeElement")

    def step(count: int) -> None:
        for process in going:
            assert process.stdin
            process.stdin.write(b"go\n" * count)
            process.stdin.flush()

    step(2)
    page.wait_for_selector(".card:has-text('live-2'):has-text('step 2')")
    for process in going[:1]:  # one ends, and leaves the top of the list
        process.communicate(timeout=60)
    page.wait_for_selector("tr:has-text('live-0') .mark.completed")
    assert page.evaluate("document.activeElement === window.held && document.activeElement.textContent") == "live-1"
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-chart=progress-loss]")
    page.focus("#find")
    page.keyboard.type("wor")
    for process in going[1:]:
        assert process.stdin
        process.stdin.write(b"go\ngo\n")
        process.stdin.flush()
    page.wait_for_selector("dd:has-text('step 4')")
    page.keyboard.type("ds")
    assert page.input_value("#find") == "words"
    for process in going[1:]:
        process.communicate(timeout=60)


def test_a_chart_is_zoomed_smoothed_and_put_on_a_logarithmic_axis_and_the_link_shows_it_again(
    made: Assay, looked_at: Served, page: Any
) -> None:
    runs = [path.name for path in made.run_dirs() if not path.name.startswith("broken")]
    page.goto(f"{looked_at.url}/compare?runs={','.join(runs)}")
    page.wait_for_selector("#diff table")  # from here on nothing is moved
    box = settled(page, chart(page, "progress-loss").locator(".u-over"))
    assert page.locator("figure:has([data-chart=progress-loss]) .legend button").count() == 2  # means of two repeats
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 60)
    page.mouse.up()
    until(page, "location.search.includes('zoom=steps')")
    page.click("figure:has([data-chart=progress-loss]) button:has-text('log')")
    page.fill("#smooth", "0.6")
    page.click("#single")
    until(page, "document.querySelectorAll('figure:has([data-chart=progress-loss]) .legend button').length === 4")
    for word in ("zoom=", "log=progress-loss", "smooth=0.6", "single=yes"):
        assert word in address(page)
    page.goto(address(page))
    chart(page, "progress-loss")
    assert page.get_attribute("#single", "aria-pressed") == "true"
    assert page.locator("figure:has([data-chart=progress-loss]) button:has-text('show all')").is_visible()
    axis = page.evaluate("document.querySelector('[data-chart=progress-accuracy]').assayChart.range(0, 99.9)")
    assert axis == [0, 100]  # no accuracy above 100 %
    for kind in ("PNG", "SVG", "CSV"):
        page.click("figure:has([data-chart=progress-loss]) .save summary")
        with page.expect_download() as saved:
            page.click(f"figure:has([data-chart=progress-loss]) button:has-text('{kind}')")
        content = Path(saved.value.path()).read_bytes()
        assert content.startswith({"PNG": b"\x89PNG", "SVG": b"<svg", "CSV": b"steps,"}[kind])


def test_of_thousands_of_runs_only_those_in_view_are_rows(assay: Assay, served: Served, page: Any) -> None:
    for index in range(1500):
        run_id = f"20260101T{index // 3600:02d}{index // 60 % 60:02d}{index % 60:02d}.000-{index:05d}a"
        folder = assay.runs / f"bs{index % 7}-{run_id}"
        (folder / "events").mkdir(parents=True)
        (folder / "run.json").write_text(json.dumps({"v": 1, "id": run_id, "name": f"n{index}", "asked_t": index}))
        summary = {"v": 3, "id": run_id, "name": f"n{index}", "status": "completed", "claims": {"size": index % 7}}
        (folder / "summary.json").write_text(json.dumps(summary))
    page.goto(served.url + "/")
    page.wait_for_selector("#count:text-matches('1,500 of 1,500')")
    page.wait_for_selector("tr:has-text('n1499')")
    assert page.locator("tr[data-folder]").count() < 100
    page.evaluate("document.querySelector('.scroller').scrollTop = 1e9")
    page.wait_for_selector("tr:has-text('n0 ')")
    assert page.locator("tr[data-folder]").count() < 100
    page.click("#columns")
    page.check("dialog [data-column=wall_s]")
    page.click("dialog button:has-text('Show these')")
    page.wait_for_selector("th[data-field=wall_s]")
    page.reload()
    page.wait_for_selector("th[data-field=wall_s]")  # remembered
    shutil.rmtree(assay.runs)
