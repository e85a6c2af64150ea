"""What a command line and the files it names say about a run's settings."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from assay.facts.settings import stated


def claims(command: str, cwd: Path = Path("/nowhere")) -> dict[str, object]:
    return dict(stated(shlex.split(command), cwd).claims)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("python t.py --batch-size 32 --learning_rate=1e-3", {"batch_size": 32, "lr": 0.001}),
        ("python t.py --hidden-size 128 --optimizer adam", {"hidden_size": 128, "optimizer": "adam"}),
        ("python t.py --amp --no-compile --fused True", {"amp": True, "compile": False, "fused": True}),
        ("python t.py -b 32 -x 3 -v -j4", {"batch_size": 32, "x": 3, "v": True, "j": 4}),
        (
            "python t.py 4 0.01 3,0,1 fast",
            {"argument_1": 4, "argument_2": 0.01, "argument_3": "3,0,1", "argument_4": "fast"},
        ),
        ("lmp -in in.melt -var dt 0.005 -var steps 500", {"in": "in.melt", "dt": 0.005, "steps": 500}),
        ("python t.py data.csv 3 --lr 1 out/", {"argument_2": 3, "lr": 1}),
        ("python /x/assay_constants.py LR=0.5 DEPTH=3 -- t.py --seed 1", {"lr": 0.5, "DEPTH": 3, "seed": 1}),
        (
            "torchrun --nproc_per_node 2 /x/assay_constants.py LR=0.5 -- -m pkg.t --seed 1",
            {"num_procs": 2, "lr": 0.5, "seed": 1},
        ),
        ("python t.py -lr 0.1 -epochs 3", {"lr": 0.1, "epochs": 3}),
        ("python t.py optimizer.lr=0.1 +trainer.max_epochs=3", {"lr": 0.1, "epochs": 3}),
        ("python t.py a.lr=0.1 b.lr=0.2", {"a.lr": 0.1, "b.lr": 0.2}),
        ("python t.py eval.batch_size=8 train.batch_size=4", {"test_batch_size": 8, "batch_size": 4}),
        ("python t.py --lr 1 --lr 2", {"lr": 2}),
        ('python t.py --gin_bindings="train.lr=0.1"', {"lr": 0.1}),
        ("env LR=0.1 OMP_NUM_THREADS=4 python t.py", {"lr": 0.1, "OMP_NUM_THREADS": 4}),
        ("sh -c 'LR=0.1 python t.py --bs $BS --depth 3'", {"lr": 0.1, "depth": 3}),
        ("torchrun --nproc_per_node=4 --nnodes 2 t.py --lr 1", {"num_procs": 4, "num_nodes": 2, "lr": 1}),
        ("srun -n 4 -N 2 --mem 4G python t.py -n 7", {"num_tasks": 4, "num_nodes": 2, "n": 7}),
        ("mpirun -np 4 ./a.out", {"num_tasks": 4}),
        ("nice -n 5 python t.py", {}),
        ("conda run -n torch python -m t --lr 1", {"lr": 1}),
        ("dd if=/dev/zero of=x bs=1M count=3", {"if": "/dev/zero", "of": "x", "bs": "1M", "count": 3}),
        ("python t.py data.csv out/ --out /tmp/x --log-dir ./logs", {"out": "/tmp/x", "log_dir": "./logs"}),
        ("python t.py --data=cifar10 --model meta/llama", {"data": "cifar10", "model": "meta/llama"}),
    ],
)
def test_the_words_of_a_command_are_settings(command: str, found: dict[str, object]) -> None:
    assert claims(command) == found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("conf.yaml", "optimizer:\n  lr: 0.1\nepochs: 3\nlayers: [1, 2]\n"),
        ("conf.json", '{"optimizer": {"lr": 0.1}, "epochs": 3, "layers": [1, 2]}'),
        ("conf.ini", "[DEFAULT]\nepochs = 3\nlayers = 1 2\n[optimizer]\nlr = 0.1\n"),
    ],
)
def test_the_values_of_a_configuration_file_are_settings_and_flags_win(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    said = stated(["python", "t.py", "--config", name, "--epochs", "5"], tmp_path)
    assert {"lr": 0.1, "epochs": 5, "layers": "1 2"}.items() <= said.claims.items()
    assert said.sources["epochs"] == "command" and said.sources["lr"] == f"config {name}"
    assert "config" not in said.claims and said.configs[0].text == text


def test_toml_is_read_where_python_can(tmp_path: Path) -> None:
    pytest.importorskip("tomllib")
    (tmp_path / "c.toml").write_text("[model]\ndim = 64\n[training]\nbatch_size = 8\n")
    assert claims("python t.py c.toml", tmp_path) == {"model.dim": 64, "batch_size": 8}


def test_a_file_of_data_is_not_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text('{"lr": 1}')
    assert stated(["python", "t.py", "--train_file", "data.json"], tmp_path).configs == ()


def test_what_is_no_yaml_or_too_large_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("a: [1, {")
    (tmp_path / "huge.yaml").write_text("a: 1\n" * 300_000)
    said = stated(["python", "t.py", "--config", "bad.yaml", "--conf2", "huge.yaml"], tmp_path)
    assert [one.path for one in said.configs] == ["bad.yaml"] and said.claims == {"conf2": "huge.yaml"}


def test_secrets_of_a_configuration_are_neither_kept_nor_claimed(tmp_path: Path) -> None:
    secret = "k3yk3y0123456789abcdefk3yk3y0123456789ab"
    (tmp_path / "c.json").write_text(f'{{"lr": 0.1, "auth": {{"api_key":\n "{secret}"}}, "password": "hunter22"}}')
    said = stated(["python", "t.py", "--config", "c.json"], tmp_path)
    kept = said.configs[0].text or ""
    assert secret not in kept and "hunter22" not in kept and said.configs[0].masked
    assert said.claims == {"lr": 0.1}


def test_a_study_is_believed_before_its_command_and_a_flag_before_param(tmp_path: Path) -> None:
    command = ["python", "t.py", "--lr", "1"]
    assert stated(command, tmp_path, params={"lr": 2}, said_by="study").sources == {"lr": "study"}
    assert stated(command, tmp_path, params={"lr": 2, "note": "x"}).sources == {"lr": "command", "note": "--param"}
