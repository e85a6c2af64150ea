"""What another package adds: installed as its users install it, and used through the command line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Assay

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example as pip installs it."""
    folder = tmp_path_factory.mktemp("lumen")
    shutil.copytree(EXAMPLE, folder / "source")
    words = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", *words, "--target", str(folder / "site"), str(folder / "source")]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture
def lumen(assay: Assay, site: Path) -> Assay:
    assay.env["PYTHONPATH"] = str(site)
    assay.env["PATH"] = f"{assay.folder}:/usr/bin:/bin"
    return assay


def program(assay: Assay, name: str, *lines: str, code: int = 0) -> None:
    path = assay.folder / name
    path.write_text("\n".join(["#!/bin/sh", *(f"echo '{line}'" for line in lines), f"exit {code}", ""]))
    path.chmod(0o755)


def ingested(assay: Assay, path: Path) -> list[dict[str, Any]]:
    return json.loads(assay("ingest", "--json", path).stdout)


def test_its_log_is_read_by_its_reader(lumen: Assay) -> None:
    (run,) = ingested(lumen, EXAMPLE / "sample.log")
    assert (run["system"], run["status"], run["loss"], run["accuracy"]) == ("lumen", "completed", 0.2034, 0.964)
    assert (run["params"], run["phases"]["load"]) == ({"epochs": 2}, 1.8)
    assert ingested(lumen, EXAMPLE / "README.md") == []


def test_a_page_that_names_it_belongs_to_its_system_and_gets_its_remedy(lumen: Assay) -> None:
    log = (EXAMPLE / "sample.log").read_text()
    page = lumen.folder / "page.md"
    page.write_text(f"# MNIST on a Lumen\n\nWith 5 epochs:\n\n```\n{log}```\n")
    found = json.loads(lumen("audit", "--json", page).stdout)
    assert [(one["code"], one["hint"]) for one in found] == [
        ("setting-not-in-effect", "lumen-train takes its settings from flags alone: pass --epochs")
    ]


def test_the_doctor_lists_it_and_explains_it(lumen: Assay) -> None:
    rows = {row["name"]: row for row in json.loads(lumen("doctor", "--json").stdout)}
    assert (rows["lumen"]["ready"], rows["lumen"]["says"]) == (
        False,
        "no `lumen-smi` and no /opt/lumen: load its module",
    )
    program(lumen, "lumen-smi")
    done = lumen("doctor", "lumen")
    assert done.returncode == 0
    assert f"ready: a Lumen ({lumen.folder}/lumen-smi)".encode() in done.stdout
    assert b"no-device: align the lens after every reboot: lumen-smi --align" in done.stdout
    assert b"out-of-memory: " in done.stdout


def test_a_workload_starts_on_it(lumen: Assay) -> None:
    program(lumen, "lumen-train", *(EXAMPLE / "sample.log").read_text().splitlines(), 'args: "$*"')
    done = lumen("run", "--target", "lumen", "mnist", "epochs=2")
    assert done.returncode == 0, done.stderr
    summary = lumen.summary()
    assert (summary["system"], summary["status"], summary["accuracy"]) == ("lumen", "completed", 0.964)
    asked = json.loads((lumen.run_dir() / "run.json").read_text())
    assert asked["command"][:2] == ["lumen-train", "mnist"] and asked["command"][2:] == ["--epochs", "2"]
    refused = lumen("run", "--target", "lumen", "svhn-mlp")
    assert b"`svhn-mlp` cannot run on lumen" in refused.stderr


def test_its_failure_comes_with_its_remedy(lumen: Assay) -> None:
    program(lumen, "lumen-train", "lumen-rt 2.1: lens 0 aligned in 1.8 s", "lumen-rt: lens 0 is out of focus", code=3)
    done = lumen("run", "--target", "lumen", "mnist")
    assert done.returncode == 3
    error = lumen.summary()["error"]
    assert (error["code"], error["hint"]) == ("no-device", "align the lens after every reboot: lumen-smi --align")
    assert b"lumen-smi --align" in done.stderr
    assert b"lumen-smi --align" in lumen("show", "last").stdout


