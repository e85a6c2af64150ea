"""What a script declares of its settings: long names, switches, defaults and constants, read from its source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Assay

from assay.facts.settings import stated

ARGPARSE = "import argparse\np = argparse.ArgumentParser()\n"
CASES = [
    # (the script, its arguments, what is claimed by the command, what by default)
    (ARGPARSE + "p.add_argument('-b', '--batch-size', default=32)", "-b 64", {"batch_size": 64}, {}),
    (ARGPARSE + "p.add_argument('--batch-size', default=32)", "", {}, {"batch_size": 32}),
    (ARGPARSE + "p.add_argument('--hidden-size', default=32)", "--hidden 64", {"hidden_size": 64}, {}),
    (ARGPARSE + "p.add_argument('--amp', action='store_true')", "", {}, {"amp": False}),
    (ARGPARSE + "p.add_argument('--no-amp', dest='amp', action='store_false')", "", {}, {"amp": True}),
    (ARGPARSE + "p.add_argument('--no-amp', dest='amp', action='store_false')", "--no-amp", {"amp": False}, {}),
    (ARGPARSE + "p.add_argument('-n', '--rounds', default=3)\np.add_argument('size')", "8", {"size": 8}, {"rounds": 3}),
    (ARGPARSE + "p.add_argument('--x', default=1)\np.add_argument('--x', default=2)", "", {}, {}),
    (ARGPARSE + "p.add_argument('--x', default=1 + f())\np.add_argument('--y')", "", {}, {}),
    (ARGPARSE + "p.add_argument('--x', default=1)\np.set_defaults(x=5)", "", {}, {"x": 5}),
    ("LR = 0.1\n" + ARGPARSE + "p.add_argument('--lr', default=LR)", "", {}, {"lr": 0.1}),
    ("LR = 0.1\n" + ARGPARSE + "p.add_argument('--lr', default=LR)", "--lr 1", {"lr": 1}, {}),
    ("lr = 0.1\n" + ARGPARSE + "p.add_argument('--lr')\nargs = p.parse_args()\nlr = args.lr", "", {}, {}),
    ("import click\n@click.option('--amp/--no-amp', default=True)\n@click.option('--lr', default=0.1)", "", {}, {"amp": True, "lr": 0.1}),
    ("import typer\ndef main(lr: float = typer.Option(0.1, '-l'), k: int = 3): ...\ntyper.run(main)", "-l 2", {"lr": 2}, {"k": 3}),
    ("from absl import flags\nflags.DEFINE_float('lr', 0.1, 'rate')", "", {}, {"lr": 0.1}),
    ("from dataclasses import dataclass, field\n@dataclass\nclass Config:\n    depth: int = 3\n    n: int = field(default=4)", "", {}, {"depth": 3, "n": 4}),
    ("from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int = 3", "", {}, {}),
    ("EPOCHS = 3\nHIDDEN: int = 8\nprint(EPOCHS, HIDDEN)", "", {}, {"epochs": 3, "HIDDEN": 8}),
    ("HIDDEN = 8\nprint(HIDDEN)", "--hidden 16", {"hidden": 16}, {}),
    ("A = 1\nA = 2\nB = f()\n_C = 3\nD = 4\nfor E in (): pass\nprint(A, B, _C, E)", "", {}, {}),
    ("def main():\n    global N\n    N = 5\nN = 3\nprint(N)", "", {}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "arguments", "chosen", "default"), CASES)
def test_what_nobody_chose_is_claimed_as_a_default(
    tmp_path: Path, source: str, arguments: str, chosen: dict[str, object], default: dict[str, object]
) -> None:
    (tmp_path / "t.py").write_text(source + "\n")
    if "@click" in source:
        (tmp_path / "t.py").write_text(source + "\ndef main(amp, lr): ...\n")
    said = stated(["python", "t.py", *arguments.split()], tmp_path)
    by_default = {name for name, source in said.sources.items() if source.startswith("default, t.py:")}
    assert {name: value for name, value in said.claims.items() if name in by_default} == default
    assert {name: value for name, value in said.claims.items() if name not in by_default} == chosen


def test_a_parser_beside_the_script_is_read_and_a_broken_script_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "options.py").write_text(ARGPARSE + "p.add_argument('--depth', default=3)\n")
    (tmp_path / "t.py").write_text("from options import p\n")
    assert stated(["python", "t.py"], tmp_path).sources == {"depth": "default, options.py:3"}
    (tmp_path / "t.py").write_text("def (")
    assert stated(["python", "t.py", "--k", "3"], tmp_path).claims == {"k": 3}


def test_a_default_that_the_output_contradicts_is_no_fault(assay: Assay) -> None:
    script = assay.script("BATCH_SIZE = 32\nprint('batch_size: 64')\nprint('loss: 0.5', BATCH_SIZE)\n", "train.py")
    assay("run", "-q", "--", "python", script.name)
    (run,) = assay.ls()
    assert run["claims"] == {"batch_size": 32} and run["params"]["batch_size"] == 64
    assert run["claim_sources"] == {"batch_size": "default, train.py:1"}
    found = json.loads(assay("audit", "--json").stdout)
    assert "setting-not-in-effect" not in {one["code"] for one in found}
