"""The package as someone installs it: built, put into an empty environment, and used there."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import Assay, skip_or_fail

from assay.parts import PARTS, failed_import

ROOT = Path(__file__).parents[2]
#: what pip prints where no registry answers
_NO_REGISTRY = re.compile(rb"No matching distribution|Could not find a version|ConnectionError|NewConnectionError")


def pip(*words: str | Path) -> None:
    """A command that asks a registry; where none answers, the test cannot run."""
    environment = {**os.environ, "PIP_RETRIES": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run([*map(str, words)], capture_output=True, env=environment, timeout=300, check=False)
    if done.returncode and _NO_REGISTRY.search(done.stdout + done.stderr):
        skip_or_fail("registry", "no package registry answers here")
    assert done.returncode == 0, done.stderr.decode()


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that the first of all processes that run tests makes, and the others wait for."""
    shared = factory.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else factory.getbasetemp()
    place = shared / name
    with open(shared / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "made").exists():
            make(place)
            (place / "made").touch()
    return place


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was made of it."""
    return once(tmp_path_factory, "dist", lambda place: pip(sys.executable, "-m", "build", "--outdir", place, ROOT))


@pytest.fixture(scope="module")
def empty(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with nothing but what `pip install assay-ml` brings."""

    def make(place: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
        wheel = next(built.glob("*.whl"))
        pip(sys.executable, "-m", "pip", f"--python={place}/bin/python", "install", wheel)

    return once(tmp_path_factory, "light", make)


@dataclass
class Light(Assay):
    """`assay` of that environment; `python` is another one, as a user's is."""

    place: Path = Path()

    def words(self, *words: str | bytes | Path) -> list[str | bytes | Path]:
        return [self.place / "bin/assay", *words]


@pytest.fixture
def light(empty: Path, tmp_path: Path) -> Iterator[Light]:
    python = Path(sys.executable).parent
    yield Light(tmp_path, {"PATH": f"{python}{os.pathsep}{os.environ['PATH']}"}, place=empty)


pytestmark = pytest.mark.slow


def test_the_sdist_holds_what_the_tests_need_and_the_wheel_what_the_command_needs(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        parts = {name.split("/")[1] for name in sdist.getnames() if "/" in name}
    assert {"src", "tests", "docs", "examples", "Makefile", "README.md", "LICENSE"} <= parts
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    ours = [path for path in (ROOT / "src/assay").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {f"assay/{path.relative_to(ROOT / 'src/assay')}" for path in ours} <= set(names)


def test_the_first_session_of_the_readme_works_with_the_light_install(light: Light) -> None:
    line = re.search(r"(?m)^\$ assay (run .*)$", (ROOT / "README.md").read_text())
    assert line is not None
    done = light(*line[1].split(), cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert b"digits not trained on" in done.stdout
    assert b"assay: digits-bs32: completed" in done.stderr
    assert b"bs32" in light("ls").stdout
    shown = light("show", "last").stdout
    assert b"batch_size" in shown and b"accuracy" in shown
    read = light("ingest", ROOT / "tests/seeds/page_000.md")
    assert (read.returncode, b"3 runs in 1 file" in read.stdout) == (0, True)
    assert light("audit", ROOT / "tests/seeds/page_000.md").returncode == 1
    assert len(json.loads(light("ls", "--json").stdout)) == 4


@pytest.mark.parametrize(
    ("words", "package", "line"),
    [
        (["compare"], "`assay compare` needs scipy", "'assay-ml[compare]'"),
        (["report"], "`assay report` needs Jinja2", "'assay-ml[report]'"),
        (["write", ROOT / "README.md", "-o", "page.html"], "`assay write` needs Jinja2", "'assay-ml[report]'"),
        (["data"], "`assay data` needs assay-workloads", "'assay-ml[workloads]'"),
        (["serve"], "`assay serve` needs starlette", "'assay-ml[serve]'"),
        (["psrecord", "true", "--plot", "f.png"], "`--plot` needs vl-convert-python", "'assay-ml[report]'"),
        (["export", "--to", "mlflow"], "`--to mlflow` needs mlflow-skinny", "'assay-ml[mlflow]'"),
        (["export", "--to", "tensorboard", "--open"], "`--open` needs tensorboard", "tensorboard"),
    ],
    ids=lambda value: str(value[0]) if isinstance(value, list) else "",
)
def test_a_command_that_lacks_its_part_names_the_line_that_brings_it(
    light: Light, words: list[str | Path], package: str, line: str
) -> None:
    done = light(*words)
    assert done.returncode == 1
    assert done.stderr.decode() == f"error: {package}, which is not installed\nhint: pip install {line}\n"
    assert not light.run_dirs()


def test_a_workload_that_is_not_installed_names_the_line_that_brings_it(light: Light) -> None:
    light.script("workload: mnist\ngrid: {batch_size: [8, 16]}\n", "study.yaml")
    for words, code in ((("run", "mnist", "batch_size=8"), 125), (("study", "study.yaml"), 2)):
        done = light(*words)
        said = done.stderr.decode()
        assert (done.returncode, light.run_dirs()) == (code, []), said
        assert "`mnist` needs assay-workloads, which is not installed" in said
        assert "hint: pip install 'assay-ml[workloads]'" in said
    assert b"did you mean" not in light("run", "mnits").stderr


def test_a_run_and_a_study_end_well_where_nothing_can_be_compared(light: Light) -> None:
    said = b"error: `assay compare` needs scipy, which is not installed\nhint: pip install 'assay-ml[compare]'\n"
    assert (
        light("run", "--name", "first", "--", "python", "-c", "print('loss 0.5'); raise SystemExit(3)").returncode == 3
    )
    again = light("run", "--again", "first")
    assert (again.returncode, again.stderr.endswith(said)) == (3, True), again.stderr
    light.script("study: two\ncommand: python -c \"print('loss {x}.5')\"\ngrid: {x: [1, 2]}\n", "two.yaml")
    study = light("study", "two.yaml")
    assert study.returncode == 0, study.stderr
    assert said in study.stderr
    assert b"2 runs" in study.stdout


def test_every_part_that_is_named_is_one_that_can_be_installed() -> None:
    metadata = (ROOT / "pyproject.toml").read_text()
    for package, (name, line) in PARTS.items():
        extra = re.fullmatch(r"assay-ml\[(\w+)\]", line)
        if extra is None:
            assert line == name
            continue
        brought = re.search(rf"(?m)^{extra[1]} = \[(.*)\]$", metadata)
        assert brought is not None and f'"{name}>=' in brought[1], package


def test_a_package_that_we_never_left_out_is_no_part() -> None:
    told = failed_import("`assay compare`", ModuleNotFoundError(name="scipy.special"))
    assert (told.message, told.hint) == (
        "`assay compare` needs scipy, which is not installed",
        "pip install 'assay-ml[compare]'",
    )
    with pytest.raises(ModuleNotFoundError):
        failed_import("`assay compare`", ModuleNotFoundError(name="assay.comparing"))
