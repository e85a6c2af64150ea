"""Which version of a program a command starts: the same files give the same hash, and an edit gives another."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from assay.facts.code import code_facts
from assay.facts.git import git_facts
from assay.facts.imports import imported
from assay.model.code import Code


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_py", ".py").replace("_sh", ".sh")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def code_of(folder: Path, *command: str, cwd: Path | None = None, **environment: str) -> Code:
    where = cwd or folder
    found = code_facts(command, where, environment, git_facts(where), lambda sha256, path: False)
    assert found is not None
    return found


def paths(code: Code) -> list[str]:
    return [file.path for file in code.files]


def test_modules_of_its_own_folder_belong_to_the_script_and_others_do_not(tmp_path: Path) -> None:
    written(tmp_path, train_py="import os, net\nfrom lib import data\nimport numpy", net_py="import deep", deep_py="")
    written(tmp_path, lib__data_py="x = 1", unused_py="", os_path_py="")
    assert paths(code_of(tmp_path, "python", "train.py")) == ["train.py", "net.py", "lib/data.py", "deep.py"]


def test_an_edit_gives_another_hash_and_a_file_that_is_not_imported_does_not(tmp_path: Path) -> None:
    written(tmp_path, train_py="import net", net_py="x = 1", README_md="one")
    first = code_of(tmp_path, "python", "train.py").hash
    (tmp_path / "README.md").write_text("two")
    assert code_of(tmp_path, "python", "train.py", "--lr", "2").hash == first
    (tmp_path / "net.py").write_text("x = 2")
    assert code_of(tmp_path, "python", "train.py").hash != first
    (tmp_path / "net.py").write_text("x = 1")
    assert code_of(tmp_path, "python", "train.py").hash == first


def test_a_copy_under_another_name_or_in_another_folder_is_the_same_code(tmp_path: Path) -> None:
    one = written(tmp_path / "one", train_py="import net", net_py="x = 1")
    two = written(tmp_path / "two", other_py="import net", net_py="x = 1")
    assert code_of(one, "python", "train.py").hash == code_of(two, "python", "other.py").hash


def test_relative_imports_and_packages_are_followed(tmp_path: Path) -> None:
    written(tmp_path, pkg____init___py="")
    (tmp_path / "pkg" / "sub").mkdir(parents=True)
    files = {"__init__.py": "", "train.py": "from . import net\nfrom .sub.deep import x\nfrom pkg import more"}
    files |= {"net.py": "", "sub/__init__.py": "", "sub/deep.py": "from ..far import y", "far.py": "", "more.py": ""}
    for name, text in files.items():
        (tmp_path / "pkg" / name).write_text(text)
    found = paths(code_of(tmp_path, "python", "-m", "pkg.train"))
    assert set(found) == {"train.py", "net.py", "sub/__init__.py", "sub/deep.py", "far.py", "more.py", "__init__.py"}


def test_modules_on_the_python_path_and_in_the_repository_are_found(tmp_path: Path) -> None:
    written(tmp_path, tools__train_py="import own, beside", src__own_py="", elsewhere__beside_py="")
    (tmp_path / ".git").mkdir()
    code = code_of(tmp_path, "python", "tools/train.py", PYTHONPATH=str(tmp_path / "elsewhere"))
    assert set(paths(code)) == {"train.py", "../src/own.py", "../elsewhere/beside.py"}


def test_imports_are_found_however_they_are_written() -> None:
    text = "import a, b.c as d\nif x:\n    from e import (f,  # why\n        g)\nfrom h import i, \\\n    j\nfrom .k import *"
    names = [f"{'.' * one.level}{one.name}" for one in imported(text + "\nimportant = 1\nfrom_here = 2\nimport ]")]
    assert names == ["a", "b.c", "e", "e.f", "e.g", "h", "h.i", "h.j", ".k"]


def test_a_shell_script_brings_the_scripts_that_it_names(tmp_path: Path) -> None:
    written(tmp_path, go_sh="cd part && python train.py --out missing.py\npython other.py", other_py="")
    written(tmp_path, part__train_py="import net", part__net_py="")
    code = code_of(tmp_path, "bash", "go.sh")
    assert paths(code) == ["go.sh", "part/train.py", "other.py", "part/net.py"]
    assert code.script == "go.sh"


def test_text_on_the_command_line_is_code_unless_it_names_a_script(tmp_path: Path) -> None:
    written(tmp_path, train_py="pass")
    one, two = code_of(tmp_path, "python", "-c", "print(1)"), code_of(tmp_path, "python", "-c", "print(2)")
    assert (one.inline, one.hash == two.hash) == (True, False)
    small = code_of(tmp_path, "bash", "-c", "python train.py --lr 1")
    large = code_of(tmp_path, "bash", "-c", "python train.py --lr 2")
    assert (small.script, small.inline, small.hash) == ("train.py", None, large.hash)


def test_a_program_that_was_built_here_is_known_by_its_file_and_one_of_the_system_is_not(tmp_path: Path) -> None:
    program = tmp_path / "bench"
    program.write_bytes(b"\x7fELF\0one")
    program.chmod(0o755)
    first = code_of(tmp_path, "./bench", "--n", "4")
    assert (first.script, first.files[0].kept) == ("bench", None)
    program.write_bytes(b"\x7fELF\0two")
    assert code_of(tmp_path, "srun", "-n", "2", "./bench").hash not in (None, first.hash)
    assert code_facts(["/bin/sleep", "0"], tmp_path, {}, None, lambda sha256, path: False) is None


def test_files_are_bounded_in_number_and_what_was_left_out_is_counted(tmp_path: Path) -> None:
    for number in range(150):
        (tmp_path / f"m{number}.py").write_text("")
    (tmp_path / "train.py").write_text("".join(f"import m{number}\n" for number in range(150)))
    code = code_of(tmp_path, "python", "train.py")
    assert (len(code.files), code.left_out) == (100, 51)


def test_a_text_that_is_kept_already_is_not_read_for_secrets_again(tmp_path: Path) -> None:
    written(tmp_path, train_py="import net\napi_key = 'hunter2-Tr0ub4dor'", net_py="x = 1")
    found = code_facts(["python", "train.py"], tmp_path, {}, None, lambda sha256, path: path == "net.py")
    assert found is not None
    assert [(one.path, one.kept, one.text) for one in found.files] == [
        ("train.py", True, "import net\napi_key = '***'"),
        ("net.py", True, None),
    ]


@pytest.mark.parametrize("text", ["import " + "a." * 20000, "from x import (" * 3000, "import\0", "\n" * 100000])
def test_strange_texts_cost_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "train.py").write_text(text)
    assert paths(code_of(tmp_path, "python", "train.py")) == ["train.py"]


def test_a_script_that_git_does_not_know_is_not_the_code_of_its_commit(tmp_path: Path) -> None:
    written(tmp_path, train_py="pass", README_md="")
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    for words in (["init", "-q"], ["add", "README_md"], ["commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, env={**os.environ, **identity})
    assert code_of(tmp_path, "python", "train.py").dirty is True
    for words in (["add", "."], ["commit", "-qm", "two"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, env={**os.environ, **identity})
    clean = code_of(tmp_path, "python", "train.py")
    elsewhere = code_of(tmp_path, "python", str(tmp_path / "train.py"), cwd=tmp_path.parent)
    assert (clean.dirty, clean.commit, elsewhere.commit) == (False, elsewhere.commit, clean.commit)
