"""Ten thousand runs listed, searched and compared, beside MLflow's search over the same runs (sqlite store).

Run by `make bench`. MLflow goes into an environment of its own for the time of the bench.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from table import ASSAY, PYTHON, interleaved, ratio_interval, row, seconds

from assay.model.summary import VERSION

RUNS = 10_000
ROUNDS = 5
MLFLOW = ["mlflow-skinny==3.17.2", "sqlalchemy>=2", "alembic"]
BATCHES, RATES = (16, 32, 64, 128, 256), (0.1, 0.03, 0.01)
#: the figures of one run, the same in both stores
METRICS = (
    "loss", "accuracy", "samples", "steps", "samples_per_s_own", "wall_s", "cpu_s", "cpu_pct_mean", "cpu_pct_max",
    "memory_bytes_max", "rss_bytes_mean", "rss_bytes_max", "pss_bytes_mean",
)  # fmt: skip
#: the schema is MLflow's own; ten thousand runs through its client would take half an hour
FILL = """
import json, sqlite3, sys
from mlflow.tracking import MlflowClient
path = sys.argv[1]
client = MlflowClient(tracking_uri=f"sqlite:///{path}")
experiment = client.create_experiment("bench")
store = sqlite3.connect(path)
runs, params, metrics = [], [], []
for line in sys.stdin:
    run = json.loads(line)
    runs.append((run["uuid"], run["name"], "UNKNOWN", "", "", "someone", "FINISHED", run["t"], run["t"] + 1000, "",
                 "active", "", int(experiment)))
    params += [(name, str(value), run["uuid"]) for name, value in run["params"].items()]
    metrics += [(name, value, run["t"], 0, 0, run["uuid"]) for name, value in run["metrics"].items()]
