"""Which program a command line starts, and what it is told."""

from __future__ import annotations

import shlex

import pytest

from assay.core.commandline import pairs, read


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("python train.py --lr 1", "train.py"),
        ("python -u -X dev -W ignore train.py", "train.py"),
        ("python -m pkg.train --lr 1", "pkg.train"),
        ("torchrun --nproc_per_node 4 train.py --lr 1", "train.py"),
        ("torchrun --standalone --nproc_per_node=4 -m pkg.train", "pkg.train"),
        ("python -m torch.distributed.run --nproc_per_node 2 train.py", "train.py"),
        ("accelerate launch --multi_gpu --num_processes 2 train.py", "train.py"),
        ("conda run -n env python train.py", "train.py"),
        ("uv run train.py", "train.py"),
        ("srun -n 4 -N 2 ./a.out --size 3", "./a.out"),
        ("mpirun -np 4 --oversubscribe ./a.out -x", "./a.out"),
        ("srun -n 4 lmp -in melt.txt", "lmp"),
        ("timeout 10 taskset -c 0-3 bench --n 3", "bench"),
        ("nice -n 5 env A=1 python train.py", "train.py"),
        ("sh -c 'cd x && LR=0.1 python train.py --lr 3 > log 2>&1'", "train.py"),
        ("bash -c 'for i in 1 2; do python a.py; done'", ""),
        ("bash -c 'python a.py; python b.py'", ""),
        ("python -c 'print(1)' --bs 3", ""),
        ("./go.sh 3", "./go.sh"),
    ],
)
def test_the_program_is_found_behind_whatever_starts_it(command: str, program: str) -> None:
    assert read(shlex.split(command)).program == program


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ("--lr 0.1 --amp", [("--lr", "0.1"), ("--amp", True)]),
        ("--lr=0.1 -b 8", [("--lr", "0.1"), ("-b", "8")]),
        ("model.lr=0.1 +a=b ++c.d=e", [("model.lr", "0.1"), ("+a", "b"), ("++c.d", "e")]),
        ("--layers 64 128 --name x data.csv", [("--layers", "64 128"), ("--name", "x")]),
        ("--gin_bindings='train.lr = 0.1'", [("train.lr", "0.1")]),
        ("--set lr=0.1,depth=3", [("lr", "0.1"), ("depth", "3")]),
        ("--shift -3 --flag", [("--shift", "-3"), ("--flag", True)]),
        ("input.txt https://x/?a=b", []),
        ("-- --lr 1", []),
    ],
)
def test_flags_and_keys_are_read_and_other_words_are_not(arguments: str, given: list[tuple[str, object]]) -> None:
    assert list(pairs(shlex.split(arguments))) == given