def plug_in(folder: Path, package: str, code: str, **points: str) -> None:
    """An installed package of one module, with entry points of these groups."""
    (folder / f"{package}.py").write_text(code)
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"[assay.{group}]\n{value}\n" for group, value in points.items()]
    (about / "entry_points.txt").write_text("\n".join(lines))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import no_such_module", "cannot be loaded (ModuleNotFoundError: No module named 'no_such_module')"),
        ("raise SystemExit(4)", "cannot be loaded (SystemExit: 4)"),
        ("SYSTEM = 'opal'", "is not a system"),
        ("from assay.systems.system import System\nSYSTEM = System(name='ruby')", "calls itself `ruby`"),
    ],
)
def test_a_package_that_cannot_be_loaded_costs_one_warning_that_names_it(assay: Assay, code: str, said: str) -> None:
    plug_in(assay.folder, "opal_pack", code, systems="opal = opal_pack:SYSTEM")
    assay.env["PYTHONPATH"] = str(assay.folder)
    warning = f"`opal` of the package `opal_pack` {said} and is not used"
    for words in (["doctor"], ["ingest", EXAMPLE / "sample.log"], ["run", "--", "echo", "hi"]):
        done = assay(*words)
        assert done.returncode == 0, done.stderr
        assert done.stderr.decode().count(warning) == 1, done.stderr


def test_a_pattern_that_is_none_costs_the_system_and_nothing_else(assay: Assay) -> None:
    code = "from assay.systems.system import System\nSYSTEM = System(name='opal', words='(')"
    plug_in(assay.folder, "opal_pack", code, systems="opal = opal_pack:SYSTEM")
    assay.env["PYTHONPATH"] = str(assay.folder)
    done = assay("doctor", "--json")
    assert b"of the system `opal` is not a valid pattern" in done.stderr
    assert "opal" not in [row["name"] for row in json.loads(done.stdout)]


def test_plug_ins_are_loaded_once_a_run_and_not_at_all_for_help(assay: Assay) -> None:
    code = f"""
from assay.systems.system import System
with open({str(assay.folder / "loaded")!r}, "a") as file:
    file.write("once\\n")
SYSTEM = System(name="opal")
"""
    plug_in(assay.folder, "opal_pack", code, systems="opal = opal_pack:SYSTEM")
    assay.env["PYTHONPATH"] = str(assay.folder)
    for words in (["--help"], ["run", "--help"], ["--version"]):
        assert assay(*words).returncode == 0
    assert not (assay.folder / "loaded").exists()
    assert assay("run", "--", "echo", "step 1 loss 0.5").returncode == 0
    assert (assay.folder / "loaded").read_text() == "once\n"


READER = """
import re
from assay.reading.reader import Reader
_LINE = re.compile(r"quux loss (?P<loss>[\\d.]+)")
class Quux(Reader):
    name = system = "quux"
    anchors = ("quux",)
    def _line(self, line, found):
        self.strong = self.ended = True
        return [self.fact("metric", line, loss=float(found["loss"]))]
    def finish(self):
        return [self.fact("end", 0, status="completed")]
    table = ((_LINE, _line),)
"""


def test_a_reader_alone_can_be_added(assay: Assay) -> None:
    plug_in(assay.folder, "quux_pack", READER, readers="quux = quux_pack:Quux")
    assay.env["PYTHONPATH"] = str(assay.folder)
    log = assay.folder / "some.log"
    log.write_text("quux loss 0.25\n")
    (run,) = ingested(assay, log)
    assert (run["system"], run["loss"]) == ("quux", 0.25)
    (run,) = json.loads(assay("ingest", "--json", "--reader", "quux", log).stdout)
    assert run["system"] == "quux"


def test_a_reader_that_cannot_be_loaded_is_a_problem_of_the_run_and_no_word_on_the_terminal(assay: Assay) -> None:
    plug_in(assay.folder, "quux_pack", "import no_such_module", readers="quux = quux_pack:Quux")
    assay.env["PYTHONPATH"] = str(assay.folder)
    done = assay("run", "-q", "--", "echo", "step 1 loss 0.5")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"step 1 loss 0.5\n", b"")
    assert "`quux` of the package `quux_pack` cannot be loaded" in assay.summary()["problems"][0]


LAUNCHER = """
from dataclasses import replace
from assay.launchers.local import Local
class Polite(Local):
    name = "polite"
    def submit(self, job):
        return super().submit(replace(job, command=("nice", "-n", "19", *job.command)))
"""


def test_a_launcher_can_be_added(assay: Assay) -> None:
    plug_in(assay.folder, "polite_pack", LAUNCHER, launchers="polite = polite_pack:Polite")
    assay.env["PYTHONPATH"] = str(assay.folder)
    assert b"polite" in assay("doctor").stdout
    done = assay("run", "--on", "polite", "--", "nice")
    assert (done.returncode, done.stdout) == (0, b"19\n"), done.stderr
