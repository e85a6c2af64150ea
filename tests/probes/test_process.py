"""CPU, memory and disk of a tree: nothing missed, nothing counted twice; the same behind psutil."""

import os
import subprocess
import time
from collections.abc import Callable

import pytest
from conftest import PYTHON, Assay, wait_for

from assay.model.event import Event, Sample
from assay.probes import TreeProbe
from assay.probes.held import held, size
from assay.probes.memory import MemoryProbe
from assay.probes.process import ProcessProbe
from assay.probes.process_psutil import PsutilProbe
from assay.probes.tree import alive, birth, children, descendants

FORKS = """
import os, sys
for _ in range({}):
    if os.fork() == 0: sys.stdin.read(); os._exit(0)
print('up', flush=True)
sys.stdin.read()
"""
BURN = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass\n"


@pytest.fixture
def waiting():
    """Starts programs that print `up`, then wait for their input to close."""
    started: list[subprocess.Popen[bytes]] = []

    def start(script: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([PYTHON, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout
        assert process.stdout.readline() == b"up\n"
        return process

    yield start
    for process in started:
        assert process.stdin and process.stdout
        process.stdin.close()
        process.wait(60)
        process.stdout.close()


Starter = Callable[[str], subprocess.Popen[bytes]]


@pytest.mark.slow
def test_children_between_two_looks_are_counted_in_full(assay: Assay) -> None:
    one = f"subprocess.run([sys.executable, '-S', '-c', {BURN.format(0.04)!r}])"
    assay("run", "-q", "--interval", "5", "--", PYTHON, "-c", f"import subprocess, sys\nfor _ in range(10): {one}")
    assert assay.summary()["cpu_s"] >= 0.4


@pytest.mark.parametrize("kind", [ProcessProbe, PsutilProbe])
def test_a_tree_is_seen_whole(waiting: Starter, kind: type[TreeProbe]) -> None:
    process = waiting(FORKS.format(3))
    probe = kind(lambda: [process.pid], time.monotonic())  # type: ignore[call-arg]
    wait_for(lambda: len(descendants([process.pid])) == 4, "the forks")
    (sample,) = probe.sample()
    assert sample.processes == 4
    assert sample.threads == 4
    assert sample.rss_bytes > 4 << 20
    assert sorted(probe.pids()) == sorted(descendants([process.pid]))


@pytest.mark.parametrize("kind", [ProcessProbe, PsutilProbe])
def test_cpu_time_and_rate_are_those_of_the_tree(waiting: Starter, kind: type[TreeProbe]) -> None:
    process = waiting(BURN.format(0.3) + "print('up', flush=True)\nimport sys; sys.stdin.read()")
    probe = kind(lambda: [process.pid], time.monotonic() - 1.0)  # type: ignore[call-arg]
    (sample,) = probe.sample()
    assert 0.29 <= sample.cpu_s < 1.0
    assert 20 < sample.cpu_pct < 100


def test_cpu_time_that_no_one_asked_for_is_kept(waiting: Starter) -> None:
    script = """
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children vanish without anyone waiting for them
if os.fork() == 0:
    import time
    while time.process_time() < 0.3: pass
    print('up', flush=True)
    sys.stdin.readline()
    os._exit(0)
listed = f'/proc/self/task/{os.getpid()}/children'
while open(listed).read(): os.sched_yield()
sys.stdin.read()
"""
    process = waiting(script)
    probe = ProcessProbe(lambda: [process.pid], time.monotonic())
    before = probe.sample()[0].cpu_s
    assert before >= 0.3
    assert process.stdin
    process.stdin.write(b"\n")
    process.stdin.flush()
    wait_for(lambda: len(descendants([process.pid])) == 1, "the child to vanish")
    assert probe.sample()[0].cpu_s >= before
    assert probe.totals()["cpu_unclaimed_s"] >= 0.25


def test_memory_that_forks_share_is_counted_once(waiting: Starter) -> None:
    process = waiting("block = bytearray(b'x') * (64 << 20)" + FORKS.format(4))
    wait_for(lambda: len(descendants([process.pid])) == 5, "the forks")
    probe = ProcessProbe(lambda: [process.pid], time.monotonic())
    probe.sample()
    memory = MemoryProbe(probe.pids, lambda: probe.rss_bytes)
    (sample,) = memory.sample()
    assert probe.rss_bytes > 5 * (64 << 20)
    assert 64 << 20 < sample.pss_bytes < 1.5 * (64 << 20)
    assert 64 << 20 < sample.memory_bytes < 1.5 * (64 << 20)


def test_looking_at_memory_stays_within_its_budget(waiting: Starter) -> None:
    process = waiting("import sys\nblock = bytearray(b'x') * (200 << 20)\nprint('up', flush=True)\nsys.stdin.read()")
    memory = MemoryProbe(lambda: [process.pid], lambda: 1 << 20)
    samples = [one for _ in range(10000) for one in memory.sample()]
    looks = sum(one.pss_bytes is not None for one in samples)
    assert 1 <= looks < 1000  # the first ones are on credit; then each has to be paid for
    assert samples[-1].memory_bytes > 200 << 20  # what is resident costs next to nothing to ask


def test_bytes_read_and_written_are_counted(assay: Assay) -> None:
    script = "import os\nfd = os.open('f', os.O_WRONLY | os.O_CREAT)\nos.write(fd, b'x' * (4 << 20)); os.fsync(fd)"
    assay("run", "-q", "--", PYTHON, "-c", script)
    assert assay.summary()["write_bytes"] >= 4 << 20


def test_a_process_is_known_by_its_birth_not_its_number() -> None:
    me = os.getpid()
    assert alive(me)
    assert birth(me) == birth(me)
    child = subprocess.Popen(["true"])
    child.wait()
    assert birth(child.pid) is None
    assert not alive(child.pid)
    assert held(child.pid) is None
    assert size(child.pid) is None


def test_children_started_by_any_thread_are_found() -> None:
    import threading

    started: list[subprocess.Popen[bytes]] = []
    release = threading.Event()

    def work() -> None:
        started.append(subprocess.Popen(["cat"], stdin=subprocess.PIPE))
        release.wait()  # while this thread lives, the child is listed under it

    thread = threading.Thread(target=work)
    thread.start()
    wait_for(lambda: started, "the thread")
    try:
        assert started[0].pid in children(os.getpid())
    finally:
        release.set()
        thread.join()
        assert started[0].stdin
        started[0].stdin.close()
        started[0].wait()


def test_a_large_tree_is_looked_at_less_often() -> None:
    from assay.recording.watch import Sampler

    class Slow:
        name = "slow"
        looks = 0

        def sample(self) -> list[Sample]:
            self.looks += 1
            end = time.thread_time() + 0.02
            while time.thread_time() < end:
                pass
            return []

    probe, begin_s = Slow(), time.monotonic()
    sampler = Sampler([probe], 0.01, begin_s, lambda *_: None)
    sampler.start()
    wait_for(lambda: probe.looks >= 3, "three looks")
    sampler.finish()
    assert time.monotonic() - begin_s > 2 * 0.02 / 0.05  # twenty milliseconds of work buy four hundred of rest


def test_a_probe_that_breaks_costs_only_its_own_samples() -> None:
    from assay.recording.watch import Sampler

    class Broken:
        name = "broken"

        def sample(self) -> list[Sample]:
            raise RuntimeError("no such sensor")

    class Good:
        name = "good"

        def sample(self) -> list[Sample]:
            return [Sample(cpu_s=1)]

    seen: list[tuple[str, Event]] = []
    sampler = Sampler([Broken(), Good()], 0.01, time.monotonic(), lambda name, late, event: seen.append((name, event)))
    sampler.look()
    sampler.look()
    assert [name for name, _ in seen] == ["broken", "good", "good"]
    assert "no such sensor" in str(seen[0][1].value("problem"))


class Sleepy:
    """A probe that takes its time, and not always the same."""

    name = "sleepy"

    def __init__(self) -> None:
        self.looks = 0

    def sample(self) -> list[Sample]:
        self.looks += 1
        time.sleep(0.004 * (self.looks % 5))
        return [Sample(cpu_s=self.looks)]


def test_the_schedule_does_not_drift_however_long_a_look_takes() -> None:
    from assay.recording.watch import Sampler

    begin_s, seen = time.monotonic(), []
    sampler = Sampler([Sleepy()], 0.02, begin_s, lambda name, late_s, event: seen.append((time.monotonic(), late_s)))
    original = sampler.look

    def look(late_s: float = 0.0) -> None:
        starts.append((time.monotonic(), late_s))
        original(late_s)

    starts: list[tuple[float, float]] = []
    sampler.look = look  # type: ignore[method-assign]
    sampler.start()
    wait_for(lambda: len(starts) >= 20, "twenty looks")
    sampler.finish()
    for at_s, late_s in starts:
        ticks = (at_s - late_s - begin_s) / 0.02
        assert abs(ticks - round(ticks)) < 0.1  # each was due at a whole number of intervals from the beginning


def test_a_sample_knows_how_late_it_was() -> None:
    from assay.recording.watch import Sampler

    late: list[float] = []
    sampler = Sampler([Sleepy()], 1.0, time.monotonic() - 1.5, lambda name, late_s, event: late.append(late_s))
    sampler.start()
    wait_for(lambda: late, "a look")
    sampler.finish()
    assert 0.5 <= late[0] < 1.0
