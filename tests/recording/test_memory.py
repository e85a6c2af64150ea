"""The peak of a run is what its processes held at once: as the kernel knows it, with or without neighbours."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from conftest import PYTHON, Assay

MIB = 1 << 20
#: holds so many MiB, and prints the kernel's own word on its peak
HOLDS = """
import sys
block = bytearray(b'x') * (int(sys.argv[1]) << 20)
print(next(int(line.split()[1]) << 10 for line in open('/proc/self/status') if line.startswith('VmHWM')))
"""
#: for a moment between two looks
SPIKES = """
import mmap, time
time.sleep(0.3)
block = mmap.mmap(-1, 200 << 20)
for at in range(0, len(block), 4096): block[at] = 1
block.close()
time.sleep(0.3)
"""
FORKS = """
import os, sys, time
block = bytearray(b'x') * (int(sys.argv[1]) << 20)
for _ in range(4):
    if os.fork() == 0: time.sleep(1.5); os._exit(0)
for _ in range(4): os.wait()
"""


@contextmanager
def neighbours(count: int) -> Iterator[None]:
    """Unrelated processes of the same framework."""
    words = [PYTHON, "-c", "import numpy, sys\nprint('up', flush=True)\nsys.stdin.read()"]
    started = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(count)]
    try:
        for one in started:
            assert one.stdout
            assert one.stdout.readline() == b"up\n"
        yield
    finally:
        for one in started:
            one.communicate()


def peak_of(assay: Assay, *command: str) -> int:
    before = set(assay.run_dirs())
    assert assay("run", "-q", "--", *command).returncode == 0
    (made,) = set(assay.run_dirs()) - before
    (one,) = [run for run in assay.ls() if made.name.endswith(run["id"])]
    return int(one["memory_bytes_max"])


@pytest.mark.parametrize("mib", [30, 60, 300])
def test_the_peak_of_one_process_is_the_kernels(assay: Assay, mib: int) -> None:
    out = assay("run", "-q", "--", PYTHON, "-c", HOLDS, str(mib)).stdout
    assert assay.summary()["memory_bytes_max"] == pytest.approx(int(out), rel=0.02)


def test_what_is_held_between_two_looks_counts(assay: Assay) -> None:
    assert 200 * MIB < peak_of(assay, PYTHON, "-c", SPIKES) < 230 * MIB


def test_what_a_child_holds_between_two_looks_counts(assay: Assay) -> None:
    peak = peak_of(assay, "sh", "-c", '"$0" -c "$1"; true', PYTHON, SPIKES)
    assert 200 * MIB < peak < 230 * MIB


def test_what_forks_share_counts_once(assay: Assay) -> None:
    assert 120 * MIB < peak_of(assay, PYTHON, "-c", FORKS, "120") < 1.25 * 120 * MIB


def test_strangers_who_run_the_same_program_change_nothing(assay: Assay) -> None:
    one = "import numpy, os, time\nblock = numpy.ones(40 << 20, dtype=numpy.uint8)\ntime.sleep(0.4)"
    for program in (one, f"{one}\nif os.fork() == 0: time.sleep(1); os._exit(0)\nos.wait()"):
        alone = peak_of(assay, PYTHON, "-c", program)
        with neighbours(8):
            together = peak_of(assay, PYTHON, "-c", program)
        assert together == pytest.approx(alone, rel=0.02)


def test_several_programs_at_once_count_together(assay: Assay) -> None:
    script = "import sys, time\nblock = bytearray(b'x') * (int(sys.argv[1]) << 20)\ntime.sleep(2)"
    peak = peak_of(assay, "sh", "-c", '"$0" -c "$1" 60 & "$0" -c "$1" 80 & wait', PYTHON, script)
    assert 140 * MIB < peak < 180 * MIB


def test_every_view_shows_one_peak_and_no_mean(assay: Assay) -> None:
    said = assay("run", "--", PYTHON, "-c", HOLDS, "60").stderr.decode()
    line = next(line for line in said.splitlines() if line.startswith("  memory"))
    figure = " ".join(line.split()[1:4])
    assert figure.startswith("peak 6")
    assert "average" not in line
    assert figure in assay("show", "last").stdout.decode()
    assert "memory" in assay("ls").stdout.decode()


def test_what_a_process_held_before_we_came_is_not_counted(assay: Assay) -> None:
    script = "import sys\nblock = bytearray(b'x') * (200 << 20)\ndel block\nprint('up', flush=True)\nsys.stdin.read()"
    process = subprocess.Popen([PYTHON, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"up\n"
    try:
        assay("run", "-q", "--pid", str(process.pid), "--timeout", "1")
    finally:
        process.communicate()
    assert MIB < assay.summary()["memory_bytes_max"] < 100 * MIB


def test_a_short_program_has_its_peak_every_time(assay: Assay) -> None:
    """Also one that is smaller than the recorder, whose size a child that it forks begins with."""
    for mib in (1, 60):
        for _ in range(3):
            before = set(assay.run_dirs())
            out = assay("run", "-q", "--", PYTHON, "-S", "-c", HOLDS, str(mib)).stdout
            (made,) = set(assay.run_dirs()) - before
            summary = json.loads((made / "summary.json").read_text())
            # the kernel's two words on one peak differ by what its cores have not yet added up
            assert summary["rss_bytes_peak"] == pytest.approx(int(out), rel=0.02, abs=1 << 19)
            assert summary["memory_bytes_max"] == pytest.approx(int(out), rel=0.02, abs=1 << 19)
