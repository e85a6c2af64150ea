"""How quick the live page is, beside TensorBoard and MLflow on the same runs. Run by `make bench`.

Needs Chromium and playwright. TensorBoard is measured where it is installed; MLflow's page needs the whole package, for
which MLFLOW names the command (`MLFLOW=/path/to/venv/bin/mlflow python bench/web.py`).
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any

from table import ASSAY, PYTHON, interleaved, ratio_interval, row

from assay.model.summary import VERSION as SUMMARY

RUNS, EVENTS, PEER_RUNS, REPORTED, ROUNDS = 10_000, 1_000_000, 500, 50, 5
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
        "--js-flags=--expose-gc", "--enable-precise-memory-info"]  # fmt: skip
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
START = 1_700_000_000
TOKEN = "a-token-of-the-bench"
KNOWN = {"Authorization": f"Bearer {TOKEN}"}
#: a fixed amount of work on one core, with a thousand events a second on the way; says how long the work itself took
WORKS = """
import assay, sys, time
print("up", flush=True)
sys.stdin.readline()
worked_s, begin, step = 0.0, time.monotonic(), 0
while step < 5000:
    piece = time.perf_counter()
    sum(range(20000))
    worked_s += time.perf_counter() - piece
    assay.log(step=step, loss=1.0)
    step += 1
    time.sleep(max(0, begin + step / 1000 - time.monotonic()))
print(worked_s)
"""
#: one new point of each figure, drawn at once; how long each took, and the heap after 200 and after all of them
UPDATES = """async (names) => {
  const { take, curves } = await import("/static/run.js");
  const took = [], heaps = [];
  for (let at = 0; at < 1800; at++) {
    const row = { run: ["long"], group: ["long"], steps: [2500 + at] };
    for (const name of names) row[name] = [Math.random()];
    const begin = performance.now();
    take({ curves: row, total: 2500 + at });
    curves.fill();
    await null;
    took.push(performance.now() - begin);
    if (at !== 200 && at !== 1799) continue;
    await new Promise((done) => setTimeout(done, 500));
    gc();
    heaps.push(performance.memory.usedJSHeapSize);
  }
  return [took, heaps];
}"""
STEPS = """
import assay, random, sys
size = int(sys.argv[1])
random.seed(int(sys.argv[2]))
assay.params(batch_size=size, seed=int(sys.argv[2]))
with assay.phase("train"):
    for step in range(1, 10001):
        assay.log(step=step, samples=step * size, loss=5 / step**0.3 + random.gauss(0, 0.05),
                  accuracy=min(1, step / 12000 + random.random() / 20), samples_per_s=size * 100 + random.gauss(0, 20))
