"""A training that was killed goes on as if it had not been, and says no where it cannot."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from running import SMALL, environment, workload

from assay_workloads.checkpoint import found, read
from assay_workloads.failure import Failure
from assay_workloads.loop import Training
from assay_workloads.parallel import World
from assay_workloads.plan import Plan
from assay_workloads.settings import Common


@pytest.mark.parametrize("engine", ["auto", "off"])
def test_a_run_that_was_killed_and_resumed_ends_in_the_very_same_state(tmp_path: Path, engine: str) -> None:
    updates = 800 if engine == "auto" else 60
    words = ["mnist", tmp_path, "4", "1", "data=synthetic", "train_samples=4000", "epochs=99", "device_iterations=10"]
    words += [f"max_steps={updates}", "checkpoint_every=37", "threads=1", f"compile={engine}"]
    script = Path(__file__).with_name("killing.py")
    done = subprocess.run(
        [sys.executable, script, *map(str, words)], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert len(report["resumed"]) == 4
    assert all(outcome == report["whole"] for outcome in report["resumed"])


def test_a_finished_run_says_so(tmp_path: Path) -> None:
    first = workload("mnist", *SMALL, "checkpoint_every=100", "--out", tmp_path)
    again = workload("mnist", *SMALL, "checkpoint_every=100", "--out", tmp_path, "--resume")
    assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
    assert "finished already at step 400: loss" in again.stdout
    assert "result:" not in again.stdout


def test_other_settings_are_refused_with_the_difference(tmp_path: Path) -> None:
    workload("mnist", *SMALL, "max_steps=20", "checkpoint_every=10", "--out", tmp_path)
    done = workload("mnist", *SMALL, "max_steps=20", "checkpoint_every=10", "lr=0.1", "--out", tmp_path, "--resume")
    assert done.returncode == 2
    assert "lr: `0.05` then, `0.1` now" in done.stderr
    assert "error: " in done.stderr and "Traceback" not in done.stderr


def test_a_loss_that_is_no_number_stops_the_run_at_its_step_and_keeps_the_last_good_checkpoint(tmp_path: Path) -> None:
    words = [*SMALL, "max_steps=30", "checkpoint_every=10", "--out", tmp_path]
    assert workload("mnist", *words).returncode == 0
    (tmp_path / "checkpoints/checkpoint-00000030.safetensors").unlink()
    done = workload("mnist", *SMALL, "lr=1e30", "checkpoint_every=1", "--out", tmp_path / "bad")
    assert done.returncode == 1
    assert "error: the loss is not a finite number at step " in done.stderr
    step = int(done.stderr.partition("at step ")[2].split()[0])
    kept = found(tmp_path / "bad/checkpoints")
    assert kept and f"the last good checkpoint is `{kept[-1]}`" in done.stderr
    last = read(kept[-1])
    assert last.step < step and all(tensor.isfinite().all() for tensor in last.tensors.values())


def test_no_room_for_a_checkpoint_is_a_warning_and_training_goes_on(tmp_path: Path) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = workload("mnist", *SMALL, "checkpoint_every=200", "--out", tmp_path, preexec_fn=small_files)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("warning: no checkpoint of step") == 2
    assert "result:" in done.stdout
    assert os.listdir(tmp_path / "checkpoints") == []


def test_a_batch_that_does_not_fit_is_an_error_that_names_one_that_does() -> None:
    def little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2500 << 20, 2500 << 20))

    words = [
        "data=synthetic",
        "batch_size=30000",
        "train_samples=30000",
        "device_iterations=1",
        "threads=1",
        "epochs=1",
    ]
    done = workload("mnist", *words, preexec_fn=little_memory)
    assert done.returncode == 1, done.stderr
    assert "error: out of memory at batch_size=30000" in done.stderr
    assert re.search(r"hint: batch_size=\d+ fits", done.stderr) and "Traceback" not in done.stderr


def test_a_missing_device_is_an_error_before_anything_is_loaded() -> None:
    done = workload("mnist", "device=cuda", env=environment(CUDA_VISIBLE_DEVICES=""))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: no CUDA GPU was found")


def test_a_batch_larger_than_the_data_is_impossible() -> None:
    done = workload("mnist", *SMALL, "batch_size=2000")
    assert done.returncode == 2
    assert "hint: choose batch_size=160 at most" in done.stderr  # ten of them are one host step
    assert workload("mnist", *SMALL, "batch_size=160", "max_steps=1").returncode == 0


class Hungry:
    """An engine with room for `room` samples, of which a batch that fails leaves its own behind until it is let go."""

    def __init__(self, room: int) -> None:
        self.room, self.used = room, 0

    def warm_up(self, batch: int) -> None:
        held = Held(self, batch)
        if self.used > self.room:
            raise MemoryError
        del held


class Held:
    def __init__(self, engine: Hungry, batch: int) -> None:
        self.engine, self.batch = engine, batch
        engine.used += batch

    def __del__(self) -> None:
        self.engine.used -= self.batch


def test_what_did_not_fit_is_let_go_before_a_smaller_batch_is_tried() -> None:
    plan = Plan(batch=64, global_batch=64, epoch=1, total=1, parts=3)
    about = {"engine": "", "threads": 1, "processes": 1, "dataset": ""}
    training = Training(Hungry(40), plan, Common(batch_size=64), World(rank=1), about)  # type: ignore[arg-type]
    with pytest.raises(Failure) as told:
        training.run()
    assert (told.value.code, told.value.hint) == ("out-of-memory", "batch_size=30 fits")
