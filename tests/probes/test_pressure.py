"""How long a run waited for a CPU, memory or a disk, by what the kernel counts for its control group."""

import os
from pathlib import Path

from assay.model.event import Sample
from assay.model.summary import Summary
from assay.probes.pressure import PressureProbe, group_folder
from assay.summary.machine import Machine
from assay.views.words import waits_words


def group(folder: Path, *, pids: list[int], **total_us: int) -> Path:
    """As the kernel shows one."""
    for kind, us in total_us.items():
        text = f"some avg10=1.00 avg60=0.50 avg300=0.10 total={us}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"
        (folder / f"{kind}.pressure").write_text(text)
    (folder / "cgroup.procs").write_text("\n".join(map(str, pids)))
    return folder


def test_only_what_was_waited_since_the_run_began_counts(tmp_path: Path) -> None:
    probe = PressureProbe(group(tmp_path, pids=[os.getpid()], cpu=5_000_000, memory=0, io=1_000_000), list)
    group(tmp_path, pids=[os.getpid()], cpu=7_500_000, memory=0, io=1_250_000)
    (sample,) = probe.sample()
    assert (sample.cpu_wait_s, sample.memory_wait_s, sample.io_wait_s) == (2.5, 0.0, 0.25)


def test_a_group_with_strangers_or_groups_in_it_says_nothing_of_the_run(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    (other / "inner").mkdir(parents=True)
    stranger = PressureProbe(group(one, pids=[os.getpid(), 2], cpu=1), list)
    assert stranger.sample() == []
    group(one, pids=[os.getpid()], cpu=2)
    assert stranger.sample() == []  # what it did meanwhile is in the count
    assert PressureProbe(group(other, pids=[os.getpid()], cpu=1), list).sample() == []


def test_a_kernel_that_does_not_count_waiting_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "cpu.pressure").write_text("")
    (tmp_path / "cgroup.procs").write_text("")
    assert PressureProbe(tmp_path, list).sample() == []
    assert group_folder(os.getpid(), root=tmp_path) is None


def test_the_share_of_the_time_that_was_spent_waiting_is_shown() -> None:
    machine = Machine()
    machine.add(Sample(source="probe:pressure", cpu_wait_s=2.5, memory_wait_s=0.02, io_wait_s=0.5))
    summary = machine.summary(10.0, [])
    assert (summary.cpu_wait_pct, summary.memory_wait_pct, summary.io_wait_pct) == (25.0, 0.2, 5.0)
    assert waits_words(summary) == "for a CPU 25 % of the time, for a disk 5 % of the time"
    assert waits_words(Summary()) is None
