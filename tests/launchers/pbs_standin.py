"""A stand-in for PBS: `qsub`, `qstat -x -f -F json` and `qdel`, by the name it is called with, state in $PBS_STANDIN.

It speaks as PBS Professional does, as far as Assay listens: ids like `12.standin`, output that is delivered when the
job has ended, `=>> PBS: job killed: walltime …`, exit status 256 + n for a signal, `Can Never Run` as the comment of a
request that no node meets. It has three nodes and runs that many jobs at once, each as a process of this host.
"""

from __future__ import annotations

import fcntl
import getpass
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

NODES = 3
HOME = Path(os.environ["PBS_STANDIN"])


@contextmanager
def jobs():
    """The table of jobs, for one process at a time."""
    HOME.mkdir(exist_ok=True)
    with open(HOME / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        path = HOME / "jobs.json"
        table = json.loads(path.read_text()) if path.exists() else {}
        before = json.dumps(table)
        yield table
        if json.dumps(table) != before:
            path.write_text(json.dumps(table))


def fail(message: str, code: int) -> None:
    print(message, file=sys.stderr)
    sys.exit(code)


def available() -> None:
    if (HOME / "down").exists():
        fail("Connection refused\nqsub: cannot connect to server standin (errno=15010)", 1)


def qsub(words: list[str]) -> None:
    available()
    given = {"resources": {}, "script": words[-1], "after": []}
    at = 0
    while at < len(words) - 1:
        word = words[at]
        if word == "-V":
            at += 1
            continue
        value = words[at + 1]
        if word == "-l":
            name, _, what = value.partition("=")
            given["resources"][name] = what
        elif word == "-W":
            given["after"] = value.partition("afterany:")[2].split(":")
        elif word in ("-N", "-o", "-j", "-r", "-q", "-A"):
            given[word[1]] = value
        else:
            fail(f"qsub: invalid option -- '{word}'", 2)
        at += 2
    if given.get("q", "workq") != "workq":
        fail("qsub: Unknown queue", 170)
    if len(given.get("N", "")) > 230:
        fail("qsub: illegal -N value", 2)
    with jobs() as table:
        number = len(table) + 1
        job_id = f"{number}.standin"
        table[job_id] = {"given": given, "state": "Q", "env": dict(os.environ)}
    if int(re.match(r"\d+", given["resources"].get("select", "1"))[0]) <= NODES:
        null = subprocess.DEVNULL
        subprocess.Popen([sys.executable, __file__, "execute", job_id], stdin=null, stdout=null, stderr=null,
                         start_new_session=True)  # fmt: skip
    print(job_id)


def qstat(words: list[str]) -> None:
    available()
    assert words == ["-x", "-f", "-F", "json"], words
    found = {}
    with jobs() as table:
        for job_id, job in table.items():
            select = job["given"]["resources"].get("select", "1")
            facts = {
                "Job_Name": job["given"]["N"],
                "Job_Owner": f"{getpass.getuser()}@standin",
                "job_state": job["state"],
                "run_count": 1,
                "Resource_List": job["given"]["resources"],
            }
            if job["state"] in ("R", "F") and "node" in job:
                facts["exec_host"] = f"{job['node']}/0"
            if "exit" in job:
                facts["Exit_status"] = job["exit"]
            if int(re.match(r"\d+", select)[0]) > NODES:
                facts["comment"] = f"Can Never Run: Not enough total nodes available ({select})"
            found[job_id] = facts
    with open(HOME / "questions", "a") as count:
        count.write("q\n")
    print(json.dumps({"timestamp": int(time.time()), "pbs_version": "standin", "Jobs": found}))


def qdel(words: list[str]) -> None:
    available()
    for job_id in words:
        with jobs() as table:
            job = table.get(job_id)
            if job is None:
                fail(f"qdel: Unknown Job Id {job_id}", 153)
            if job["state"] == "Q":
                job.update(state="F", exit=271)
            pid = job.get("pid") if job["state"] == "R" else None
        if pid:
            end(pid)


def end(pid: int) -> None:
    for number, wait_s in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 0.0)):
        try:
            os.killpg(pid, number)
            until_s = time.monotonic() + wait_s
            while time.monotonic() < until_s:
                os.killpg(pid, 0)
                time.sleep(0.05)
        except ProcessLookupError:
            return


def execute(job_id: str) -> None:
    """The mother superior of one job: waits for its turn, runs the script, delivers its output."""
    node = take(job_id)
    if node is None:
        return
    with jobs() as table:
        job = dict(table[job_id])
    given, held = job["given"], HOME / f"{job_id}.OU"
    nodefile = HOME / f"{job_id}.nodes"
    nodefile.write_text(f"{node}\n")
    environment = {**job["env"], "PBS_JOBID": job_id, "PBS_NODEFILE": str(nodefile), "PBS_ENVIRONMENT": "PBS_BATCH"}
    with open(held, "wb") as output:
        process = subprocess.Popen(["bash", given["script"]], stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=output, env=environment, cwd=HOME, start_new_session=True)  # fmt: skip
        with jobs() as table:
            table[job_id]["pid"] = process.pid
        limit = given["resources"].get("walltime")
        limit_s = None if limit is None else sum(60**i * int(n) for i, n in enumerate(reversed(limit.split(":"))))
        try:
            code = process.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            output.write(f"=>> PBS: job killed: walltime {limit_s + 1} exceeded limit {limit_s}\n".encode())
            output.flush()
            end(process.pid)
            code = process.wait()
    Path(given["o"]).write_bytes(held.read_bytes())
    with jobs() as table:
        table[job_id].update(state="F", exit=code if code >= 0 else 256 - code)


def take(job_id: str) -> str | None:
    while True:
        with jobs() as table:
            if table[job_id]["state"] != "Q":
                return None
            busy = {job.get("node") for job in table.values() if job["state"] == "R"}
            free = [f"s{index + 1}" for index in range(NODES) if f"s{index + 1}" not in busy]
            waits = any(table[other]["state"] != "F" for other in table[job_id]["given"]["after"] if other in table)
            if free and not waits:
                table[job_id].update(state="R", node=free[0])
                return free[0]
        time.sleep(0.05)


def install(folder: Path) -> None:
    """The three commands in a folder for PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("qsub", "qstat", "qdel"):
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec {sys.executable} {__file__} {name} "$@"\n')
        path.chmod(0o755)


if __name__ == "__main__":
    actions = {"qsub": qsub, "qstat": qstat, "qdel": qdel, "execute": lambda words: execute(words[0])}
    actions[sys.argv[1]](sys.argv[2:])
