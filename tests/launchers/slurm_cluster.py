"""A real Slurm of three nodes on this host, for tests: controller, three node daemons and munge, on loopback only.

Everything it needs lies in one folder, and nothing of it outlives `stop`. Its ports and the numbers of its jobs (whose
meeting points are ports, too) are those of a slot that no other test process of this host holds. It is installed with
apt where it is missing and we are root; where it cannot be had, `unavailable()` says why.
"""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

NODES = ("n1", "n2", "n3")
_PACKAGES = ["slurm-wlm", "munge"]
#: below 20000, where the meeting points of jobs begin; one slot has ten ports and a thousand jobs
_FIRST_PORT, _SLOT_PORTS, _SLOT_JOBS, _SLOTS = 19000, 10, 1000, 19
_PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "squeue", "scancel")


def unavailable() -> str | None:
    """Why there is no Slurm here; None where there is, perhaps by now."""
    if not _missing():
        return None
    if os.getuid() != 0 or not shutil.which("apt-get"):
        return f"no {_missing()[0]} here, and it can only be installed by root with apt-get"
    lock = Path("/tmp/assay-test-slurm.lock")
    with open(lock, "w") as file:  # several test processes ask at once
        fcntl.flock(file, fcntl.LOCK_EX)
        if not _missing():
            return None
        options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "check": False}
        done = subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", *_PACKAGES], **options)
        if done.returncode != 0:
            subprocess.run(["apt-get", "update", "-qq"], **options)
            done = subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", *_PACKAGES], **options)
    return None if done.returncode == 0 else f"Slurm cannot be installed: {done.stderr.decode()[-200:]}"


def _missing() -> list[str]:
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return [name for name in _PROGRAMS if not shutil.which(name, path=path)]


@contextlib.contextmanager
def free_slot() -> Iterator[int]:
    """A number that is ours alone, over all checkouts and users; the kernel gives it back however we end."""
    for slot in range(_SLOTS):
        file = _lock(slot)
        if file is not None:
            with file:
                yield slot
            return
    raise AssertionError(f"all {_SLOTS} slots for a Slurm are taken: /tmp/assay-test-slurm-*.lock")


def _lock(slot: int) -> IO[str] | None:
    """Held while the file is open; None where another has it, or where what a killed test left still listens."""
    try:
        file = open(f"/tmp/assay-test-slurm-{slot}.lock", "a")  # noqa: SIM115
    except OSError:  # another user's
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for port in _ports(slot):
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
    except OSError:
        file.close()
        return None
    return file


def _ports(slot: int) -> list[int]:
    """The controller's, and one for each node."""
    first = _FIRST_PORT + _SLOT_PORTS * slot
    return list(range(first, first + 1 + len(NODES)))


