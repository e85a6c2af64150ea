"""`assay run --target NAME --mode MODE WORKLOAD name=value…`: as a study on that target would start it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import PYTHON, Assay

WORKLOADS = Path(__file__).parents[2] / "workloads" / "src"
ZOO = "import sys\nprint('words', *sys.argv[1:])\n"


@pytest.fixture
def vendor(assay: Assay) -> Assay:
    """`python` on PATH, as the vendors' lines have it."""
    (assay.folder / "bin").mkdir()
    (assay.folder / "bin" / "python").symlink_to(PYTHON)
    assay.env["PATH"] = f"{assay.folder / 'bin'}:{os.environ['PATH']}"
    return assay


def no_sdk(assay: Assay) -> None:
    """Whatever this machine has: a Python without the SDK is named."""
    empty = assay.folder / "python"
    empty.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{WORKLOADS}" exec "{PYTHON}" -S "$@"\n')
    empty.chmod(0o755)
    assay.env["ASSAY_CEREBRAS_PYTHON"] = str(empty)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["--target", "cerebas", "mnist"], "no target called `cerebas`",
         "did you mean `cerebras`? choose one of: cpu, cuda, cerebras, groq, sambanova, graphcore"),
        (["--target", "cerebras"], "no workload was given for cerebras", "choose one of: bert-pretrain, mnist"),
        (["--target", "groq", "mnist"], "`mnist` cannot run on groq", "choose one of: bert-classify"),
        (["--target", "cpu", "mnits"], "no workload called `mnits`", "did you mean `mnist`?"),
        (["--target", "cerebras", "--mode", "simulate", "mnist"], "no mode called `simulate` for mnist on cerebras",
         "choose one of: execute, validate, cpu, zoo-validate"),
        (["--target", "cpu", "--mode", "cpu", "mnist"], "no mode called `cpu` for mnist on cpu", "one of: execute"),
        (["--target", "cerebras", "mnist"], "needs a parameter file: --config FILE", "--mode validate"),
        (["--target", "cerebras", "--mode", "cpu", "mnist", "batchsize=8"], "no setting called `batchsize`",
         "did you mean `batch_size`?"),
        (["--target", "cerebras", "--mode", "cpu", "mnist", "checkpoint_every=5"],
         "`checkpoint_every=5` is not possible", "choose checkpoint_every=0"),
        (["--target", "cerebras", "--mode", "validate", "bert-pretrain", "precision=fp32"],
         "`precision=fp32` is not possible", "choose precision=auto or precision=bf16"),
        (["--target", "graphcore", "mnist", "momentum=1"], "the command does not use `momentum`",
         "it takes: lr, epochs, batch_size, test_batch_size"),
        (["--target", "graphcore", "mnist", "epochs"], "`epochs` is not a setting", "write name=value"),
        (["--target", "cpu", "--pid", "1"], "--target cannot be combined with", ""),
        (["--mode", "validate", "mnist"], "--mode needs --target", "assay doctor"),
        (["--target", "cerebras", "--config", "none.yaml", "mnist"], "there is no file `none.yaml`", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_started_is_an_error_before_a_run_is_made(
    assay: Assay, words: list[str], message: str, hint: str
) -> None:
    done = assay("run", *words)
    said = done.stderr.decode()
    assert done.returncode == 125, said
    assert message in said and hint in said and "Traceback" not in said
    assert assay.run_dirs() == []


def test_without_the_sdk_the_error_gives_the_remedy(assay: Assay) -> None:
    assay.env["ASSAY_CEREBRAS_PYTHON"] = str(assay.folder / "nowhere")
    done = assay("run", "--target", "cerebras", "--mode", "validate", "mnist")
    assert (done.returncode, assay.run_dirs()) == (125, [])
    assert b"is not a program" in done.stderr and b"hint: `make cerebras`" in done.stderr


def test_a_python_without_the_sdk_is_a_missing_module_and_no_traceback(assay: Assay) -> None:
    no_sdk(assay)
    done = assay("run", "--target", "cerebras", "--mode", "cpu", "mnist", "data=synthetic")
    assert done.returncode == 1
    error = assay.summary()["error"]
    assert error["code"] == "missing-module" and "make cerebras" in error["hint"]
    assert b"Traceback" not in done.stderr + done.stdout


def test_a_vendors_line_gets_settings_environment_and_folder(vendor: Assay) -> None:
    code = "import os, sys\nprint(os.environ['POPTORCH_CACHE_DIR'], *sys.argv[1:])\n"
    (vendor.folder / "mnist_poptorch.py").write_text(code)
    done = vendor("run", "-q", "--target", "graphcore", "mnist", "epochs=3", "lr=0.1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().split() == [f"{vendor.run_dir()}/poptorch_cache", "--lr", "0.1", "--epochs", "3"]
    summary = vendor.summary()
    assert (summary["target"], summary["claims"]) == ("graphcore", {"epochs": 3, "lr": 0.1})
    assert (vendor.run_dir() / "output.log").read_bytes() == done.stdout


@pytest.mark.parametrize("place", [[], ["--on", "local"]])
def test_a_parameter_file_is_copied_with_the_settings_in_it(vendor: Assay, place: list[str]) -> None:
    (vendor.folder / "run.py").write_text(ZOO)
    (vendor.folder / "p.yaml").write_text("train_input: {batch_size: 1}\nrunconfig: {max_steps: 1}")
    words = ("--target", "cerebras", "--mode", "zoo-validate", "--config", "p.yaml", "mnist", "batch_size=256")
    done = vendor("run", *place, *words)
    assert done.returncode == 0, done.stderr
    run = vendor.run_dir()
    assert f"--params {run}/p.yaml" in done.stdout.decode() and "--validate_only" in done.stdout.decode()
    assert "batch_size: 256" in (run / "p.yaml").read_text()
    assert "batch_size: 1}" in (vendor.folder / "p.yaml").read_text()  # the original is as it was
    assert vendor.summary()["how"] == "validated"


def test_the_exit_code_is_the_commands_and_options_of_run_hold(vendor: Assay) -> None:
    (vendor.folder / "mnist_poptorch.py").write_text("import os, sys\nsys.exit(int(os.environ['CODE']))")
    done = vendor("run", "--name", "mine", "--tag", "t", "--env", "CODE=7", "--target", "graphcore", "mnist")
    assert done.returncode == 7
    assert (vendor.summary()["name"], vendor.summary()["tags"], vendor.summary()["status"]) == ("mine", ["t"], "failed")


@pytest.mark.slow
def test_the_processor_is_a_target_too(assay: Assay) -> None:
    small = ("data=synthetic", "train_samples=800", "device_iterations=10", "max_steps=10", "threads=1")
    done = assay("run", "-q", "--target", "cpu", "mnist", "demo", "seed=3", *small)
    assert done.returncode == 0, done.stderr
    summary = assay.summary()
    assert (summary["target"], summary["system"], summary["steps"], summary["seed"]) == ("cpu", "cpu", 10, 3)
    assert summary["params"]["seed"] == 3 and assay.asked()["workload"] == "mnist"


@pytest.mark.slow
def test_a_run_on_a_target_can_be_done_again(vendor: Assay) -> None:
    (vendor.folder / "mnist_poptorch.py").write_text("print('done')")
    assert vendor("run", "-q", "--target", "graphcore", "mnist", "epochs=3").returncode == 0
    done = vendor("run", "--again", vendor.run_dir().name)
    assert done.returncode == 0, done.stderr
    assert {run["target"] for run in vendor.ls()} == {"graphcore"} and len(vendor.run_dirs()) == 2


def test_the_doctor_names_the_modes(assay: Assay) -> None:
    no_sdk(assay)
    said = assay("doctor", "cerebras").stdout.decode()
    assert "--mode validate: " in said and "--mode cpu: " in said and str(Path(assay.folder) / "python") in said
