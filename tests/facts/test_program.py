"""Which script a command line really runs, and which packages it will find."""

from pathlib import Path

import pytest

from assay.facts.packages import installed, that_matter
from assay.facts.program import find_script


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("train.py", "other.py", "go.sh"):
        (tmp_path / name).write_text("pass\n")
    (tmp_path / "launch").write_text("#!/bin/sh\n")
    (tmp_path / "data.bin").write_bytes(b"\0\1")
    (tmp_path / "python").write_text("#!/bin/sh\n# a shim\n")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "train.py").write_text("pass\n")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "found"),
    [
        (["python", "train.py", "other.py"], "train.py"),
        (["python", "-u", "train.py"], "train.py"),
        (["./python", "train.py"], "train.py"),
        (["torchrun", "--nproc-per-node", "2", "train.py"], "train.py"),
        (["srun", "-n", "2", "python", "train.py"], "train.py"),
        (["bash", "go.sh", "train.py"], "go.sh"),
        (["./launch", "train.py"], "launch"),
        (["python", "-m", "pkg.train"], "pkg/train.py"),
        (["python", "-c", "pass"], None),
        (["python", "-u", "-c", "pass", "train.py"], None),
        (["bash", "-lc", "python train.py", "go.sh"], None),
        (["srun", "-c", "4", "python", "train.py"], "train.py"),
        (["./data.bin"], None),
        (["python", "x" * 5000, "nul\0"], None),
    ],
)
def test_the_script_is_found(folder: Path, command: list[str], found: str | None) -> None:
    assert find_script(command, folder, path="/usr/bin:/bin") == (folder / found if found else None)


def test_versions_are_read_without_starting_the_interpreter(tmp_path: Path) -> None:
    site = tmp_path / "lib/python3.8/site-packages"
    site.mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin/python"
    python.write_text("#!/bin/false\n")
    python.chmod(0o755)
    for name in ("torch-2.4.0+cu121.dist-info", "cerebras_pytorch-2.4.0.dist-info", "left_pad-1.0.dist-info"):
        (site / name).mkdir()
    expected = {"torch": "2.4.0+cu121", "cerebras-pytorch": "2.4.0"}
    found = installed([str(python), "train.py"], {}, tmp_path)
    assert found == {**expected, "left-pad": "1.0"}
    assert that_matter(found, ("cerebras",)) == expected
    assert installed(["/bin/true"], {"VIRTUAL_ENV": str(tmp_path)}, tmp_path) == {}


def test_the_python_behind_a_shim_of_pyenv_is_the_one_that_its_files_name(tmp_path: Path) -> None:
    for version in ("3.10.1", "3.12.5"):
        site = tmp_path / "versions" / version / "lib" / f"python{version.rpartition('.')[0]}" / "site-packages"
        (site / f"numpy-{version}.dist-info").mkdir(parents=True)
        program = tmp_path / "versions" / version / "bin" / "python3"
        program.parent.mkdir()
        program.touch(0o755)
    (tmp_path / "shims").mkdir()
    (tmp_path / "shims" / "python3").touch(0o755)
    (tmp_path / "version").write_text("3.10.1\n")
    work = tmp_path / "work"
    work.mkdir()
    shimmed = {"PATH": str(tmp_path / "shims")}
    assert installed(["python3", "t.py"], shimmed, work) == {"numpy": "3.10.1"}
    (work / ".python-version").write_text("3.12.5\n")
    assert installed(["python3", "t.py"], shimmed, work) == {"numpy": "3.12.5"}
