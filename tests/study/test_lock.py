"""One process drives a study at a time, also where the file system has no locks."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.study.lock import holder, only_driver
from assay.study.lockfile import Held, holder_of, only_one


@pytest.fixture(params=[errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, None], ids=str)
def locks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """File systems that refuse to lock, in each of their words, and one that does lock."""

    def refuse(fd: int, kind: int) -> None:
        raise OSError(request.param, os.strerror(request.param))

    if request.param is not None:
        monkeypatch.setattr(fcntl, "flock", refuse)


@contextmanager
def another(runs: Path) -> Iterator[int]:
    """A process that drives the study until it is killed."""
    ready, says = os.pipe()
    pid = os.fork()
    if pid == 0:
        with only_driver(runs, "s"):
            os.write(says, b"x")
            signal.pause()
    os.close(says)
    assert os.read(ready, 1) == b"x"
    os.close(ready)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_a_second_driver_is_refused_and_one_after_a_killed_driver_is_not(locks: None, tmp_path: Path) -> None:
    with another(tmp_path) as pid:
        says = f"being run already, by process {pid} on {socket.gethostname()}"
        with pytest.raises(AssayError, match=says), only_driver(tmp_path, "s"):
            pass
        assert holder(tmp_path, "s") == (socket.gethostname(), pid)
        with only_driver(tmp_path, "another study"):
            pass
    assert holder(tmp_path, "s") is None
    with only_driver(tmp_path, "s"):
        assert holder(tmp_path, "s") == (socket.gethostname(), os.getpid())
    assert holder(tmp_path, "s") is None


def written(path: Path, host: str, age_s: float) -> None:
    """As a driver elsewhere left it: its beat is so old, by a clock that is as wrong as the age says."""
    then_t = time.time() - age_s
    path.write_text(f"{host} 77 another-boot 5.0 {then_t:.3f}\n")
    os.utime(path, (then_t, then_t))


@pytest.mark.parametrize("age_s", [0, 90, 300, -70])
def test_a_driver_elsewhere_lives_whatever_clocks_and_caches_do_to_its_beat(tmp_path: Path, age_s: float) -> None:
    path = tmp_path / "lock"
    written(path, "elsewhere", age_s)
    with pytest.raises(Held) as refused, only_one(path):
        pass
    assert (refused.value.holder.host, refused.value.holder.pid) == ("elsewhere", 77)
    assert path.exists()


def test_a_driver_elsewhere_without_a_beat_for_long_is_dead(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    written(path, "elsewhere", 1200)
    with only_one(path):
        found = holder_of(path)
        assert found is not None and found.pid == os.getpid()
        with pytest.raises(Held), only_one(path):
            pass
    assert os.listdir(tmp_path) == []


def test_an_empty_lock_is_being_written_and_counts(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    with pytest.raises(Held), only_one(tmp_path / "lock"):
        pass
