"""The MNIST and BERT workloads through Cerebras' real SDK: its CPU backend, and its lowering for the wafer.

`make cerebras` sets the SDK up and runs these; elsewhere they are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import Assay, skip_or_fail

from assay.errors import UsageError
from assay.systems.cerebras.target import sdk_python

MNIST = ("data=synthetic", "train_samples=800", "max_steps=20", "log_every=5", "threads=1")
BERT = ("tiny", "data=synthetic", "batch_size=2", "max_steps=3", "log_every=1", "seq_len=32", "predictions=4",
        "threads=1")  # fmt: skip
SPEED = ("samples_per_s", "samples_per_s_avg", "samples_per_s_own", "train_s", "samples", "loss", "utilisation")


@pytest.fixture
def python() -> str:
    try:
        return sdk_python()
    except UsageError as problem:
        skip_or_fail("cerebras", f"{problem.message}; {problem.hint}")
        raise


@pytest.fixture
def sdk(assay: Assay, python: str) -> Assay:
    """As in an activated environment: the scripts of the SDK come first on PATH."""
    assay.env["ASSAY_CEREBRAS_PYTHON"] = python
    assay.env["PATH"] = f"{Path(python).parent}:{os.environ['PATH']}"
    return assay


def speak(sdk: Assay, *words: str) -> subprocess.CompletedProcess[str]:
    """A program in the SDK's own interpreter, with no recorder."""
    source = os.pathsep.join(str(Path(__file__).parents[up] / "src") for up in (1, 2))
    environment = {**sdk.environment(), "PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    python = sdk.env["ASSAY_CEREBRAS_PYTHON"]
    return subprocess.run(
        [python, *words], cwd=sdk.folder, env=environment, capture_output=True, text=True, timeout=300
    )


def losses(output: str) -> list[str]:
    steps = [line for line in output.splitlines() if line.startswith("step ") and "loss " in line]
    return [line.split("loss ")[1].split()[0] for line in steps]


@pytest.mark.parametrize(
    ("words", "model", "parameters", "kinds"),
    [
        (("mnist", "batch_size=64"), "mnist-cnn", 225034, {"Convolution", "Softmax", "MatMul"}),
        (("bert-pretrain", "tiny", "batch_size=4"), "bert-tiny", 4433468, {"LayerNormGrad", "GeluGrad", "Sqrt"}),
    ],
)
def test_a_workload_is_lowered_for_the_wafer_and_claims_no_speed(
    sdk: Assay, words: tuple[str, ...], model: str, parameters: int, kinds: set[str]
) -> None:
    done = sdk("run", "--target", "cerebras", "--mode", "validate", *words)
    assert done.returncode == 0, done.stderr
    summary = sdk.summary()
    assert (summary["status"], summary["how"], summary["system"]) == ("completed", "validated", "cerebras")
    assert (summary["target"], summary["model"], summary["metrics"]["parameters"]) == ("cerebras", model, parameters)
    assert not [name for name in (*SPEED, "compile_cached") if name in summary]
    assert set(summary["phases"]) == {"load", "compile"}
    assert b"Compile validated locally" in done.stdout and b"validated, completed" in done.stderr
    assert "epochs" not in summary["params"] and summary["params"]["precision"] == "bf16"
    graph = next((sdk.run_dir() / "cerebras").glob("executors/*/cirh.mlir")).read_text()
    assert all(f"cirh.{kind} " in graph or f'"cirh.{kind}"' in graph for kind in kinds)
    assert sorted(path.name for path in sdk.folder.iterdir()) == ["runs"]  # nothing of the SDK's lies about


def test_mnist_on_the_cpu_backend_has_the_losses_of_plain_pytorch(sdk: Assay) -> None:
    done = sdk("run", "-q", "--target", "cerebras", "--mode", "cpu", "mnist", *MNIST)
    assert done.returncode == 0, done.stderr
    plain = speak(sdk, "-m", "assay_workloads.mnist", *MNIST, "compile=off")
    assert plain.returncode == 0, plain.stderr
    assert losses(done.stdout.decode()) == losses(plain.stdout) != []
    summary = sdk.summary()
    assert (summary["how"], summary["system"], summary["engine"]) == ("executed", "cpu", "cerebras-cpu")
    assert (summary["steps"], summary["samples"], summary["data"]) == (20, 160, "synthetic")
    assert summary["params"]["sdk"].startswith("cerebras-pytorch 2.")
    assert summary["samples_per_s_avg"] > 0 and "accuracy" not in summary


def test_bert_on_the_cpu_backend_differs_from_plain_pytorch_in_adams_epsilon_alone(sdk: Assay) -> None:
    script = sdk.script(
        "import sys, importlib\n"
        "from assay_workloads import bert_engine\n"
        "bert_engine.EPS = 1e-12  # so small that it does not matter where it is added\n"
        "from assay_workloads.program import start\n"
        "start(importlib.import_module(sys.argv.pop(1)).main)\n"
    )
    ours = speak(sdk, str(script), "assay_workloads.cerebras_sdk", "cpu", "bert-pretrain", *BERT)
    plain = speak(sdk, str(script), "assay_workloads.bert_pretrain", *BERT)
    assert (ours.returncode, plain.returncode) == (0, 0), ours.stderr + plain.stderr
    assert losses(ours.stdout) == losses(plain.stdout) != []


def test_digits_are_learned_on_the_cpu_backend(sdk: Assay) -> None:
    digits = Path(__file__).parents[3] / "shared/data/mnist"
    if not digits.is_dir():
        pytest.skip("no MNIST here")
    words = (f"data={digits}", "batch_size=32", "max_steps=150", "double_softmax=false", "test_batch_size=500")
    done = sdk("run", "-q", "--target", "cerebras", "--mode", "cpu", "mnist", *words)
    assert done.returncode == 0, done.stderr
    assert sdk.summary()["accuracy"] > 0.7 and sdk.summary()["data"] == "mnist"


@pytest.mark.parametrize(
    ("operation", "said"),
    [("torch.erfinv(y)", "torch.aten.erfinv"), ("torch.linalg.svdvals(y)", "aten::_linalg_svd")],
)
def test_what_cannot_be_lowered_is_named_though_the_sdks_script_hides_it(sdk: Assay, operation: str, said: str) -> None:
    script = sdk.script(
        "import torch\n"
        "from assay_workloads.cerebras_engine import folder, lower\n"
        "from assay_workloads.cerebras_tasks import Task\n"
        "from assay_workloads.program import start\n"
        "class Net(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.layer = torch.nn.Linear(4, 4)\n"
        "    def forward(self, x):\n"
        "        y = self.layer(x)\n"
        f"        return ({operation}).sum()\n"
        "net = Net()\n"
        "task = Task(net=net, batch=lambda number: (torch.zeros(4, 4),),\n"
        "            losses=lambda model, given: (model(*given),),\n"
        "            optimiser=lambda optim: optim.SGD(net.parameters(), lr=0.1, momentum=0.0))\n"
        "def main(words):\n"
        "    with folder('') as kept:\n"
        "        lower(task, kept)\n"
        "start(main)\n"
    )
    done = speak(sdk, str(script))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "error: the step cannot be lowered for the wafer" in done.stderr and said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("mode", "more"), [("validate", ()), ("cpu", ("data=synthetic", "max_steps=2", "threads=1"))])
def test_it_runs_with_no_recorder_and_leaves_nothing(
    sdk: Assay, tmp_path_factory: pytest.TempPathFactory, mode: str, more: tuple[str, ...]
) -> None:
    aside = tmp_path_factory.mktemp("aside")
    sdk.env["TMPDIR"] = str(aside)
    done = speak(sdk, "-m", "assay_workloads.cerebras_sdk", mode, "mnist", "batch_size=4", *more)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("settings in effect:\n") and "  batch_size=4\n" in done.stdout
    assert list(sdk.folder.iterdir()) == [] and not list(aside.glob("assay-*"))


def test_a_study_validates_a_grid(sdk: Assay) -> None:
    text = "target: cerebras\nmode: validate\nworkload: mnist\ngrid: {batch_size: [8, 16]}"
    (sdk.folder / "study.yaml").write_text(text)
    done = sdk("study", "study.yaml")
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(sdk("study", "study.yaml", "--json").stdout)
    assert {run["params"]["batch_size"] for run in found} == {8, 16}
    assert {(run["how"], run["system"]) for run in found} == {("validated", "cerebras")}
