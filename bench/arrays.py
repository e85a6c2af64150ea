"""300 runs through a real Slurm: how often sbatch is asked, and what the submitter computes. Run by `make bench`.

Then 20 trivial jobs, in turns with submitit's array where submitit is installed (SUBMITIT=python of its environment).
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import ASSAY, row

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "launchers"))
from slurm_cluster import Cluster, free_slot, unavailable

RUNS = int(os.environ.get("RUNS", "300"))
TURNS = int(os.environ.get("TURNS", "3"))
COUNTING = '#!/bin/sh\nprintf x >> "{count}"\nexec /usr/bin/{name} "$@"\n'
SUBMITIT = """\
import sys, submitit
executor = submitit.AutoExecutor(folder=sys.argv[1], cluster="slurm")
executor.update_parameters(timeout_min=5, slurm_array_parallelism=20)
jobs = executor.map_array(abs, range(20))
print(sum(job.result() for job in jobs))
"""


def main() -> None:
    why = unavailable()
    if why:
        return row(f"{RUNS:,} runs through Slurm as arrays", why, None)
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as place, free_slot() as slot:
        cluster = Cluster(Path(place, "slurm"), slot)
        cluster.start()
        try:
            _many(cluster, Path(place))
            _beside_submitit(cluster, Path(place))
        finally:
            cluster.stop()


def _study(cluster: Cluster, place: Path, runs: int) -> tuple[float, float, list[dict[str, object]]]:
    """(seconds, seconds of CPU of the submitter and what it starts, the summaries)."""
    place.mkdir()
    study = place / "study.yaml"
    study.write_text("command: 'true {x}'\ngrid: {x: {from: 1, to: " + str(runs) + "}}\non: slurm\n")
    environment = {**os.environ, **cluster.env, "ASSAY_RUNS": str(place / "runs")}
    environment["PATH"] = f"{place.parent / 'bin'}:{environment['PATH']}"
    before, before_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([*ASSAY, "study", str(study), "--json"], env=environment, capture_output=True, check=False)
    took_s = time.monotonic() - before_s
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took_s, cpu_s, json.loads(done.stdout)


def _many(cluster: Cluster, place: Path) -> None:
    (place / "bin").mkdir()
    for name in ("squeue", "sbatch"):
        path = place / "bin" / name
        path.write_text(COUNTING.format(count=place / f"{name}.count", name=name))
        path.chmod(0o755)
    took_s, cpu_s, summaries = _study(cluster, place / "many", RUNS)
    good = sum(summary["status"] == "completed" for summary in summaries)
    asked = (place / "sbatch.count").stat().st_size
    figures = f"{asked} sbatch, {cpu_s:.2f} s of CPU, {took_s:.0f} s in all; {good} of {RUNS} completed"
    row(f"{RUNS} runs through Slurm (at most 10 sbatch and 2 s)", figures, asked <= 10 and cpu_s <= 2 and good == RUNS)


def _beside_submitit(cluster: Cluster, place: Path) -> None:
    python = os.environ.get("SUBMITIT")
    if not python:
        return row("20 trivial jobs beside submitit's array", "set SUBMITIT to a python that has submitit", None)
    ours, theirs = [], []
    for turn in range(TURNS):
        ours.append(_study(cluster, place / f"ours{turn}", 20)[0])
        begin_s = time.monotonic()
        words = [python, "-c", SUBMITIT, str(place / f"theirs{turn}")]
        subprocess.run(words, env={**os.environ, **cluster.env}, capture_output=True, check=True)
        theirs.append(time.monotonic() - begin_s)
    ours_s, theirs_s = statistics.median(ours), statistics.median(theirs)
    figures = f"{ours_s:.1f} s against {theirs_s:.1f} s (median of {TURNS})"
    row("20 trivial jobs beside submitit's array", figures, ours_s <= theirs_s)


if __name__ == "__main__":
    main()
