"""`assay run WORKLOAD name=value…`: what was given is a claim, what the workload says is in effect is evidence."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Assay

pytestmark = pytest.mark.slow

SMALL = ("data=synthetic", "train_samples=800", "epochs=1", "device_iterations=10", "threads=1")


def test_a_workload_is_recorded_with_claims_and_evidence_apart(assay: Assay) -> None:
    done = assay("run", "mnist", "batch_size=8", *SMALL, "checkpoint_every=50")
    assert done.returncode == 0, done.stderr
    asked, summary = assay.asked(), assay.summary()
    assert asked["workload"] == "mnist"
    assert summary["claims"] == {
        "batch_size": 8, "data": "synthetic", "train_samples": 800, "epochs": 1, "device_iterations": 10, "threads": 1,
        "checkpoint_every": 50,
    }  # fmt: skip
    assert summary["params"].items() >= {"batch_size": 8, "lr": 0.05, "epochs": 1, "double_softmax": True}.items()
    assert (summary["status"], summary["how"], summary["system"]) == ("completed", "executed", "cpu")
    assert (summary["data"], summary["model"], summary["steps"], summary["samples"]) == (
        "synthetic", "mnist-cnn", 100, 800,
    )  # fmt: skip
    assert "accuracy" not in summary  # of made-up images there is none
    assert set(summary["phases"]) >= {"load", "compile", "warmup", "train", "checkpoint"}
    assert summary["samples_per_s_avg"] > 0 and summary["metrics"]["peak_memory_bytes"] > 1e7
    assert list((assay.run_dir() / "tensorboard").iterdir())
    assert len(list((assay.run_dir() / "checkpoints").iterdir())) == 2
    assert summary["name"].startswith("mnist-bs8-")


def test_flags_may_stand_after_two_dashes(assay: Assay) -> None:
    done = assay("run", "-q", "mnist", "batch_size=4", "--", "--max-steps", "10", *SMALL)
    assert done.returncode == 0, done.stderr
    assert (assay.summary()["claims"]["max_steps"], assay.summary()["steps"]) == (10, 10)


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["mnits"], "no workload called `mnits`", "did you mean `mnist`?"),
        (["mnist", "batchsize=8"], "no setting called `batchsize`", "did you mean `batch_size`?"),
        (["mnist", "batch_size=0"], "`batch_size=0` is impossible", "batch_size is at least 1"),
        (["mnist", "--batch-size", "8"], "No such option '--batch-size'", "write settings as name=value"),
        (["python", "train.py"], "`python` is not a built-in workload", "assay run -- python train.py"),
    ],
)
def test_a_typo_is_an_error_before_a_run_is_made(assay: Assay, words: list[str], message: str, hint: str) -> None:
    done = assay("run", *words)
    assert done.returncode == 125
    assert message in done.stderr.decode() and hint in done.stderr.decode()
    assert assay.run_dirs() == []


def test_the_settings_of_a_workload_are_listed(assay: Assay) -> None:
    done = assay("run", "mnist", "--", "--help")
    assert (done.returncode, assay.run_dirs()) == (0, [])
    assert b"--device-iterations" in done.stdout


def test_a_run_is_resumed_from_the_folder_of_another(assay: Assay) -> None:
    words = ["mnist", *SMALL, "checkpoint_every=30"]
    assert assay("run", "-q", *words).returncode == 0
    first = assay.run_dir()
    for path in sorted((first / "checkpoints").iterdir())[1:]:
        path.unlink()  # as if it had been killed before its end
    done = assay("run", "-q", *words, f"resume={first}")
    assert done.returncode == 0, done.stderr
    losses = [run["loss"] for run in assay.ls()]
    assert len(losses) == 2 and losses[0] == losses[1]
    assert "resumed_at=90" in done.stdout.decode()


def test_a_failure_of_the_workload_is_the_runs(assay: Assay) -> None:
    assay.env["CUDA_VISIBLE_DEVICES"] = ""
    done = assay("run", "-q", "mnist", "device=cuda")
    assert done.returncode == 1
    assert assay.summary()["error"]["code"] == "no-device"


def test_the_demo_learns_real_digits(assay: Assay) -> None:
    digits = Path(__file__).parents[3] / "shared/data/mnist"
    if not digits.is_dir():
        pytest.skip("no MNIST here")
    done = assay("run", "-q", "mnist", "demo", "train_samples=16000", "epochs=1", f"data={digits}")
    assert done.returncode == 0, done.stderr
    assert assay.summary()["accuracy"] > 0.92
    assert assay.summary()["data"] == "mnist, first 16000"
