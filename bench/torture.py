"""A study on a real Slurm while everything goes wrong: `python bench/torture.py [FAULTS [RUNS [SEED]]]` (200, 60, 1).

The jobs keep a ledger of their own: a line as each begins its work, one as it is done. In the end every cell must be
done exactly once, and the summaries must agree with the ledger. Faults: the submitter is killed, a node is lost and
comes back, an urgent job preempts, jobs are suspended (some in the first second, while their recorder starts), held,
released and cancelled, the controller restarts, the queue takes no more jobs for a while (in Slurm's words, by a
stand-in for sbatch), and the disk of the runs is full (root). Some cells are stubborn: they ignore INT and TERM.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from table import ASSAY, row

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "launchers"))
from slurm_cluster import NODES, Cluster, free_slot, unavailable

LINES = (
    "PreemptType=preempt/partition_prio", "PreemptMode=REQUEUE",
    "PartitionName=urgent Nodes=n[1-3] PriorityTier=10 MaxTime=60 State=UP",
)  # fmt: skip
#: a cell's work: what it was asked for, by which job, begun and done
WORK = """\
set -e  # what is cut short is not done
[ $(($1 % 5)) -gt 0 ] || trap '' INT TERM
echo "begin $1 $SLURM_JOB_ID" >> "$LEDGER"
sleep 1.5
echo "done $1 $SLURM_JOB_ID" >> "$LEDGER"
"""
REFUSING = """\
#!/bin/bash
if [ -e "$LIMIT" ]; then echo 'sbatch: error: AssocMaxSubmitJobLimit' >&2; exit 1; fi
exec /usr/bin/sbatch "$@"
"""


class Torture:
    """One study, its submitter, and what is done to both."""

    def __init__(self, cluster: Cluster, place: Path, runs: int, seed: int) -> None:
        self.cluster, self.place, self.runs, self.chance = cluster, place, runs, random.Random(seed)
        self.ledger, self.limit, self.folder = place / "ledger", place / "limit", place / "runs"
        self.folder.mkdir()
        self.small = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64m", "none", self.folder], capture_output=True, check=False
        ).returncode == 0  # fmt: skip
        (place / "bin").mkdir()
        (place / "bin" / "sbatch").write_text(REFUSING)
        (place / "bin" / "sbatch").chmod(0o755)
        (place / "work.sh").write_text(WORK)
        self.study = place / "study.yaml"
        self.study.write_text(
            f"command: [bash, {place}/work.sh, '{{x}}']\ngrid: {{x: {{from: 1, to: {runs}}}}}\n"
            "on: {place: slurm, partition: main, cpus: 2}\n"
        )
        self.env = {**os.environ, **cluster.env, "ASSAY_RUNS": str(self.folder), "LEDGER": str(self.ledger),
                    "LIMIT": str(self.limit)}  # fmt: skip
        self.env["PATH"] = f"{place / 'bin'}:{self.env['PATH']}"
        self.submitter: subprocess.Popen[bytes] | None = None
        self.done: Counter[str] = Counter()

    def keep_submitting(self) -> None:
        if self.submitter is None or self.submitter.poll() is not None:
            log = open(self.place / "submitter.log", "ab")  # noqa: SIM115
            self.submitter = subprocess.Popen([*ASSAY, "study", self.study], env=self.env, stdout=log, stderr=log)

    def jobs(self, state: str) -> list[str]:
        words = ("squeue", "-h", "-r", "-t", state, "-p", "main", "-o", "%i")
        return self.cluster.ask(*words).stdout.split()

    def one(self, state: str) -> list[str]:
        found = self.jobs(state)
        return [self.chance.choice(found)] if found else []

    def fault(self) -> None:
        name = self.chance.choice([name for name in dir(self) if name.startswith("do_")])
        getattr(self, name)()
        self.done[name.removeprefix("do_")] += 1

    def do_kill_the_submitter(self) -> None:
        if self.submitter is not None:
            self.submitter.send_signal(signal.SIGKILL)
            self.submitter.wait()

    def do_lose_a_node(self) -> None:
        node = self.chance.choice(NODES)
        self.cluster.kill_node(node)
        time.sleep(0.3)
        self.cluster.bring_back(node)

    def do_preempt(self) -> None:
        words = ("--partition=urgent", "--nodes=1", "--exclusive", "--output=/dev/null", "--wrap=sleep 0.5")
        self.cluster.ask("/usr/bin/sbatch", *words)

    def do_suspend(self) -> None:
        for job in self.one("running"):
            self.cluster.ask("scontrol", "suspend", job)

    def do_suspend_in_the_first_second(self) -> None:
        """Those whose recorder has not said a word; they continue, and the next submitter finds them."""
        self.keep_submitting()
        ends_s, found = time.monotonic() + 3, []
        while not found and time.monotonic() < ends_s:
            begun = [path.parents[1] for path in self.folder.glob("*/job/start.0")]
            found = [run for run in begun if not any((run / "events").iterdir()) and not (run / "job/end.0").exists()]
        time.sleep(self.chance.uniform(0.0, 0.4))
        jobs = [job for run in found if (job := job_of(run))]
        for job in jobs:
            self.cluster.ask("scontrol", "suspend", job)
        time.sleep(self.chance.uniform(0.1, 0.5))
        for job in jobs:
            self.cluster.ask("scontrol", "resume", job)
        self.do_kill_the_submitter()

    def do_resume(self) -> None:
        for job in self.jobs("suspended"):
            self.cluster.ask("scontrol", "resume", job)

    def do_hold(self) -> None:
        for job in self.one("pending"):
            self.cluster.ask("scontrol", "hold", job)

    def do_release(self) -> None:
        for job in self.jobs("pending"):
            self.cluster.ask("scontrol", "release", job)
            self.cluster.ask("scontrol", "update", f"JobId={job}", "StartTime=now")

    def do_cancel(self) -> None:
        for job in self.one("all" if self.chance.random() < 0.1 else "running,pending"):
            self.cluster.ask("scancel", job)

    def do_restart_the_controller(self) -> None:
        self.cluster.stop_controller()
        time.sleep(0.3)
        self.cluster.start_controller()

    def do_limit(self) -> None:
        self.limit.unlink(missing_ok=True) if self.limit.exists() else self.limit.touch()

    def do_fill_the_disk(self) -> None:
        if self.small:
            filler = self.folder / ".filler"
            with open(filler, "ab") as file:
                file.truncate(0)
                subprocess.run(["dd", "if=/dev/zero", "bs=1M"], stdout=file, stderr=subprocess.DEVNULL, check=False)
            time.sleep(0.5)
            filler.unlink()

    def heal(self) -> None:
        """All faults end, and the study is started until it has nothing left to do."""
        self.limit.unlink(missing_ok=True)
        for node in NODES:
            self.cluster.ask("scontrol", "update", f"NodeName={node}", "State=RESUME")
        for _ in range(200):
            self.do_resume()
            self.do_release()
            self.keep_submitting()
            assert self.submitter is not None
            try:
                if self.submitter.wait(timeout=3) == 0:
                    return
            except subprocess.TimeoutExpired:
                continue

    def check(self) -> list[str]:
        """What is wrong in the end."""
        lines = Counter(tuple(line.split()[:2]) for line in self.ledger.read_text().splitlines())
        listed = subprocess.run([*ASSAY, "ls", "--json"], env=self.env, capture_output=True, check=True)
        found = json.loads(listed.stdout)
        completed = Counter(str(one["claims"]["x"]) for one in found if one["status"] == "completed")
        wrong = [f"cell {x} done {lines['done', x]} times" for x in map(str, range(1, self.runs + 1))
                 if lines["done", x] != 1]  # fmt: skip
        wrong += [f"cell {x}: {completed[x]} completed runs" for x in map(str, range(1, self.runs + 1))
                  if completed[x] != 1]  # fmt: skip
        return wrong + [f"{one['name']} is {one['status']}" for one in found if one["status"] in ("running", "queued")]


def job_of(run: Path) -> str:
    """As the job itself says, once its word is whole."""
    try:
        return (run / "job" / "start.0").read_text().split()[3]
    except (OSError, IndexError):
        return ""


def main() -> None:
    faults, runs, seed = (*map(int, sys.argv[1:]), *(200, 60, 1)[len(sys.argv) - 1 :])
    title = f"torture: {faults} faults over {runs} runs (seed {seed})"
    why = unavailable()
    if why:
        return row(title, why, None)
    place = Path(tempfile.mkdtemp(prefix="assay-torture-"))
    with free_slot() as slot:
        cluster = Cluster(place / "slurm", slot, lines=LINES)
        torture, wrong = Torture(cluster, place, runs, seed), ["it did not come to its end"]
        try:
            cluster.start()
            for _ in range(faults):
                torture.keep_submitting()
                time.sleep(torture.chance.uniform(0.05, 0.6))
                torture.fault()
            torture.heal()
            wrong = torture.check()
        finally:
            torture.do_kill_the_submitter()
            cluster.stop()
            if torture.small and not (wrong or os.environ.get("KEEP")):
                subprocess.run(["umount", "-l", torture.folder], check=False)
    what = ", ".join(f"{count} x {name.replace('_', ' ')}" for name, count in sorted(torture.done.items()))
    row(title, "; ".join(wrong[:8]) or "every cell done once, every status right", not wrong)
    print(f"  {what}")
    if wrong or os.environ.get("KEEP"):
        print(f"  kept in {place}")
    else:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
