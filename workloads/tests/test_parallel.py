"""Several processes train one model, or say that they do not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from running import SMALL, environment, result, workload

from assay_workloads import svhn_mlp
from assay_workloads.checkpoint import read
from assay_workloads.data import svhn
from assay_workloads.failure import BadSetting
from assay_workloads.parallel import World, _first_host, announced, checksum
from assay_workloads.plan import first_of
from assay_workloads.settings import parse


def torchrun(*words: str | Path, processes: int = 2) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    return subprocess.run(
        [*command, *map(str, words)], env=environment(), capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("engine", ["auto", "off"])
def test_two_processes_make_the_updates_of_one(engine: str) -> None:
    words = [*SMALL, "max_steps=60", "check_replicas_every=20", f"compile={engine}"]
    if engine == "off":
        words += ["lr=0.0"]  # their dropouts differ: compare what does not depend on it
    alone = workload("mnist", *words)
    both = torchrun("-m", "assay_workloads.mnist", *words)
    assert both.returncode == 0, both.stderr
    assert both.stdout.count("settings in effect:") == 1  # one speaks for all
    assert "processes=2" in both.stdout
    assert result(both.stdout, "global_batch") == result(alone.stdout, "global_batch") == "8"
    near = 1e-4 if engine == "auto" else 0.02
    assert float(result(both.stdout, "loss")) == pytest.approx(float(result(alone.stdout, "loss")), rel=near)


def test_weak_scaling_gives_each_process_the_batch() -> None:
    both = torchrun("-m", "assay_workloads.mnist", *SMALL, "max_steps=10", "scaling=weak")
    assert both.returncode == 0, both.stderr
    assert (result(both.stdout, "global_batch"), result(both.stdout, "samples")) == ("16", "160")


def test_replicas_that_differ_are_an_error_in_every_process(tmp_path: Path) -> None:
    script = tmp_path / "apart.py"
    script.write_text(
        "import torch\n"
        "from assay_workloads import parallel\n"
        "from assay_workloads.program import start\n"
        "def main(words):\n"
        "    with parallel.join('cpu') as world:\n"
        "        weights = torch.ones(10)\n"
        "        world.check([weights], 1)\n"
        "        weights[3] += 1e-7 * world.rank\n"
        "        world.check([weights], 2)\n"
        "start(main)\n"
    )
    done = torchrun(script)
    assert done.returncode != 0
    told = re.findall(r"error: at step 2 the parameters of rank 1 differ", done.stderr)
    assert len(told) == 2


def test_the_mlp_starts_its_own_processes(tmp_path: Path) -> None:
    words = ["-n", "1", "-np", "2", "-nr", "0", "--do_chkpt", "--batch_size", "32", "--out", tmp_path]
    done = workload("svhn_mlp", *words, "data=synthetic", "train_samples=256", "epochs=2", "threads=1")
    assert done.returncode == 0, done.stderr
    assert (result(done.stdout, "global_batch"), result(done.stdout, "data")) == ("32", "synthetic")
    assert "accuracy" not in done.stdout.partition("result:")[2]
    assert len(list((tmp_path / "checkpoints").iterdir())) == 2
    assert len(list((tmp_path / "tensorboard").iterdir())) == 1


def test_a_batch_that_cannot_be_split_is_refused() -> None:
    with pytest.raises(BadSetting, match="cannot be split over 3"):
        World(size=3).batch(8, "strong")
    assert World(size=3).batch(8, "weak") == (8, 24)


def test_slurm_and_torchrun_say_who_we_are() -> None:
    torchrun_says = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}
    assert announced(torchrun_says) == World(rank=3, size=4, local_rank=1, nodes=2)
    slurm = {"SLURM_PROCID": "5", "SLURM_NTASKS": "6", "SLURM_LOCALID": "1", "SLURM_NNODES": "3", "SLURM_STEP_ID": "0"}
    assert announced(slurm) == World(rank=5, size=6, local_rank=1, nodes=3)
    batch_script = {name: value for name, value in slurm.items() if name != "SLURM_STEP_ID"}
    assert announced(batch_script) == World()
    assert announced({}) == World()


@pytest.mark.parametrize(
    ("nodes", "first"), [("node7", "node7"), ("a,b", "a"), ("n[03-07,9]", "n03"), ("x1-[2]", "x1-2"), ("", "")]
)
def test_the_first_host_of_a_list_is_where_all_meet(nodes: str, first: str) -> None:
    assert _first_host(nodes) == first


def test_a_checksum_sees_one_bit_and_an_exchange() -> None:
    weights = torch.arange(1000.0)
    changed, exchanged = weights.clone(), weights.clone()
    changed[500] += 6e-5
    exchanged[[1, 2]] = exchanged[[2, 1]]
    sums = [checksum([tensor]).tolist() for tensor in (weights, changed, exchanged)]
    assert sums[0] != sums[1] and sums[0] != sums[2]


@pytest.mark.parametrize(
    ("name", "words"),
    [("mnist", ["train_samples=400", "device_iterations=2", "compile=off"]), ("bert_classify", ["engines=none"])],
)
def test_two_processes_that_were_stopped_go_on_to_the_very_same_state(
    tmp_path: Path, name: str, words: list[str]
) -> None:
    """Both models drop out units: each process has to draw the same ones again."""
    words = [*words, "data=synthetic", "threads=1", "batch_size=8", "max_steps=12", "checkpoint_every=4"]
    whole = torchrun("-m", f"assay_workloads.{name}", *words, f"out={tmp_path}")
    assert whole.returncode == 0, whole.stderr
    last = tmp_path / "checkpoints/checkpoint-00000012.safetensors"
    before = read(last).tensors
    last.unlink()
    again = torchrun("-m", f"assay_workloads.{name}", *words, f"out={tmp_path}", "resume=out")
    assert again.returncode == 0, again.stderr
    after = read(last).tensors
    apart = [name for name, tensor in before.items() if name.startswith("model.") and not tensor.equal(after[name])]
    assert apart == []


def test_the_mlp_reports_a_batch_that_cannot_be_split_once() -> None:
    done = workload("svhn_mlp", "-np", "3", "--batch_size", "64", "data=synthetic")
    assert (done.returncode, done.stderr.count("error:")) == (2, 1)


def test_processes_that_the_mlp_started_end_with_it() -> None:
    command = [sys.executable, "-m", "assay_workloads.svhn_mlp", "-np", "2", "data=synthetic", "train_samples=256"]
    with subprocess.Popen([*command, "epochs=99999"], env=environment(), stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        next(line for line in started.stdout if line.startswith("step "))
        started.kill()
        assert started.stdout.read().count("result:") == 0  # ends when the last of them has let go of the pipe


def test_the_nodes_of_an_allocation_are_not_those_that_torchrun_uses() -> None:
    torchrun_says = {"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2", "SLURM_NNODES": "3"}
    assert announced(torchrun_says).nodes == 1
    step = {"SLURM_PROCID": "0", "SLURM_NTASKS": "2", "SLURM_NNODES": "3", "SLURM_STEP_ID": "0"}
    assert announced({**step, "SLURM_STEP_NUM_NODES": "1"}).nodes == 1


def test_the_compiled_mlp_is_not_called_eager() -> None:
    settings = parse(svhn_mlp.Settings, ["data=synthetic", "train_samples=64", "compile=on"])
    images = first_of(svhn.load("synthetic"), 64)
    plan = svhn_mlp.make_plan(settings, images, World())
    assert svhn_mlp.make_engine(settings, images, plan, World()).name == "compiled"


def test_the_mlp_has_the_parameters_that_its_header_states() -> None:
    parameters = sum(parameter.numel() for parameter in svhn_mlp.network().parameters())
    assert f"{parameters:,} parameters" in str(svhn_mlp.__doc__)


def test_hes_weights_keep_the_signal_through_all_layers_of_the_mlp() -> None:
    torch.manual_seed(0)
    x = torch.randn(64, svhn_mlp.WIDTHS[0])
    faded, kept = (svhn_mlp.network(init)(x).std(0).mean().item() for init in ("pytorch", "he"))
    assert faded < 0.01
    assert kept > 0.3