"""


def main() -> None:
    if CHROMIUM is None:
        return row("the live page", "Chromium is not here", None)
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory(prefix="assay-bench-") as place, sync_playwright() as playwright:
        os.chdir(place)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        for bench in (report, many_runs, updates, long_run, watched, tensorboard, mlflow):
            if not sys.argv[1:] or bench.__name__ in sys.argv[1:]:
                bench(browser)
        browser.close()


def report(browser: Any) -> None:
    """Of fifty recorded runs with ten thousand steps each, three figures a step."""
    Path("steps.py").write_text(STEPS)
    for index in range(REPORTED):
        words = [str(16 << index % 5), str(index)]
        name = f"bs{words[0]}-r{index // 5}"
        recorded = [*ASSAY, "run", "-q", "--runs-dir", "fifty", "--name", name, "--", PYTHON, "steps.py", *words]
        subprocess.run(recorded, check=True)
    before = time.perf_counter()
    words = [*ASSAY, "report", "fifty", "-o", "report.html", "--interactive"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    made_s = time.perf_counter() - before
    size = Path("report.html").stat().st_size / 1e6
    _, seen = pages(browser, Path("report.html").resolve().as_uri(), "#found table", "button[data-theme]")
    figures = f"made in {made_s:.1f} s, {size:.1f} MB, first screen answers after {statistics.median(seen):.2f} s"
    held = made_s < 10 and size < 8 and statistics.median(seen) < 2
    row(f"report of {REPORTED} runs of 10,000 steps (10 s, 8 MB, 2 s)", figures, held)


def many_runs(browser: Any) -> None:
    runs = make_runs(Path("many"), RUNS)
    with serving(runs) as url:
        paints, seen = pages(browser, url, "table.runs tbody tr")
    figures = f"first paint {1e3 * statistics.median(paints):.0f} ms, rows after {statistics.median(seen):.2f} s"
    row(f"list of {RUNS:,} runs (first screen under 1 s)", figures, statistics.median(seen) < 1)


def updates(browser: Any) -> None:
    """A page of seven charts with 2,500 points each gets one more point of each again and again, without waiting."""
    names = [f"figure_{at}" for at in range(7)]
    folder = make_long(Path("seven"), 2_500, names)
    with serving(Path("seven")) as url:
        page = browser.new_page(viewport={"width": 1280, "height": 2400}, extra_http_headers=KNOWN)
        page.goto(f"{url}/run/{folder}")
        page.wait_for_function("() => document.querySelectorAll('[data-drawn=yes] canvas').length >= 7")
        took_ms, heaps = page.evaluate(UPDATES, names)
        page.close()
    took_ms, (early, late) = sorted(took_ms), (size / 1e6 for size in heaps)
    figures = f"median {statistics.median(took_ms):.1f} ms, 99 % within {took_ms[int(0.99 * len(took_ms))]:.1f} ms"
    row("update of 7 charts of 2,500 points (33 ms)", figures, statistics.median(took_ms) < 33)
    row("memory after 200 and 1,800 updates (flat)", f"{early:.1f} MB, {late:.1f} MB", late < 1.25 * early + 2)


def long_run(browser: Any) -> None:
    runs = Path("long")
    folder = make_long(runs, EVENTS)
    with serving(runs) as url:
        before = time.perf_counter()
        while answered(f"{url}/api/run/{folder}") == 202:
            time.sleep(0.2)
        first_s = time.perf_counter() - before
    with serving(runs) as url:  # one that has only the kept view
        _, seen = pages(browser, f"{url}/run/{folder}", '[data-chart="progress-loss"][data-drawn="yes"] canvas')
    figures = f"first chart after {statistics.median(seen):.2f} s; the first view ever took {first_s:.1f} s"
    row(f"page of {EVENTS:,} events (under 1 s)", figures, statistics.median(seen) < 1)


def watched(browser: Any) -> None:
    """The same work with no one watching and with fifty clients on this machine, in turn."""
    alone, fifty = interleaved(5, lambda: work(0), lambda: work(50))
    ratio, low, high = ratio_interval(fifty, alone)
    figures = f"{ratio:.3f} x the time unwatched, 95 % interval {low:.3f} to {high:.3f}, 5 pairs"
    row("a run of 1,000 events/s, 50 clients (not above 1)", figures, low <= 1)


def work(clients: int) -> float:
    runs = Path(tempfile.mkdtemp(dir="."))
    Path("works.py").write_text(WORKS)
    env = {**os.environ, "ASSAY_RUNS": str(runs.resolve())}
    with serving(runs) as url:
        command = [*ASSAY, "run", "-q", "--", PYTHON, "works.py"]
        process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin and process.stdout
        process.stdout.readline()
        folder = next(path.name for path in runs.iterdir() if not path.name.startswith("."))
        while answered(f"{url}/api/run/{folder}") != 200:
            time.sleep(0.05)
        for _ in range(clients):
            threading.Thread(target=listen, args=(f"{url}/api/run/{folder}/events",), daemon=True).start()
        out, _ = process.communicate(b"go\n")
    return float(out)


def listen(url: str) -> None:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=KNOWN)) as stream:
            while stream.read1(1 << 16):
                pass
    except (OSError, HTTPException):
        pass  # the server went


def tensorboard(browser: Any) -> None:
    """The same runs in both: until the page shows all of them."""
    runs = make_runs(Path("peer"), PEER_RUNS, curves=True)
    subprocess.run([*ASSAY, "export", "--to", "tensorboard", "-o", "board", "--runs-dir", runs], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    port = "16606"
    command = [PYTHON, "-m", "tensorboard.main", "--logdir", "board", "--port", port, "--load_fast", "false"]
    theirs = until_shown(command, f"http://127.0.0.1:{port}", "/data/runs", lambda found: len(found) >= PEER_RUNS)
    beside(runs, "TensorBoard", theirs)


def mlflow(browser: Any) -> None:
    command = os.environ.get("MLFLOW")
    if not command:
        return row("MLflow's page", "not measured: MLFLOW does not name its command", None)
    runs = make_runs(Path("peer2"), PEER_RUNS, curves=True)
    subprocess.run([*ASSAY, "export", "--to", "mlflow", "-o", "ml", "--runs-dir", runs], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    port = "16607"
    words = [command, "server", "--backend-store-uri", f"sqlite:///{Path('ml').resolve()}/mlflow.db", "--port", port]
    ask, body = "/ajax-api/2.0/mlflow/runs/search", b'{"experiment_ids": ["1"], "max_results": 100}'
    theirs = until_shown(words, f"http://127.0.0.1:{port}", ask, lambda found: bool(found.get("runs")), body)
    return beside(runs, "MLflow", theirs)


def beside(runs: Path, peer: str, theirs: float | None) -> None:
    """From the start of the server to the list of runs."""
    before = time.perf_counter()
    with serving(runs) as url:
        while answered(f"{url}/api/runs") != 200:
            time.sleep(0.02)
        ours = time.perf_counter() - before
    shown = "more than 300 s" if theirs is None else f"{theirs:.1f} s"
    held = None if theirs is None else ours < theirs
    row(f"start to a list of {PEER_RUNS} runs", f"{ours:.2f} s, {peer} {shown}", held)


def until_shown(
    command: list[str], url: str, path: str, enough: Callable[[Any], bool], body: bytes | None = None
) -> float | None:
    before = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        while time.perf_counter() - before < 300:
            try:
                question = urllib.request.Request(url + path, body, {"content-type": "application/json"})
                with urllib.request.urlopen(question, timeout=60) as answer:
                    if enough(json.loads(answer.read())):
                        return time.perf_counter() - before
            except (OSError, ValueError):
                pass
            time.sleep(0.1)
        return None
    finally:
        os.killpg(process.pid, 15)
        process.wait()


def pages(browser: Any, url: str, selector: str, button: str = "") -> tuple[list[float], list[float]]:
    """(seconds to the first contentful paint, seconds until the selector is there and the button was pressed)."""
    paints, seen = [], []
    for _ in range(ROUNDS):
        page = browser.new_page(viewport={"width": 1280, "height": 900}, extra_http_headers=KNOWN)
        before = time.perf_counter()
        page.goto(url, wait_until="commit")
        page.wait_for_selector(selector, timeout=120_000)
        if button:
            page.click(button)
        seen.append(time.perf_counter() - before)
        paints.append(page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1e3)
        page.close()
    return paints, seen


@contextmanager
def serving(runs: Path) -> Iterator[str]:
    process = subprocess.Popen([*ASSAY, "serve", "--port", "0", "--runs-dir", runs], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, env={**os.environ, "ASSAY_TOKEN": TOKEN})  # fmt: skip
    assert process.stdout
    try:
        yield process.stdout.readline().decode().partition("/?")[0]
    finally:
        process.terminate()
        process.wait()


def answered(url: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=KNOWN), timeout=60) as answer:
            answer.read()
            return int(answer.status)
    except urllib.error.HTTPError as problem:
        return problem.code


def make_runs(place: Path, count: int, *, curves: bool = False) -> Path:
    """As `assay run` leaves them, without the hours."""
    chance = random.Random(1)
    for index in range(count):
        t = START + 60 * index
        run_id = time.strftime("%Y%m%dT%H%M%S", time.gmtime(t)) + f".{index % 1000:03d}-{index % 100000:05d}a"
        size = 16 << index % 8
        folder = place / f"bs{size}-{run_id}"
        (folder / "events").mkdir(parents=True)
        asked = {
            "v": 1,
            "id": run_id,
            "name": f"bs{size}",
            "command": ["train.py"],
            "params": {"batch_size": size},
            "asked_t": t,
        }
        (folder / "run.json").write_text(json.dumps(asked))
        summary = {"v": SUMMARY, "id": run_id, "name": f"bs{size}", "system": "cpu", "status": "completed",
                   "how": "executed",
                   "claims": {"batch_size": size}, "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t)),
                   "wall_s": 60 * chance.random(), "loss": chance.random(), "steps": 100, "cpu_s": 1.0,
                   "samples_per_s_own": 1e4 * chance.random(), "phases": {"train": 1.0}}  # fmt: skip
        (folder / "summary.json").write_text(json.dumps(summary))
        if curves:
            (folder / "events" / "host-1-1.jsonl").write_text("".join(_metric(t, step, 0.1) for step in range(100)))
    return place


def make_long(place: Path, count: int, names: Sequence[str] = ("loss",)) -> str:
    folder = place / "long-20260101T000000.000-aaaaaa"
    (folder / "events").mkdir(parents=True)
    (folder / "run.json").write_text(
        json.dumps({"v": 1, "id": "20260101T000000.000-aaaaaa", "name": "long", "asked_t": START})
    )
    with open(folder / "events" / "host-1-1.jsonl", "w") as file:
        for step in range(count):
            file.write(_metric(START, step, 0.01, names))
        end = {
            "v": 1,
            "t": START + 0.01 * count,
            "mono_s": 0.01 * count,
            "kind": "end",
            "from": "launcher",
            "status": "completed",
        }
        file.write(json.dumps(end) + "\n")
    summary = {
        "v": SUMMARY,
        "id": "20260101T000000.000-aaaaaa",
        "name": "long",
        "status": "completed",
        "how": "executed",
    }
    (folder / "summary.json").write_text(json.dumps(summary))
    return folder.name


def _metric(t: float, step: int, pace_s: float, names: Sequence[str] = ("loss",)) -> str:
    figures = "".join(f',"{name}":{3 / (1 + step / 1e5) + 0.1 * random.random():.6f}' for name in names)
    return (
        f'{{"v":1,"t":{t + pace_s * step:.3f},"mono_s":{pace_s * step:.3f},"kind":"metric","from":"self","rank":0,'
        f'"step":{step}{figures}}}\n'
    )


if __name__ == "__main__":
    sys.exit(main())
