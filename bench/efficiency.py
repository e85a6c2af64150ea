"""Used against requested, on a real Slurm with accounting: ours beside seff's formulas over sacct, reportseff and seff.

    SLURM_CONF=… python bench/efficiency.py            ten small jobs, a minute; needs a sacct that answers
    SEFF=path/to/seff                                  Slurm's own script, from its sources (contribs/seff)

reportseff goes into an environment of its own for the time of the bench. Both others count CPU time in whole seconds,
and of memory seff takes the step with the largest task where reportseff and we take the largest step. The last row is
about a folder of a thousand logs and a saved answer of sacct; it needs no Slurm.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import ASSAY, PYTHON, row, seconds

REPORTSEFF = "reportseff==2.10.3"
MOST_APART = 0.02
JOBS_LISTED = 1000
BURN = """
import sys, time
cpu_s, held_mb, wall_s = map(float, sys.argv[1:4])
kept = bytearray(int(held_mb * 1e6))
for at in range(0, len(kept), 4096): kept[at] = 1
begin_s = time.monotonic()
while time.process_time() < cpu_s: pass
time.sleep(max(0, wall_s - (time.monotonic() - begin_s)))
"""
#: options of sbatch, and what the script runs; `burn` is CPU seconds, MB, wall seconds
JOBS = (
    (["--mem=400"], "{burn} 4 100 6"),
    (["--mem=400", "-c4"], "{burn} 2 50 5"),
    (["--mem=500", "-n3"], "srun {burn} 1 60 5"),
    (["--mem-per-cpu=200", "-n4", "-N2"], "srun {burn} 1 60 5"),
    (["-N3", "--ntasks-per-node=1", "--mem=300"], "srun {burn} 1 70 5"),
    (["--array=1-2", "--mem=300"], "{burn} $SLURM_ARRAY_TASK_ID 30 5"),
    (["--mem=300", "-t", "2"], "{burn} 2 30 5; exit 3"),
    (["--mem=300"], "sleep 6"),
    (["--mem=2G", "-n2"], "srun -n1 {burn} 1 150 5 & srun -n1 {burn} 1 50 5 & wait"),
)
COLUMNS = "JobID,State,ElapsedRaw,TimelimitRaw,AllocCPUS,TotalCPU,NTasks,MaxRSS,ReqMem"


def asked(*words: str | Path, **options: object) -> str:
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    return str(done.stdout)


def submitted(folder: Path) -> list[str]:
    """The ids of the jobs, once all have ended and their steps are on the books."""
    script = folder / "burn.py"
    script.write_text(BURN)
    ids: list[str] = []
    for options, line in JOBS:
        wrap = line.replace("{burn}", f"{PYTHON} {script}")
        words = ["sbatch", "--parsable", f"--output={folder}/slurm-%j.out", *options, f"--wrap={wrap}"]
        job = asked(*words, cwd=folder).strip()
        ids += [f"{job}_1", f"{job}_2"] if any(one.startswith("--array") for one in options) else [job]
    ends_s = time.monotonic() + 300
    while time.monotonic() < ends_s:
        states = asked("sacct", "-n", "-P", "--format=State", f"--jobs={','.join(ids)}").split()
        if len(states) > len(ids) and not {"RUNNING", "PENDING", "COMPLETING"} & set(states):
            break
        time.sleep(1)
    return ids


def by_formula(job: str) -> tuple[float, float, float]:
    """CPU, memory and time in shares of what was given, straight from sacct."""
    rows = [line.split("|") for line in asked("sacct", "-n", "-P", f"--format={COLUMNS}", "-j", job).splitlines()]
    (_, _, elapsed, limit, cpus, total, _, _, memory), *steps = rows
    held = max((_kib(step[7]) * int(step[6] or 1) for step in steps), default=0.0)
    elapsed_s = float(elapsed)
    return _span_s(total) / (elapsed_s * int(cpus)), held / _kib(memory), elapsed_s / (60 * float(limit))


def _kib(text: str) -> float:
    found = re.fullmatch(r"([\d.]+)([KMGT]?)", text)
    return float(found[1]) * 1024 ** "KMGT".index(found[2] or "K") if found else 0.0


def _span_s(text: str) -> float:
    days, _, clock = text.rpartition("-")
    parts = [float(part) for part in clock.split(":")]
    return int(days or 0) * 86400 + sum(part * 60**place for place, part in enumerate(reversed(parts)))


def by_us(job: str, folder: Path) -> tuple[float, float, float]:
    (summary,) = json.loads(asked(*ASSAY, "show", "--json", "--runs-dir", folder / "runs", job))
    return summary["cpu_eff"], summary["mem_eff"], summary["time_eff"]


def by_reportseff(ids: list[str], folder: Path) -> dict[str, list[float | None]]:
    """CPU, memory, time."""
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    subprocess.run([folder / "venv/bin/pip", "install", "-q", REPORTSEFF], check=True)
    words = ["--no-color", "--parsable", "--format=JobID,CPUEff,MemEff,TimeEff", *ids]
    lines = asked(folder / "venv/bin/reportseff", *words).splitlines()[1:]
    cells = [[cell.strip() for cell in line.split("|")] for line in lines if "|" in line]
    return {job: [_share(cell) for cell in shares[:3]] for job, *shares in cells}


def _share(cell: str) -> float | None:
    """`---` is none."""
    return float(cell.rstrip("%")) / 100 if cell[:1].isdigit() else None


def by_seff(job: str, seff: str) -> list[float]:
    """CPU, memory."""
    text = asked("perl", seff, job)
    return [float(found) / 100 for found in re.findall(r"(?:CPU|Memory) Efficiency: ([\d.]+)%", text)]


def apart(ours: float, theirs: float, step: float = 0.0) -> float:
    """Relative, beyond what the other's last digit hides."""
    return max(0.0, abs(ours - theirs) - step) / max(abs(theirs), 1e-9) if theirs > step else 0.0


