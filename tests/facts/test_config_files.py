"""Configurations that are not one plain file: Hydra's defaults lists, files of flags, Python."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path

import pytest

from assay.facts.settings import stated, written_by_hydra

HYDRA = """
import hydra
@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg): ...
"""
CONF = {
    "config.yaml": "defaults:\n  - model: small\n  - optim: sgd\n  - _self_\nbatch_size: 16\nmodel:\n  dropout: 0.2\n",
    "model/small.yaml": "width: 64\ndropout: 0.5\n",
    "model/large.yaml": "width: 640\ndropout: 0.5\n",
    "optim/sgd.yaml": "name: sgd\nlr: 0.1\n",
    "optim/adam.yaml": "defaults:\n  - sgd\nname: adam\n",
    "run/long.yaml": "# @package _global_\nepochs: 90\n",
}


def claims(command: str, cwd: Path) -> dict[str, object]:
    return dict(stated(shlex.split(command), cwd).claims)


@pytest.fixture
def hydra(tmp_path: Path) -> Path:
    for name, text in CONF.items():
        path = tmp_path / "conf" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "app.py").write_text(HYDRA)
    return tmp_path


def test_the_files_of_a_defaults_list_are_settings_and_the_file_that_lists_them_wins(hydra: Path) -> None:
    said = stated(["python", "app.py"], hydra)
    assert said.claims == {
        "batch_size": 16, "dropout": 0.2, "model.width": 64, "optim.name": "sgd", "lr": 0.1,
    }  # fmt: skip
    assert said.sources["model.width"] == "config conf/model/small.yaml"


def test_self_before_the_others_counts_less_than_they_do(hydra: Path) -> None:
    (hydra / "conf/config.yaml").write_text("defaults:\n  - _self_\n  - model: small\nmodel:\n  dropout: 0.2\n")
    assert claims("python app.py", hydra) == {"dropout": 0.5, "model.width": 64}


def test_words_of_the_command_choose_other_files_of_the_list(hydra: Path) -> None:
    found = claims("python app.py model=large optim=adam +run=long optim.lr=0.3", hydra)
    assert found["model.width"] == 640 and found["optim.name"] == "adam" and found["lr"] == 0.3
    assert found["epochs"] == 90 and found["model"] == "large"


def test_a_defaults_list_that_names_itself_or_nothing_ends(hydra: Path) -> None:
    (hydra / "conf/config.yaml").write_text("defaults:\n  - config\n  - model: gone\n  - [odd]\nbatch_size: 2\n")
    assert claims("python app.py", hydra) == {"batch_size": 2}


def test_what_hydra_wrote_during_a_run_is_read_and_what_lay_there_before_is_not(tmp_path: Path) -> None:
    old, new = (tmp_path / f"outputs/2026-11-16/{at}/.hydra" for at in ("10-00-00", "10-00-09"))
    old.mkdir(parents=True)
    (old / "config.yaml").write_text("lr: 1\n")
    later = time.time() + 60
    assert written_by_hydra(["python", "app.py"], tmp_path, later) is None
    new.mkdir(parents=True)
    (new / "config.yaml").write_text("optim:\n  lr: 0.1\napi_key: abcdef123456\n")
    for path in (old, old / "config.yaml", old.parent):
        os.utime(path, (1e9, 1e9))
    found = written_by_hydra(["python", "app.py"], tmp_path, time.time() - 30)
    assert found is not None and found[0] == "outputs/2026-11-16/10-00-09/.hydra/config.yaml"
    assert found[1]["lr"] == 0.1 and "abcdef123456" not in str(found[1])


def test_a_run_shows_what_hydra_wrote_as_in_effect(assay, tmp_path: Path) -> None:
    script = (
        "import os; os.makedirs('outputs/d/t/.hydra'); open('outputs/d/t/.hydra/config.yaml', 'w').write('lr: 0.25')"
    )
    assay("run", "--quiet", "--", "python", "-c", script, cwd=tmp_path)
    assert b"in effect lr = 0.25" in assay("show", "last", cwd=tmp_path).stdout


@pytest.mark.parametrize("command", ["python t.py --flagfile=some.flags --lr=0.3", "python t.py @some.flags --lr 0.3"])
def test_the_flags_in_a_file_are_settings(tmp_path: Path, command: str) -> None:
    (tmp_path / "some.flags").write_text("# tried\n--lr=0.02\n--batch_size=64\n// --epochs=3\n--amp\n")
    assert claims(command, tmp_path) == {"lr": 0.3, "batch_size": 64, "amp": True}


PYTHON = """
import math
lr = 0.05
batch_size: int = 128
optimizer = dict(type="SGD", momentum=0.9, params=make())
width = 64 * 2
depth = 3
if math.pi > 3:
    depth = 4
seed = 1
seed = random()
_private = 7
def get_config():
    config = ConfigDict()
    config.model.dropout = 0.2
    return config
raise SystemExit("never run")
"""


@pytest.mark.parametrize("command", ["python t.py --config x.py", "python t.py config/x.py"])
def test_literals_of_a_python_configuration_are_settings_and_nothing_of_it_is_run(tmp_path: Path, command: str) -> None:
    name = command.split()[-1]
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(PYTHON)
    assert claims(command, tmp_path) == {
        "lr": 0.05, "batch_size": 128, "optimizer.type": "SGD", "optimizer.momentum": 0.9, "dropout": 0.2,
    }  # fmt: skip


@pytest.mark.parametrize(
    "declared",
    [
        'parser.add_argument("--amp", action="store_true")',
        'click.option("--amp/--no-amp", default=False)',
        'click.option("--amp", is_flag=True)',
    ],
)
def test_a_word_behind_a_switch_of_the_script_is_not_its_value(tmp_path: Path, declared: str) -> None:
    (tmp_path / "t.py").write_text(declared)
    assert claims("python t.py --amp mnist --lr 0.1", tmp_path) == {"amp": True, "argument_1": "mnist", "lr": 0.1}