@dataclass
class Cluster:
    """One private Slurm. `env` is what its commands need to find it."""

    folder: Path
    slot: int
    lines: tuple[str, ...] = ()  # more for slurm.conf
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.env = {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}

    def start(self) -> None:
        for name in ("state", "log", "run", *(f"spool/{node}" for node in NODES)):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "slurm.conf").write_text(self._config())
        (self.folder / "gres.conf").write_text("AutoDetect=off\nName=ipu Count=4\nName=rdu Count=8\n")
        self._start_munge()
        self.start_controller()
        for node in NODES:
            self.start_node(node)
        self.wait_until_idle()

    def wait_until_idle(self) -> None:
        ends_s = time.monotonic() + 30
        while time.monotonic() < ends_s:
            done = self.ask("sinfo", "-h", "-N", "-o", "%T")
            states = done.stdout.split()  # once for each partition
            if len(states) >= len(NODES) and set(states) == {"idle"}:
                return
            time.sleep(0.05)
        logs = "\n".join(path.read_text(errors="replace")[-2000:] for path in (self.folder / "log").iterdir())
        raise AssertionError(f"slurm did not come up:\n{logs}")

    def ask(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **self.env}
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=60)

    def start_controller(self) -> None:
        self._daemon("slurmctld")

    def stop_controller(self) -> None:
        self._end("slurmctld")

    def start_node(self, node: str) -> None:
        self._daemon("slurmd", "-N", node)

    def kill_node(self, node: str) -> None:
        """As when a node loses its power: its daemon and all that it runs are gone without a word."""
        pid = self._pid(f"slurmd-{node}")
        self._signal(pid, signal.SIGKILL)
        mark = f"SLURMD_NODENAME={node}".encode()
        while inside := [one for one in self._ours() if mark in _read(f"/proc/{one}/environ").split(b"\0")]:
            parents = {_parent(one) for one in inside}  # and once more: what was forked meanwhile has no power either
            for one in [*(one for one in parents if b"slurmstepd" in _read(f"/proc/{one}/cmdline")), *inside]:
                self._signal(one, signal.SIGKILL)
        # what the controller would find out by itself after half a minute of silence
        self.ask("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=lost")

    def bring_back(self, node: str) -> None:
        self.start_node(node)
        self.ask("scontrol", "update", f"NodeName={node}", "State=RESUME")

    def stop(self) -> None:
        self.ask("scancel", "-Q", "-u", getpass.getuser(), "--full")
        ends_s = time.monotonic() + 10
        while self.ask("squeue", "-h").stdout.strip() and time.monotonic() < ends_s:
            time.sleep(0.1)
        for node in NODES:
            self._end(f"slurmd-{node}")
        self._end("slurmctld")
        self._end("munged")
        for pid in self._ours():
            self._signal(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        run = self.folder / "run"
        self._daemon(
            "munged", "--force", f"--key-file={key}", f"--socket={run}/munge.sock", f"--pid-file={run}/munged.pid",
            f"--log-file={self.folder}/log/munged.log", f"--seed-file={self.folder}/munge.seed",
        )  # fmt: skip

    def _daemon(self, *words: str) -> None:
        environment = {**os.environ, **self.env}
        null = subprocess.DEVNULL
        subprocess.run(words, env=environment, stdin=null, stdout=null, stderr=null, check=True, timeout=30)

    def _pid(self, name: str) -> int | None:
        try:
            return int((self.folder / "run" / f"{name}.pid").read_text())
        except (OSError, ValueError):
            return None

    def _end(self, name: str) -> None:
        pid = self._pid(name)
        self._signal(pid, signal.SIGTERM)
        ends_s = time.monotonic() + 10
        while pid and _alive(pid) and time.monotonic() < ends_s:
            time.sleep(0.02)
        self._signal(pid, signal.SIGKILL)

    def _signal(self, pid: int | None, number: int) -> None:
        """Only to what belongs to this cluster: a process id may be another's by now."""
        if pid and str(self.folder).encode() in _read(f"/proc/{pid}/environ") + _read(f"/proc/{pid}/cmdline"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _ours(self) -> list[int]:
        mark = f"SLURM_CONF={self.env['SLURM_CONF']}".encode()
        pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        inside = (b"SLURM_JOB_ID=", b"SLURMD_NODENAME=")
        found = []
        for pid in pids:
            environ = _read(f"/proc/{pid}/environ")
            if mark in environ.split(b"\0") and (
                any(one in environ for one in inside) or b"slurmstepd" in _read(f"/proc/{pid}/cmdline")
            ):
                found.append(pid)
        return found

    def _config(self) -> str:
        host, user, place = socket.gethostname().split(".")[0], getpass.getuser(), self.folder
        port, *node_ports = _ports(self.slot)
        nodes = "\n".join(
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={node_port} CPUs=8 Boards=1"
            f" SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=4000 Gres=ipu:4,rdu:8 State=UNKNOWN"
            for node, node_port in zip(NODES, node_ports, strict=True)
        )
        return f"""\
ClusterName=assay
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
FirstJobId={_SLOT_JOBS * (self.slot + 1)}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={place}/run/munge.sock
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool/%n
SlurmctldPidFile={place}/run/slurmctld.pid
SlurmdPidFile={place}/run/slurmd-%n.pid
SlurmctldLogFile={place}/log/slurmctld.log
SlurmdLogFile={place}/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
PropagateResourceLimits=NONE
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=200
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,sched_min_interval=0,batch_sched_delay=0
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
JobCompType=jobcomp/none
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=300
KillWait=2
SlurmctldTimeout=30
SlurmdTimeout=5
TCPTimeout=2
GresTypes=ipu,rdu
{nodes}
PartitionName=main Nodes=n[1-3] Default=YES DefaultTime=10 MaxTime=60 State=UP
{chr(10).join(self.lines)}
"""


def _alive(pid: int) -> bool:
    return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[:1] not in ([], [b"Z"])


def _parent(pid: int) -> int:
    return int((_read(f"/proc/{pid}/stat").rpartition(b")")[2].split() or [b"0", b"0"])[1])


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""
