"""A study of 1,000 trivial runs through a real Slurm: what submitting and watching them costs. Run by `make bench`.

The scheduler and the jobs share this machine's cores with us, so jobs a minute is what this host can do, not what we
can; the bar is the CPU time of the submitter and all it starts (sbatch, squeue), a job.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import ASSAY, row

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "launchers"))
from slurm_cluster import Cluster, free_slot, unavailable

RUNS = int(os.environ.get("RUNS", "1000"))
#: counts how often each of Slurm's commands is asked
COUNTING = '#!/bin/sh\nprintf x >> "{count}"\nexec {real} "$@"\n'


def main() -> None:
    why = unavailable()
    if why:
        return row(f"{RUNS:,} runs through Slurm", why, None)
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as place, free_slot() as slot:
        cluster = Cluster(Path(place, "slurm"), slot)
        cluster.start()
        try:
            _measure(cluster, Path(place))
        finally:
            cluster.stop()


def _measure(cluster: Cluster, place: Path) -> None:
    study = place / "study.yaml"
    study.write_text("command: 'true {x}'\ngrid: {x: {from: 1, to: " + str(RUNS) + "}}\non: slurm\n")
    environment = {**os.environ, **cluster.env, "ASSAY_RUNS": str(place / "runs")}
    counting = place / "bin"
    counting.mkdir()
    for name in ("squeue", "sbatch"):
        path = counting / name
        path.write_text(COUNTING.format(count=place / name, real=f"/usr/bin/{name}"))
        path.chmod(0o755)
    environment["PATH"] = f"{counting}:{environment['PATH']}"
    before, before_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([*ASSAY, "study", str(study), "--json"], env=environment, capture_output=True, check=False)
    took_s = time.monotonic() - before_s
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    summaries = json.loads(done.stdout)
    good = sum(summary["status"] == "completed" and summary["exit_code"] == 0 for summary in summaries)
    polls, submissions = ((place / name).stat().st_size for name in ("squeue", "sbatch"))
    each_ms = 1e3 * cpu_s / RUNS
    figures = f"{each_ms:.1f} ms of CPU a job, sbatch and squeue included; {good:,} of {RUNS:,} completed"
    row(f"{RUNS:,} runs through Slurm (at most 15 ms)", figures, each_ms <= 15 and good == RUNS)
    figures = f"{polls} squeue and {submissions:,} sbatch in {took_s:.0f} s, {60 * RUNS / took_s:.0f} jobs a minute"
    row("  questions to the scheduler", figures, submissions <= 10 and polls < took_s * 3)


if __name__ == "__main__":
    main()
