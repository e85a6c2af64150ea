"""A stand-in for PBS: `qsub`, `qstat -x -f`, `qselect` and `qdel`, by the name it is called with; its state is in
$PBS_STANDIN.

OpenPBS is not in Debian, so it is not at hand. This follows the output that PBS Professional's guides publish, as far
as Assay reads it: ids like `12.standin`, output that is delivered when the job has ended,
`=>> PBS: job killed: walltime …`, exit status 256 + n for a signal, `Can Never Run` as the comment of a request that no
node meets. It has three nodes and runs that many jobs at once, each as a process of this host.
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
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,235}", given.get("N", "")):
        fail("qsub: illegal -N value", 2)
    with jobs() as table:
        limit = HOME / "limit"
        waiting = sum(job["state"] != "F" for job in table.values())
        if limit.exists() and waiting >= int(limit.read_text()):
            fail("qsub: would exceed queue workq's per-user limit of jobs in 'Q' state", 38)
        number = len(table) + 1
        job_id = f"{number}.standin"
        table[job_id] = {"given": given, "state": "Q", "env": dict(os.environ)}
    if not never(given["resources"].get("select", "1")):
        null = subprocess.DEVNULL
        subprocess.Popen([sys.executable, __file__, "execute", job_id], stdin=null, stdout=null, stderr=null,
                         start_new_session=True)  # fmt: skip
    print(job_id)


def qstat(words: list[str]) -> None:
    """By ids alone: what is asked without them is everyone's, and fails here."""
    available()
    if words == ["-B"]:
        print("Server  Max   Tot   Que   Run   Hld   Wat   Trn   Ext Status")
        return
    as_json = words[:4] == ["-x", "-f", "-F", "json"]
    ids = words[4:] if as_json else words[2:]
    assert ids and words[:2] == ["-x", "-f"] and not any(word.startswith("-") for word in ids), words
    with jobs() as table:
        found = {job_id: _facts(table[job_id]) for job_id in ids if job_id in table}
    with open(HOME / "questions", "a") as count:
        count.write(f"{len(ids)}\n")
    if not as_json:
        print("\n\n".join(_as_text(job_id, facts) for job_id, facts in found.items()))
    else:
        text = json.dumps({"timestamp": int(time.time()), "pbs_version": "2022.1.1", "Jobs": found}, indent=4)
        print(text.replace('"run_count": ', '"run_count":0') if (HOME / "bad-json").exists() else text)
    unknown = [job_id for job_id in ids if job_id not in found]
    if unknown:
        fail("\n".join(f"qstat: Unknown Job Id {job_id}" for job_id in unknown), 153)


def _facts(job: dict) -> dict:
    """As PBS Professional's guides show them."""
    given, state = job["given"], job["state"]
    asked = {"ncpus": 1, "nodect": 1, **given["resources"]}
    facts = {"Job_Name": given["N"], "Job_Owner": f"{getpass.getuser()}@standin", "job_state": state, "queue": "workq",
             "Rerunable": "True", "Resource_List": asked, "substate": 42}  # fmt: skip
    if "node" in job:
        facts["exec_host"] = f"{job['node']}/0*8"
        facts["exec_vnode"] = f"({job['node']}:ncpus=8)"
        facts["run_count"] = 1
        facts["comment"] = f"Job run at Tue Mar 12 at 13:04 on ({job['node']}:ncpus=8)"
        facts["resources_used"] = {"cpupercent": 0, "cput": "00:00:00", "mem": "1024kb", "walltime": job.get("took")}
    if "exit" in job:
        facts["Exit_status"] = job["exit"]
    why = never(given["resources"].get("select", "1"))
    return {**facts, "comment": why} if why and state == "Q" else facts


def _as_text(job_id: str, facts: dict) -> str:
    """A long value goes on in the next line, after a tab."""
    flat = {}
    for name, value in facts.items():
        inner = value.items() if isinstance(value, dict) else ()
        flat.update({f"{name}.{one}": what for one, what in inner} or {name: value})
    lines = [f"    {name} = {value}" for name, value in flat.items()]
    return f"Job Id: {job_id}\n" + "\n".join("\n\t".join(re.findall(".{1,78}", line)) for line in lines)


def never(select: str) -> str:
    """Why no node will do for it, as the scheduler writes it into the job's comment."""
    if "nowhere" in select:
        return "Can Never Run: Insufficient amount of server resource: eagle_fs (True != False)"
    count = int(re.match(r"\d+", select)[0])
    return f"Can Never Run: Not enough total nodes available ({count})" if count > NODES else ""


def qselect(words: list[str]) -> None:
    available()
    assert words[:2] == ["-x", "-N"] and len(words) == 3, words
    with jobs() as table:
        print("\n".join(job_id for job_id, job in table.items() if job["given"]["N"] == words[2]))


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
    begin_t = time.time()
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
    took = time.strftime("%H:%M:%S", time.gmtime(time.time() - begin_t))
    with jobs() as table:
        table[job_id].update(state="F", exit=code if code >= 0 else 256 - code, took=took)


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
    for name in ("qsub", "qstat", "qselect", "qdel"):
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec {sys.executable} {__file__} {name} "$@"\n')
        path.chmod(0o755)


if __name__ == "__main__":
    actions = {
        "qsub": qsub,
        "qstat": qstat,
        "qselect": qselect,
        "qdel": qdel,
        "execute": lambda words: execute(words[0]),
    }
    actions[sys.argv[1]](sys.argv[2:])
