"""The peak that the kernel counted for a control group, less what is not the command's."""

import os
import subprocess
from pathlib import Path

import pytest

from assay.probes.cgroup import Cgroup
from assay.probes.held import size

MIB = 1 << 20


def group(folder: Path, *, peak: int, cache: int, pids: list[int]) -> Cgroup:
    """As the kernel shows one, in its second version."""
    (folder / "memory.peak").write_text(f"{peak}\n")
    (folder / "memory.stat").write_text(f"anon 1\nfile {cache}\nfile_mapped {MIB}\nkernel {2 * MIB}\n")
    (folder / "cgroup.procs").write_text("\n".join(map(str, pids)))
    return Cgroup(folder, "memory.peak", "file", "file_mapped")


def test_the_cache_of_files_and_the_recorder_are_taken_off(tmp_path: Path) -> None:
    own = size(os.getpid())
    assert own is not None
    one = group(tmp_path, peak=900 * MIB, cache=300 * MIB, pids=[os.getpid()])
    held = one.reached([])
    assert held is not None
    assert abs(held - (900 - 299 - 2) * MIB + own.rss_bytes) < 5 * MIB


def test_what_was_reached_before_or_is_counted_already_does_not_count(tmp_path: Path) -> None:
    one = group(tmp_path, peak=900 * MIB, cache=0, pids=[os.getpid()])
    one.seen_bytes = 900 * MIB
    assert one.reached([]) is None
    (tmp_path / "memory.peak").write_text(f"{950 * MIB}\n")
    assert one.reached([]) is not None and one.reached([]) is None


def test_a_control_group_with_strangers_or_groups_in_it_is_not_used(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as mine:
        one = group(tmp_path, peak=900 * MIB, cache=0, pids=[mine.pid])
        assert one.reached([mine.pid]) is not None
        mine.kill()
    assert group(tmp_path, peak=900 * MIB, cache=0, pids=[1, 2]).reached([]) is None
    (tmp_path / "inner").mkdir()
    assert group(tmp_path, peak=900 * MIB, cache=0, pids=[]).reached([]) is None


@pytest.mark.parametrize("missing", ["memory.peak", "memory.stat"])
def test_a_kernel_that_does_not_count_is_no_trouble(tmp_path: Path, missing: str) -> None:
    one = group(tmp_path, peak=900 * MIB, cache=0, pids=[])
    (tmp_path / missing).unlink()
    assert one.reached([]) is None
