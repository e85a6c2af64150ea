"""Checkpoints are whole or not there, checked when read, and hold nothing that runs."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
import torch

from assay_workloads import checkpoint
from assay_workloads.checkpoint import Checkpoints, found, read, resume, write
from assay_workloads.failure import BadSetting, Failure

TENSORS = {
    "model.weight": torch.arange(12, dtype=torch.float32).reshape(3, 4) / 7,
    "half": torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
    "random": torch.get_rng_state(),
    "step": torch.tensor(7),
    "none": torch.empty(0, 3),
    "flags": torch.tensor([True, False]),
}
SETTINGS = {"batch_size": 8, "lr": 0.05}


def kept(folder: Path, steps: int = 1, keep: int = 2) -> Checkpoints:
    checkpoints = Checkpoints(folder, keep=keep, settings=SETTINGS)
    for step in range(1, steps + 1):
        checkpoints.save(step, TENSORS, {"accuracy": 0.5})
    checkpoints.wait()
    return checkpoints


def test_what_is_written_is_read_back_bit_by_bit(tmp_path: Path) -> None:
    kept(tmp_path)
    loaded = resume(str(tmp_path), "", SETTINGS)
    assert (loaded.step, loaded.values) == (1, {"accuracy": 0.5})
    assert set(loaded.tensors) == set(TENSORS)
    for name, tensor in TENSORS.items():
        assert loaded.tensors[name].dtype == tensor.dtype and torch.equal(loaded.tensors[name], tensor)


def test_the_file_is_a_safetensors_file(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.torch")
    kept(tmp_path)
    others = safetensors.load_file(found(tmp_path / "checkpoints")[0])
    assert torch.equal(others["model.weight"], TENSORS["model.weight"])


def test_training_goes_on_while_it_is_written(tmp_path: Path) -> None:
    weight = torch.zeros(1000)
    checkpoints = Checkpoints(tmp_path, keep=1, settings=SETTINGS)
    checkpoints.save(1, {"weight": weight}, {})
    weight += 1  # the next update must not reach into the file
    checkpoints.wait()
    assert not read(found(tmp_path / "checkpoints")[0]).tensors["weight"].any()


def test_only_the_last_are_kept(tmp_path: Path) -> None:
    kept(tmp_path, steps=12, keep=3)
    assert [path.name[11:19] for path in found(tmp_path / "checkpoints")] == ["00000010", "00000011", "00000012"]


@pytest.mark.parametrize("where", [0, 9, 60, 700, -1])
def test_one_changed_bit_is_noticed_and_the_one_before_is_taken(
    tmp_path: Path, where: int, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(tmp_path, steps=2)
    newest = found(tmp_path / "checkpoints")[-1]
    content = bytearray(newest.read_bytes())
    content[where] ^= 4
    newest.write_bytes(content)
    with pytest.raises(Failure, match="damaged"):
        read(newest)
    assert resume(str(tmp_path), "", SETTINGS).step == 1
    assert "using the one before" in capsys.readouterr().err


@pytest.mark.parametrize("length", [0, 5, 8, 100, 1500])
def test_a_file_cut_short_is_refused(tmp_path: Path, length: int) -> None:
    kept(tmp_path)
    (only,) = found(tmp_path / "checkpoints")
    only.write_bytes(only.read_bytes()[:length])
    with pytest.raises(Failure, match="damaged or cut short"):
        resume(str(tmp_path), "", SETTINGS)


def test_a_pickle_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint-00000001.safetensors"
    torch.save({"a": 1}, path)
    with pytest.raises(Failure, match="damaged"):
        read(path)


def test_other_settings_are_refused_with_the_difference(tmp_path: Path) -> None:
    kept(tmp_path)
    with pytest.raises(BadSetting) as refused:
        resume(str(tmp_path), "", {"batch_size": 16, "lr": 0.05, "seed": 1})
    assert refused.value.hint == "batch_size: `8` then, `16` now; seed: `None` then, `1` now"


def test_what_a_killed_run_left_half_written_is_removed(tmp_path: Path) -> None:
    kept(tmp_path)
    gone = tmp_path / "checkpoints" / ".checkpoint-00000002.safetensors.999999999"
    gone.write_bytes(b"half")
    ours = gone.with_name(f".checkpoint-00000002.safetensors.{os.getpid()}")
    ours.write_bytes(b"being written")
    found(tmp_path / "checkpoints")
    assert (gone.exists(), ours.exists()) == (False, True)


def test_a_state_that_is_not_finite_is_never_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkpoints = kept(tmp_path)
    checkpoints.save(2, {"weight": torch.tensor([1.0, float("nan")])}, {})
    checkpoints.wait()
    assert [path.name for path in found(tmp_path / "checkpoints")] == ["checkpoint-00000001.safetensors"]
    assert "`weight` contains a value that is not finite" in capsys.readouterr().err


def test_no_space_is_a_warning_and_leaves_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file that it writes first is made to lie on a device that is always full."""
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    (folder / f".checkpoint-00000001.safetensors.{os.getpid()}").symlink_to("/dev/full")
    kept(tmp_path)
    assert os.strerror(errno.ENOSPC) in capsys.readouterr().err
    assert os.listdir(folder) == []


def test_writing_is_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint-00000001.safetensors"
    with pytest.raises(KeyError):
        write(path, {"odd": torch.zeros(2, dtype=torch.complex64)}, {"step": 1})
    assert not list(tmp_path.iterdir())
    assert checkpoint.found(tmp_path / "nowhere") == []


def test_a_new_run_in_a_used_folder_keeps_its_own_checkpoints_and_the_earlier_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(tmp_path, steps=9)
    later = kept(tmp_path, steps=3)
    assert [path.name[-14:-12] for path in found(tmp_path / "checkpoints")] == ["02", "03"]
    assert later.last == tmp_path / "checkpoints/checkpoint-00000003.safetensors"
    assert resume(str(tmp_path), "", SETTINGS).step == 3
    assert [read(path).step for path in found(tmp_path / "checkpoints-before-1")] == [8, 9]
    assert capsys.readouterr().err.count("of an earlier run") == 1


def test_a_run_that_goes_on_leaves_what_it_came_from_in_its_place(tmp_path: Path) -> None:
    kept(tmp_path, steps=2)
    going_on = Checkpoints(tmp_path, keep=9, settings=SETTINGS)
    going_on.last = resume(str(tmp_path), "", SETTINGS).path
    going_on.save(3, TENSORS, {})
    going_on.wait()
    assert [read(path).step for path in found(tmp_path / "checkpoints")] == [1, 2, 3]