names = "run_uuid name source_type source_name entry_point_name user_id status start_time end_time source_version"
names = ", ".join((names + " lifecycle_stage artifact_uri experiment_id").split())
store.executemany(f"insert into runs ({names}) values ({','.join('?' * 13)})", runs)
store.executemany("insert into params (key, value, run_uuid) values (?, ?, ?)", params)
columns = "key, value, timestamp, step, is_nan, run_uuid"
store.executemany(f"insert into latest_metrics ({columns}) values (?, ?, ?, ?, ?, ?)", metrics)
store.executemany(f"insert into metrics ({columns}) values (?, ?, ?, ?, ?, ?)", metrics)
store.commit()
"""
#: each prints its own seconds, without its imports, and how many runs it found
THEIR_SEARCH = """
import sys, time
from mlflow.tracking import MlflowClient
client = MlflowClient(tracking_uri=f"sqlite:///{sys.argv[1]}")
(experiment,) = [one for one in client.search_experiments() if one.name == "bench"]
begin = time.perf_counter()
found = client.search_runs([experiment.experiment_id], filter_string=sys.argv[2], max_results=50000)
figures = [(run.data.params["batch_size"], run.data.metrics["loss"]) for run in found]
print(time.perf_counter() - begin, len(figures))
"""
OUR_SEARCH = """
import sys, time
from pathlib import Path
from assay.store.find import chosen
from assay.summary.index import load_all, summaries
begin = time.perf_counter()
found = chosen(summaries(load_all(Path(sys.argv[1]), print)), sys.argv[2:])
figures = [(summary.params["batch_size"], summary.loss) for summary in found]
print(time.perf_counter() - begin, len(figures))
"""
OUR_COMPARE = """
import sys, time
import scipy.special
import assay.cli.compare, assay.comparing.comparison, assay.views.comparison_files
from assay.cli.start import start
begin = time.perf_counter()
assert start(["compare", "--runs-dir", *sys.argv[1:]]) == 0
print(time.perf_counter() - begin, file=sys.stderr)
"""


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        runs, store = Path(folder, "runs"), Path(folder, "mlflow.db")
        described = make_runs(runs)
        python = install_mlflow(Path(folder, "mlflow"))
        lines = "\n".join(json.dumps(one) for one in described)
        subprocess.run([python, "-c", FILL, store], input=lines.encode(), check=True, capture_output=True)
        subprocess.run([*ASSAY, "ls", "--runs-dir", runs], check=True, stdout=subprocess.DEVNULL)  # makes the cache
        listing(runs)
        comparing(runs)
        searching(runs, store, python, "all of them", "", [])
        searching(runs, store, python, "of one batch size", "params.batch_size = '64'", ["batch_size=64"])


def make_runs(folder: Path) -> list[dict[str, object]]:
    """Finished runs of an hour ago, as `assay run` leaves them, without their events."""
    draw, described, now_s = random.Random(0), [], time.time() - 3600
    for number in range(RUNS):
        batch, rate, t = draw.choice(BATCHES), draw.choice(RATES), 1.7e9 + 37.1 * number
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(t))
        run_id, name = f"{stamp}.{number % 1000:03d}-aaaaaa", f"bs{batch}-lr{rate}"
        figures = {metric: draw.random() * 100 for metric in METRICS} | {"accuracy": draw.random()}
        figures |= {"samples": 51200.0, "steps": 51200 // batch}
        figures |= {name: round(1e7 * value) for name, value in figures.items() if "bytes" in name}
        settings = {"batch_size": batch, "lr": rate, "seed": number, "epochs": 20}
        summary = {
            "v": VERSION, "id": run_id, "name": name, "source": f"python train.py --batch-size {batch} --lr {rate}",
            "system": "cpu", "host": "bench", "claims": settings, "params": settings, "status": "completed",
            "how": "executed", "exit_code": 0, "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t)),
            "phases": {"load": 1.2, "train": 30.5, "eval": 0.4},
            "phase_shares": {"load": 0.03, "train": 0.9, "eval": 0.01, "other": 0.06}, **figures,
        }  # fmt: skip
        path = folder / f"{name}-{run_id}"
        (path / "events").mkdir(parents=True)
        (path / "run.json").write_text(json.dumps({"v": 1, "id": run_id, "name": name}))
        (path / "summary.json").write_text(json.dumps(summary, indent=1))
        for file in (path / "summary.json", path):
            os.utime(file, (now_s, now_s))
        described.append(
            {"uuid": f"{number:032x}", "name": name, "t": int(t * 1000), "params": settings, "metrics": figures}
        )
    return described


def install_mlflow(folder: Path) -> str:
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *MLFLOW]
    subprocess.run(pip, check=True, capture_output=True)
    return str(folder / "bin/python")


def listing(runs: Path) -> None:
    took = [seconds([*ASSAY, "ls", "--runs-dir", runs], stdout=subprocess.DEVNULL) for _ in range(ROUNDS)]
    row(f"assay ls, {RUNS:,} runs, warm, all of it", f"{statistics.median(took):.2f} s", statistics.median(took) < 0.5)


def comparing(runs: Path) -> None:
    for what, words in (("one batch size", ["batch_size=64"]), ("all", ["status=completed"])):
        took = [float(_ask(PYTHON, OUR_COMPARE, runs, "--where", *words, stderr=True)[0]) for _ in range(ROUNDS)]
        median = statistics.median(took)
        row(f"assay compare --where, {what}, beyond imports", f"{median:.2f} s", median < 0.5)


def searching(runs: Path, store: Path, python: str, what: str, theirs: str, ours: list[str]) -> None:
    counts: set[str] = set()

    def timed(*command: str | Path) -> float:
        took, count = _ask(*command)
        counts.add(count)
        return float(took)

    ways = partial(timed, PYTHON, OUR_SEARCH, runs, *ours), partial(timed, python, THEIR_SEARCH, store, theirs)
    mine, other = interleaved(ROUNDS, *ways)
    assert len(counts) == 1, f"they found different runs: {counts}"
    ratio, low, high = ratio_interval(mine, other)
    figures = f"{statistics.median(mine):.3f} s against MLflow's {statistics.median(other):.3f} s"
    row(f"search {RUNS:,} runs, {what}", f"{figures}: {ratio:.2f} × ({low:.2f}–{high:.2f})", ratio < 1)


def _ask(python: str | Path, code: str, *words: str | Path, stderr: bool = False) -> list[str]:
    done = subprocess.run([python, "-c", code, *words], check=True, capture_output=True, text=True)
    return (done.stderr if stderr else done.stdout).split()[-2:]


if __name__ == "__main__":
    main()