def on_slurm(folder: Path) -> None:
    ids = submitted(folder)
    ours = {job: by_us(job, folder) for job in ids}
    exact = {job: by_formula(job) for job in ids}
    most = max(apart(a, b) for job in ids for a, b in zip(ours[job], exact[job], strict=True))
    row(f"{len(ids)} jobs, seff's formulas over sacct", f"at most {100 * most:.2f} % apart", most <= MOST_APART)
    # a second of CPU time, and the tenth of a per cent that is printed
    second = {job: exact[job][0] / max(_cpu_s(job), 1e-9) for job in ids}
    theirs = by_reportseff(ids, folder)
    gaps = [
        apart(a, b, second[job] if at == 0 else 0.0006)
        for job in ids
        for at, (a, b) in enumerate(zip(ours[job], theirs.get(job, []), strict=False))
        if b is not None
    ]
    row(f"{len(theirs)} jobs, reportseff", f"at most {100 * max(gaps):.2f} % apart", max(gaps) <= MOST_APART)
    seff = os.environ.get("SEFF")
    if seff:
        gaps = [
            apart(a, b, second[job] if at == 0 else 0.0001)
            for job in ids
            for at, (a, b) in enumerate(zip(ours[job], by_seff(job, seff), strict=False))
        ]
        row(f"{len(ids)} jobs, seff", f"at most {100 * max(gaps):.2f} % apart", max(gaps) <= MOST_APART)


def _cpu_s(job: str) -> float:
    return _span_s(asked("sacct", "-n", "-P", "-X", "--format=TotalCPU", "-j", job).strip())


def a_thousand(folder: Path) -> None:
    """Logs and one saved answer: read, then listed."""
    logs = folder / "logs"
    logs.mkdir()
    lines = ["JobID|State|Elapsed|Timelimit|AllocCPUS|TotalCPU|NNodes|NTasks|ReqMem|MaxRSS|ExitCode"]
    for job in range(1, JOBS_LISTED + 1):
        text = "".join(f"step {step} loss {1 / (step + job):.4f} samples/s 100.0\n" for step in range(1, 51))
        (logs / f"slurm-{job}.out").write_text(text)
        lines.append(f"{job}|COMPLETED|00:10:00|01:00:00|4|00:{job % 40:02d}:00|1||8G||0:0")
        lines.append(f"{job}.batch|COMPLETED|00:10:00||4|00:{job % 40:02d}:00|1|1||{1000000 + job}K|0:0")
    (logs / "sacct.txt").write_text("\n".join(lines) + "\n")
    options = {"stdout": subprocess.DEVNULL, "cwd": folder, "env": {**os.environ, "ASSAY_RUNS": str(folder / "many")}}
    read_s = seconds([*ASSAY, "ingest", logs], **options)
    list_s = min(seconds([*ASSAY, "ls"], **options) for _ in range(3))
    row(f"{JOBS_LISTED:,} jobs", f"read in {read_s:.1f} s, listed in {list_s:.2f} s", None)


def main() -> None:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(name)
        asking = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
        if shutil.which("sacct") and subprocess.run(["sacct", "-n", "-X"], **asking).returncode == 0:
            on_slurm(folder)
        else:
            print("no sacct that answers here: set SLURM_CONF to a Slurm with accounting")
        a_thousand(folder)


if __name__ == "__main__":
    main()
