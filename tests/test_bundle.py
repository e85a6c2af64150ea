"""The compiled modules of a start in one file: used while nothing has changed, never in place of a changed source."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay import bundle
from assay.bundle import Bundle

#: `assay` as always, how many files of modules it had to open, and how many texts of dataclasses it compiled
COUNTED = """
import sys
opened, compiled = set(), []
def heard(event, args):
    if event == "open" and str(args[0]).endswith((".py", ".pyc")):
        opened.add(args[0])
    if event == "compile" and "__create_fn__" in str(args[0]):
        compiled.append(args[0])
sys.addaudithook(heard)
from assay.cli import main
try:
    main()
finally:
    print(len(opened), len(compiled))
"""


def test_the_next_start_of_a_recorder_opens_one_file_in_place_of_hundreds(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPYCACHEPREFIX": str(tmp_path / "cache"), "ASSAY_RUNS": str(tmp_path / "runs")}
    command = [sys.executable, "-c", COUNTED, "run", "-q", "--", "true"]

    def opened() -> tuple[int, int]:
        files, texts = subprocess.run(command, env=environment, capture_output=True, check=True).stdout.split()
        return int(files), int(texts)

    assert opened()[0] > 150
    files, texts = opened()
    assert files < 20 and texts > 100, "the methods of dataclasses are compiled once more, and kept"
    files, texts = opened()
    assert files < 20 and texts < 20


def test_a_method_of_a_dataclass_is_the_one_that_python_would_have_written(made: Bundle, tmp_path: Path) -> None:
    text = "def __create_fn__(kind):\n def f(one: kind = 3):\n  return one\n return f"
    for found in (made, _read(tmp_path)):
        names: dict[str, Any] = {}
        found.run(text, {"__name__": "there"}, names)
        f = names["__create_fn__"](int)
        assert (f(), f.__annotations__, f.__module__) == (3, {"one": int}, "there")
        found._write(bundle._header(), {})
    assert _read(tmp_path)._read_texts() == made.texts, "compiled once, and found by the next"


def test_a_recorder_loads_no_library_for_compression() -> None:
    """Each is three files that a slow file system is asked for; `shutil` needs them all."""
    names = "assay.cli.run, assay.cli.node, assay.recording.record, assay.views.closing"
    loaded = f"import sys, {names}; print({{'shutil', 'bz2', 'lzma'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "assay_of_a_test.py"
    path.write_text("VALUE = 1\n")
    return path


@pytest.fixture
def made(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bundle:
    """One that holds a single module, written and read again."""
    written = Bundle()
    written.file = str(tmp_path / "start")
    written._write(bundle._header(), {source.stem: str(source)})
    found = _read(tmp_path)
    monkeypatch.setattr(bundle, "BUNDLE", found)
    return found


def _read(folder: Path) -> Bundle:
    found = Bundle()
    found.file = str(folder / "start")
    found.open()
    return found


def test_a_copy_of_the_package_does_not_take_its_modules_from_where_it_came_from(
    made: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert made.entries
    monkeypatch.setattr(bundle, "__file__", "/elsewhere/assay/bundle.py")
    assert not _read(tmp_path).entries


def test_a_module_in_it_is_what_its_source_says(made: Bundle, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [made, *sys.meta_path])
    monkeypatch.delitem(sys.modules, source.stem, raising=False)
    module = __import__(source.stem)
    assert (module.VALUE, module.__file__) == (1, str(source))


def test_a_changed_source_is_read_and_not_what_was_kept_of_it(made: Bundle, source: Path) -> None:
    assert made.find_spec(source.stem) is not None
    source.write_text("VALUE = 22\n")
    assert made.find_spec(source.stem) is None
    assert source.stem not in made.entries  # so the next bundle has it as it is now
    source.unlink()
    assert made.find_spec(source.stem) is None


def test_a_module_that_python_would_not_find_is_not_found(made: Bundle, source: Path, tmp_path: Path) -> None:
    sys.path.remove(str(source.parent))
    assert _read(tmp_path).find_spec(source.stem) is None


def test_a_file_that_was_cut_off_or_made_by_another_python_is_left_alone(
    made: Bundle, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = (tmp_path / "start").read_bytes()
    for content in (whole[:-1], whole[:20], b"", os.urandom(300)):
        (tmp_path / "start").write_bytes(content)
        assert _read(tmp_path).entries == {}
    (tmp_path / "start").write_bytes(whole)
    assert _read(tmp_path).entries
    monkeypatch.setattr(sys, "version", "3.99")
    assert _read(tmp_path).entries == {}


def test_what_is_installed_later_makes_it_anew(made: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    assert _read(tmp_path).entries == {}


def test_one_module_costs_its_own_size_wherever_in_the_file_it_lies(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the first process holds is the least peak that any command can be seen to have."""
    monkeypatch.setattr(bundle, "_HEAD_BYTES", 1 << 12)
    large = source.with_name("assay_large.py")
    large.write_text(f"TEXT = {'x' * 100_000!r}\n")
    written = Bundle()
    written.file = str(tmp_path / "start")
    written._write(bundle._header(), {large.stem: str(large), source.stem: str(source)})
    found = _read(tmp_path)
    assert found.code(source.stem) is not None
    assert len(found._data) <= 1 << 12
    found.close()
    assert found.code(large.stem) is not None
